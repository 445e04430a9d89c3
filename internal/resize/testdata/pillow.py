"""Writes pillow.json: grayscale images resized by every filter of Pillow.

    python3 pillow.py

Made with Pillow 12.0.0 and NumPy 2.4.
"""
import base64
import json
import os

import numpy as np
from PIL import Image

FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}
random = np.random.default_rng(7)
cases = []
for name, number in FILTERS.items():
    for (h, w), (rows, columns) in [((9, 7), (4, 5)), ((5, 6), (11, 13)), ((31, 20), (8, 8)), ((7, 40), (7, 9)), ((40, 7), (10, 7)),
                                    ((84, 84), (24, 24)), ((12, 12), (17, 5)), ((1, 9), (3, 2)), ((10, 10), (10, 10))]:
        src = random.integers(0, 256, (h, w), dtype=np.uint8)
        dst = np.asarray(Image.fromarray(src).resize((columns, rows), number))
        cases.append({"filter": name, "from": [h, w], "to": [rows, columns], "src": base64.b64encode(src.tobytes()).decode(),
                      "dst": base64.b64encode(dst.tobytes()).decode()})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pillow.json"), "w") as f:
    json.dump({"cases": cases}, f)
