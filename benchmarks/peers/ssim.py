"""SSIM of 1,000 pairs of 84 × 84 frames next to scikit-image, uint8 and float32, in the default and in the
Gaussian window: one thread next to one process, two next to two. Rounds alternate between the two sides;
printed are medians of wall milliseconds and, of single threads, of processor milliseconds, with their ratios,
as a Markdown table. Where other work shares the machine, trust processor time.

usage: python3 benchmarks/peers/ssim.py [ROUNDS]      (from the repository's root; needs python3-skimage)
PEER_PYTHON names another Python that has scikit-image.
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

version = run([PEER, "-c", "import skimage; print(skimage.__version__)"]).output.strip()
print(f"scikit-image {version}, {ROUNDS} rounds\n")
header("window", "pixels", "threads", "repscope ms", "scikit-image ms", "ratio", "processor ms", "scikit-image", "ratio")


def bench(binary, name, threads, times):
    """Wall seconds of one of so many repetitions, and processor seconds of all with what comes before."""
    done = run([binary, "-test.run", "^$", "-test.bench", name, "-test.cpu", str(threads), "-test.benchtime", f"{times}x"])
    return float(re.search(r"([\d.]+) ns/op", done.output)[1]) / 1e9, done.cpu


def ours(binary, name, threads):
    _, short = bench(binary, name, threads, 10)
    wall, long = bench(binary, name, threads, 50)
    return wall, (long - short) / 40


def theirs(kind, window, processes):
    lines = run([PEER, f"{HERE}/peer_ssim.py", kind, window, str(processes), "3"]).output.splitlines()
    return [statistics.median(float(line.split()[i]) for line in lines) for i in range(2)]


with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/image.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./measure/image"], cwd=ROOT, check=True)
    for window in ("box", "gaussian"):
        for kind in ("uint8", "float32"):
            name = f"^BenchmarkSSIM$/^{kind}$" if window == "box" else f"^BenchmarkSSIM$/^gaussian$/^{kind}$"
            for threads in (1, 2):
                rounds = [(ours(binary, name, threads), theirs(kind, window, threads)) for _ in range(ROUNDS)]
                (wall, cpu), (peer_wall, peer_cpu) = ([1e3 * statistics.median(r[side][i] for r in rounds) for i in range(2)] for side in range(2))
                used = (f"{cpu:.1f}", f"{peer_cpu:.0f}", f"{peer_cpu / cpu:.1f}") if threads == 1 else ("", "", "")
                row(window, kind, threads, f"{wall:.1f}", f"{peer_wall:.0f}", f"{peer_wall / wall:.1f}", *used)
