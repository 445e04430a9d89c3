"""Models of sequences next to ONNX Runtime: 64 sequences of 120 to 320 tokens through a model of the size of ESM-2 8M.

    ORT_PYTHON=python3 python3 benchmarks/peers/language.py [FOLDER]

ORT_PYTHON is a Python with torch, transformers, onnxscript and onnxruntime. FOLDER keeps the exported models. Both sides run in
alternating rounds with two threads; medians of the processor time, which other programs of the machine disturb less than wall time.
"""
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, ROOT, THREADS, header, row, run

ROUNDS = 3


def main():
    python = os.environ.get("ORT_PYTHON", sys.executable)
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    if not glob.glob(f"{folder}/esm_*.onnx"):
        os.makedirs(folder, exist_ok=True)
        run([python, f"{HERE}/peer_language.py", "export", folder])
    binary = f"{folder}/latent.test"
    run(["go", "test", "-c", "-o", binary, "./latent"])
    header("export", "repscope s", "ONNX Runtime s", "ONNX Runtime ÷ repscope", "repscope wall s", "ONNX Runtime wall s")
    for file in sorted(glob.glob(f"{folder}/esm_*.onnx")):
        ours, theirs = [], []
        for _ in range(ROUNDS):
            env = dict(THREADS, REPSCOPE_BENCH_LANGUAGE=file)
            out = subprocess.run([binary, "-test.run", "NONE", "-test.bench", "Tokens/rows=0$", "-test.benchtime", "1x"], env=env,
                                 cwd=f"{ROOT}/latent", capture_output=True, text=True, check=True).stdout
            ours.append((float(re.search(r"([\d.]+) cpu-s/op", out)[1]), float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9))
            theirs.append(tuple(float(v) for v in run([python, f"{HERE}/peer_language.py", "run", file, "2"]).output.split()[-2:]))
        a, b = (statistics.median(v[0] for v in of) for of in (ours, theirs))
        row(os.path.basename(file)[4:-5], f"{a:.2f}", f"{b:.2f}", f"{b / a:.2f}", *(f"{statistics.median(v[1] for v in of):.2f}" for of in (ours, theirs)))


if __name__ == "__main__":
    main()
