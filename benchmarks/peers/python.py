"""What a call from Python takes over the program itself, and the package over NumPy.

    python benchmarks/peers/python.py [--repeats 15] [--rows 2000]

The wheel is installed where this runs. Both sides alternate; medians are printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import repscope


def seconds(do: object) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--rows", type=int, default=2000)
    o = parser.parse_args()
    warnings.simplefilter("ignore")
    program = repscope.find_program()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {o.repeats} repeats")

    z = np.random.default_rng(0).normal(size=(o.rows, 64)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "z.npy")
        np.save(path, z)
        line = [program, "manifold", "--latents", "a=" + path, "--out", os.path.join(folder, "out")]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        sides = {
            "program": lambda: subprocess.run(line, **quiet),
            "call, path": lambda: repscope.manifold({"a": path}),
            "call, array": lambda: repscope.manifold({"a": z}),
        }
        times = {name: [] for name in sides}
        for _ in range(o.repeats):
            for name, do in sides.items():
                times[name].append(seconds(do))
        base = statistics.median(times["program"])
        for name, t in times.items():
            over = statistics.median(b - a for a, b in zip(times["program"], t))
            print(f"manifold of {o.rows} x 64, {name}: {1e3 * statistics.median(t):.0f} ms, {1e3 * over:+.0f} ms over the program's {1e3 * base:.0f} ms")

    codes = {"numpy": "import numpy", "numpy and repscope": "import numpy, repscope", "nothing": "pass"}
    times = {name: [] for name in codes}
    for _ in range(o.repeats):
        for name, code in codes.items():
            times[name].append(seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True)))
    for name, t in times.items():
        print(f"python -c, {name}: {1e3 * statistics.median(t):.0f} ms")
    over = statistics.median(b - a for a, b in zip(times["numpy"], times["numpy and repscope"]))
    print(f"import of repscope over that of NumPy: {1e3 * over:+.1f} ms")

    for gigabytes in (0.25, 1.0):
        rows = int(gigabytes * 1e9 / 4 / 256)
        array = np.ones((rows, 256), np.float32)
        from repscope._arrays import Workspace

        def save() -> None:
            with Workspace() as w:
                w.save("z", array)

        print(f"an array of {array.nbytes / 1e9:.2f} GB to a file in memory: {statistics.median(seconds(save) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
