"""Peak memory of forecast on an ensemble that is larger than the memory it may use.

    python3 docs/benchmarks/forecast_memory.py

Writes a seeded ensemble [N,S,V,H,W] of about 840 MB to a temporary folder, scores it with
bin/forecast under --memory and GOMEMLIMIT, both far below its size, and prints the peak
resident set beside the size of the file. Nothing is timed. Needs numpy.
"""

import os
import resource
import subprocess
import tempfile

import numpy as np

N, S, V, H, W = 80, 20, 2, 256, 256
LIMIT = "100MB"


def write(folder):
    """Write the truth and the ensemble sample by sample."""
    random = np.random.default_rng(0)
    truth = np.lib.format.open_memmap(f"{folder}/truth.npy", "w+", np.float32, (N, V, H, W))
    members = np.lib.format.open_memmap(f"{folder}/members.npy", "w+", np.float32, (N, S, V, H, W))
    for i in range(N):
        truth[i] = random.standard_normal((V, H, W), dtype=np.float32)
        members[i] = truth[i] + random.standard_normal((S, V, H, W), dtype=np.float32)
    truth.flush()
    members.flush()


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        size = os.path.getsize(f"{folder}/members.npy")
        command = ["bin/forecast", "--target", f"{folder}/truth.npy", "--forecast", f"ensemble={folder}/members.npy",
                   "--metrics", "errors,crps,energy_score,spread_skill,rank_histogram", "--memory", LIMIT, "--threads", "2",
                   "--out", f"{folder}/out", "--quiet"]
        subprocess.run(command, check=True, env={**os.environ, "GOMEMLIMIT": "150MiB"})
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"ensemble {size / 1e6:.0f} MB, --memory {LIMIT}: peak resident set {peak / 1e6:.0f} MB")
        if peak > size / 2:
            raise SystemExit("the ensemble was held in memory")


if __name__ == "__main__":
    main()
