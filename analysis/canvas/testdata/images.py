"""Writes images.json: what scikit-image says of pairs of screens, small made ones, whose pixels stand in the file, and, with
a folder of sample screens, pairs of those, of which only the numbers do, with those of measure/image/testdata/quality.py.

Usage: python3 images.py FOLDER   (in this folder; needs numpy, scipy, scikit-image and Pillow)
Alpha is laid on white in exact arithmetic and rounded, or dropped. The screen with more pixels is resized by Pillow,
rows before columns, each in a call of its own (see internal/resize/testdata/cubic.py).
"""
import base64
import json
import sys
from pathlib import Path

import numpy as np
import PIL
import scipy
import skimage
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "measure/image/testdata"))
import quality

rng = np.random.default_rng(15)
WANG = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}


def rgb(x, alpha):
    if alpha == "drop":
        return np.ascontiguousarray(x[..., :3])
    a = x[..., 3:].astype(float) / 255
    return np.floor(x[..., :3] * a + 255 * (1 - a) + 0.5 + 1e-9).astype(np.uint8)


def fit(x, like):
    image = Image.fromarray(x)
    image = image.resize((like.shape[1], image.height), Image.BICUBIC)
    return np.asarray(image.resize((like.shape[1], like.shape[0]), Image.BICUBIC))


def prepared(reference, generated, alpha):
    x, y = rgb(reference, alpha), rgb(generated, alpha)
    if x.shape != y.shape:
        n, m = x.shape[0] * x.shape[1], y.shape[0] * y.shape[1]
        x, y = (fit(x, y), y) if m < n else (x, fit(y, x))
    return x, y


def scores(reference, generated, alpha):
    x, y = prepared(reference, generated, alpha)
    out = {"rmse": float(np.sqrt(np.mean((x.astype(float) - y) ** 2)))}
    if not (x == y).all():
        out["psnr"] = float(peak_signal_noise_ratio(x, y, data_range=255))
    for name, size, options in (("uniform", 7, {}), ("gaussian", 11, WANG)):
        if min(x.shape[:2]) >= size:
            out[name] = float(structural_similarity(x, y, data_range=255, channel_axis=2, **options))
    return out


def made(height, width, clear):
    i, j = np.mgrid[:height, :width]
    x = np.stack([128 + 100 * np.sin(i / 5 + c) * np.cos(j / 4 - c) for c in range(3)] + [np.full((height, width), 255.0)], -1)
    x[height // 4 : height // 2, width // 3 :, :3] = rng.integers(0, 256, 3)
    x[..., :3] += rng.normal(0, 6, (height, width, 3))
    if clear:
        x[: height // 2, :, 3] = rng.integers(0, 256, (height // 2, width))
    return np.clip(np.round(x), 0, 255).astype(np.uint8)


def damaged(x):
    y = np.clip(np.round(x + rng.normal(0, 20, x.shape) * (rng.random(x.shape[:2]) < 0.4)[..., None]), 0, 255).astype(np.uint8)
    y[..., 3] = np.roll(x[..., 3], 1, 0)
    return y


def text(x):
    return {"size": list(x.shape[:2]), "pixels": base64.b64encode(x.tobytes()).decode()}


cases = []
for clear in (False, True):
    x = made(24, 21, clear)
    for y in (damaged(x), made(24, 21, clear), made(17, 30, clear), made(31, 18, clear), x, made(21, 24, clear)):
        cases.append({"reference": text(x), "generated": text(y), "white": scores(x, y, "white"), "drop": scores(x, y, "drop")})
x = made(9, 8, True)
y = damaged(x)
cases.append({"reference": text(x), "generated": text(y), "white": scores(x, y, "white"), "drop": scores(x, y, "drop")})

samples = []
if len(sys.argv) > 1:
    files = sorted(Path(sys.argv[1]).glob("*.png"))
    read = {f.name: np.asarray(Image.open(f).convert("RGBA")) for f in files}
    for a, b in [(0, 1), (1, 0), (0, 2), (2, 3), (3, 4), (4, 0), (4, 1)]:
        x, y = files[a].name, files[b].name
        samples.append({"reference": x, "generated": y, "white": scores(read[x], read[y], "white"), "drop": scores(read[x], read[y], "drop")})
        p, q = prepared(read[x], read[y], "white")
        samples[-1]["ms_ssim"] = float(quality.ms_ssim(quality.luma(p), quality.luma(q)))
        samples[-1]["gmsd"] = float(quality.gmsd(quality.luma(p), quality.luma(q)))
        samples[-1]["fsim"], samples[-1]["fsimc"] = quality.fsim(p.astype(float), q.astype(float))

versions = {"numpy": np.__version__, "scipy": scipy.__version__, "skimage": skimage.__version__, "Pillow": PIL.__version__}
with open("images.json", "w") as file:
    json.dump({"versions": versions, "cases": cases, "samples": samples}, file, separators=(",", ":"))
    file.write("\n")
print(len(cases), "cases,", len(samples), "samples")
