"""Pillow's and scikit-image's side of screens.py: milliseconds of processor time for each pair of screens, a line for each
step. With an empty FOLDER it makes the screens first.

usage: peer_screens.py FOLDER"""
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

PAIRS, HEIGHT, WIDTH = 10, 812, 375
folder = sys.argv[1]
np.ones(2 << 20)  # freed at once: glibc then keeps the memory of temporary arrays, which makes the peer faster


def make():
    """Screens of boxes and lines of text, the second of a pair with some of them moved."""
    rng = np.random.default_rng(15)
    for n in range(PAIRS):
        boxes = [(*rng.integers(0, (HEIGHT - 60, WIDTH - 60)), *rng.integers(8, (60, 300)), rng.integers(0, 256, 3)) for _ in range(40)]
        for name in ("reference", "generated"):
            x = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
            for k, (top, left, height, width, color) in enumerate(boxes):
                if name == "generated" and k % 4 == 0:
                    top = top + 7
                x[top : top + height, left : left + width, :3] = color
                if k % 2:  # letters
                    marks = np.random.default_rng(k).integers(0, 2, (9, min(width, WIDTH - left)))[:height].astype(bool)
                    x[top : top + len(marks), left : left + marks.shape[1]][marks[: HEIGHT - top], :3] = 255 - color
            Image.fromarray(x).save(f"{folder}/{n}-{name}.png")
        # What a screen of another device is: twice as large.
        Image.fromarray(x).resize((2 * WIDTH, 2 * HEIGHT), Image.BICUBIC).save(f"{folder}/{n}-large.png")


def timed(step, of, times=3):
    used = []
    for _ in range(times):
        start = time.process_time()
        for x in of:
            step(*x)
        used.append(time.process_time() - start)
    return 1e3 * sorted(used)[len(used) // 2] / len(of)


def read(name):
    return np.asarray(Image.open(name).convert("RGB"))


if not os.listdir(folder):
    make()
names = [[f"{folder}/{n}-{name}.png" for name in ("reference", "generated")] for n in range(PAIRS)]
pairs = [[read(name) for name in pair] for pair in names]
large = [[Image.open(f"{folder}/{n}-large.png").convert("RGB")] for n in range(PAIRS)]
for name, step, of in [
    ("read", lambda a, b: (read(a), read(b)), names),
    ("ssim", lambda a, b: structural_similarity(a, b, channel_axis=2, data_range=255), pairs),
    ("gaussian", lambda a, b: structural_similarity(a, b, channel_axis=2, data_range=255, gaussian_weights=True, sigma=1.5,
                                                    use_sample_covariance=False), pairs),
    ("error", lambda a, b: (peak_signal_noise_ratio(a, b, data_range=255), np.sqrt(np.mean((a.astype(float) - b) ** 2))), pairs),
    ("resize", lambda a: np.asarray(a.resize((WIDTH, HEIGHT), Image.BICUBIC)), large),
]:
    print(name, timed(step, of), flush=True)
