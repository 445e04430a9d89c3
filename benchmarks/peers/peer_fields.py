"""Windows and spectra of fields with NumPy and SciPy, on one thread: what the benchmarks of
measure/verification are held against.

Usage: OMP_NUM_THREADS=1 python3 peer_fields.py
"""
import timeit

import numpy as np
from scipy.fft import dctn
from scipy.ndimage import uniform_filter

N, MEMBERS, WINDOWS = 256, 20, (1, 3, 9, 27, 81)
rng = np.random.default_rng(1)
truth, ensemble = rng.normal(size=(N, N)), rng.normal(size=(MEMBERS, N, N))


def fss():
    """As pysteps does it: a moving average of binary fields for every window."""
    observed, forecast = (truth >= 1).astype(float), (ensemble >= 1).mean(0)
    out = []
    for window in WINDOWS:
        o, f = (uniform_filter(x, size=window, mode="constant") for x in (observed, forecast))
        out.append(1 - ((f - o) ** 2).sum() / ((f**2).sum() + (o**2).sum()))
    return out


def bands(kind):
    if kind == "dct":
        f = np.hypot(*np.meshgrid(np.arange(N), np.arange(N), indexing="ij"))
    else:
        f = np.hypot(*np.meshgrid(np.fft.fftfreq(N) * N, np.fft.fftfreq(N) * N, indexing="ij"))
    return np.floor(f + 1e-9).astype(int).ravel()


BANDS = {kind: bands(kind) for kind in ("dct", "fft")}


def power(kind):
    coefficients = dctn(truth, norm="ortho") ** 2 / truth.size if kind == "dct" else np.abs(np.fft.fft2(truth) / truth.size) ** 2
    return np.bincount(BANDS[kind], coefficients.ravel())


for name, work in (("fss, 5 windows", fss), ("power, dct", lambda: power("dct")), ("power, fft", lambda: power("fft"))):
    print(f"{name}: {min(timeit.repeat(work, number=5, repeat=5)) / 5 * 1e3:.2f} ms")
