"""Times evaluate on the built-in examples of all analyses next to the binaries one after another, what a task costs that is
skipped, and what neighborhood and manifold take on the same points.

Usage: python3 benchmarks/peers/suite.py [ROUNDS] [TASKS] [POINTS]   (in the root of the repository; 3, 200 and 12000 by default)
Needs Go, or BIN=FOLDER of binaries that are built. Every round runs both sides with caches of their own that are empty; medians
of the rounds. 0 leaves a part out.
"""
import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROUNDS, TASKS, POINTS = (int(v) for v in sys.argv[1:] + ["3", "200", "12000"][len(sys.argv) - 1:])
ANALYSES = ["smoothness", "robustness", "neighborhood", "manifold", "geometry", "reconstruction", "reward", "generation",
            "forecast", "sequence", "canvas"]


def timed(folder, *commands):
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    began, used = time.perf_counter(), os.times()
    for command in commands:
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    after = os.times()
    cores = after.children_user + after.children_system - used.children_user - used.children_system
    return time.perf_counter() - began, cores


def fresh(work, name):
    folder = os.path.join(work, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def example(work, bin):
    rounds = []
    for _ in range(ROUNDS):
        apart = timed(fresh(work, "apart"), *[[bin + name, "--example", "--quiet", "--out", name] for name in ANALYSES])
        once = timed(fresh(work, "once"), [bin + "evaluate", "--example", "--out", "out"])
        rounds.append((apart, once))
        print(f"  binaries {apart[0]:6.1f} s ({apart[1]:.1f} s of cores), evaluate {once[0]:6.1f} s ({once[1]:.1f} s): {once[0] / apart[0]:.2f}", flush=True)
    print(f"binaries one after another {statistics.median(a[0] for a, _ in rounds):6.1f} s")
    print(f"evaluate --example         {statistics.median(b[0] for _, b in rounds):6.1f} s   "
          f"{statistics.median(b[0] / a[0] for a, b in rounds):.2f} of it")


def array(folder, name, n, d, dtype="<f4"):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({n}, {d}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    draw = random.Random(name)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(draw.randbytes(n * d) if dtype == "|u1" else struct.pack(f"<{n * d}f", *[draw.gauss(0, 1) for _ in range(n * d)]))


def shared(work, bin):
    folder = fresh(work, "points")
    array(folder, "f.npy", POINTS, 1024, "|u1")
    for name in ("y.npy", "z.npy"):
        array(folder, name, POINTS, 64)
    common = ["--latents", "y=y.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--format", "svg", "--quiet", "--frames", "f.npy"]
    for name in ("neighborhood", "manifold"):
        seconds = statistics.median(timed(folder, [bin + name, *common, "--out", name])[0] for _ in range(3))
        print(f"{name:12} of {POINTS} points, two models of 64 dimensions {seconds:6.2f} s", flush=True)


def skipped(work, bin):
    folder = fresh(work, "many")
    array(folder, "f.npy", 60, 12)
    array(folder, "z.npy", 60, 5)
    suite = {"defaults": {"bootstrap": 0, "format": "svg", "frames": "f.npy", "latents": {"z": "z.npy"}},
             "analyses": ["smoothness", "neighborhood", "manifold", "geometry"],
             "datasets": {f"d{i}": {"seed": i, "neighborhood": {"k": 5}} for i in range(-(-TASKS // 4))}}
    with open(os.path.join(folder, "s.yaml"), "w") as file:
        json.dump(suite, file)
    tasks = 4 * len(suite["datasets"])
    first, _ = timed(folder, [bin + "evaluate", "s.yaml", "--out", "out"])
    print(f"{tasks} tasks                  {first:6.2f} s")
    again = statistics.median(timed(folder, [bin + "evaluate", "s.yaml", "--out", "out"])[0] for _ in range(7))
    print(f"again, all skipped         {1e3 * again:6.0f} ms  {1e3 * again / tasks:.2f} ms a task")
    times = []
    for i in range(7):
        suite["datasets"]["d0"]["seed"] = 1000 + i
        with open(os.path.join(folder, "s.yaml"), "w") as file:
            json.dump(suite, file)
        times.append(timed(folder, [bin + "evaluate", "s.yaml", "--out", "out"])[0])
    again = statistics.median(times)
    print(f"again, all but 4 skipped   {1e3 * again:6.0f} ms  {1e3 * again / (tasks - 4):.2f} ms a task, the 4 that run included")


def main():
    with tempfile.TemporaryDirectory() as work:
        bin = os.path.join(os.path.abspath(os.environ.get("BIN", os.path.join(work, "bin"))), "")
        if "BIN" not in os.environ:
            subprocess.run(["go", "build", "-o", bin, *[f"./cmd/{name}" for name in ANALYSES + ["evaluate"]]], check=True)
        if ROUNDS:
            example(work, bin)
        if TASKS:
            skipped(work, bin)
        if POINTS:
            shared(work, bin)


main()
