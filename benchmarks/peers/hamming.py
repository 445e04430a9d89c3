"""Hamming distances of all pairs of 5,000 binary grids of 594 cells next to scipy's pdist, which gets them as
bool: one thread each. Rounds alternate between the two sides; printed are medians of milliseconds with their
ratio, as a Markdown table: of the distances alone (a histogram), and with Jaccard similarities and the sums of
every grid.

usage: python3 benchmarks/peers/hamming.py [ROUNDS]      (from the repository's root; needs python3-scipy)
PEER_PYTHON names another Python that has scipy.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
PEER = os.environ.get("PEER_PYTHON", PYTHON)
SIDES = ("distances", "pairwise")

version = run([PEER, "-c", "import scipy; print(scipy.__version__)"]).output.strip()
print(f"scipy {version}, {ROUNDS} rounds\n")


def ours(binary, name):
    done = run([binary, "-test.run", "^$", "-test.bench", f"^BenchmarkHamming$/^{name}$", "-test.cpu", "1", "-test.benchtime", "5x"])
    return float(re.search(r"([\d.]+) ns/op", done.output)[1]) / 1e6


with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/set.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/set"], cwd=ROOT, check=True)
    rounds = [(float(run([PEER, f"{HERE}/peer_hamming.py"]).output), *(ours(binary, name) for name in SIDES)) for _ in range(ROUNDS)]
peer, *mine = (statistics.median(r[k] for r in rounds) for k in range(1 + len(SIDES)))
header("what", "repscope ms", "scipy ms", "ratio")
for name, ms in zip(SIDES, mine):
    row(name, f"{ms:.0f}", f"{peer:.0f}", f"{peer / ms:.0f}")
