"""Writes golden.json: assignments and overlaps by scipy.optimize.linear_sum_assignment, and components by
scipy.ndimage.label, for the tests of package box.

Usage: python3 golden.py   (in this folder)
Needs numpy and scipy.
"""
import json

import numpy as np
import scipy
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

rng = np.random.default_rng(8)


def assignment(cost):
    rows, columns = linear_sum_assignment(cost)
    match = np.full(len(cost), -1)
    match[rows] = columns
    return {"rows": cost.shape[0], "columns": cost.shape[1], "match": match.tolist(), "total": float(cost[rows, columns].sum()),
            "cost": [None if np.isinf(v) else v for v in cost.ravel().tolist()]}


def matrices():
    for rows, columns in ((1, 1), (1, 4), (4, 1), (3, 3), (5, 8), (9, 6), (12, 12)):
        yield np.round(rng.normal(size=(rows, columns)), 4)
    forbidden = np.round(rng.random((6, 7)), 4)
    forbidden[rng.random(forbidden.shape) < 0.5] = np.inf  # None in the file
    forbidden[np.arange(6), np.arange(6)] = 0.9
    yield forbidden
    yield 1 - np.eye(5)


def tied():
    """Matrices of few values, of which scipy takes one of many best assignments."""
    draw = np.random.default_rng(9)
    for k in range(40):
        shape = draw.integers(1, 13, 2)
        few = draw.integers(0, draw.integers(1, 6) + 1, shape) / 4
        yield few if k % 2 else draw.choice([1.0, 0.25, round(draw.random(), 3)], shape)


def overlaps(n, m):
    """Two lists of boxes, and the largest sum of IoUs."""
    draw = np.random.default_rng(n)
    corners = [draw.integers(0, 90, (k, 2)) for k in (n, m)]
    a, b = (np.concatenate([c, c + draw.integers(1, 60, c.shape)], 1) for c in corners)
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), axis=2)
    area = [np.prod(x[:, 2:] - x[:, :2], axis=1) for x in (a, b)]
    iou = both / (area[0][:, None] + area[1][None, :] - both)
    rows, columns = linear_sum_assignment(1 - iou)
    return {"a": a.tolist(), "b": b.tolist(), "total": float(iou[rows, columns].sum())}


def components(mask):
    height, width = mask.shape
    out = {"height": height, "width": width, "mask": "".join(".#"[int(v)] for v in mask.ravel())}
    for name, structure in (("four", ndimage.generate_binary_structure(2, 1)), ("eight", np.ones((3, 3)))):
        labels, n = ndimage.label(mask, structure)
        numbers = range(1, n + 1)
        out[name] = {
            "labels": labels.ravel().tolist(),
            "area": [int((labels == k).sum()) for k in numbers],
            "box": [[s[1].start, s[0].start, s[1].stop, s[0].stop] for s in ndimage.find_objects(labels)],
            "centroid": [[float(x), float(y)] for y, x in (ndimage.center_of_mass(mask, labels, k) for k in numbers)],
        }
    return out


spiral = np.array([list("#########"), list("#.......#"), list("#.#####.#"), list("#.#...#.#"), list("#.#.###.#"), list("#.#.....#"),
                   list("#.#######")]) == "#"
out = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
    "assignments": [assignment(cost) for cost in matrices()],
    "tied": [assignment(cost) for cost in tied()],
    "overlaps": [overlaps(n, m) for n, m in ((1, 1), (5, 9), (30, 30), (80, 60), (150, 150))],
    "masks": [components(mask) for mask in (rng.random((9, 13)) < 0.35, rng.random((15, 8)) < 0.5, spiral, np.ones((3, 4), bool))],
}
with open("golden.json", "w") as file:
    json.dump(out, file, separators=(",", ":"))
    file.write("\n")
