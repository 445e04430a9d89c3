"""Writes normality.json: sliced Epps-Pulley and BHEP statistics by NumPy, for the tests of package normality.

Usage: OMP_NUM_THREADS=1 python3 normality.py   (in this folder)
Needs numpy. Epps-Pulley as the published code of LeJEPA computes it (17 knots from 0 to 3, trapezoidal rule, doubled,
weight exp(-t^2/2)), from complex exponentials; BHEP from its closed form over all pairs, with beta = 1/sqrt(D).
"""
import json

import numpy as np

rng = np.random.default_rng(3)


def standardize(z):
    centered = z - z.mean(axis=0)
    return centered / np.sqrt((centered**2).mean())


def sliced(x, directions):
    t = np.linspace(0, 3, 17)
    weight = np.full(17, 2 * (t[1] - t[0]))
    weight[[0, -1]] /= 2
    phi = np.exp(-t**2 / 2)
    statistics = []
    for a in directions:
        error = np.abs(np.exp(1j * np.outer(x @ a, t)).mean(axis=0) - phi)**2
        statistics.append(len(x) * (error * weight * phi).sum())
    return float(np.mean(statistics))


def bhep(x):
    n, dim = x.shape
    b2 = 1 / dim
    distance = ((x[:, None] - x[None])**2).sum(-1)
    norm = (x**2).sum(-1)
    return float(n * (np.exp(-b2 * distance / 2).mean()
                      - 2 * (1 + b2)**(-dim / 2) * np.exp(-b2 * norm / (2 * (1 + b2))).mean() + (1 + 2 * b2)**(-dim / 2)))


cases = []
for name, z in (("normal", rng.normal(size=(60, 4))), ("uniform", rng.random((40, 3)) * 5 - 1),
                ("one coordinate", rng.standard_t(3, size=(50, 1))), ("more coordinates", rng.normal(size=(12, 30)) + 2)):
    a = rng.normal(size=(5, z.shape[1]))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    row = {"name": name, "dim": z.shape[1], "points": z.ravel().tolist(), "directions": a.ravel().tolist()}
    for scale, x in (("raw", z), ("isotropic", standardize(z))):
        row[scale] = {"sliced": sliced(x, a), "bhep": bhep(x)}
    cases.append(row)
with open("normality.json", "w", encoding="utf-8") as file:
    json.dump({"numpy": np.__version__, "cases": cases}, file)
    file.write("\n")
