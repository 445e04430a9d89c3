"""Assignments of 2,000 × 2,000 next to scipy's linear_sum_assignment, one thread each: of random costs, of 1 − IoU of the boxes
of two pages by all costs, and of the same boxes by the pairs that overlap. Times of boxes have the IoUs in them. Rounds
alternate between the two sides; printed are medians of processor and wall milliseconds with the ratios of the former,
as a Markdown table. The least costs of both sides must agree.

usage: python3 benchmarks/peers/assignment.py [ROUNDS]      (from the repository's root; needs python3-scipy)
PEER_PYTHON names another Python that has scipy.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, THREADS, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
PEER = os.environ.get("PEER_PYTHON", PYTHON)
N = 2000
OURS = (("random costs", "random", "^BenchmarkAssign$"), ("boxes, all costs", "boxes", "^BenchmarkAssignBoxes$/^costs$"),
        ("boxes, pairs that overlap", "boxes", "^BenchmarkAssignBoxes$/^overlaps$"))

version = run([PEER, "-c", "import scipy; print(scipy.__version__)"]).output.strip()
print(f"scipy {version}, {ROUNDS} rounds\n")


def bench(binary, name, folder, times):
    """Wall seconds of one of so many repetitions, processor seconds of all with what comes before, and the cost."""
    env = dict(THREADS, GOMAXPROCS="1", REPSCOPE_BENCH_COSTS=f"{folder}/random.f64", REPSCOPE_BENCH_BOXES=f"{folder}/boxes.f64")
    done = run([binary, "-test.run", "^$", "-test.bench", name, "-test.cpu", "1", "-test.benchtime", f"{times}x"], env)
    return float(re.search(r"([\d.]+) ns/op", done.output)[1]) / 1e9, done.cpu, float(re.search(r"([\d.]+) cost", done.output)[1])


def ours(binary, name, folder):
    _, short, _ = bench(binary, name, folder, 1)
    wall, long, cost = bench(binary, name, folder, 11)
    return wall, (long - short) / 10, cost


def theirs(kind, folder):
    """Medians of the repetitions: wall and processor seconds of all, of the assignment alone, and the cost."""
    lines = run([PEER, f"{HERE}/peer_assignment.py", folder, kind, str(N), "5"]).output.splitlines()
    return [statistics.median(float(line.split()[i]) for line in lines) for i in range(5)]


with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/box.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/box"], cwd=ROOT, check=True)
    run([PEER, f"{HERE}/peer_assignment.py", folder, "make", str(N)])
    header("what", "repscope ms (wall)", "IoU and scipy ms (wall)", "ratio", "scipy alone ms", "ratio")
    for what, kind, name in OURS:
        rounds = [(ours(binary, name, folder), theirs(kind, folder)) for _ in range(ROUNDS)]
        wall, cpu, cost = (1e3 * statistics.median(r[0][i] for r in rounds) for i in range(3))
        peer_wall, peer_cpu, _, alone, peer_cost = (1e3 * statistics.median(r[1][i] for r in rounds) for i in range(5))
        if abs(cost - peer_cost) > 1e-3 * peer_cost:
            sys.exit(f"{what}: cost {cost / 1e3}, and {peer_cost / 1e3} by scipy")
        row(what, f"{cpu:.0f} ({wall:.0f})", f"{peer_cpu:.0f} ({peer_wall:.0f})", f"{peer_cpu / cpu:.1f}", f"{alone:.0f}", f"{alone / cpu:.1f}")
