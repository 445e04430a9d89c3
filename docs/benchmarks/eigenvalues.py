"""Eigenvalues of symmetric matrices, without vectors, beside NumPy's eigvalsh, two threads each, in alternating rounds.

usage: python3 docs/benchmarks/eigenvalues.py [ROUNDS [SIZE …]]      (needs NumPy; PEER_PYTHON names another Python that has it)

Sizes are 256, 1024, 2048 and 4096 unless others are given. Peaks are those of the whole processes, the matrix included; NumPy's
OpenBLAS chooses its kernels and blocks itself.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import PYTHON, ROOT, THREADS, header, row, run

ROUNDS, SIZES = int(sys.argv[1]) if len(sys.argv) > 1 else 3, sys.argv[2:] or ["256", "1024", "2048", "4096"]
PEER = os.environ.get("PEER_PYTHON", PYTHON)
SCRIPT = """import sys, time, numpy
n, count = int(sys.argv[1]), int(sys.argv[2])
a = numpy.random.default_rng(0).random((n, n))
a += a.T
numpy.linalg.eigvalsh(a[:200, :200])
begin = time.perf_counter()
for _ in range(count):
    numpy.linalg.eigvalsh(a)
print((time.perf_counter() - begin) / count)"""
PEER_THREADS = {name: value for name, value in THREADS.items() if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
print(run([PEER, "-c", "import numpy; print('NumPy', numpy.__version__)"]).output.strip() + f", {ROUNDS} rounds\n")
header("size", "repscope s", "NumPy s", "repscope ÷ NumPy", "repscope peak MB", "NumPy peak MB")
with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/spectrum.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/spectrum"], cwd=ROOT, check=True)
    for size in SIZES:
        ours, theirs = [], []
        count = str(max(1, 2**22 // int(size) ** 2))  # small matrices more than once
        for _ in range(ROUNDS):
            command = [binary, "-test.run", "NONE", "-test.bench", "Eigenvalues", "-test.benchtime", count + "x"]
            one = run(command, dict(THREADS, REPSCOPE_BENCH_SIZE=size))
            ours.append((float(re.search(r"([\d.]+) ns/op", one.output)[1]) / 1e9, one.peak))
            other = run([PEER, "-c", SCRIPT, size, count], PEER_THREADS)
            theirs.append((float(other.output), other.peak))
        a, b = (statistics.median(seconds for seconds, _ in runs) for runs in (ours, theirs))
        row(size, f"{a:.3g}", f"{b:.3g}", f"{a / b:.2f}", *(f"{max(peak for _, peak in runs):.0f}" for runs in (ours, theirs)))
