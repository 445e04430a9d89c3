"""Synthetic frames and latents for the benchmarks: points on a smooth curve
through pixel space, so that near neighbours are near-identical frames.
usage: data.py FOLDER N D  ->  x_NxD.npy (float32 in 0..1), u_NxD.npy (uint8), z_N.npy (64-d float32)"""
import os
import sys
import numpy as np

folder, n, dim = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(dim)
hidden = np.cumsum(rng.standard_normal((n, 6)) * 0.05, axis=0)
mix, phase = rng.standard_normal((6, dim)) * 0.5, rng.random(dim) * 2 * np.pi
x = np.empty((n, dim), np.float32)
for i in range(0, n, 500):
    h = hidden[i:i + 500]
    x[i:i + 500] = 0.5 + 0.4 * np.sin(h @ mix + phase) + 0.02 * rng.standard_normal((len(h), dim))
np.clip(x, 0, 1, out=x)
np.save(f"{folder}/x_{n}x{dim}.npy", x)
np.save(f"{folder}/u_{n}x{dim}.npy", np.round(x * 255).astype(np.uint8))
z = np.tanh(hidden @ rng.standard_normal((6, 64)) * 0.4) + 0.02 * rng.standard_normal((n, 64))
np.save(f"{folder}/z_{n}.npy", z.astype(np.float32))
