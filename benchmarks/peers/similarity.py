"""Scores of two spaces of 10,000 points and 512 dimensions in 20 orders next to calibrated-similarity, which computes a
score again for each order. Its time is measured over three evaluations and given for 21. Rounds alternate between the two
sides; printed are medians of processor seconds and their ratio, as a Markdown table.

usage: python3 benchmarks/peers/similarity.py [ROUNDS]      (from the repository's root)
PEER_PYTHON names a Python that has calibrated-similarity.
"""
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
EVALUATIONS = 21  # as the points are, and 20 orders

with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/similarity.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/similarity"], cwd=ROOT, check=True)
    bench = [binary, "-test.run", "^$", "-test.benchtime", "1x", "-test.bench"]
    header("score", "repscope s", "calibrated-similarity s", "ratio")
    for name in ("cka", "cka_pairs", "mutual_knn"):
        mine, peer, measure = [], [], name.removesuffix("_pairs")
        for _ in range(ROUNDS):
            drawn = run(bench + ["^BenchmarkOrders$/^nothing$"]).cpu
            mine.append(run(bench + [f"^BenchmarkOrders$/^{measure}$"]).cpu - drawn)
            peer.append(EVALUATIONS * float(run([PYTHON, f"{HERE}/peer_similarity.py", name]).output.split()[-1]))
        ours, other = statistics.median(mine), statistics.median(peer)
        row(name, f"{ours:.1f}", f"{other:.0f}", f"{other / ours:.0f}")
