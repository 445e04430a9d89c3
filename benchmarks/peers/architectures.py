"""Public architectures with random weights next to ONNX Runtime and PyTorch, two threads each, in alternating rounds; prints a Markdown
table of medians and the geometric means of the ratios. A ratio is the median of those of the rounds: where other machines share the host,
it may change its speed from round to round.

    ORT_PYTHON=python3 python3 benchmarks/peers/architectures.py [--folder FOLDER] [--batch 32] [--rounds 3] [--no-torch] [NAME …]

ORT_PYTHON is a Python with torch, torchvision, timm and onnxruntime. FOLDER keeps the exports.
"""
import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, ROOT, THREADS, header, row, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME")
parser.add_argument("--folder")
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--seconds", type=float, default=1, help="for a measurement")
parser.add_argument("--no-torch", action="store_true")
o = parser.parse_args()
python = os.environ.get("ORT_PYTHON", sys.executable)
folder = os.path.abspath(o.folder) if o.folder else tempfile.mkdtemp()
os.makedirs(folder, exist_ok=True)
peer = f"{HERE}/peer_architectures.py"
missing = [n for n in o.names if not os.path.exists(f"{folder}/{n}.onnx")]
if missing or not any(f.endswith(".onnx") for f in os.listdir(folder)):
    subprocess.run([python, peer, "export", folder, *missing], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
names = o.names or sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".onnx"))
binary = f"{folder}/latent.test"
subprocess.run(["go", "test", "-c", "-o", binary, "./latent"], cwd=ROOT, check=True)


def ours(name):
    env = dict(THREADS, GOMAXPROCS="2", REPSCOPE_BENCH_ARCHITECTURE=f"{folder}/{name}", REPSCOPE_BENCH_BATCH=str(o.batch))
    done = subprocess.run([binary, "-test.run", "NONE", "-test.bench", "Architecture$", "-test.benchtime", f"{o.seconds}s"], env=env, cwd=f"{ROOT}/latent",
                          capture_output=True, text=True)
    found = re.search(r"([\d.]+) ns/median", done.stdout)
    if not found:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    return float(found[1]) / 1e9


def theirs(*program):
    return lambda name: float(run([python, *program, folder, name, str(o.batch), str(o.seconds)], dict(THREADS, OMP_NUM_THREADS="2")).output.split()[-1])


sides = [ours, theirs(f"{HERE}/peer_onnxruntime.py")] + ([] if o.no_torch else [theirs(peer, "torch")])
print(f"batch {o.batch}, {o.rounds} rounds; states per second\n")
header("network", "repscope", "ONNX Runtime", *([] if o.no_torch else ["PyTorch"]), "÷ ONNX Runtime", *([] if o.no_torch else ["÷ PyTorch"]))
ratios = [[] for _ in sides[1:]]
for name in names:
    taken = [[] for _ in sides]
    for _ in range(o.rounds):
        for side, times in zip(sides, taken):
            times.append(side(name))
    medians = [statistics.median(t) for t in taken]
    for k, times in enumerate(taken[1:]):
        ratios[k].append(statistics.median(t / own for t, own in zip(times, taken[0])))
    row(name, *(f"{o.batch / m:.4g}" for m in medians), *(f"{r[-1]:.2f}" for r in ratios))
print("\ngeometric means: " + ", ".join(f"{math.exp(statistics.mean(map(math.log, r))):.2f}" for r in ratios))
