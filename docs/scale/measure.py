"""Prints what scale plan predicts beside what is measured, on random states: python docs/scale/measure.py bin

Each line is one task: shard 0 of as many as stand there. Peak memory is that of the process.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

bin = os.path.abspath(sys.argv[1])
TASKS = [
    ("neighborhood", 20000, [64], 1, ["--permutations", "0"]), ("neighborhood", 20000, [64], 8, ["--permutations", "0"]),
    ("neighborhood", 40000, [64], 8, ["--permutations", "0"]), ("neighborhood", 40000, [64, 256], 32, ["--permutations", "0"]),
    ("neighborhood", 20000, [64], 1, []), ("neighborhood", 20000, [64], 16, []),
    ("manifold", 20000, [64], 1, []), ("manifold", 40000, [64], 1, []),
    ("smoothness", 40000, [64], 1, []), ("smoothness", 40000, [64], 4, []),
]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    random = np.random.default_rng(0)
    for n in 20000, 40000:
        np.save(f"f{n}.npy", random.integers(0, 256, (n, 64, 64), dtype=np.uint8))
        for d in 64, 256:
            np.save(f"z{n}-{d}.npy", random.standard_normal((n, d)).astype(np.float32))
    for analysis, n, dims, shards, more in TASKS:
        args = [analysis] + ["--latents=z%d=z%d-%d.npy" % (d, n, d) for d in dims] + more
        args += [] if analysis == "manifold" else [f"--frames=f{n}.npy"]
        plan = subprocess.run([f"{bin}/scale", "plan", "--json", "--rates", "rates", "--shards", str(shards), "--"] + args, check=True, capture_output=True, text=True)
        p = json.loads(plan.stdout)["analyses"][0]
        begin = time.time()
        run = subprocess.Popen([f"{bin}/{args[0]}", *args[1:], "--quiet", "--out", "out", "--memory", "1GiB"] + (["--shard", f"0/{shards}"] if shards > 1 else []), stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
        assert status == 0
        print(f"{analysis} n={n} d={dims} {' '.join(more)} 1 of {p['tasks']}: predicted {p['predicted_task_s']:.2f} s {p['predicted_memory_bytes'] / 1e6:.0f} MB, "
              f"measured {time.time() - begin:.2f} s {usage.ru_maxrss / 1e3:.0f} MB", flush=True)
