"""Frames per second of the files of bench_models.py in ONNX Runtime, as JSON on stdout.

python3 bench_ort.py DIR [batch] [seconds] [NAME...]     (with the package onnxruntime)
"""
import json
import os
import statistics
import sys
import time

import numpy as np
import onnxruntime as ort

folder = sys.argv[1]
batch = int(sys.argv[2]) if len(sys.argv) > 2 else 64
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 3
options = ort.SessionOptions()
options.intra_op_num_threads = 2
result = {"onnxruntime": ort.__version__, "threads": 2, "batch": batch}
for name in sys.argv[4:] or ["ConvEncoder", "DQN", "VideoViT", "ViT-S"]:
    with open(os.path.join(folder, name + ".json")) as f:
        state = json.load(f)
    session = ort.InferenceSession(os.path.join(folder, name + ".onnx"), options, providers=["CPUExecutionProvider"])
    x = {session.get_inputs()[0].name: np.random.default_rng(0).random((batch, *state), np.float32)}
    for _ in range(2):
        session.run(None, x)
    walls, cpu, start = [], time.process_time(), time.perf_counter()
    while len(walls) < 3 or time.perf_counter() - start < seconds:
        at = time.perf_counter()
        session.run(None, x)
        walls.append(time.perf_counter() - at)
    cpu = time.process_time() - cpu
    result[name] = {"frames_per_second": round(batch / statistics.median(walls), 1),
                    "frames_per_cpu_second": round(batch * len(walls) / cpu, 1)}
print(json.dumps(result))
