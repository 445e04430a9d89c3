"""Prints what scale plan predicts next to what is measured, on random states: python benchmarks/scale/measure.py bin [ANALYSIS…]

Each line is one task, shard 0 of as many as stand there; where units are models, which are not alike, the longest of them. Peak memory is that of
the process.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

bin = os.path.abspath(sys.argv[1])
mlp = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../latent/testdata/mlp_opset17.onnx")
none = ["--permutations=0"]


def latents(n, *dims):
    return [f"--latents=z{d}=z{n}-{d}.npy" for d in dims]


def frames(n):
    return [f"--frames=f{n}.npy"]


TASKS = [  # analysis, states, shards, options
    ("neighborhood", 20000, 1, frames(20000) + latents(20000, 64) + none), ("neighborhood", 20000, 8, frames(20000) + latents(20000, 64) + none),
    ("neighborhood", 40000, 8, frames(40000) + latents(40000, 64) + none), ("neighborhood", 40000, 32, frames(40000) + latents(40000, 64, 256) + none),
    ("neighborhood", 20000, 1, frames(20000) + latents(20000, 64)), ("neighborhood", 20000, 16, frames(20000) + latents(20000, 64)),
    ("smoothness", 40000, 1, frames(40000) + latents(40000, 64)), ("smoothness", 40000, 4, frames(40000) + latents(40000, 64)),
    ("manifold", 20000, 1, latents(20000, 64)), ("manifold", 40000, 1, latents(40000, 64)), ("manifold", 40000, 2, latents(40000, 64, 256)),
    ("geometry", 10000, 1, latents(10000, 64)), ("geometry", 20000, 1, latents(20000, 64)), ("geometry", 20000, 2, latents(20000, 64)),
    ("reward", 20000, 1, latents(20000, 64) + ["--rewards=r20000.npy"]), ("reward", 40000, 1, latents(40000, 64) + ["--rewards=r40000.npy"]),
    ("reconstruction", 20000, 1, frames(20000) + ["--predictions=p=p20000.npy"]),
    ("robustness", 40000, 1, ["--frames=x40000.npy", f"--model=mlp={mlp}"]), ("robustness", 40000, 5, ["--frames=x40000.npy", f"--model=mlp={mlp}"]),
    ("generation", 20000, 1, ["--generated=g=g20000.npy", "--real=h20000.npy"]),
]


def write(n):
    """In a process of its own: the peak of a program counts from that of what starts it."""
    random = np.random.default_rng(n)
    pixels = random.integers(0, 256, (n, 64, 64), dtype=np.uint8)
    np.save(f"f{n}.npy", pixels)
    np.save(f"p{n}.npy", pixels ^ random.integers(0, 16, (n, 64, 64), dtype=np.uint8))
    np.save(f"x{n}.npy", random.standard_normal((n, 24)).astype(np.float32))
    for d in 64, 256:
        np.save(f"z{n}-{d}.npy", random.standard_normal((n, d)).astype(np.float32))
    np.save(f"r{n}.npy", np.load(f"z{n}-64.npy")[:, :8].sum(1) + random.standard_normal(n))
    for name in "gh":
        np.save(f"{name}{n}.npy", (random.random((n, 3, 18, 11)) < 0.05).astype(np.uint8))


def measured(analysis, args):
    begin = time.time()
    run = subprocess.Popen([f"{bin}/{analysis}", *args, "--quiet", "--out", "out", "--memory", "1GiB"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    assert status == 0
    return time.time() - begin, usage.ru_maxrss / 1e3


def main(wanted):
    for n in 10000, 20000, 40000:
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(n,))
        writer.start()
        writer.join()
    for analysis, n, shards, args in TASKS:
        if wanted and analysis not in wanted:
            continue
        plan = subprocess.run([f"{bin}/scale", "plan", "--json", "--rates", "rates", "--shards", str(shards), "--", analysis, *args],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        p = json.loads(plan.stdout)["analyses"][0]
        which = range(p["tasks"]) if analysis in ("manifold", "geometry") else [0]
        taken, peak = max(measured(analysis, args + ([f"--shard={i}/{shards}"] if p["tasks"] > 1 else [])) for i in which)
        predicted = f"{p['predicted_task_s'] + p['predicted_encoding_s']:.2f} s" if "reason" not in p else p["reason"]
        print(f"{analysis} n={n} {' '.join(args)} 1 of {p['tasks']}: predicted {predicted} {p['predicted_memory_bytes'] / 1e6:.0f} MB, "
              f"measured {taken:.2f} s {peak:.0f} MB", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(sys.argv[2:])
