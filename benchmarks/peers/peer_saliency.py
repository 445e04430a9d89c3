"""NumPy's side of saliency.py: milliseconds of every score, a line each.

usage: peer_saliency.py"""
import timeit

import numpy as np

rng = np.random.default_rng(15)
H, W, EPS = 812, 375, 1e-8
p, q = rng.random((H, W)), rng.random((H, W))
few = rng.integers(0, H, 100), rng.integers(0, W, 100)
others = rng.integers(0, H, 1000), rng.integers(0, W, 1000)
top = np.nonzero(p >= np.sort(p.ravel())[::-1][int(np.ceil(5 * p.size / 100)) - 1])


def kl():
    a, b = p / p.sum() + EPS, q / q.sum() + EPS
    return np.sum(a * np.log(a / b))


def trapezoid(fp, tp):
    return np.sum(np.diff(fp) * (tp[1:] + tp[:-1])) / 2


def judd(fx):
    found = np.sort(q[fx])[::-1]
    n = len(found)
    tp, fp = np.zeros(n + 2), np.zeros(n + 2)
    tp[-1] = fp[-1] = 1
    for i, t in enumerate(found):
        above = np.sum(q >= t)
        tp[i + 1], fp[i + 1] = (i + 1) / n, (above - i - 1) / (q.size - n)
    return trapezoid(fp, tp)


def borji(fx, draws=None):
    unit = (q - q.min()) / (q.max() - q.min())
    thresholds = np.arange(10, -1, -1) / 10
    found = unit[fx]
    out = []
    for other in [unit] if draws is None else [rng.choice(unit.ravel(), len(found)) for _ in range(draws)]:
        tp = np.r_[0, [np.mean(found >= t) for t in thresholds], 1]
        fp = np.r_[0, [np.mean(other >= t) for t in thresholds], 1]
        out.append(trapezoid(fp, tp))
    return np.mean(out)


def shuffled():
    a, b = q[few], np.sort(q[others])
    return np.mean(np.searchsorted(b, a) + np.searchsorted(b, a, "right")) / 2 / len(b)


for name, run, times in [
    ("CC", lambda: np.corrcoef(p.ravel(), q.ravel())[0, 1], 20),
    ("SIM", lambda: np.minimum(p / p.sum(), q / q.sum()).sum(), 20),
    ("KL", kl, 20),
    ("NSS", lambda: ((q - q.mean()) / q.std())[few].mean(), 20),
    ("Judd", lambda: judd(few), 5),
    ("JuddTop", lambda: judd(top), 1),
    ("Borji", lambda: borji(few), 10),
    ("BorjiTop", lambda: borji(top), 10),
    ("BorjiSplits", lambda: borji(few, 100), 1),
    ("Shuffled", shuffled, 20),
    ("Gain", lambda: np.mean(np.log2((q / q.sum())[few] + EPS) - np.log2((p / p.sum())[few] + EPS)), 20),
    ("Top", lambda: np.nonzero(p >= np.sort(p.ravel())[::-1][int(np.ceil(5 * p.size / 100)) - 1]), 5),
]:
    print(name, min(timeit.repeat(run, number=times, repeat=3 if times > 1 else 1)) / times * 1e3)
