"""Writes eigenvalues.json: eigenvalues and singular values of LAPACK, for the tests of package spectrum.

Usage: OMP_NUM_THREADS=1 python3 eigenvalues.py   (in this folder)
Needs numpy and scipy. The matrices are made from integers, here and in eigenvalues_golden_test.go alike; the file
holds the values alone. dsyev, dsyevd and dsyevr have to agree to 1e-13 of the largest value, dgesdd and dgesvd too.
"""
import json

import numpy as np
import scipy
from scipy.linalg import eigvalsh, svd


def share(i):
    """A number in [-1/2, 1/2) for every integer."""
    return (i * 2654435761 + 12345) % 2**32 / 2**32 - 0.5


def rotated(values):
    """Q·diag(values)·Qᵀ with Q a product of three reflections of integer vectors."""
    n = len(values)
    a = np.diag(np.array(values, dtype=float))
    i = np.arange(n)
    for s in range(3):
        u = ((7 * i * i + (2 * s + 3) * i + 11 * s) % 101 - 50).astype(float)
        f = 2 / (u @ u)
        au = a @ u
        a = a - f * np.outer(u, au) - f * np.outer(au, u) + f * f * (u @ au) * np.outer(u, u)
    return a


def wilkinson(n):
    return np.diag(np.abs(np.arange(n) - (n - 1) / 2)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)


def uniform(n):
    i = np.arange(n)
    low, high = np.minimum(i[:, None], i), np.maximum(i[:, None], i)
    return share(high * (high + 1) // 2 + low)


MATRICES = {
    "graded": lambda n: rotated([10 ** (-12 * i / n) for i in range(n)]),
    "clustered": lambda n: rotated([1 + i % 3 * 1e-9 for i in range(n)]),
    "deficient": lambda n: rotated([max(0, 5 - i) for i in range(n)]),
    "wilkinson": wilkinson,
    "wilkinson rotated": lambda n: rotated(eigvalsh(wilkinson(n))),
    "hilbert": lambda n: 1 / (np.arange(n)[:, None] + np.arange(n) + 1),
    "uniform": uniform,
}
SIZES = {"graded": [33, 257, 700], "clustered": [33, 257], "deficient": [33, 257], "wilkinson": [21, 129],
         "wilkinson rotated": [129], "hilbert": [12, 100], "uniform": [5, 33, 257, 700]}


def agreed(name, all_values):
    first = all_values[0]
    for other in all_values[1:]:
        assert np.abs(first - other).max() <= 1e-13 * np.abs(first).max() * max(1, len(first) / 100), name
    return first


def matrix(name, n):
    a = MATRICES[name](n)
    values = agreed(name, [eigvalsh(a, driver="evr"), eigvalsh(a, driver="ev"), np.linalg.eigvalsh(a, UPLO="U")])
    return {"name": name, "n": n, "values": values.tolist()}


def cloud(name, n, dim):
    """n points of dim coordinates, of the columns' scales and around a mean that is not 0."""
    i, k = np.arange(n)[:, None], np.arange(dim)
    if name == "deficient":
        left = np.floor(100 * share(np.arange(n * 5).reshape(n, 5)))
        right = np.floor(100 * share(7919 + np.arange(5 * dim).reshape(5, dim)))
        return left @ right + 3
    x = share(i * dim + k)
    if name == "graded":
        return x * 2.0 ** (-k) + 1
    return x + k % 3


def points(name, n, dim):
    z = cloud(name, n, dim)
    raw, centered = (agreed(name, [svd(x, compute_uv=False, lapack_driver=d) for d in ("gesdd", "gesvd")]) for x in (z, z - z.mean(axis=0)))
    p = raw / raw.sum() + 1e-7
    variance, spread = centered**2 / (centered**2).sum(), centered / centered.sum()

    def rank(q):
        return float(np.exp(-(q[q > 1e-300] * np.log(q[q > 1e-300])).sum()))
    return {"name": name, "n": n, "dim": dim, "singular": centered.tolist(), "rankme": rank(p), "effective": rank(variance),
            "effective_singular": rank(spread), "participation": float(1 / (variance**2).sum())}


golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
    "matrices": [matrix(name, n) for name, sizes in SIZES.items() for n in sizes],
    "points": [points(name, n, dim) for name in ("uniform", "graded", "deficient") for n, dim in ((90, 40), (40, 90), (40, 40))],
}
with open("eigenvalues.json", "w", encoding="utf-8") as file:
    json.dump(golden, file)
    file.write("\n")
