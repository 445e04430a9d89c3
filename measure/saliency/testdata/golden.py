"""Writes golden.json: what NumPy, scipy and scikit-learn say of saliency maps, for the tests of package saliency.

Usage: OMP_NUM_THREADS=1 python3 golden.py   (in this folder)
Needs numpy, scipy and scikit-learn.
"""
import json

import numpy as np
import scipy
import sklearn
from scipy.stats import entropy
from sklearn.metrics import auc, roc_auc_score

rng = np.random.default_rng(15)
EPS, GAIN_EPS, STEP = 1e-8, 2.0**-52, 0.1


def smooth(h, w, blobs):
    y, x = np.mgrid[:h, :w]
    out = np.zeros((h, w))
    for _ in range(blobs):
        cx, cy, s, a = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(1, w / 3), rng.uniform(0.2, 1)
        out += a * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * s * s))
    return out


def distribution(m):
    return m / m.sum()


def nss(m, fx):
    return np.mean(((m - m.mean()) / m.std())[fx])


def auc_judd(m, fx):
    """One threshold for each value at fixations."""
    mask = np.zeros(m.shape, bool)
    mask[fx] = True
    tp, fp = [0.0], [0.0]
    for t in np.unique(m[fx])[::-1]:
        tp.append(np.mean(m[fx] >= t))
        fp.append(np.mean(m[~mask] >= t))
    return auc(fp + [1.0], tp + [1.0])


def auc_judd_published(m, fx):
    """The loop that code for the benchmark has: right where no two fixations have one value."""
    found = np.sort(m[fx])[::-1]
    n, pixels = len(found), m.size
    tp, fp = np.zeros(n + 2), np.zeros(n + 2)
    tp[-1] = fp[-1] = 1
    for i, t in enumerate(found):
        above = np.sum(m >= t)
        tp[i + 1] = (i + 1) / n
        fp[i + 1] = (above - i - 1) / (pixels - n)
    return np.sum(np.diff(fp) * (tp[1:] + tp[:-1]) / 2)


def auc_borji(m, fx):
    unit = (m - m.min()) / (m.max() - m.min())
    tp, fp = [0.0], [0.0]
    for k in range(10, -1, -1):
        tp.append(np.mean(unit[fx] >= k / 10))
        fp.append(np.mean(unit >= k / 10))
    return auc(fp + [1.0], tp + [1.0])


def shuffled(m, fx, others):
    return roc_auc_score(np.r_[np.ones(len(fx[0])), np.zeros(len(others[0]))], np.r_[m[fx], m[others]])


def gain(m, b, fx):
    return np.mean(np.log2(distribution(m)[fx] + GAIN_EPS) - np.log2(distribution(b)[fx] + GAIN_EPS))


def points(h, w, n):
    return rng.integers(0, h, n), rng.integers(0, w, n)


def case(name, p, q, fx, others, distinct=False):
    h, w = p.shape
    y, x = np.mgrid[:h, :w]
    prior = np.exp(-(((x - (w - 1) / 2) / (0.25 * w)) ** 2) / 2 - ((y - (h - 1) / 2) / (0.25 * h)) ** 2 / 2)
    a, b = distribution(p), distribution(q)
    out = {
        "name": name, "width": w, "height": h, "p": p.ravel().tolist(), "q": q.ravel().tolist(),
        "x": fx[1].tolist(), "y": fx[0].tolist(), "other_x": others[1].tolist(), "other_y": others[0].tolist(),
        "cc": np.corrcoef(p.ravel(), q.ravel())[0, 1], "sim": np.minimum(a, b).sum(),
        "kl": np.sum((a + EPS) * np.log((a + EPS) / (b + EPS))),
        "kl_0": None if (b[a > 0] == 0).any() else entropy(a.ravel(), b.ravel()),
        "nss": nss(q, fx), "judd": auc_judd(q, fx), "borji": auc_borji(q, fx), "shuffled": shuffled(q, fx, others),
        "gain": gain(q, prior, fx), "gain_uniform": gain(q, np.ones_like(q), fx),
    }
    if distinct:
        assert abs(auc_judd_published(q, fx) - out["judd"]) < 1e-12
    k = int(np.ceil(5 * p.size / 100))
    top = np.nonzero(p >= np.sort(p.ravel())[::-1][k - 1])
    out["top"] = len(top[0])
    out["top_judd"], out["top_borji"], out["top_nss"] = auc_judd(q, top), auc_borji(q, top), nss(q, top)
    return {k: v if v is None or isinstance(v, (str, int, list)) else float(v) for k, v in out.items()}


smooth_p, smooth_q = smooth(23, 17, 4), smooth(23, 17, 5)
flat = rng.choice(23 * 17, 30, replace=False)
bytes_p = np.round(smooth(16, 19, 3) * 40)
bytes_q = np.round(np.clip(bytes_p + rng.normal(0, 8, bytes_p.shape), 0, None))
repeated = tuple(np.r_[a, a[:9], a[:4]] for a in points(16, 19, 25))
sparse_p = np.where(rng.random((12, 12)) < 0.2, rng.random((12, 12)), 0)
sparse_q = np.where(rng.random((12, 12)) < 0.5, rng.random((12, 12)), 0)
golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "sklearn": sklearn.__version__},
    "cases": [
        case("smooth", smooth_p, smooth_q, np.unravel_index(flat, (23, 17)), points(23, 17, 44), distinct=True),
        case("bytes, repeated fixations", bytes_p, bytes_q, repeated, points(16, 19, 60)),
        case("sparse", sparse_p, sparse_q, points(12, 12, 15), points(12, 12, 15)),
    ],
}
with open("golden.json", "w") as f:
    json.dump(golden, f, indent=None, separators=(",", ":"))
    f.write("\n")
