"""Exact next to approximate nearest neighbors, and the two --approx analyses for a million states.

    python3 benchmarks/peers/approximate.py              # tables for 25,000 and 100,000 points
    python3 benchmarks/peers/approximate.py --million    # neighborhood and manifold, end to end, for 1,000,000 states, and
                                                        # manifold next to the search for 64 neighbors alone

The states are made here, from a fixed seed, in a temporary folder that is removed at the end: episodes of 1,000
steps through six hidden dimensions that are drawn back to the middle, seen as frames of 16 × 16 uint8 pixels and as 64
float32 latents, both with noise. --points N takes another number of states than a million (of them, whole
episodes), --folder F keeps the files in F and finds them there again, --only NAME runs one of the analyses. Prints
Markdown tables.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS, HIDDEN, PIXELS, LATENTS = 1000, 6, 256, 64


def make(folder, n):
    """Write frames.npy, latents.npy and episodes.npy for n states, unless they are there."""
    names = [os.path.join(folder, f"{name}_{n}.npy") for name in ("frames", "latents", "episodes")]
    if all(map(os.path.exists, names)):
        return names
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(6)
    episodes = (n + STEPS - 1) // STEPS
    hidden = np.empty((episodes, STEPS, HIDDEN), np.float32)
    at = rng.standard_normal((episodes, HIDDEN))
    for step in range(STEPS):  # stationary, of variance 1
        hidden[:, step] = at
        at = 0.98 * at + np.sqrt(1 - 0.98**2) * rng.standard_normal((episodes, HIDDEN))
    hidden = hidden.reshape(-1, HIDDEN)[:n]
    mix, phase = rng.standard_normal((HIDDEN, PIXELS)) * 0.5, rng.random(PIXELS) * 2 * np.pi
    turn = rng.standard_normal((HIDDEN, LATENTS)) * 0.4
    frames = np.lib.format.open_memmap(names[0], "w+", np.uint8, (n, 16, 16))
    latents = np.lib.format.open_memmap(names[1], "w+", np.float32, (n, LATENTS))
    for i in range(0, n, 10000):
        h = hidden[i:i + 10000]
        x = 0.5 + 0.4 * np.sin(h @ mix + phase) + 0.02 * rng.standard_normal((len(h), PIXELS))
        frames[i:i + len(h)] = np.round(255 * np.clip(x, 0, 1)).reshape(-1, 16, 16)
        latents[i:i + len(h)] = np.tanh(h @ turn) + 0.02 * rng.standard_normal((len(h), LATENTS))
    frames.flush()
    latents.flush()
    np.save(names[2], np.repeat(np.arange(episodes, dtype=np.int64), STEPS)[:n])
    return names


def run(command):
    """Wall seconds, processor seconds and peak MB of one command."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{' '.join(command)}\n{output}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, output


def analyse(programs, folder, binary, n, arguments):
    """Run an analysis of n states; its measurements and its result file's model."""
    frames, latents, episodes = make(folder, n)
    out = os.path.join(programs, f"out_{binary}")
    command = [os.path.join(programs, binary), "--latents", f"z={latents}", "--episodes", episodes,
               "--out", out, "--quiet", *arguments]
    if binary == "neighborhood":
        command += ["--frames", frames]
    wall, cpu, peak, _ = run(command)
    with open(os.path.join(out, f"{binary}.json"), encoding="utf-8") as file:
        return wall, cpu, peak, json.load(file)["models"]["z"]


def alone(program, folder, n):
    """Seconds of the search for 64 neighbors of n latents that are in memory."""
    _, latents, _ = make(folder, n)
    os.environ.update(REPSCOPE_BENCH_FRAMES=latents, REPSCOPE_BENCH_NEIGHBORS="64", REPSCOPE_BENCH_APPROXIMATE="1")
    _, _, _, text = run([program, "-test.run", "^$", "-test.bench", "^BenchmarkFiles$", "-test.benchtime", "1x"])
    return float(re.search(r"([\d.]+) ns/op", text)[1]) / 1e9


def beside(programs, folder, n, rounds):
    """The program manifold and its search, in alternate rounds."""
    searched, whole = [], []
    for _ in range(rounds):
        searched.append(alone(os.path.join(programs, "neighbors.test"), folder, n))
        whole.append(analyse(programs, folder, "manifold", n, ["--approx"])[0])
    a, b = sorted(searched)[rounds // 2], sorted(whole)[rounds // 2]
    print(f"\nsearch alone {a:.1f} s, `manifold --approx` {b:.1f} s, ratio {b / a:.2f} (medians of {rounds} rounds)", flush=True)


def describe(binary, model):
    """What a model's result says, and the recall."""
    if binary == "manifold":
        recall = model.get("recall") or {"value": 1, "standard_error": 0, "exact": True}
        text = f"Two-NN {model['two_nn']['mle']:.3f}, Gride(64) {model['gride'][-1]['id']:.3f}"
    else:
        at = model["by_k"][-1]
        text = f"T({at['k']}) {at['trustworthiness']:.5f}, C({at['k']}) {at['continuity']:.5f}"
        if "sampling_se" in at:
            text += f" (± {at['sampling_se']['trustworthiness']:.5f}, {at['sampling_se']['continuity']:.5f})"
        recall = (model.get("sampling") or {}).get("recall") or {"value": 1, "standard_error": 0, "exact": True}
    if recall["exact"]:
        return text, "1 (exact)"
    return text, f"{recall['value']:.4f} ± {recall['standard_error']:.4f}"


def analyses(programs, folder, title, cases):
    print(f"\n{title}\n\n| analysis | states | wall s | processor s | peak MB | recall | result |\n"
          "| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for binary, n, arguments in cases:
        wall, cpu, peak, model = analyse(programs, folder, binary, n, arguments)
        text, recall = describe(binary, model)
        name = " ".join([f"`{binary}", *arguments]) + "`"
        print(f"| {name} | {n:,} | {wall:.0f} | {cpu:.0f} | {peak:.0f} | {recall} | {text} |", flush=True)


def searches(program, cases):
    """Lists of nearest neighbors alone, exact and approximate, in alternate rounds."""
    print("\n| points | n | k | exact processor s | approximate processor s | ratio | cells | recall |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for kind, n, k in cases:
        seconds, found = {"exact": [], "approximate": []}, {}
        for _ in range(3):
            for way in seconds:
                name = f"KNearestApproximate$/^{kind}$/^n={n}$/^d=64$/^k={k}$/^{way}$"
                _, _, _, text = run([program, "-test.run", "^$", "-test.bench", name, "-test.benchtime", "1x"])
                seconds[way].append(float(re.search(r"([\d.]+) cpu-s", text)[1]))
                if way == "approximate":
                    found = {unit: float(re.search(rf"([\d.]+) {unit}", text)[1]) for unit in ("recall", "cells-%")}
        exact, approximate = (sorted(v)[1] for v in seconds.values())
        print(f"| {kind} | {n:,} | {k} | {exact:.1f} | {approximate:.1f} | {exact / approximate:.1f} | {found['cells-%']:.1f} % | {found['recall']:.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--million", action="store_true", help="the analyses of a million states")
    parser.add_argument("--points", type=int, default=1_000_000, help="states of --million")
    parser.add_argument("--folder", help="where the states are kept")
    parser.add_argument("--only", choices=("manifold", "neighborhood"), help="one of the analyses of --million")
    parser.add_argument("--rounds", type=int, default=1, help="of manifold next to its search")
    options = parser.parse_args()
    go = dict(os.environ, CGO_ENABLED="0")
    with tempfile.TemporaryDirectory() as programs:
        folder = options.folder or programs
        subprocess.run(["go", "build", "-trimpath", "-o", programs + "/", "./cmd/manifold", "./cmd/neighborhood"], cwd=ROOT, check=True, env=go)
        tests = os.path.join(programs, "neighbors.test")
        subprocess.run(["go", "test", "-c", "-o", tests, "./neighbors"], cwd=ROOT, check=True, env=go)
        if options.million:
            print(f"{options.points:,} states of {PIXELS} pixels (uint8) and {LATENTS} latents (float32); processors: {len(os.sched_getaffinity(0))}")
            analyses(programs, folder, "The whole programs, reading and writing included",
                     [(name, options.points, ["--approx"]) for name in ("manifold", "neighborhood") if options.only in (None, name)])
            if options.only != "neighborhood":
                beside(programs, folder, options.points, options.rounds)
            return
        searches(tests, [(kind, n, k) for kind in ("trajectory", "clusters", "wound") for n in (25000, 100000) for k in (10, 64)])
        analyses(programs, folder, "The whole programs, exact and approximate",
                 [(binary, 50_000, arguments) for binary in ("manifold", "neighborhood") for arguments in ([], ["--approx"])])


main()
