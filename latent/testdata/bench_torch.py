"""Frames per second of the encoders of bench_models.py in PyTorch, as JSON on stdout.

OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench_torch.py [batch] [seconds] [NAME...]

Per model the median of wall time and, as the machine may be shared, frames per second of processor time.
"""
import json
import os
import statistics
import sys
import time

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_models


def measure(run, batch, seconds):
    for _ in range(2):
        run()
    walls, cpu, start = [], time.process_time(), time.perf_counter()
    while len(walls) < 3 or time.perf_counter() - start < seconds:
        at = time.perf_counter()
        run()
        walls.append(time.perf_counter() - at)
    cpu = time.process_time() - cpu
    return {"frames_per_second": round(batch / statistics.median(walls), 1),
            "frames_per_cpu_second": round(batch * len(walls) / cpu, 1)}


if __name__ == "__main__":
    batch = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    result = {"torch": torch.__version__, "threads": torch.get_num_threads(), "batch": batch}
    with torch.no_grad():
        for name, (model, state) in bench_models.models().items():
            if sys.argv[3:] and name not in sys.argv[3:]:
                continue
            model.eval()
            x = torch.rand(batch, *state)
            result[name] = measure(lambda: model(x), batch, seconds)
    print(json.dumps(result))
