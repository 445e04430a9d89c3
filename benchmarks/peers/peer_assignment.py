"""scipy's linear_sum_assignment of a matrix of random costs, or of 1 − IoU of two lists of boxes, most of which is 1: for
each repetition wall and processor seconds of all, of the assignment alone, and the least cost.
usage: peer_assignment.py FOLDER random|boxes N REPETITIONS, or FOLDER make N, which writes random.f64 and boxes.f64"""
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from scipy.optimize import linear_sum_assignment


def page(n, rng):
    """Boxes of frames in frames, some of the size of their frame."""
    boxes = np.zeros((n, 4))
    boxes[0] = 0, 0, 1, 1
    for i in range(1, n):
        x0, y0, x1, y1 = boxes[rng.integers(max(0, i // 6 - 3), i // 6 + 1)]
        w, h = ((x1 - x0) * rng.uniform(0.1, 1), (y1 - y0) * rng.uniform(0.1, 0.6)) if rng.random() < 0.85 else (x1 - x0, y1 - y0)
        x, y = x0 + rng.random() * (x1 - x0 - w), y0 + rng.random() * (y1 - y0 - h)
        boxes[i] = x, y, x + w, y + h
    return boxes


def make(folder, n):
    """A matrix of costs; and a page with another in which boxes are moved, replaced and in another order."""
    rng = np.random.default_rng(1)
    rng.random((n, n)).tofile(f"{folder}/random.f64")
    a = page(n, rng)
    b = a.copy()
    moved = rng.normal(0, 0.15, (n, 2)) * (a[:, 2:] - a[:, :2]) * (rng.random(n) < 0.4)[:, None]
    b += np.concatenate([moved, moved], 1)
    replaced = rng.random(n) < 0.15
    b[replaced] = rng.permutation(page(n, rng))[: replaced.sum()]
    np.stack([a, rng.permutation(b)]).tofile(f"{folder}/boxes.f64")


def costs(values, kind, n):
    if kind == "random":
        return values.reshape(n, n)
    a, b = values.reshape(2, n, 4)
    width = np.minimum(a[:, None, 2], b[None, :, 2]) - np.maximum(a[:, None, 0], b[None, :, 0])
    height = np.minimum(a[:, None, 3], b[None, :, 3]) - np.maximum(a[:, None, 1], b[None, :, 1])
    both = np.maximum(width, 0) * np.maximum(height, 0)
    area_a, area_b = ((x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1]) for x in (a, b))
    return 1 - both / (area_a[:, None] + area_b[None, :] - both)


if sys.argv[2] == "make":
    make(sys.argv[1], int(sys.argv[3]))
    sys.exit()
kind, n, repetitions = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
values = np.fromfile(f"{sys.argv[1]}/{kind}.f64")
for _ in range(repetitions):
    start, used = time.perf_counter(), time.process_time()
    cost = costs(values, kind, n)
    middle, half = time.perf_counter(), time.process_time()
    rows, columns = linear_sum_assignment(cost)
    end, all_used = time.perf_counter(), time.process_time()
    print(end - start, all_used - used, end - middle, all_used - half, float(cost[rows, columns].sum()), flush=True)
