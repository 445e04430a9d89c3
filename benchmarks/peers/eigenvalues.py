"""Eigenvalues of symmetric matrices, without vectors, next to NumPy's eigvalsh, two threads each, in alternating rounds.

usage: python3 benchmarks/peers/eigenvalues.py [ROUNDS [SIZE …]]
       python3 benchmarks/peers/eigenvalues.py --latents [ROUNDS [NxD …]]
(both need NumPy; PEER_PYTHON names another Python that has it)

Sizes are 256, 1024, 2048 and 4096 unless others are given. --latents: `manifold` from start to end, with intervals, of N latents of D
dimensions in 100 episodes, next to what NumPy takes for the two spectra alone, of the latents less their mean and as they are, from the
smaller products. Peaks are those of the whole processes, input included; NumPy's OpenBLAS chooses its kernels and blocks itself.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import PYTHON, ROOT, THREADS, header, row, run

PEER = os.environ.get("PEER_PYTHON", PYTHON)
PEER_THREADS = {name: value for name, value in THREADS.items() if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
EIGVALSH = """import sys, time, numpy
n, count = int(sys.argv[1]), int(sys.argv[2])
a = numpy.random.default_rng(0).random((n, n))
a += a.T
numpy.linalg.eigvalsh(a[:200, :200])
begin = time.perf_counter()
for _ in range(count):
    numpy.linalg.eigvalsh(a)
print((time.perf_counter() - begin) / count)"""
LATENTS = """import sys, numpy
n, dim = int(sys.argv[1]), int(sys.argv[2])
z = numpy.random.default_rng(1).standard_normal((n, dim), dtype=numpy.float32) * numpy.arange(1, dim + 1, dtype=numpy.float32) ** -0.5
for i in range(1, n):
    z[i] += numpy.float32(0.9) * z[i - 1]
numpy.save(sys.argv[3], z)
numpy.save(sys.argv[4], numpy.arange(n) * 100 // n)"""
SPECTRA = """import sys, time, numpy
z = numpy.load(sys.argv[1]).astype(float)
numpy.linalg.eigvalsh(z[:200, :200].T @ z[:200, :200])
begin = time.perf_counter()
for x in (z - z.mean(0), z):
    numpy.linalg.eigvalsh(x @ x.T if len(x) < x.shape[1] else x.T @ x)
print(time.perf_counter() - begin)"""


def matrices(folder, rounds, sizes):
    header("size", "repscope s", "NumPy s", "repscope ÷ NumPy", "repscope peak MB", "NumPy peak MB")
    binary = f"{folder}/spectrum.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/spectrum"], cwd=ROOT, check=True)
    for size in sizes:
        ours, theirs = [], []
        count = str(max(1, 2**22 // int(size) ** 2))  # small matrices more than once
        for _ in range(rounds):
            command = [binary, "-test.run", "NONE", "-test.bench", "Eigenvalues", "-test.benchtime", count + "x"]
            one = run(command, dict(THREADS, REPSCOPE_BENCH_SIZE=size))
            ours.append((float(re.search(r"([\d.]+) ns/op", one.output)[1]) / 1e9, one.peak))
            other = run([PEER, "-c", EIGVALSH, size, count], PEER_THREADS)
            theirs.append((float(other.output), other.peak))
        a, b = (statistics.median(seconds for seconds, _ in runs) for runs in (ours, theirs))
        row(size, f"{a:.3g}", f"{b:.3g}", f"{a / b:.2f}", *(f"{max(peak for _, peak in runs):.0f}" for runs in (ours, theirs)))


def latents(folder, rounds, shapes):
    header("latents", "`manifold` s", "processor s", "peak MB", "spectra in NumPy s", "peak MB")
    binary = f"{folder}/manifold"
    subprocess.run(["go", "build", "-trimpath", "-o", binary, "./cmd/manifold"], cwd=ROOT, check=True)
    for shape in shapes:
        z, episodes = f"{folder}/z.npy", f"{folder}/episodes.npy"
        run([PEER, "-c", LATENTS, *shape.split("x"), z, episodes])
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(run([binary, "--latents", f"z={z}", "--episodes", episodes, "--out", f"{folder}/out", "--quiet"]))
            other = run([PEER, "-c", SPECTRA, z], PEER_THREADS)
            theirs.append((float(other.output), other.peak))
        wall, cpu, seconds = (statistics.median(values) for values in
                              ([one.wall for one in ours], [one.cpu for one in ours], [value for value, _ in theirs]))
        peaks = max(one.peak for one in ours), max(peak for _, peak in theirs)
        row(shape, f"{wall:.1f}", f"{cpu:.1f}", f"{peaks[0]:.0f}", f"{seconds:.2g}", f"{peaks[1]:.0f}")


def main():
    arguments = sys.argv[1:]
    programs = arguments[:1] == ["--latents"]
    arguments = arguments[programs:]
    rounds = int(arguments[0]) if arguments else 3
    cases = arguments[1:] or (["1200x4096", "5000x4096", "20000x1024"] if programs else ["256", "1024", "2048", "4096"])
    print(run([PEER, "-c", "import numpy; print('NumPy', numpy.__version__)"]).output.strip() + f", {rounds} rounds\n")
    with tempfile.TemporaryDirectory() as folder:
        (latents if programs else matrices)(folder, rounds, cases)


main()
