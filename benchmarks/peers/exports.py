"""Exports of public networks with random weights, by both exporters of PyTorch, run by repscope and by ONNX Runtime: a Markdown table of those
whose outputs differ or that are refused, and how many do not.

    ORT_PYTHON=python3 python3 benchmarks/peers/exports.py [--exporter script|dynamo] [--parameters 40] [--minutes M] [--all] [NAME …]
    ORT_PYTHON=python3 python3 benchmarks/peers/exports.py --folder FOLDER [--minutes M] [--all]

ORT_PYTHON is a Python with torch, torchvision, timm and onnxruntime. NAME is such as torchvision/resnet18 or timm/levit_128s; without any they are
all classification networks of torchvision and the smallest of each family of timm, of at most 40 million parameters. --all prints all rows. --folder compares the .onnx files of a folder instead, of any origin, with one input of floats;
`peer_exports.py fill` fills one.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from measure import HERE, ROOT, header, row

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME")
parser.add_argument("--exporter", choices=["script", "dynamo"])
parser.add_argument("--parameters", type=float, default=40, help="millions at most")
parser.add_argument("--minutes", type=float, default=1e9, help="stop after these")
parser.add_argument("--all", action="store_true")
parser.add_argument("--folder")
o = parser.parse_args()
python = os.environ.get("ORT_PYTHON", sys.executable)
peer = f"{HERE}/peer_exports.py"
CLOSE = 1e-5  # of the largest output


def last(command, limit):
    """The last line that a program prints, and what it says if it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "", f"not within {limit} s"
    lines = (done.stdout.strip() or "\n").splitlines()
    return lines[-1], "" if done.returncode == 0 else (done.stderr.strip() or "no message").splitlines()[-1]


def listed():
    found, failed = last([python, peer, "list", str(o.parameters)], 3600)
    if failed:
        sys.exit(f"{peer} list: {failed}")
    return json.loads(found)


def outcome(folder, name, exporter):
    """What is found and how far the outputs are apart, if they are."""
    file, out = f"{folder}/model.onnx", f"{folder}/out"
    for old in os.listdir(folder):
        if old.startswith("model.onnx") or old.endswith(".npy"):
            os.remove(f"{folder}/{old}")
    if o.folder:
        file = f"{o.folder}/{name}"
    else:
        _, failed = last([python, peer, "export", name, exporter, file], 600)
        if failed:
            return "not exported", failed
    _, failed = last([python, peer, "run", file, f"{folder}/x.npy", f"{folder}/y.npy"], 300)
    if failed:
        return "not run by ONNX Runtime", failed
    _, failed = last([f"{folder}/encode", "--frames", f"{folder}/x.npy", "--model", "m=" + file, "--out", out, "--restart", "--pool", "flatten", "--quiet"], 300)
    if failed:
        return "refused", failed
    said, failed = last([python, peer, "compare", f"{out}/m.npy", f"{folder}/y.npy"], 60)
    if failed:
        return "differs", failed
    return ("equal" if float(said) <= CLOSE else "differs"), said


def main():
    end, counts, largest = time.monotonic() + 60 * o.minutes, {}, 0.0
    if o.folder:
        o.names, o.exporter = sorted(f for f in os.listdir(o.folder) if f.endswith(".onnx")), "as it is"
    names = o.names or listed()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "build", "-o", f"{folder}/encode", "./cmd/encode"], cwd=ROOT, check=True)
        header("network", "exporter", "outcome", "largest difference ÷ largest output, or why")
        for name in names:
            for exporter in [o.exporter] if o.exporter else ["script", "dynamo"]:
                if time.monotonic() > end:
                    break
                found, said = outcome(folder, name, exporter)
                counts[found] = counts.get(found, 0) + 1
                if found == "equal":
                    largest = max(largest, float(said))
                if found != "equal" or o.all:
                    row(name, exporter, found, said.replace("|", "\\|")[:300])
    print(f"\n{sum(counts.values())} exports: " + ", ".join(f"{n} {found}" for found, n in sorted(counts.items())) + f"; equal: within {largest:.1e}")


main()
