"""Writes quality.json: MS-SSIM, GMSD, FSIM and FSIMc of frames that a formula makes, computed literally as the papers and their
authors' code define them, for the tests of package image.

Usage: python3 quality.py   (in this folder; needs numpy and scipy)
Where pytorch_msssim and piq can be imported (with torch, which their versions stand beside), what they define alike is held
against this file's numbers: MS-SSIM for sides that are multiples of 16, GMSD, and FSIM where frames are not reduced.
"""
import json
import math

import numpy as np
import scipy
from scipy import ndimage

WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]


def frame(height, width, seed, noise):
    """Blocks, ramps and noise [height, width, 3], in integers."""
    i, j, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing="ij")
    x = (3 * i + 2 * j * (c + 1)) % 128 + 60 * ((i // 16 + j // 24 + c) % 3)
    h = (i * 73856093 ^ j * 19349663 ^ c * 83492791 ^ seed * 40503) & 0xFFFFFFFF
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        h = ((h ^ h >> shift) * factor) & 0xFFFFFFFF
    x = x + ((h >> 16) * noise >> 16) - noise // 2
    return np.clip(x, 0, 255).astype(np.uint8)


def luma(x):
    return x @ np.array([0.299, 0.587, 0.114])


def ms_ssim(x, y):
    w = np.exp(-np.arange(-5.0, 6) ** 2 / 4.5)
    w = np.outer(w, w) / w.sum() ** 2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    out = 1
    for scale, weight in enumerate(WEIGHTS):
        mean = lambda v: ndimage.correlate(v, w, mode="constant")[5:-5, 5:-5]
        mx, my = mean(x), mean(y)
        xx, yy, xy = mean(x * x) - mx**2, mean(y * y) - my**2, mean(x * y) - mx * my
        part = (2 * xy + c2) / (xx + yy + c2)
        if scale == 4:
            part = part * (2 * mx * my + c1) / (mx**2 + my**2 + c1)
        out *= max(part.mean(), 0) ** weight
        x, y = ([np.pad(v, ((0, 1), (0, 1)), "symmetric") for v in (x, y)])
        x, y = [((v[:-1, :-1] + v[1:, :-1] + v[:-1, 1:] + v[1:, 1:]) / 4)[::2, ::2] for v in (x, y)]
    return out


def same(x, kernel):
    """The middle part of the full convolution, as MATLAB chooses it."""
    rows, columns = kernel.shape
    padded = np.pad(x, ((rows, rows), (columns, columns)))
    out = np.zeros_like(x)
    for i in range(rows):
        for j in range(columns):
            top, left = rows + rows // 2 - i, columns + columns // 2 - j
            out += kernel[i, j] * padded[top : top + x.shape[0], left : left + x.shape[1]]
    return out


def alike(x, y, t):
    return (2 * x * y + t) / (x * x + y * y + t)


def gmsd(x, y):
    dx = np.array([[1, 0, -1]] * 3) / 3
    size = lambda v: np.hypot(same(v, dx), same(v, dx.T))
    x, y = [same(v, np.full((2, 2), 0.25))[::2, ::2] for v in (x, y)]
    return alike(size(x), size(y), 170).std()


def axis(n):
    return np.arange(-(n // 2), n - n // 2) / (n if n % 2 == 0 else n - 1)


def congruency(x):
    height, width = x.shape
    u, v = np.meshgrid(axis(width), axis(height))
    radius = np.hypot(u, v)
    low = np.fft.ifftshift(1 / (1 + (radius / 0.45) ** 30))
    radius, theta = np.fft.ifftshift(radius), np.fft.ifftshift(np.arctan2(-v, u))
    radius[0, 0] = 1
    spectrum = np.fft.fft2(x)
    energy, amplitudes = 0, 0
    for o in range(4):
        angle = o * math.pi / 4
        ds = np.sin(theta) * np.cos(angle) - np.cos(theta) * np.sin(angle)
        dc = np.cos(theta) * np.cos(angle) + np.sin(theta) * np.sin(angle)
        spread = np.exp(-np.arctan2(ds, dc) ** 2 / (2 * (math.pi / 4 / 1.2) ** 2))
        responses, filters = [], []
        for s in range(4):
            f = np.exp(-np.log(radius * 6 * 2**s) ** 2 / (2 * np.log(0.55) ** 2)) * low
            f[0, 0] = 0
            f = f * spread
            responses.append(np.fft.ifft2(spectrum * f))
            filters.append(np.real(np.fft.ifft2(f)) * math.sqrt(x.size))
            if s == 0:
                power = (f**2).sum()
        total = sum(responses)
        length = np.abs(total) + 1e-4
        even, odd = total.real / length, total.imag / length
        here = sum(r.real * even + r.imag * odd - np.abs(r.real * odd - r.imag * even) for r in responses)
        noise = -np.median(np.abs(responses[0]) ** 2) / math.log(0.5) / power
        squares = sum((f**2).sum() for f in filters)
        products = sum((filters[a] * filters[b]).sum() for a in range(4) for b in range(a + 1, 4))
        tau = math.sqrt((2 * noise * squares + 4 * noise * products) / 2)
        limit = (tau * math.sqrt(math.pi / 2) + 2 * math.sqrt((2 - math.pi / 2) * tau**2)) / 1.7
        energy = energy + np.maximum(here - limit, 0)
        amplitudes = amplitudes + sum(np.abs(r) for r in responses)
    return energy / amplitudes


def fsim(a, b):
    factor = max(1, math.floor(min(a.shape[:2]) / 256 + 0.5))
    box = np.full((factor, factor), 1 / factor**2)
    small = lambda v: same(v, box)[::factor, ::factor]
    mix = lambda v, w: small(v @ np.array(w))
    x, y = mix(a, [0.299, 0.587, 0.114]), mix(b, [0.299, 0.587, 0.114])
    p, q = congruency(x), congruency(y)
    dx = np.array([[3, 0, -3], [10, 0, -10], [3, 0, -3]]) / 16
    size = lambda v: np.hypot(same(v, dx), same(v, dx.T))
    weight = np.maximum(p, q)
    s = alike(p, q, 0.85) * alike(size(x), size(y), 160)
    colors = [(mix(a, w), mix(b, w)) for w in ([0.596, -0.274, -0.322], [0.211, -0.523, 0.312])]
    c = np.prod([alike(*v, 200) for v in colors], axis=0)
    return float((s * weight).sum() / weight.sum()), float((s * np.real(c.astype(complex) ** 0.03) * weight).sum() / weight.sum())


def peers(a, b, case):
    """Holds numbers against other packages'; returns their versions."""
    try:
        import piq
        import pytorch_msssim
        import torch
    except ImportError:
        return {}
    x, y = [torch.tensor(luma(v))[None, None] for v in (a, b)]
    if "ms_ssim" in case and a.shape[0] % 16 == a.shape[1] % 16 == 0:
        assert abs(float(pytorch_msssim.ms_ssim(x, y, data_range=255)) - case["ms_ssim"]) < 1e-6
    if a.shape[0] % 2 == a.shape[1] % 2 == 0:
        assert abs(float(piq.gmsd(x / 255, y / 255, data_range=1.0)) - case["gmsd"]) < 1e-12
    if "fsim" in case and min(a.shape[:2]) < 384:
        theirs = float(piq.fsim(x, y, data_range=255, chromatic=False))
        # Its median of an even number of values is the lower of both in the middle, which few pixels make felt.
        assert abs(theirs - case["fsim"]) < (2e-3 if a.size < 1000 else 2e-5), (theirs, case["fsim"])
    return {"torch": torch.__version__, "piq": piq.__version__, "pytorch_msssim": "1.0.0"}


if __name__ == "__main__":
    cases, versions = [], {"numpy": np.__version__, "scipy": scipy.__version__}
    SIZES = [(161, 163), (176, 192), (187, 170), (12, 12), (13, 67), (31, 45), (40, 64), (100, 134), (391, 384), (640, 643)]
    for n, (height, width) in enumerate(SIZES):
        for first, second in (((1, 0), (2, 40)), ((3, 90), (4, 250))):
            if height > 300 and first == (1, 0):
                continue  # saves time
            a, b = frame(height, width, *first), frame(height, width, *second)
            if n % 3 == 2:
                b = 255 - b
            case = {"size": [height, width], "first": first, "second": second, "inverted": n % 3 == 2, "gmsd": float(gmsd(luma(a), luma(b)))}
            if min(height, width) > 160:
                case["ms_ssim"] = float(ms_ssim(luma(a), luma(b)))
            case["fsim"], case["fsimc"] = fsim(a.astype(float), b.astype(float))
            versions |= peers(a, b, case)
            cases.append(case)

    with open("quality.json", "w") as file:
        json.dump({"versions": versions, "cases": cases}, file, separators=(",", ":"))
        file.write("\n")
    print(len(cases), "cases", versions)
