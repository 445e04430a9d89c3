"""Scores of saliency maps of 375 × 812 pixels next to straightforward NumPy: against another map, 100 fixations, and the
highest 5 % of a map; one thread each. Rounds alternate between the two sides; printed are medians of milliseconds
with their ratio, as a Markdown table.

usage: python3 benchmarks/peers/saliency.py [ROUNDS]      (from the repository's root; needs python3-numpy)
PEER_PYTHON names another Python that has numpy.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
PEER = os.environ.get("PEER_PYTHON", PYTHON)

version = run([PEER, "-c", "import numpy; print(numpy.__version__)"]).output.strip()
print(f"numpy {version}, {ROUNDS} rounds\n")


def ours(binary):
    done = run([binary, "-test.run", "^$", "-test.bench", "^BenchmarkScores$", "-test.cpu", "1", "-test.benchtime", "30x"])
    return {name: float(ns) / 1e6 for name, ns in re.findall(r"BenchmarkScores/(\w+)\s+\d+\s+([\d.]+) ns/op", done.output)}


def peer():
    return {name: float(ms) for name, ms in map(str.split, run([PEER, f"{HERE}/peer_saliency.py"]).output.splitlines())}


with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/saliency.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/saliency"], cwd=ROOT, check=True)
    rounds = [(ours(binary), peer()) for _ in range(ROUNDS)]
header("score", "repscope ms", "NumPy ms", "ratio")
for name in rounds[0][0]:
    mine, theirs = (statistics.median(side[name] for side in sides) for sides in zip(*rounds))
    row(name, f"{mine:.3f}", f"{theirs:.3f}", f"{theirs / mine:.1f}")
