"""Writes golden.json: what scipy and literal NumPy say of two samples, for the tests of package twosample.

Usage: OMP_NUM_THREADS=1 python3 golden.py   (in this folder)
Needs numpy and scipy.
"""
import json
import warnings

import numpy as np
import scipy
from scipy.linalg import sqrtm
from scipy.spatial.distance import cdist
from scipy.stats import energy_distance, ks_2samp, wasserstein_distance

rng = np.random.default_rng(5)


def univariate():
    cases = {
        "shift": (rng.normal(size=37), rng.normal(0.7, 1.5, size=53)),
        "same size": (rng.normal(size=41), rng.normal(0.4, size=41)),
        "ties": (rng.poisson(4, 60).astype(float), rng.poisson(5, 35).astype(float)),
        "one value": (np.array([2.0]), rng.normal(size=9)),
        "equal": (np.arange(7.0), np.arange(7.0)),
        "far": (rng.normal(size=30), rng.normal(50, 1, size=64)),
        "many": (rng.normal(size=900), rng.normal(0.1, size=700)),
    }
    out = []
    for name, (x, y) in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ks = ks_2samp(x, y, method="exact")
        out.append({"name": name, "x": x.tolist(), "y": y.tolist(), "w1": wasserstein_distance(x, y),
                    "energy": energy_distance(x, y), "ks": ks.statistic, "p": ks.pvalue})
    return out


def permuted_ks(x, y):
    """The p value given the ties, over all divisions."""
    from itertools import combinations
    pooled = np.sort(np.concatenate([x, y]))
    values = np.unique(pooled)

    def statistic(index):
        mine = np.zeros(len(pooled), bool)
        mine[list(index)] = True
        a, b = pooled[mine], pooled[~mine]
        return max(abs((a <= v).mean() - (b <= v).mean()) for v in values)

    observed = max(abs((x <= v).mean() - (y <= v).mean()) for v in values)
    all_of = [statistic(index) for index in combinations(range(len(pooled)), len(x))]
    return float(np.mean(np.array(all_of) >= observed - 1e-12))


def mean_pairs(k, same):
    n = len(k)
    return (k.sum() - np.trace(k)) / (n * (n - 1)) if same else k.mean()


def mmd(kernel, x, y):
    return float(mean_pairs(kernel(x, x), True) + mean_pairs(kernel(y, y), True) - 2 * mean_pairs(kernel(x, y), False))


def frechet(x, y):
    covariances = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    root = sqrtm(covariances[0] @ covariances[1])
    return float(((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(covariances[0] + covariances[1] - 2 * root.real))


def multivariate():
    n, m, dim = 40, 55, 6
    x, y = rng.normal(size=(n, dim)) * 2 + 3, rng.normal(size=(m, dim)) @ rng.normal(size=(dim, dim)) + 3.2
    pooled = np.concatenate([x, y])
    sigma = float(np.median(cdist(pooled, pooled)[np.triu_indices(n + m, 1)]))

    def gaussian(a, b):
        return np.exp(-cdist(a, b, "sqeuclidean") / (2 * sigma**2))

    def cubic(a, b):
        return (a @ b.T / dim + 1) ** 3

    directions = rng.normal(size=(9, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    # Blocks of x then of y: 0 … 4 and 5 … 9.
    bx, by = np.arange(n) // 8, 5 + np.arange(m) // 11

    def without(f):
        return [float(f(x[bx != b], y[by != b])) for b in range(10)]

    def energy(a, b):
        return float(2 * cdist(a, b).mean() - cdist(a, a).mean() - cdist(b, b).mean())

    # The same samples, repeated so that they have one size, for order 2 along directions.
    def order2(u, v):
        big_u, big_v = np.repeat(np.sort(u), m), np.repeat(np.sort(v), n)
        return np.mean((big_u - big_v) ** 2)

    return {
        "dim": dim, "x": x.ravel().tolist(), "y": y.ravel().tolist(), "energy": energy(x, y), "energy_without": without(energy),
        "sigma": sigma, "mmd": mmd(gaussian, x, y), "mmd_without": without(lambda a, b: mmd(gaussian, a, b)),
        "kid": mmd(cubic, x, y), "frechet": frechet(x, y), "directions": directions.ravel().tolist(),
        "sliced": float(np.mean([wasserstein_distance(x @ d, y @ d) for d in directions])),
        "sliced_2": float(np.sqrt(np.mean([order2(x @ d, y @ d) for d in directions]))),
        "correlations": [np.corrcoef(t, rowvar=False)[np.triu_indices(dim, 1)].tolist() for t in (x, y)],
    }


small = (rng.integers(0, 4, 6).astype(float), rng.integers(1, 5, 7).astype(float))
golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
    "univariate": univariate(),
    "ties": {"x": small[0].tolist(), "y": small[1].tolist(), "p": permuted_ks(*small)},
    "multivariate": multivariate(),
}
with open("golden.json", "w", encoding="utf-8") as file:
    json.dump(golden, file)
    file.write("\n")
