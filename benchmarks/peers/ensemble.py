"""Scores of ensembles next to scoringrules (numba), properscoring and NumPy, one thread each: energy scores of 100
samples of 64 × 64 cells and 100 members, CRPS of 256 × 256 cells and 50 members, variogram scores of fields with 50
members. Printed are medians of processor seconds of a repetition and their ratios, then the variogram score of a field of 256 × 256 cells
with the peak memory of the process, and how one with a largest distance grows.

usage: python3 benchmarks/peers/ensemble.py [ROUNDS]      (from the repository's root)
PEER_PYTHON names a Python that has numpy, numba, scoringrules and properscoring.
"""
import os
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
PEER = os.environ.get("PEER_PYTHON", PYTHON)


def bench(binary, name, times):
    return run([binary, "-test.run", "^$", "-test.bench", name, "-test.cpu", "1", "-test.benchtime", f"{times}x"])


def ours(binary, name, times):
    """Processor seconds of a repetition: of many less those of few."""
    few = bench(binary, name, 1).cpu
    return (bench(binary, name, 1 + times).cpu - few) / times


def theirs(what):
    return statistics.median(float(line) for line in run([PEER, f"{HERE}/peer_ensemble.py", what, "3"]).output.split())


print(run([PEER, "-c", "import numpy, numba, scoringrules as s; print('numpy', numpy.__version__, 'numba', numba.__version__, 'scoringrules', s.__version__)"]).output)
with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/ensemble.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/ensemble"], cwd=ROOT, check=True)
    header("score", "peer", "repscope ms", "peer ms", "ratio")
    for score, name, times, peers in (
        ("energy", "^BenchmarkBatch$", 10, {"energy-direct": "NumPy, differences", "energy-gram": "NumPy, products in float32", "energy-numba": "scoringrules, numba"}),
        ("CRPS", "^BenchmarkCells$/^crps$", 50, {"crps-numpy": "NumPy, sorted", "crps-pwm": "scoringrules pwm, numba", "crps-fair": "scoringrules fair, numba", "crps-properscoring": "properscoring"}),
        ("variogram, 48 × 48", "^BenchmarkVariogram$/^48$", 20, {"variogram": "scoringrules, numba"}),
    ):
        for what, label in peers.items():
            rounds = [(ours(binary, name, times), theirs(what)) for _ in range(ROUNDS)]
            mine, peer = (statistics.median(r[side] for r in rounds) for side in range(2))
            row(score, label, f"{1e3 * mine:.1f}", f"{1e3 * peer:.0f}", f"{peer / mine:.1f}")
    print()
    header("variogram score, 50 members", "largest distance", "processor s", "ns per cell", "peak MB")
    for size, reach, times in ((256, 0, 1), (128, 8, 40), (256, 8, 10), (512, 8, 5)):
        name = f"^BenchmarkVariogram$/^{size}$/^reach={reach}$"
        seconds = statistics.median(ours(binary, name, times) for _ in range(ROUNDS))
        row(f"{size} × {size}", reach or "", f"{seconds:.3g}", f"{1e9 * seconds / size**2:.0f}", f"{bench(binary, name, 1).peak:.0f}")
