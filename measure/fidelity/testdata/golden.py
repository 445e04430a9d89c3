"""Golden numbers of precision, recall, density and coverage by the authors' package prdc, of
precision and recall by the formula of Kynkäänniemi et al. (2019) in NumPy, and of the memorization
measures in NumPy with SciPy's Mann-Whitney U: golden.json. usage: golden.py, in its folder."""
import json
from importlib.metadata import version

import numpy as np
import scipy
import sklearn
from prdc import compute_prdc
from scipy.spatial.distance import cdist
from scipy.stats import mannwhitneyu
from sklearn.cluster import KMeans

rng = np.random.default_rng(7)


def kynkaanniemi(real, fake, k):
    """The share of points inside the union of balls d <= r about the other points."""
    def share(points, of):
        radii = np.sort(cdist(of, of), axis=1)[:, k]
        return (cdist(points, of) <= radii).any(axis=1).mean()
    return share(fake, real), share(real, fake)


def z(generated, holdout):
    u = mannwhitneyu(generated, holdout).statistic
    n, m = len(generated), len(holdout)
    return (u - n * m / 2) / np.sqrt(n * m * (n + m + 1) / 12)


def memorization(train, holdout, generated, cells):
    to_train, base = cdist(generated, train), cdist(holdout, train).min(axis=1)
    own = cdist(train, train)
    np.fill_diagonal(own, np.inf)
    near = to_train.min(axis=1)
    median, five = np.quantile(base, [0.5, 0.05])
    size = min(len(train), len(holdout))
    thin = [p[np.arange(size) * len(p) // size] for p in (train, holdout)]
    out = {
        "authpct": 100 * (near > own.min(axis=1)[to_train.argmin(axis=1)]).mean(),
        "novelty": near.mean(), "holdout_novelty": base.mean(),
        "closer_than_median": (near < median).mean(), "closer_than_five": (near < five).mean(),
        "distance_ratio": np.median(cdist(generated, thin[0]).min(axis=1) / cdist(generated, thin[1]).min(axis=1)),
        "ct_global": z(near, base),
    }
    found = KMeans(cells, n_init=20, random_state=0).fit(train)
    ct = weights = squares = 0
    for c in range(cells):
        t, h, g = (p[found.predict(p) == c] for p in (train, holdout, generated))
        if len(g) < 20 or not len(h):
            continue
        w = len(h) / len(holdout)
        ct += w * z(cdist(g, t).min(axis=1), cdist(h, t).min(axis=1))
        weights, squares = weights + w, squares + w * w
    out |= {"ct": ct / weights, "p": scipy.stats.norm.cdf(ct / np.sqrt(squares))}
    return out


def groups(n, d, shift=0.0):
    centers = 8 * np.eye(3, d)
    return np.round(centers[rng.integers(0, 3, n)] + rng.standard_normal((n, d)) + shift, 4)


cases = []
for n, m, d, shift, scale in [(60, 50, 3, 0.3, 1), (80, 90, 16, 0, 0.8), (40, 100, 64, 0.2, 1.1), (120, 30, 2, 1.5, 0.4)]:
    real = np.round(rng.standard_normal((n, d)), 4)
    fake = np.round(scale * rng.standard_normal((m, d)) + shift, 4)
    case = {"d": d, "real": real.ravel().tolist(), "generated": fake.ravel().tolist(), "scores": []}
    for k in (1, 3, 5, 10):
        s = {name: float(v) for name, v in compute_prdc(real, fake, k).items()}
        p, r = kynkaanniemi(real, fake, k)
        assert abs(p - s["precision"]) < 1e-12 and abs(r - s["recall"]) < 1e-12
        case["scores"].append({"k": k, **s})
    cases.append(case)

memorized = []
for n, h, m, copied in [(150, 120, 140, 0), (120, 150, 130, 60)]:
    train, holdout, generated = groups(n, 5), groups(h, 5), groups(m, 5)
    generated[:copied] = np.round(train[:copied] + 0.05 * rng.standard_normal((copied, 5)), 4)
    memorized.append({"d": 5, "train": train.ravel().tolist(), "holdout": holdout.ravel().tolist(), "generated": generated.ravel().tolist(),
                      "cells": 3, **{k: float(v) for k, v in memorization(train, holdout, generated, 3).items()}})

versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "prdc": version("prdc")}
with open("golden.json", "w") as f:
    json.dump({"versions": versions, "prdc": cases, "memorization": memorized}, f, separators=(",", ":"))
    f.write("\n")
