"""Writes dieboldmariano.json: tests of equal accuracy.

Usage: OMP_NUM_THREADS=1 python3 dieboldmariano.py   (in this folder)
Needs numpy and scipy. The tests are written out as Diebold and Mariano (1995), Harvey, Leybourne and
Newbold (1997) and Lazarus, Lewis, Stock and Watson (2018) say them.
"""
import json
import sys

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(31)


def ar1(n, rho):
    x = np.empty(n)
    x[0] = rng.normal() / np.sqrt(1 - rho**2)
    for t in range(1, n):
        x[t] = rho * x[t - 1] + rng.normal()
    return np.round(x, 4)


def truncated(d, h):
    n, c = len(d), d - d.mean()
    variance = sum((1 if k == 0 else 2) * (c[k:] * c[: n - k]).sum() / n for k in range(h))
    correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
    t = d.mean() / np.sqrt(variance / n) * np.sqrt(correction)
    return {"horizon": h, "t": t, "p": 2 * stats.t.sf(abs(t), n - 1), "df": n - 1}


def cosine(d, terms=None):
    n = len(d)
    if terms is None:
        terms = int(np.rint(0.4 * n ** (2 / 3)))
    coefficients = [np.sqrt(2 / n) * (d * np.cos(np.pi * j * (np.arange(1, n + 1) - 0.5) / n)).sum() for j in range(1, terms + 1)]
    t = np.sqrt(n) * d.mean() / np.sqrt(np.mean(np.square(coefficients)))
    half = stats.t.ppf(0.975, terms) * d.mean() / t
    return {"terms": terms, "t": t, "p": 2 * stats.t.sf(abs(t), terms), "df": terms, "interval": sorted([d.mean() - half, d.mean() + half])}


cases = []
for n, rho in ((12, 0.0), (60, 0.5), (250, 0.9), (500, -0.4)):
    a, b = ar1(n, rho) ** 2, ar1(n, rho) ** 2 + 0.2
    a, b = np.round(a, 4), np.round(b, 4)
    d = a - b
    cases.append({"a": a.tolist(), "b": b.tolist(), "truncated": [truncated(d, h) for h in (1, 3)], "ewc": [cosine(d), cosine(d, 4)]})
versions = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
json.dump({"versions": versions, "cases": cases}, open("dieboldmariano.json", "w"), default=float)
