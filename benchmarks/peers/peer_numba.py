"""Trustworthiness and continuity for k = 5, 10, 20 as well as Python allows: products of blocks
of rows by OpenBLAS in float32, neighbors and ranks by compiled parallel loops (numba), all k in
one pass, memory of the input and two blocks. Prints both scores for every k, and the seconds
without imports, compilation and reading.
usage: peer_numba.py X.npy Z.npy"""
import sys
import time

import numba
import numpy as np

KS = np.array([5, 10, 20])
BLOCK = 1024


@numba.njit(inline="always")
def nearest(row, count, index, value):
    """The count smallest entries of row in ascending order."""
    value[:] = np.inf
    for j in range(len(row)):
        v = row[j]
        if v < value[count - 1]:
            at = count - 1
            while at > 0 and value[at - 1] > v:
                value[at], index[at] = value[at - 1], index[at - 1]
                at -= 1
            value[at], index[at] = v, j


@numba.njit(inline="always", fastmath=True)
def penalties(row, listed, out):
    """Adds by how much the ranks in row of the listed points exceed each k."""
    for m in range(len(listed)):
        limit, rank = row[listed[m]], np.int32(1)
        for j in range(len(row)):
            rank += np.int32(row[j] < limit)
        for q in range(len(KS)):
            if m < KS[q] and rank > KS[q]:
                out[q] += rank - KS[q]


@numba.njit(parallel=True, fastmath=True)
def rank(frames, frame_norms, latents, latent_norms, first, trust, cont):
    """Turns the products of a block into squared distances, short of the norm of
    the row, and adds up the penalties of its rows."""
    count = KS[-1]
    for r in numba.prange(len(frames)):
        x, z = frames[r], latents[r]
        for j in range(len(x)):
            x[j] = frame_norms[j] - 2 * x[j]
            z[j] = latent_norms[j] - 2 * z[j]
        x[first + r] = z[first + r] = np.inf
        value = np.empty(count, np.float32)
        near_x, near_z = np.empty(count, np.int64), np.empty(count, np.int64)
        nearest(x, count, near_x, value)
        nearest(z, count, near_z, value)
        penalties(x, near_z, trust[first + r])
        penalties(z, near_x, cont[first + r])


def scores(x, z):
    """Both scores for each of KS; x and z are centred in place."""
    n = len(x)
    x -= x.mean(axis=0)
    z -= z.mean(axis=0)
    x_norms, z_norms = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", z, z)
    trust, cont = np.zeros((n, len(KS)), np.int64), np.zeros((n, len(KS)), np.int64)
    frames, latents = np.empty((BLOCK, n), np.float32), np.empty((BLOCK, n), np.float32)
    for i in range(0, n, BLOCK):
        rows = min(BLOCK, n - i)
        np.matmul(x[i:i + rows], x.T, out=frames[:rows])
        np.matmul(z[i:i + rows], z.T, out=latents[:rows])
        rank(frames[:rows], x_norms, latents[:rows], z_norms, i, trust, cont)
    worst = n * KS * (2 * n - 3 * KS - 1)
    return 1 - 2 * trust.sum(axis=0) / worst, 1 - 2 * cont.sum(axis=0) / worst


def main():
    rng = np.random.default_rng(0)
    scores(*(rng.random((100, d), dtype=np.float32) for d in (8, 4)))  # compiles
    x, z = (np.load(path).astype(np.float32, copy=False) for path in sys.argv[1:3])
    start = time.perf_counter()
    trust, cont = scores(x, z)
    seconds = time.perf_counter() - start
    for k, t, c in zip(KS, trust, cont):
        print(k, t, c)
    print("seconds", f"{seconds:.3f}")


main()
