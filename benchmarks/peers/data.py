"""Synthetic frames and latents for the benchmarks: points on a smooth curve through pixel
space, so that near neighbors are near-identical frames. Writes x_NxD.npy (float32 in 0..1),
u_NxD.npy (the same in 256 levels, uint8) and z_N.npy (64-d float32 latents) in pieces, so
that large arrays need little memory."""
import argparse
import os

import numpy as np


def write(folder, n, dim, arrays=("x", "u", "z")):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(dim)
    hidden = np.cumsum(rng.standard_normal((n, 6)) * 0.05, axis=0)
    mix, phase = rng.standard_normal((6, dim)) * 0.5, rng.random(dim) * 2 * np.pi
    out = {}
    for name, kind in (("x", np.float32), ("u", np.uint8)):
        if name in arrays:
            out[name] = np.lib.format.open_memmap(f"{folder}/{name}_{n}x{dim}.npy", "w+", kind, (n, dim))
    for i in range(0, n, 500):
        h = hidden[i:i + 500]
        x = (0.5 + 0.4 * np.sin(h @ mix + phase) + 0.02 * rng.standard_normal((len(h), dim))).astype(np.float32)
        np.clip(x, 0, 1, out=x)
        if "x" in out:
            out["x"][i:i + 500] = x
        if "u" in out:
            out["u"][i:i + 500] = np.round(x * 255)
    if "z" in arrays:
        z = np.tanh(hidden @ rng.standard_normal((6, 64)) * 0.4) + 0.02 * rng.standard_normal((n, 64))
        np.save(f"{folder}/z_{n}.npy", z.astype(np.float32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("n", metavar="N", type=int, help="points")
    parser.add_argument("dim", metavar="D", type=int, help="values of a frame")
    parser.add_argument("--arrays", default="x,u,z", metavar="LIST", help="which to write (default: %(default)s)")
    options = parser.parse_args()
    write(options.folder, options.n, options.dim, options.arrays.split(","))
