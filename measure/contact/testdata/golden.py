"""Golden numbers of contacts, their precision, regressions on heads and attention across chains.

    python3 golden.py > golden.json     # scikit-learn 1.2.1, NumPy 1.24.2

Everything is written with whole arrays, as nothing in the Go package is. Scores have no ties.
"""
import json
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("error")
rng = np.random.default_rng(14)


def walk(n):
    """A chain that folds back on itself, as a random walk drawn to the origin."""
    steps = rng.normal(size=(n, 3))
    at = np.zeros((n, 3))
    for i in range(1, n):
        at[i] = 0.9 * at[i - 1] + 3.8 * steps[i] / np.linalg.norm(steps[i])
    return at.astype(np.float32)


def apc(s):
    return s - s.sum(1, keepdims=True) * s.sum(0, keepdims=True) / s.sum()


def precisions(score, contact, chain, resolved):
    n = len(score)
    i, j = np.triu_indices(n, 1)
    known = contact[i, j] >= 0
    ranges = [("all", 6, n, None), ("local", 3, 6, None), ("short", 6, 12, None), ("medium", 12, 24, None),
              ("long", 24, n, None), ("within", 6, n, True), ("between", 6, n, False)]
    out = []
    for name, low, high, same in ranges:
        pick = known & (j - i >= low) & (j - i < high)
        if same is not None:
            pick &= (chain[i] == chain[j]) == same
        order = np.argsort(-score[i, j][pick], kind="stable")
        touching = (contact[i, j][pick] == 1)[order]
        depth = [min(max(k * resolved // 10, 1), len(touching)) for k in range(1, 11)]
        at = [float(touching[:d].mean()) if d else None for d in depth]
        out.append({"name": name, "pairs": int(pick.sum()), "contacts": int(touching.sum()), "at": at,
                    "auc": float(np.mean(at)) if depth[0] else None})
    return out


def structure(heavy, light, layers, heads, missing):
    n = heavy + light
    length = n + 2
    xyz = walk(n)
    xyz[rng.choice(n, missing, replace=False), rng.integers(0, 3, missing)] = np.nan
    distance = np.linalg.norm(xyz[:, None].astype(np.float64) - xyz[None].astype(np.float64), axis=-1)
    contact = np.where(np.isnan(distance), -1, (distance < 8).astype(int))
    logits = rng.normal(size=(layers, heads, length, length)) * 2
    logits[:, :, 1:-1, 1:-1] += 2 * (contact == 1) * rng.uniform(0, 1, size=(layers, heads, 1, 1))
    attention = np.exp(logits)
    attention = np.round(attention / attention.sum(-1, keepdims=True), 5).astype(np.float32)
    last = max(1, -(-layers // 10))
    score = attention[-last:].astype(np.float64).mean((0, 1))[1:-1, 1:-1]
    score = apc((score + score.T) / 2)
    chain = np.r_[np.zeros(heavy, int), np.ones(light, int)]
    resolved = int((~np.isnan(xyz).any(1)).sum())
    masses = []
    for a in attention.reshape(-1, length, length).astype(np.float64):
        a = a[1:-1, 1:-1]
        h, l = np.arange(n) < heavy, np.arange(n) >= heavy
        end, begin = np.zeros(n, bool), np.zeros(n, bool)
        end[max(heavy - 5, 0):heavy] = True
        begin[heavy:heavy + 5] = True
        row = a.sum(1)
        masses.append({"total": a.sum(), "first": a[h].sum(), "cross": a[np.ix_(h, l)].sum() + a[np.ix_(l, h)].sum(),
                       "first_to_second": a[np.ix_(h, l)].sum(),
                       "joint": a[np.ix_(end, begin)].sum() + a[np.ix_(begin, end)].sum(),
                       "expected": (row[h].sum() * light + row[l].sum() * heavy) / n,
                       "expected_joint": (row[end].sum() * begin.sum() + row[begin].sum() * end.sum()) / n})
    return {"heavy": heavy, "light": light, "layers": layers, "heads": heads,
            "coordinates": [None if np.isnan(v) else float(str(v)) for v in xyz.ravel()],
            "attention": [round(float(v), 5) for v in attention.ravel()], "contact": contact.ravel().tolist(),
            "score": [float(f"{v:.12g}") for v in score.ravel()], "ranges": precisions(score, contact, chain, resolved), "masses": masses}


def regression(penalty, c, n, dim):
    x = rng.normal(size=(n, dim)).astype(np.float32)
    weights = np.where(np.arange(dim) % 3 == 0, rng.normal(size=dim) * 2, 0)
    y = rng.uniform(size=n) < 1 / (1 + np.exp(1.5 - x @ weights))
    model = LogisticRegression(penalty=penalty, C=c, solver="saga", tol=1e-14, max_iter=1_000_000,
                               random_state=0).fit(x.astype(np.float64), y)
    return {"penalty": penalty, "c": c, "dim": dim, "x": [float(str(v)) for v in x.ravel()], "touching": y.tolist(),
            "coefficients": model.coef_[0].tolist(), "intercept": float(model.intercept_[0])}


print(json.dumps({
    "versions": {"numpy": np.__version__, "sklearn": sklearn.__version__},
    "structures": [structure(19, 14, 3, 2, 3), structure(31, 3, 1, 1, 0)],
    "regressions": [regression("l1", 0.15, 120, 6), regression("l1", 2.0, 90, 12), regression("l2", 0.15, 120, 6),
                    regression("l2", 10.0, 60, 3)],
}, allow_nan=False))
