"""Precision, recall, density and coverage of generated next to real points of dimension 512 in float32, next to
the authors' package prdc, two threads on both sides: the package at k = 5, which holds three n × n matrices, repscope at
k = 3, 5 and 10 in one pass. Rounds alternate between the two sides; printed are medians of wall and processor seconds, with their
ratios, and peak memory, as a Markdown table. Where other work shares the machine, trust processor time.
The last row is repscope alone, at a size of which the package would hold 30 GB.

usage: PEER_PYTHON=python3 python3 benchmarks/peers/prdc.py [ROUNDS [POINTS,POINTS [ALONE]]]      (from the repository's root)
PEER_PYTHON names a Python that has prdc; POINTS are 10000,16000 and ALONE, the number of points of the last row, is 50000 if not
given, 0 for none. The package starts 8 threads of its own, on two cores here, so that its BLAS gets one for each.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, THREADS, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
POINTS = [int(n) for n in (sys.argv[2] if len(sys.argv) > 2 else "10000,16000").split(",")]
ALONE = int(sys.argv[3]) if len(sys.argv) > 3 else 50000
PEER = os.environ.get("PEER_PYTHON", PYTHON)
PINNED = ["taskset", "-c", "0,1"]
PEER_THREADS = dict(THREADS, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def bench(binary, points, times):
    env = dict(THREADS, REPSCOPE_BENCH_POINTS=str(points))
    done = run([binary, "-test.run", "^$", "-test.bench", "^BenchmarkPRDC$/halves=false", "-test.cpu", "2", "-test.benchtime", f"{times}x"], env)
    return float(re.search(r"([\d.]+) ns/op", done.output)[1]) / 1e9, done.cpu, done.peak


def ours(binary, points):
    """Wall and processor seconds of one pass; drawing the points is taken out of the second."""
    _, short, _ = bench(binary, points, 1)
    wall, long, peak = bench(binary, points, 3)
    return wall, (long - short) / 2, peak


def theirs(points):
    done = run(PINNED + [PEER, f"{HERE}/peer_prdc.py", str(points)], PEER_THREADS)
    wall, cpu = re.search(r"seconds ([\d.]+) ([\d.]+)", done.output).groups()
    return float(wall), float(cpu), done.peak


def main():
    header("points of each", "repscope s", "prdc s", "ratio", "processor s", "prdc", "ratio", "MB", "prdc")
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/fidelity.test"
        subprocess.run(["go", "test", "-c", "-o", binary, "./measure/fidelity"], cwd=ROOT, check=True)
        for points in POINTS:
            rounds = [(ours(binary, points), theirs(points)) for _ in range(ROUNDS)]
            a, b = ([statistics.median(r[side][i] for r in rounds) for i in range(3)] for side in range(2))
            row(points, *(cell for i in range(2) for cell in (f"{a[i]:.1f}", f"{b[i]:.1f}", f"{b[i] / a[i]:.1f}")), f"{a[2]:.0f}", f"{b[2]:.0f}")
        if ALONE:
            wall, cpu, peak = bench(binary, ALONE, 1)
            row(ALONE, f"{wall:.1f}", "", "", f"{cpu:.1f}", "", "", f"{peak:.0f}", "")


if __name__ == "__main__":
    main()
