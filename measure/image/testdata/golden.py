"""Writes golden.json: what scikit-image says of frames of odd sizes, for the tests of package image.

Usage: OMP_NUM_THREADS=1 python3 golden.py   (in this folder)
Needs numpy, scipy and scikit-image. float32 frames are compared as float64, in which the package
computes; what scikit-image says in float32 stands beside it (…_float32).
"""
import json
import sys

import numpy as np
import scipy
import skimage
from skimage.metrics import mean_squared_error, peak_signal_noise_ratio, structural_similarity

rng = np.random.default_rng(4)
WANG = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}


def scene(height, width):
    """A smooth background, a box and some noise, in 0..1."""
    i, j = np.mgrid[:height, :width]
    x = 0.4 + 0.3 * np.sin(0.31 * i + 0.2) * np.cos(0.17 * j)
    x[height // 3 : height // 2 + 1, width // 4 : width // 2] = 0.95
    return np.round(np.clip(x + 0.05 * rng.normal(size=x.shape), 0, 1), 3)


def pairs():
    for height, width in ((7, 7), (7, 19), (23, 17), (33, 41)):
        x = scene(height, width)
        y = np.round(np.clip(0.8 * np.roll(x, 1, 1) + 0.1 * rng.random(x.shape), 0, 1), 3)
        for kind in ("uint8", "float32", "float64"):
            if kind == "uint8":
                yield kind, 255.0, np.round(255 * x).astype(kind), np.round(255 * y).astype(kind), None
            elif kind == "float32":
                yield kind, 1.0, x.astype(kind), y.astype(kind), None
            else:
                yield kind, 5.0, np.round(5 * x - 2, 4), np.round(5 * y - 2, 4), None
    x = np.stack([scene(13, 15) for _ in range(3)])
    y = np.round(np.clip(x + 0.1 * rng.normal(size=x.shape), 0, 1), 3)
    yield "uint8", 255.0, np.round(255 * x).astype("uint8"), np.round(255 * y).astype("uint8"), 0
    yield "float32", 1.0, np.moveaxis(x, 0, 2).astype("float32"), np.moveaxis(y, 0, 2).astype("float32"), 2
    flat = np.full((9, 12), 37, "uint8")
    yield "uint8", 255.0, flat, flat + np.uint8(3), None
    yield "uint8", 255.0, rng.integers(0, 256, (9, 12)).astype("uint8"), 255 * rng.integers(0, 2, (9, 12)).astype("uint8"), None


def similarity(a, b, data_range, axis, **options):
    return float(structural_similarity(a, b, data_range=data_range, channel_axis=axis, **options))


def short(a):
    """The values in as few digits as say which they are."""
    return a.ravel().tolist() if a.dtype != np.float32 else [float(str(v)) for v in a.ravel()]


cases = []
for kind, data_range, a, b, axis in pairs():
    wide = (lambda x: x.astype(np.float64)) if kind == "float32" else (lambda x: x)
    shape = list(a.shape) if axis is not None else [1, *a.shape]
    case = {
        "kind": kind, "shape": shape, "channels_last": axis == 2, "data_range": data_range,
        "a": short(a), "b": short(b),
        "mse": float(mean_squared_error(wide(a), wide(b))),
        "mae": float(np.abs(a.astype(np.float64) - b).mean()),
        "psnr": float(peak_signal_noise_ratio(wide(a), wide(b), data_range=data_range)),
        "ssim": similarity(wide(a), wide(b), data_range, axis),
    }
    if kind == "float32":
        case["ssim_float32"] = similarity(a, b, data_range, axis)
        case["psnr_float32"] = float(peak_signal_noise_ratio(a, b, data_range=data_range))
    if min(n for i, n in enumerate(a.shape) if i != axis) >= 11:
        case["gaussian"] = similarity(wide(a), wide(b), data_range, axis, **WANG)
    if axis is None and a.size < 200:
        full = structural_similarity(wide(a), wide(b), data_range=data_range, full=True)[1][3:-3, 3:-3]
        case["map"] = full.ravel().tolist()
    cases.append(case)

out = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__, "skimage": skimage.__version__}, "cases": cases}
with open("golden.json", "w") as file:
    json.dump(out, file, separators=(",", ":"))
    file.write("\n")
print(f"{len(cases)} cases", file=sys.stderr)
