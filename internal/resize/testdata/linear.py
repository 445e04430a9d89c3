"""Writes linear.json: what torch says of bilinear resizing with antialiasing in float64, for linear_test.go.

Usage: python3 linear.py   (in this folder)
Needs numpy and torch.
"""
import json

import numpy as np
import torch

rng = np.random.default_rng(2)
cases = []
for h, w, rows, columns in [(1, 1, 3, 2), (5, 7, 5, 7), (9, 4, 3, 4), (4, 9, 8, 30), (13, 11, 5, 4), (8, 8, 16, 3), (2, 17, 1, 1), (6, 10, 4, 15)]:
    src = rng.normal(size=(h, w))
    out = torch.nn.functional.interpolate(torch.tensor(src)[None, None], size=(rows, columns), mode="bilinear", antialias=True, align_corners=False)
    cases.append({"from": [h, w], "to": [rows, columns], "src": src.ravel().tolist(), "want": out.numpy().ravel().tolist()})
with open("linear.json", "w") as f:
    json.dump({"versions": {"numpy": np.__version__, "torch": torch.__version__}, "cases": cases}, f, indent=1)
    f.write("\n")
