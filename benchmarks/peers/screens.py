"""Pixels of pairs of screens of 375 × 812 next to Pillow and scikit-image, step by step: reading both PNG files, SSIM, PSNR and
RMSE, resizing one of twice the size; and measures that scikit-image lacks. One thread each. Rounds alternate between the
two sides; printed are medians of milliseconds of processor time for each pair, with their ratio, as a Markdown table.

usage: python3 benchmarks/peers/screens.py [ROUNDS]      (from the repository's root; needs python3-skimage)
PEER_PYTHON names another Python that has scikit-image.
"""
import os
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

PAIRS = 10  # of peer_screens.py
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
PEER = os.environ.get("PEER_PYTHON", PYTHON)
STEPS = {"read": "reading both files", "ssim": "SSIM, 7 × 7", "gaussian": "SSIM, Gaussian", "error": "PSNR and RMSE", "resize": "resizing",
         "ms_ssim": "MS-SSIM", "gmsd": "GMSD", "fsim": "FSIM and FSIMc"}

version = run([PEER, "-c", "import PIL, skimage; print('Pillow', PIL.__version__ + ', scikit-image', skimage.__version__)"]).output.strip()
print(f"{version}, {ROUNDS} rounds\n")


def ours(binary, folder, step):
    """Milliseconds for each pair: the processor time of many repetitions beyond that of few."""
    few, many = (1, 2) if step == "fsim" else (5, 45)
    used = [run([binary, "-test.run", "^$", "-test.bench", f"^BenchmarkScreens$/^{step}$", "-test.cpu", "1", "-test.benchtime", f"{n}x"],
                dict(os.environ, GOMAXPROCS="1", REPSCOPE_BENCH_SCREENS=folder)) for n in (few, many)]
    return 1e3 * (used[1].cpu - used[0].cpu) / (many - few) / PAIRS


def peer(folder):
    return {name: float(ms) for name, ms in map(str.split, run([PEER, f"{HERE}/peer_screens.py", folder]).output.splitlines())}


with tempfile.TemporaryDirectory() as folder:
    binary, screens = f"{folder}/canvas.test", f"{folder}/screens"
    os.mkdir(screens)
    subprocess.run(["go", "test", "-c", "-o", binary, "./analysis/canvas"], cwd=ROOT, check=True)
    peer(screens)
    rounds = [({step: ours(binary, screens, step) for step in STEPS}, peer(screens)) for _ in range(ROUNDS)]
header("step", "repscope ms", "Pillow, scikit-image ms", "ratio")
mine = {step: statistics.median(a[step] for a, _ in rounds) for step in STEPS}
theirs = {step: statistics.median(b[step] for _, b in rounds) for step in rounds[0][1]}
for step, name in STEPS.items():
    row(name, f"{mine[step]:.2f}", *((f"{theirs[step]:.2f}", f"{theirs[step] / mine[step]:.1f}") if step in theirs else ("", "")))
usual = ("read", "ssim", "error")
a, b = (sum(side[step] for step in usual) for side in (mine, theirs))
row("reading, SSIM, PSNR, RMSE", f"{a:.2f}", f"{b:.2f}", f"{b / a:.1f}")
