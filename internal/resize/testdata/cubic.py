"""Writes cubic.json: what Pillow makes of small images with Image.resize(size, Image.BICUBIC), as bytes (RGB and L) and
as numbers, for the tests of package resize. Rows are resized before columns, each in a call of its own: one call of Pillow
before 13 does the same, one of 13 takes columns first where the height shrinks much more than the width.

Usage: python3 cubic.py   (in this folder; needs numpy and Pillow)
Numbers are by the formula in NumPy, in float64, since Pillow rounds those of its mode F to float32 after each axis;
both must agree to 1e-6 of the largest. Bytes by the formula, rounded after each axis, must be within 1 of Pillow's.
"""
import base64
import json
import math

import numpy as np
import PIL
from PIL import Image

rng = np.random.default_rng(7)


def kernel(t):
    t = np.abs(t)
    return np.where(t < 1, 1.5 * t**3 - 2.5 * t**2 + 1, np.where(t < 2, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2, 0))


def matrix(n, m):
    """Weights [m, n] of an axis."""
    if n == m:
        return np.eye(n)
    scale = n / m
    stretch = max(scale, 1)
    w = np.zeros((m, n))
    for i in range(m):
        center = (i + 0.5) * scale
        low, high = max(math.trunc(center - 2 * stretch + 0.5), 0), min(math.trunc(center + 2 * stretch + 0.5), n)
        w[i, low:high] = kernel((np.arange(low, high) + 0.5 - center) / stretch)
    return w / w.sum(1, keepdims=True)


def formula(x, height, width):
    return matrix(x.shape[0], height) @ (x @ matrix(x.shape[1], width).T)


def pillow(image, height, width):
    return np.asarray(image.resize((width, image.height), Image.BICUBIC).resize((width, height), Image.BICUBIC))


SIZES = [((1, 1), (1, 1)), ((1, 1), (3, 2)), ((5, 4), (1, 1)), ((2, 9), (2, 4)), ((9, 2), (4, 2)), ((8, 6), (8, 6)),
         ((16, 12), (8, 6)), ((21, 17), (10, 9)), ((13, 7), (5, 20)), ((6, 23), (17, 5)), ((1, 400), (1, 13)), ((3, 300), (2, 1)),
         ((7, 9), (20, 31)), ((31, 33), (30, 32))]
cases = []
for (height, width), (rows, columns) in SIZES:
    for channels in (3, 1):
        x = rng.integers(0, 256, (height, width, channels)).astype(np.uint8)
        if channels == 1:  # edges, whose overshoot is clipped
            x = (x > 127).astype(np.uint8) * 255
        image = Image.fromarray(x if channels == 3 else x[..., 0])
        y = pillow(image, rows, columns).reshape(rows, columns, channels)
        for c in range(channels):
            middle = np.clip(np.round(x[..., c].astype(float) @ matrix(width, columns).T), 0, 255)
            assert np.abs(np.clip(np.round(matrix(height, rows) @ middle), 0, 255) - y[..., c]).max() <= 1
        cases.append({"from": [height, width], "to": [rows, columns], "channels": channels,
                      "src": base64.b64encode(x.tobytes()).decode(), "dst": base64.b64encode(y.tobytes()).decode()})
    x = np.round(rng.normal(size=(height, width)), 3).astype(np.float32)
    y = formula(x.astype(float), rows, columns)
    theirs = pillow(Image.fromarray(x), rows, columns)
    assert np.abs(y - theirs).max() <= 1e-6 * max(1, np.abs(y).max()), np.abs(y - theirs).max()
    if x.size <= 400:
        x = np.round(x.astype(float), 3)
        cases.append({"from": [height, width], "to": [rows, columns], "numbers": x.ravel().tolist(),
                      "want": formula(x, rows, columns).ravel().tolist()})

with open("cubic.json", "w") as file:
    json.dump({"versions": {"numpy": np.__version__, "Pillow": PIL.__version__}, "cases": cases}, file, separators=(",", ":"))
    file.write("\n")
print(len(cases), "cases")
