"""Frames per second of the reference encoders in PyTorch, as JSON on stdout.

OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench_torch.py [batch]
"""
import json
import os
import sys
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "checkpoint", "testdata"))
import reference

batch = int(sys.argv[1]) if len(sys.argv) > 1 else 64
torch.manual_seed(0)
models = {
    "ConvEncoder": (reference.ConvEncoder(), torch.rand(batch, 1, 1, 64, 64)),
    "DQN": (reference.DQNEncoder(), torch.rand(batch, 4, 84, 84)),
}
result = {"torch": torch.__version__, "threads": torch.get_num_threads(), "batch": batch}
with torch.no_grad():
    for name, (model, x) in models.items():
        model.eval()
        for _ in range(5):
            model(x)
        best = float("inf")
        for _ in range(30):
            start = time.perf_counter()
            model(x)
            best = min(best, time.perf_counter() - start)
        result[name] = round(batch / best, 1)
print(json.dumps(result))
