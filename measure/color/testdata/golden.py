"""Writes golden.json, for the tests of package color.

Usage: OMP_NUM_THREADS=1 python3 golden.py   (in this folder)
Needs mpmath, numpy and scikit-image. "colors": CIELAB and relative luminance of sRGB colors, with 40 digits from the
chromaticities of the primaries and of the white, and what scikit-image says with its rounded matrix and tabulated
white; "pairs": CIEDE2000 of pairs of CIELAB colors by scikit-image.
"""
import json
import sys

import mpmath
import numpy as np
import skimage
from mpmath import mpf
from skimage.color import deltaE_ciede2000, rgb2lab

mpmath.mp.dps = 40
rng = np.random.default_rng(7)


def xyz(x, y):
    x, y = mpf(x), mpf(y)
    return [x / y, mpf(1), (1 - x - y) / y]


PRIMARIES = mpmath.matrix([xyz("0.64", "0.33"), xyz("0.30", "0.60"), xyz("0.15", "0.06")]).T
WHITE = mpmath.matrix(xyz("0.3127", "0.3290"))
SCALE = mpmath.lu_solve(PRIMARIES, WHITE)
MATRIX = PRIMARIES * mpmath.diag(list(SCALE))


def linear(v):
    v = mpf(v)
    return v / mpf("12.92") if v <= mpf("0.04045") else ((v + mpf("0.055")) / mpf("1.055")) ** mpf("2.4")


def f(t):
    return mpmath.cbrt(t) if t > (mpf(6) / 29) ** 3 else t * (mpf(29) / 6) ** 2 / 3 + mpf(4) / 29


def lab(rgb):
    x, y, z = (f(v / w) for v, w in zip(MATRIX * mpmath.matrix([linear(v) for v in rgb]), WHITE))
    return [float(116 * y - 16), float(500 * (x - y)), float(200 * (y - z))]


def luminance(rgb):
    return float(sum(mpf(w) * linear(v) for w, v in zip(("0.2126", "0.7152", "0.0722"), rgb)))


colors = [[a / 2, b / 2, c / 2] for a in range(3) for b in range(3) for c in range(3)]
colors += [[round(float(v), 6) for v in row] for row in rng.random((40, 3))]
colors += [[round(float(v), 6) for v in row] for row in 0.06 * rng.random((20, 3))]

first = np.column_stack([100 * rng.random(300), 120 * rng.normal(size=(300, 2)) / 2]).round(3)
second = np.where((np.arange(300) % 3 == 0)[:, None], first + rng.normal(size=(300, 3)).round(3),
                  np.column_stack([100 * rng.random(300), 60 * rng.normal(size=(300, 2))]).round(3))
first[::20, 1:] = 0  # grays
second[::40, 1:] = 0

json.dump({
    "versions": {"python": sys.version.split()[0], "mpmath": mpmath.__version__, "numpy": np.__version__,
                 "scikit-image": skimage.__version__},
    "colors": [{"rgb": c, "lab": lab(c), "luminance": luminance(c),
                "skimage": [float(v) for v in rgb2lab(np.array(c).reshape(1, 1, 3)).ravel()]} for c in colors],
    "pairs": [{"a": a.tolist(), "b": b.tolist(), "difference": float(deltaE_ciede2000(a, b))}
              for a, b in zip(first, second)],
}, open("golden.json", "w"), separators=(",", ":"))
