"""Eigenvalues of symmetric matrices, without vectors, beside NumPy's eigvalsh, two threads each, in alternating rounds.

usage: python3 docs/benchmarks/eigenvalues.py [ROUNDS [SIZE …]]      (needs NumPy; PEER_PYTHON names another Python that has it)
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import PYTHON, ROOT, header, row, run

ROUNDS, SIZES = int(sys.argv[1]) if len(sys.argv) > 1 else 3, sys.argv[2:] or ["256", "1024", "4096"]
PEER = os.environ.get("PEER_PYTHON", PYTHON)
SCRIPT = """import sys, time, numpy
n = int(sys.argv[1])
a = numpy.random.default_rng(0).standard_normal((n, n))
a += a.T
numpy.linalg.eigvalsh(a[:200, :200])
begin = time.perf_counter()
numpy.linalg.eigvalsh(a)
print(time.perf_counter() - begin)"""
threads = dict(os.environ, GOMAXPROCS="2", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
print(run([PEER, "-c", "import numpy; print('NumPy', numpy.__version__)"]).output.strip() + f", {ROUNDS} rounds\n")
header("size", "repscope s", "NumPy s", "NumPy ÷ repscope")
with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/spectrum.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/spectrum"], cwd=ROOT, check=True)
    for size in SIZES:
        ours, theirs = [], []
        for _ in range(ROUNDS):
            out = run([binary, "-test.run", "NONE", "-test.bench", "Eigenvalues", "-test.benchtime", "1x"], dict(threads, REPSCOPE_BENCH_SIZE=size)).output
            ours.append(float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9)
            theirs.append(float(run([PEER, "-c", SCRIPT, size], threads).output))
        a, b = statistics.median(ours), statistics.median(theirs)
        row(size, f"{a:.3g}", f"{b:.3g}", f"{b / a:.2f}")
