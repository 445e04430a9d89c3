"""Writes objects.json: objects and motion of small predicted frames by NumPy and SciPy, for the tests of
objects.go and motion.go.

Usage: python3 objects.py   (in this folder)
Needs numpy and scipy.
"""
import json

import numpy as np
import scipy
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

THRESHOLD, AREA, OVERLAP = 0.1, 4, 0.1
rng = np.random.default_rng(12)


def episode(frames, channels, height, width):
    """Squares that wander over a still background, and predictions that shift, fade, split and invent them."""
    truth = np.repeat(rng.uniform(0.2, 0.5, (1, channels, height, width)), frames, 0)
    places = rng.integers(0, [height - 4, width - 4], (5, 2))
    sizes = rng.integers(2, 6, 5)
    for t in range(frames):
        for k, (place, size) in enumerate(zip(places, sizes)):
            y, x = place
            truth[t, k % channels, y : y + size, x : x + size] = 0.9
        places = np.clip(places + rng.integers(-2, 3, places.shape), 0, [height - 4, width - 4])
    predicted = np.roll(truth[1:], rng.integers(-1, 2), axis=3)
    predicted = predicted + 0.05 * rng.normal(size=predicted.shape)
    predicted[::3, :, 3:7, 2:9] += 0.4
    predicted[1::3, :, :, width // 2] = 0.35
    return np.round(truth, 4), np.round(predicted, 4)


def objects(frame, background):
    labels, n = ndimage.label((np.abs(frame - background) > THRESHOLD).any(0), np.ones((3, 3)))
    return [labels == k for k in range(1, n + 1) if (labels == k).sum() >= AREA]


def score(truth, predicted):
    iou = np.array([[(a & b).sum() / (a | b).sum() for b in predicted] for a in truth]).reshape(len(truth), len(predicted))
    rows, columns = linear_sum_assignment(np.where(iou >= OVERLAP, iou, 0), maximize=True)
    pairs = [(i, j) for i, j in zip(rows, columns) if iou[i, j] >= OVERLAP]
    centre = ndimage.center_of_mass
    return {
        "areas": [int(a.sum()) for a in truth],
        "hits": [bool(any(i == k for i, _ in pairs)) for k in range(len(truth))],
        "predicted": len(predicted),
        "distance": float(sum(np.linalg.norm(np.subtract(centre(truth[i]), centre(predicted[j]))) for i, j in pairs)),
    }


def motion(now, following, predicted):
    step, guess = following - now, predicted - now
    return {"truth": float((step**2).sum()), "predicted": float((guess**2).sum()),
            "cosine": float((step * guess).sum() / np.linalg.norm(step) / np.linalg.norm(guess))}


cases = []
for frames, shape in ((7, (1, 17, 14)), (6, (3, 13, 19))):
    truth, predicted = episode(frames, *shape)
    background = np.median(truth, 0)
    cases.append({
        "shape": shape, "truth": truth.ravel().tolist(), "predicted": predicted.ravel().tolist(), "background": background.ravel().tolist(),
        "objects": [score(objects(truth[t + 1], background), objects(predicted[t], background)) for t in range(frames - 1)],
        "motion": [motion(truth[t], truth[t + 1], predicted[t]) for t in range(frames - 1)],
    })
out = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "cases": cases}
with open("objects.json", "w") as file:
    json.dump(out, file, separators=(",", ":"))
    file.write("\n")
for c in cases:
    print([(sum(o["hits"]), len(o["hits"]), o["predicted"], round(o["distance"], 2)) for o in c["objects"]])
