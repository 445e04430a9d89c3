"""Writes corrections.json: tails of sums of two Student's t, and Benjamini and Yekutieli's q values.

Usage: python3 corrections.py   (in this folder)
Needs numpy, scipy and mpmath.
"""
import json
import sys

import mpmath
import numpy as np
import scipy
from scipy import stats

mpmath.mp.dps = 30


def density(t, df):
    return mpmath.gamma((df + 1) / 2) / (mpmath.sqrt(df * mpmath.pi) * mpmath.gamma(df / 2)) * (1 + t * t / df) ** (-(df + 1) / 2)


def tail(t, df):
    """P(T > t)."""
    x = df / (df + t * t)
    half = mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, x, regularized=True) / 2
    return half if t >= 0 else 1 - half


def two_errors(d, s1, df1, s2, df2):
    d, s1, df1, s2, df2 = map(mpmath.mpf, (d, s1, df1, s2, df2))
    ends = [-mpmath.inf, -10, -1, 0, 1, 5, d / s2, 2 * d / s2 + 20, mpmath.inf]
    return 2 * mpmath.quad(lambda t: density(t, df2) * tail((d - s2 * t) / s1, df1), sorted(set(ends)))


sums = []
for s1, df1, s2, df2 in ((1, 2, 1, 11), (0.245, 3.2, 0.12, 11), (0.1, 2, 2, 5), (1, 1, 0.3, 7), (0.3, 1, 1, 7), (1, 8, 0.9, 59), (0.02, 1.5, 1, 200)):
    for ratio in (0, 0.5, 2.2, 4, 12):
        d = ratio * (s1 * s1 + s2 * s2) ** 0.5
        sums.append({"d": d, "s": [s1, s2], "df": [df1, df2], "p": float(two_errors(d, s1, df1, s2, df2)) if d else 1.0})
rng = np.random.default_rng(8)
families = []
for n in (1, 2, 7, 60):
    p = np.round(rng.uniform(size=n) ** 3, 4)
    p[0] = 0.0004
    if n == 7:
        p[3] = p[2]
    families.append({"p": p.tolist(), "q": stats.false_discovery_control(p, method="by").tolist()})
versions = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__, "mpmath": mpmath.__version__}
json.dump({"versions": versions, "sums": sums, "families": families}, open("corrections.json", "w"))
