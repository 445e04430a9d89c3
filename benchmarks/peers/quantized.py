"""Networks quantized by onnxruntime.quantization next to ONNX Runtime, two threads each: exports of architectures.py, statically, with pairs of
QuantizeLinear and DequantizeLinear (NAME_qdq) and with operators of integers (NAME_qop). Prints the table of architectures.py.

    ORT_PYTHON=python3 python3 benchmarks/peers/quantized.py [--folder FOLDER] [--batch 32] [--rounds 3] [NAME …]

ORT_PYTHON is a Python with torch, torchvision, timm, onnx, sympy and onnxruntime. FOLDER keeps the files.
"""
import os
import subprocess
import sys
import tempfile

from measure import HERE

NETWORKS = ["nature", "impala", "mobilenet_v2", "mobilenet_v3_small", "resnet18", "resnet50", "squeezenet1_1", "efficientnet_b0", "vit_tiny"]
options, names, rest, folder = [], [], sys.argv[1:], None
while rest:
    word = rest.pop(0)
    if word in ("-h", "--help"):
        sys.exit(__doc__)
    if word == "--folder":
        folder = os.path.abspath(rest.pop(0))
    elif word.startswith("--"):
        options += [word] + ([rest.pop(0)] if rest and "=" not in word else [])
    else:
        names.append(word)
names = names or NETWORKS
folder = folder or tempfile.mkdtemp()
os.makedirs(folder, exist_ok=True)
python = os.environ.get("ORT_PYTHON", sys.executable)
for program, ending in (("peer_architectures.py export", ""), ("peer_quantized.py", "_qop")):
    program, *words = program.split()
    missing = [n for n in names if not os.path.exists(f"{folder}/{n}{ending}.onnx")]
    if missing:
        subprocess.run([python, f"{HERE}/{program}", *words, folder, *missing], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
forms = [f"{n}_{form}" for n in names for form in ("qdq", "qop")]
sys.exit(subprocess.run([sys.executable, f"{HERE}/architectures.py", "--folder", folder, "--no-torch", *options, *forms]).returncode)
