"""Peak memory of forecast on an ensemble that is larger than the memory it may use: writes a seeded ensemble
[N,S,V,H,W] of 839 MB, scores it under --memory and GOMEMLIMIT, both far below its size, and prints the peak
resident set next to the size of the file. Nothing is timed.

usage: python3 benchmarks/peers/forecast_memory.py      (from the repository's root, after make build; needs numpy)
"""
import multiprocessing
import os
import sys
import tempfile

from measure import ROOT, header, row, run

N, S, V, H, W = 80, 20, 2, 256, 256
LIMIT = "100MB"


def write(folder):
    """Writes the truth and the ensemble sample by sample; in a process of its own, whose memory is not counted."""
    import numpy as np

    random = np.random.default_rng(0)
    truth = np.lib.format.open_memmap(f"{folder}/truth.npy", "w+", np.float32, (N, V, H, W))
    members = np.lib.format.open_memmap(f"{folder}/members.npy", "w+", np.float32, (N, S, V, H, W))
    for i in range(N):
        truth[i] = random.standard_normal((V, H, W), dtype=np.float32)
        members[i] = truth[i] + random.standard_normal((S, V, H, W), dtype=np.float32)


def main():
    with tempfile.TemporaryDirectory() as folder:
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(folder,))
        writer.start()
        writer.join()
        size = os.path.getsize(f"{folder}/members.npy") / 1e6
        done = run([f"{ROOT}/bin/forecast", "--target", f"{folder}/truth.npy", "--forecast", f"ensemble={folder}/members.npy",
                    "--metrics", "errors,crps,energy_score,spread_skill,rank_histogram", "--memory", LIMIT, "--threads", "2",
                    "--out", f"{folder}/out", "--quiet"], env={**os.environ, "GOMEMLIMIT": "150MiB"})
    header("ensemble MB", "--memory", "peak MB")
    row(f"{size:.0f}", LIMIT, f"{done.peak:.0f}")
    if done.peak > size / 2:
        sys.exit("the ensemble was held in memory")


if __name__ == "__main__":
    main()
