"""Inputs of all published metrics of a generator of board problems, and the published numbers of
them by NumPy, SciPy and scikit-learn, from their definitions alone: golden.json has the layout
that --output writes with --definition documented.

    python3 published.py        writes real.json, generated.json, recon.npz, latents.npz,
                                predictions.csv, golden.json

Versions of the last run are in golden.json under "versions".
"""
import csv
import itertools
import json

import numpy as np
import scipy
import sklearn
from scipy.stats import wasserstein_distance
from sklearn.metrics import silhouette_score

rng = np.random.default_rng(34)
GRADES = "5+ 6A 6A+ 6B 6B+ 6C 6C+ 7A 7A+ 7B 7B+ 7C 7C+ 8A 8A+ 8B 8B+ 8C 8C+".split()
COLUMNS, ROWS = "ABCDEFGHIJK", 18


def problem(grade, start, middle, end, both=0):
    holds = rng.choice(len(COLUMNS) * ROWS, start + middle + end + both, replace=False)
    moves = []
    for k, hold in enumerate(holds):
        move = {"description": f"{COLUMNS[hold % 11]}{hold // 11 + 1}"}
        if k < start or k >= start + middle + end:
            move["isStart"] = True
        if start + middle <= k:
            move["isEnd"] = True
        moves.append(move)
    return {"grade": grade, "moves": moves}


def problems(counts, more):
    return [problem(g, int(rng.integers(1, 3)), int(rng.integers(3, 7)) + more, int(rng.integers(1, 3)), int(rng.integers(0, 2)))
            for g, n in counts for _ in range(n)]


real = problems([("6A", 25), ("6B", 12), ("7A", 14)], 0)
generated = problems([("6A", 20), ("6B", 13), ("7A", 9), ("8A", 1)], 1)
# What makes samples invalid: no start, too few between, a file that says so; and one that says it is valid.
for i in (0, 3, 7):
    generated[i]["moves"] = [m for m in generated[i]["moves"] if not m.get("isStart")]
generated[22]["moves"] = [m for m in generated[22]["moves"] if m.get("isStart") or m.get("isEnd")]
for i in range(34, 39):
    generated[i]["validation"] = {"valid": False}
generated[8]["moves"] = [m for m in generated[8]["moves"] if m.get("isStart") or m.get("isEnd")]
generated[8]["validation"] = {"valid": True}
# Copies: three of one in 6A, two in 6B.
generated[12]["moves"] = generated[13]["moves"] = generated[11]["moves"]
generated[30]["moves"] = generated[29]["moves"]
json.dump({"data": real}, open("real.json", "w"))
json.dump({"data": generated}, open("generated.json", "w"))


def grid(p):
    g = np.zeros((3, ROWS, 11), bool)
    for m in p["moves"]:
        at = int(m["description"][1:]) - 1, COLUMNS.index(m["description"][0])
        start, end = m.get("isStart", False), m.get("isEnd", False)
        g[0][at], g[2][at], g[1][at] = start, end, not start and not end
    return g


def valid(p):
    g = grid(p)
    return p.get("validation", {}).get("valid", bool(g[0].sum() >= 1 and g[2].sum() >= 1 and g[1].sum() >= 3))


def statistics(p):
    start = sum(m.get("isStart", False) for m in p["moves"])
    end = sum(m.get("isEnd", False) for m in p["moves"])
    rows = [int(m["description"][1:]) for m in p["moves"]]
    return {"num_holds": len(p["moves"]), "num_start": start, "num_end": end, "num_middle": len(p["moves"]) - start - end,
            "vertical_spread": max(rows) - min(rows)}


def by_grade(of):
    return {g: [p for p in of if p["grade"] == g] for g in GRADES if any(p["grade"] == g for p in of)}


# reconstruction: probabilities of float32 above 0.5
boards = np.array([grid(p) for p in real[:30]])
flips = rng.random(boards.shape) < 0.004
probability = np.where(boards ^ flips, 0.9, 0.1).astype(np.float32)
boards[5], probability[5] = False, 0.1  # an empty one
probability[6][boards[6]] = 0.5         # not above
labels = np.array([GRADES.index(p["grade"]) for p in real[:30]])
np.savez_compressed("recon.npz", original=boards.astype(np.uint8), recon_prob=probability, label=labels)


def iou(a, b):
    return (a & b).sum() / (a | b).sum() if (a | b).any() else np.nan


found = probability > np.float32(0.5)
whole = np.array([1 if np.isnan(v := iou(a, b)) else v for a, b in zip(boards, found)])
reconstruction = {
    "mean_iou": whole.mean(), "std_iou": whole.std(),
    "per_channel_iou": {c: np.nanmean([iou(a[k], b[k]) for a, b in zip(boards, found)]) for k, c in enumerate(["start", "middle", "end"])},
    "per_grade_iou": {GRADES[g]: {"mean_iou": whole[labels == g].mean(), "std_iou": whole[labels == g].std(), "num_samples": int((labels == g).sum())}
                      for g in sorted(set(labels))},
    "num_samples": len(whole), "threshold": 0.5}

# diversity of the valid ones
per_grade = {}
for g, of in by_grade(generated).items():
    kept = [grid(p) for p in of if valid(p)]
    if len(kept) < 2:
        continue
    distances = [(a != b).mean() for a, b in itertools.combinations(kept, 2)]
    distinct = len({a.tobytes() for a in kept})
    per_grade[g] = {"mean_diversity": np.mean(distances), "std_diversity": np.std(distances), "unique_problems": distinct,
                    "total_valid": len(kept), "uniqueness_ratio": distinct / len(kept)}
means = [v["mean_diversity"] for v in per_grade.values()]
diversity = {"overall_mean_diversity": np.mean(means), "overall_std_diversity": np.std(means),
             "overall_uniqueness_ratio": np.mean([v["uniqueness_ratio"] for v in per_grade.values()]), "per_grade": per_grade}

# statistics of the valid ones beside all real ones, 10 generated at least
per_grade, pooled = {}, {}
for g, of in by_grade(generated).items():
    kept, others = [statistics(p) for p in of if valid(p)], [statistics(p) for p in real if p["grade"] == g]
    if len(kept) < 10 or len(others) < 2:
        continue
    distances = {}
    for name in kept[0]:
        x, y = [s[name] for s in kept], [s[name] for s in others]
        distances[name] = wasserstein_distance(x, y)
        pooled.setdefault(name, ([], []))
        pooled[name][0].extend(x)
        pooled[name][1].extend(y)
    per_grade[g] = {"wasserstein_distances": distances, "mean_distance": np.mean(list(distances.values())), "num_generated": len(kept), "num_real": len(others)}
statistical = {
    "overall_mean_distance": np.mean([v["mean_distance"] for v in per_grade.values()]), "per_grade": per_grade,
    "per_statistic": {name: {"mean": np.mean(d := [v["wasserstein_distances"][name] for v in per_grade.values()]), "std": np.std(d), "min": min(d), "max": max(d),
                             "generated_mean": np.mean(x), "generated_std": np.std(x), "real_mean": np.mean(y), "real_std": np.std(y)}
                      for name, (x, y) in pooled.items()}}

# latent space: three labels, one of a single sample
label = np.array([1] * 14 + [3] * 12 + [9])
latent = rng.normal(size=(len(label), 5)) + label[:, None] * np.array([0.5, 0.2, 0, 0, -0.3])
np.savez_compressed("latents.npz", latent=latent, label=label)
centroids = {g: latent[label == g].mean(0) for g in sorted(set(label))}
apart = [np.linalg.norm(a - b) for a, b in itertools.pairwise(centroids.values())]
latent_space = {
    "silhouette_score": silhouette_score(latent, label), "latent_mean": np.abs(latent).mean(), "latent_std": latent.std(),
    "grade_separation": np.mean(apart), "grade_separation_std": np.std(apart), "num_grades": len(centroids), "num_samples": len(label), "latent_dim": 5,
    "per_grade_centroids": {GRADES[g]: {"mean": c, "std": latent[label == g].std(0).mean(), "count": int((label == g).sum())} for g, c in centroids.items()}}

# conditioning: what a classifier said of the valid ones, in percent, the mean over labels
target = np.array([1] * 11 + [3] * 8 + [7] * 3)
predicted = np.clip(target + rng.integers(-2, 3, len(target)), 0, 18)
made = {1: 20, 3: 13, 7: 9}
with open("predictions.csv", "w", newline="") as f:
    rows = csv.writer(f, lineterminator="\n")
    rows.writerow(["num_generated", "predicted", "target"])
    rows.writerows([made[t], p, t] for t, p in zip(target.tolist(), predicted.tolist()))
off = np.abs(target - predicted)
per_grade = {GRADES[g]: {"exact_accuracy": 100 * (off[target == g] == 0).mean(), "tolerance_1_accuracy": 100 * (off[target == g] <= 1).mean(),
                         "num_valid": int((target == g).sum()), "num_generated": n} for g, n in made.items()}
conditioning = {"overall_exact_accuracy": np.mean([v["exact_accuracy"] for v in per_grade.values()]),
                "overall_tolerance_1_accuracy": np.mean([v["tolerance_1_accuracy"] for v in per_grade.values()]), "per_grade": per_grade}

json.dump({"versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
           "checkpoint": "vae", "metrics": {"reconstruction": reconstruction, "diversity": diversity, "statistical": statistical,
                                            "latent_space": latent_space, "grade_conditioning": conditioning}},
          open("golden.json", "w"), indent=1, default=lambda v: v.tolist())
