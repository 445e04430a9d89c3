"""A benchmark of generated screens, scored by canvas and by the obvious program with scikit-image and SciPy: CASES cases of
NODES nodes each and screens of 375 × 812 pixels, from the start of the program to its end with all files, on the same
cores. Rounds alternate between the two sides; printed are medians, as a Markdown table. The peer computes the ten published metrics;
canvas the same, and its usual set. Means that both define alike are compared.

usage: python3 benchmarks/peers/canvas.py [CASES [NODES [ROUNDS [CORES]]]]      (from the repository's root; needs python3-skimage)
PEER_PYTHON names another Python that has scikit-image.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

CASES, NODES, ROUNDS, CORES = (int(sys.argv[i]) if len(sys.argv) > i else preset for i, preset in enumerate((1000, 1000, 3, 2), 1))
PEER = os.environ.get("PEER_PYTHON", PYTHON)
PUBLISHED = "fill,image,element_count,layout,alignment,tools"
SAME = {"ssim": 1e-9, "psnr": 1e-9, "rmse": 1e-9, "element_ratio_symmetric": 1e-12, "layout_iou": 1e-9, "layout_f1": 1e-3, "canvas_fill_ratio": 1e-9,
        "tool_calls": 0, "tool_efficiency": 1e-4}

version = run([PEER, "-c", "import scipy, skimage; print('scikit-image', skimage.__version__ + ', SciPy', scipy.__version__)"]).output.strip()
print(f"{version}; {CASES} cases, {NODES} nodes, {CORES} cores, {ROUNDS} rounds\n")
cores = dict(os.environ, GOMAXPROCS=str(CORES), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([PEER, f"{HERE}/peer_canvas.py", f"{folder}/tree", "--make", str(CASES), str(NODES), "15"], check=True)
    subprocess.run(["go", "build", "-trimpath", "-o", f"{folder}/canvas", "./cmd/canvas"], cwd=ROOT, check=True)

    def ours(*flags):
        out = f"{folder}/out"
        used = run([f"{folder}/canvas", "--base-dir", f"{folder}/tree", "--task", "replication_gen", "--variant", "image_only", "--workers", str(CORES), "--out", out, *flags], cores)
        with open(f"{out}/canvas.json") as f:
            return used, list(json.load(f)["cases"].values())

    rounds = []
    for _ in range(ROUNDS):
        few, cases = ours("--metrics", PUBLISHED)
        usual, _ = ours()
        rounds.append((few, usual, run([PEER, f"{HERE}/peer_canvas.py", f"{folder}/tree", str(CORES)], cores)))

theirs = json.loads(rounds[0][2].output)
for key, tolerance in SAME.items():
    values = [c[key] for c in cases if c[key] is not None]
    mean = sum(values) / len(values)
    if abs(mean - theirs[key]) > tolerance * max(1, abs(mean)):
        print(f"{key}: {mean}, and {theirs[key]} of the peer", file=sys.stderr)
header("what", "seconds", "processor seconds", "memory MB", "times faster", "of processor time")
sides = [[r[k] for r in rounds] for k in range(3)]
median = lambda side, of: statistics.median(getattr(r, of) for r in side)
for name, side in zip(("canvas, published metrics", "canvas, usual metrics", "scikit-image and SciPy, published metrics"), sides):
    wall, cpu = median(side, "wall"), median(side, "cpu")
    row(name, f"{wall:.1f}", f"{cpu:.1f}", f"{median(side, 'peak'):.0f}", f"{median(sides[2], 'wall') / wall:.1f}", f"{median(sides[2], 'cpu') / cpu:.1f}")
