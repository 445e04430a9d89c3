"""Writes tests.json: rank tests, proportions, corrections and power that the tests of package stat compare with.

Usage: python3 tests.py   (in this folder)
Needs numpy, scipy 1.11 or later and mpmath (for the power of the t test).
"""
import itertools
import json
import math
import sys

import mpmath as mp
import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20241122)


def signed_rank():
    samples = [
        ("small", rng.normal(0.4, 1, 6)),
        ("one", np.array([2.0])),
        ("medium", rng.normal(0.3, 1, 20)),
        ("fifty", rng.normal(0.2, 1, 50)),
        ("large", rng.normal(0.2, 1, 51)),
        ("ties", np.round(rng.normal(0.5, 1, 12) * 2) / 2 + 0.25),
        ("zeros", np.array([0, 1, 2, -1, 3, 0, 4, 2.5, -0.5, 0])),
        ("large_ties", np.round(rng.normal(0.3, 1, 90) * 4) / 4),
        ("equal", np.full(7, 3.0)),
    ]
    out = []
    for name, d in samples:
        for method in ("pratt", "wilcox"):
            r = stats.wilcoxon(d, zero_method=method, correction=False, method="asymptotic")
            entry = {"name": name, "zeros": method, "differences": d.tolist(), "normal_p": float(r.pvalue)}
            ranks = stats.rankdata(np.abs(d if method == "pratt" else d[d != 0]))
            signs = np.sign(d if method == "pratt" else d[d != 0])
            entry["plus"], entry["minus"] = float(ranks[signs > 0].sum()), float(ranks[signs < 0].sum())
            kept = ranks[signs != 0]
            if len(kept) <= 14:  # all signs
                total = kept.sum()
                far = max(entry["plus"], entry["minus"])
                sums = [np.dot(kept, s) for s in itertools.product((0, 1), repeat=len(kept))]
                entry["p"] = float(np.mean([max(v, total - v) >= far - 1e-9 for v in sums]))
            elif len(kept) <= 50 and len(set(np.abs(d))) == len(d) and not (d == 0).any():
                entry["p"] = float(stats.wilcoxon(d, method="exact").pvalue)
            elif len(kept) > 50:
                entry["p"] = entry["normal_p"]
            out.append(entry)
    return out


def wilson():
    out = []
    for hits, n in [(0, 1), (1, 1), (0, 10), (3, 10), (5, 10), (10, 10), (40, 1000), (999, 1000)]:
        for level in (0.9, 0.95, 0.99):
            ci = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
            out.append([hits, n, level, float(ci.low), float(ci.high)])
    return out


def mcnemar():
    return [[b, c, float(stats.binomtest(b, b + c).pvalue) if b + c else 1.0]
            for b, c in [(0, 0), (1, 0), (0, 5), (2, 9), (9, 2), (7, 7), (30, 12), (150, 200), (3, 400)]]


def discovery():
    lists = [[0.01, 0.04, 0.03, 0.2], [0.5], [0.001, 0.001, 0.9], rng.uniform(size=20).tolist(), [1.0, 1.0, 0.2]]
    return [{"p": p, "adjusted": stats.false_discovery_control(p).tolist()} for p in lists]


def exact_power(ratio, df, alpha):
    """P(|T| > c) for noncentral T by quadrature at 30 digits, given s = √(χ²/df)."""
    mp.mp.dps = 30
    c = mp.mpf(float(stats.t.isf(alpha / 2, df)))
    # refine the critical value
    tail = lambda t: mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) - mp.mpf(alpha)
    c = mp.findroot(tail, c)
    ratio, df = mp.mpf(ratio), mp.mpf(df)
    density = lambda s: s ** (df - 1) * mp.e ** (-df * s * s / 2)
    beyond = lambda s: mp.ncdf(-(c * s - ratio)) + mp.ncdf(-c * s - ratio)
    width = 1 / mp.sqrt(2 * df)
    turn = ratio / c
    points = sorted({mp.mpf(0), mp.mpf(12)} | {max(mp.mpf(0), 1 + k * width) for k in (-6, -3, -1, 0, 1, 3, 6)}
                    | {max(mp.mpf(0), turn + k / c) for k in (-6, -2, 0, 2, 6)})
    norm = mp.quad(density, points)
    return float(mp.quad(lambda s: density(s) * beyond(s), points) / norm)


def power():
    return [[ratio, df, alpha, exact_power(ratio, df, alpha)]
            for df in (1, 2, 4.5, 9, 30, 200) for ratio in (0, 0.5, 2.5, 4) for alpha in (0.05, 0.01)]


def needed():
    """The least number of blocks of a paired t test."""
    out = []
    for effect in (0.2, 0.5, 1.0, 2.5):
        for target in (0.8, 0.9):
            g = 2
            while True:
                c = stats.t.isf(0.025, g - 1)
                p = stats.nct.sf(c, g - 1, effect * math.sqrt(g)) + stats.nct.cdf(-c, g - 1, effect * math.sqrt(g))
                if p >= target:
                    break
                g += 1
            out.append([effect, target, g])
    return out


def friedman():
    tables = [
        rng.normal(size=(4, 3)) + np.arange(3) * 0.5,
        rng.normal(size=(20, 6)) + np.arange(6) * 0.2,
        np.round(rng.normal(size=(10, 4)) * 2),
        rng.normal(size=(8, 3)),
    ]
    out = []
    for t in tables:
        n, k = t.shape
        chi, p = stats.friedmanchisquare(*t.T)
        f = (n - 1) * chi / (n * (k - 1) - chi)
        ranks = np.mean([stats.rankdata(-row) for row in t], axis=0)
        out.append({"scores": t.tolist(), "chi_squared": float(chi), "chi_squared_p": float(p), "f": float(f),
                    "p": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), "ranks": ranks.tolist()})
    return out


def welch():
    out = []
    for a, b in [(rng.normal(size=3), rng.normal(1, 2, size=5)), (rng.normal(size=10), rng.normal(size=10)), (np.array([1.0, 2.0]), np.array([1.5, 9.0]))]:
        r = stats.ttest_ind(a, b, equal_var=False)
        ci = r.confidence_interval(0.95)
        out.append({"a": a.tolist(), "b": b.tolist(), "t": float(r.statistic), "df": float(r.df), "p": float(r.pvalue), "ci": [float(ci.low), float(ci.high)]})
    return out


def main():
    golden = {
        "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__, "mpmath": mp.__version__},
        "signed_rank": signed_rank(), "wilson": wilson(), "mcnemar": mcnemar(), "discovery": discovery(),
        "power": power(), "needed": needed(), "friedman": friedman(), "welch": welch(),
    }
    with open("tests.json", "w") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


main()
