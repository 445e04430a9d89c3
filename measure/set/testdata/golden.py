"""Writes golden.json: what scipy and literal NumPy say of binary sets, for the tests of package set.

Usage: OMP_NUM_THREADS=1 python3 golden.py   (in this folder)
Needs numpy and scipy.
"""
import json

import numpy as np
import scipy
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.stats import hypergeom

rng = np.random.default_rng(13)
N, M, CELLS = 40, 25, 150
chance = rng.random(CELLS) ** 3
sets = rng.random((N, CELLS)) < chance
sets[7] = sets[3]
sets[11] = sets[3]
sets[20] = sets[5]
sets[30] = False  # an empty set
sets[31] = False
reference = rng.random((M, CELLS)) < chance
reference[4] = sets[9]
reference[8] = False

hamming = pdist(sets, "hamming") * CELLS
jaccard = pdist(sets, "jaccard")  # 0 for two empty sets
similarity = 1 - squareform(jaccard)
blocks = np.arange(N) // 7
kept = [np.flatnonzero(blocks != b) for b in range(blocks.max() + 1)]

across = cdist(sets, reference, "jaccard")
counts = np.unique(sets, axis=0, return_counts=True)[1]


def distinct(k):
    """Expected distinct sets among k: 1 − P(no member drawn), of the hypergeometric distribution."""
    return float(sum(1 - hypergeom.pmf(0, N, m, k) for m in counts))


def cooccurrence():
    f, g = (a.astype(int).T @ a for a in (sets, reference))
    upper = np.triu_indices(CELLS, 1)
    f, g = f[upper], g[upper]
    seen = (f + g) > 0
    x, y = f[seen] / N, g[seen] / M
    return {"total_variation": float(np.abs(f / f.sum() - g / g.sum()).sum() / 2), "pairs": int(seen.sum()),
            "mean_absolute": float(np.abs(x - y).mean()), "correlation": float(np.corrcoef(x, y)[0, 1])}


golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
    "cells": CELLS,
    "sets": [np.flatnonzero(row).tolist() for row in sets],
    "reference": [np.flatnonzero(row).tolist() for row in reference],
    "hamming": {"mean": float(hamming.mean()), "sd": float(hamming.std()), "histogram": np.bincount(np.round(hamming).astype(int), minlength=CELLS + 1).tolist()},
    "jaccard": {"mean": float(jaccard.mean()), "sd": float(jaccard.std())},
    "without": [{"hamming": float(pdist(sets[k], "hamming").mean()), "jaccard": float(pdist(sets[k], "jaccard").mean())} for k in kept],
    "int_div_1": float(1 - similarity.mean()),
    "int_div_2": float(1 - np.sqrt((similarity**2).mean())),
    "int_div_2_by_set": float(1 - np.sqrt((similarity**2).mean(0)).mean()),
    "vendi_2": float(N * N / (similarity**2).sum()),
    "unique": int(len(counts)),
    "rarefaction": [[k, distinct(k)] for k in (1, 2, 10, 25, N - 1, N)],
    "nearest_jaccard": (1 - across.min(1)).tolist(),
    "nearest_hamming": np.round(cdist(sets, reference, "hamming").min(1) * CELLS).astype(int).tolist(),
    "snn": float((1 - across.min(1)).mean()),
    "cooccurrence": cooccurrence(),
}
with open("golden.json", "w", encoding="utf-8") as file:
    json.dump(golden, file)
    file.write("\n")
