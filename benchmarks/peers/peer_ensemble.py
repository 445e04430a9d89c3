"""Scores of ensembles by scoringrules, properscoring and NumPy, on one thread: processor seconds of every
repetition, after one that compiles.
usage: peer_ensemble.py energy-direct|energy-gram|energy-numba|crps-numpy|crps-fair|crps-pwm|crps-properscoring|variogram REPETITIONS"""
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")

import numpy as np
import scoringrules as sr

what, repetitions = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(1)
np.ones(2 << 20)  # freed at once: glibc then keeps the memory of temporary arrays


def direct(y, x):
    """Fair energy scores, of [N, D] and [N, S, D], by differences: one member against all after it."""
    n, s = x.shape[:2]
    out = np.empty(n)
    for i in range(n):
        d = x[i] - y[i]
        skill = np.sqrt(np.einsum("kd,kd->k", d, d)).sum()
        spread = 0.0
        for k in range(s - 1):
            d = x[i, k + 1 :] - x[i, k]
            spread += np.sqrt(np.einsum("kd,kd->k", d, d)).sum()
        out[i] = skill / s - spread / (s * (s - 1))
    return out


def gram(y, x):
    """The same by the matrix product of members less the truth, which loses digits where members are near."""
    n, s = x.shape[:2]
    out = np.empty(n)
    for i in range(n):
        d = x[i] - y[i]
        products = d @ d.T
        norms = np.diag(products)
        squares = np.maximum(norms[:, None] + norms - 2 * products, 0)
        np.fill_diagonal(squares, 0)
        out[i] = np.sqrt(norms).mean() - np.sqrt(squares).sum() / (2 * s * (s - 1))
    return out


def crps(y, x):
    """Fair scores by sorting."""
    s = x.shape[1]
    weights = (2 * np.arange(s) - s + 1).astype(x.dtype)
    return np.abs(x - y[:, None]).mean(1) - np.sort(x, 1) @ weights / (s * (s - 1))


if what.startswith("energy"):
    y, x = rng.normal(size=(100, 4096)).astype("f4"), rng.standard_normal(size=(100, 100, 4096), dtype="f4")
    run = {"energy-direct": direct, "energy-gram": gram, "energy-numba": lambda y, x: sr.es_ensemble(y, x, estimator="fair", backend="numba")}[what]
elif what.startswith("crps"):
    y, x = rng.normal(size=65536).astype("f4"), rng.standard_normal(size=(65536, 50), dtype="f4")
    if what == "crps-properscoring":  # compiled by numba too
        from properscoring import crps_ensemble as run
    elif what == "crps-numpy":
        run = crps
    else:
        run = lambda y, x: sr.crps_ensemble(y, x, estimator=what[5:], backend="numba")
else:  # 48 × 48 cells: the weights of all pairs are a matrix
    side = 48
    row, col = np.divmod(np.arange(side * side), side)
    w = 1 / (np.hypot(row[:, None] - row, col[:, None] - col) + 1e-6)
    np.fill_diagonal(w, 0)
    w /= w.sum()
    y, x = rng.normal(size=side * side), rng.normal(size=(50, side * side))
    run = lambda y, x: sr.vs_ensemble(y, x, w=w, p=0.5, backend="numba")

run(y[:2], x[:2]) if what != "variogram" else None
run(y, x) if repetitions > 1 else None
for _ in range(repetitions):
    start = time.process_time()
    run(y, x)
    print(f"{time.process_time() - start:.6f}", flush=True)
