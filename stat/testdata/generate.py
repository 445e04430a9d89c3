"""Writes golden.json and theilsen.json: the numbers that the tests of package stat compare with.

Usage: python3 generate.py   (in this folder)
Needs numpy, scipy and mpmath (for the normal quantile and the tails of t).
"""
import json
import math
import sys
import warnings

import numpy as np
import scipy
from scipy import special, stats

rng = np.random.default_rng(20240607)


def num(v):
    v = float(v)
    return v if math.isfinite(v) else str(v)


def nums(a):
    return [num(v) for v in np.asarray(a).ravel()]


def pairs():
    n = 40
    x = rng.normal(size=n)
    yield "noisy", x, 0.7 * x + rng.normal(size=n) + 3
    yield "steep", x * 1e-3 + 50, 1e4 * x + rng.normal(size=n)
    xi = rng.integers(0, 6, size=60).astype(float)
    yield "ties", xi, xi + rng.integers(0, 5, size=60)
    yield "small", np.array([1.0, 2, 4]), np.array([1.0, 3, 2])
    yield "permutation", np.arange(12.0), rng.permutation(12).astype(float)
    x = np.linspace(0, 1, 200)
    yield "strong", x, x + 1e-3 * rng.normal(size=200)
    x = rng.gamma(2, size=500)
    yield "gamma", x, np.sqrt(x) * rng.gamma(3, size=500)
    yield "offset", 1e6 + rng.normal(size=80), 1e5 + rng.normal(size=80)


def exact_regression(x, y):
    """Standard errors and two-sided p of the slope in high precision (linregress loses digits near r = 1)."""
    import mpmath as mp
    mp.mp.dps = 50
    x, y = [mp.mpf(float(v)) for v in x], [mp.mpf(float(v)) for v in y]
    n = len(x)
    mx, my = mp.fsum(x) / n, mp.fsum(y) / n
    xx = mp.fsum((v - mx) ** 2 for v in x)
    slope = mp.fsum((v - mx) * (w - my) for v, w in zip(x, y)) / xx
    rest = mp.fsum((w - my - slope * (v - mx)) ** 2 for v, w in zip(x, y))
    se = mp.sqrt(rest / (n - 2) / xx)
    t = slope / se
    p = mp.betainc(mp.mpf(n - 2) / 2, mp.mpf(1) / 2, 0, (n - 2) / (n - 2 + t * t), regularized=True)
    return float(se), float(se * mp.sqrt(xx / n + mx ** 2)), float(p)


def regression():
    out = []
    for name, x, y in pairs():
        f = stats.linregress(x, y)
        n = len(x)
        t = stats.t.ppf(0.975, n - 2)
        at = [float(x.min()), float(x.mean()), float(x.max()) + 1]
        res = y - (f.intercept + f.slope * x)
        s = math.sqrt((res @ res) / (n - 2))
        half = [t * s * math.sqrt(1 / n + (a - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()) for a in at]
        sp = stats.spearmanr(x, y)
        pe = stats.pearsonr(x, y)
        ke = stats.kendalltau(x, y)
        ts = stats.theilslopes(y, x, 0.95)
        se, ise, p = exact_regression(x, y)
        if name != "steep":
            assert np.allclose([se, ise, p], [f.stderr, f.intercept_stderr, f.pvalue], rtol=1e-9, atol=0), name
        out.append(dict(name=name, x=nums(x), y=nums(y), slope=num(f.slope), intercept=num(f.intercept),
                        r=num(f.rvalue), p=num(p), stderr=num(se), intercept_stderr=num(ise),
                        slope_ci=nums([f.slope - t * se, f.slope + t * se]), band_at=at,
                        band=[nums([f.intercept + f.slope * a - h, f.intercept + f.slope * a + h]) for a, h in zip(at, half)],
                        spearman=nums(sp), pearson=nums([pe[0], p]), kendall=nums(ke), theil_sen=nums(ts)))
    return out


def describe():
    out = []
    for values in (rng.normal(size=17), rng.gamma(1, size=100) + 1e5, np.array([3.0]), np.array([2.0, 7.0]), rng.integers(0, 9, 50) * 1.0):
        q = [0, 0.05, 0.25, 0.5, 0.77, 0.95, 0.99, 1]
        out.append(dict(values=nums(values), q=q, quantiles=nums(np.quantile(values, q)), mean=num(values.mean()),
                        sd=num(values.std(ddof=1)) if len(values) > 1 else "nan", median=num(np.median(values))))
    return out


def distributions():
    import mpmath as mp
    mp.mp.dps = 40
    normal = []
    for p in [1e-300, 1e-100, 2.0 ** -53, 1e-12, 1e-6, 1e-3, 0.02, 0.074, 0.0751, 0.2, 0.499, 0.5, 0.6, 0.924, 0.926, 0.99, 1 - 1e-9]:
        # Newton on ln Φ in high precision.
        z = mp.mpf(float(special.ndtri(p)))
        for _ in range(6):
            cdf = mp.erfc(-z / mp.sqrt(2)) / 2
            z -= (cdf - mp.mpf(p)) / mp.npdf(z)
        normal.append([p, float(z)])
    chi2 = [[p, k, num(stats.chi2.ppf(p, k))] for k in (1, 2, 3.5, 10, 200, 4000, 20000, 200000) for p in (1e-6, 0.025, 0.5, 0.975, 1 - 1e-6)]
    t = []
    for k in (1, 2, 3, 7.5, 30, 1000, 50000):
        for p in (1e-10, 0.001, 0.025, 0.4, 0.501, 0.975, 0.9999):
            # scipy's own digits end at 1e-9; Newton steps in high precision.
            tail = 1 - mp.mpf(p) if p > 0.5 else mp.mpf(p)
            v, nu = mp.mpf(abs(float(stats.t.ppf(p, k)))), mp.mpf(k)
            for _ in range(5):
                cdf = mp.betainc(nu / 2, mp.mpf(1) / 2, 0, nu / (nu + v * v), regularized=True) / 2
                density = mp.power(1 + v * v / nu, -(nu + 1) / 2) / (mp.sqrt(nu) * mp.beta(nu / 2, mp.mpf(1) / 2))
                v += (cdf - tail) / density
            t.append([p, k, float(v if p > 0.5 else -v)])
    tail = []
    for nu in (1, 2, 5, 38, 500, 5974, 49998):
        for v in (1e-3, 0.5, 2.0, 9.0, 35.0, 60.0, 400.0):
            x = mp.mpf(nu) / (mp.mpf(nu) + mp.mpf(v) ** 2)
            # ln I_x(nu/2, 1/2) by the hypergeometric series, exact in high precision.
            a, b = mp.mpf(nu) / 2, mp.mpf(1) / 2
            p = mp.betainc(a, b, 0, x, regularized=True)
            tail.append([v, nu, float(mp.log(p))])
    return dict(normal=normal, chi2=chi2, t=t, log_tail=tail)


def pooled(x, labels, k):
    """Autocovariance at lag k inside episodes, as documented."""
    n, d = len(x), x - x.mean()
    s = [d[labels == e] for e in dict.fromkeys(labels.tolist())]
    prod = np.concatenate([v[: len(v) - k] * v[k:] for v in s if len(v) > k] or [np.zeros(0)])
    return prod.mean() * (1 - k / n) if len(prod) else 0.0


def times(x, labels):
    """Autocorrelation time, its window and the effective sample size of the mean: the
    covariances of all pairs of one episode up to the window, raised by the variance of
    the mean that centring took away, add up to that variance."""
    n, d = len(x), x - x.mean()
    lag = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    same = labels[:, None] == labels[None, :]
    product = np.outer(d, d)
    longest = max(np.bincount(labels))
    c = [product[same & (lag == k)].mean() for k in range(longest)]
    for w in range(1, longest):
        pairs = np.array([(same & (lag == k)).sum() for k in range(w + 1)])
        total = max((pairs * np.array(c[: w + 1])).sum(), 0) / n**2
        v = total / max(1 - pairs.sum() / n**2, 0.1)
        tau = 1 + 2 * (np.array(c[1 : w + 1]) + v).sum() / (c[0] + v)
        if w >= 5 * tau:
            break
    size = (c[0] + v) / v if v > 0 else n
    return tau, w, min(max(size, 1), n)


def dependence():
    out = []
    for n, phi, cuts in ((400, 0.9, []), (1000, 0.3, []), (600, 0.8, [50, 130, 400]), (300, -0.5, []), (64, 0.0, [])):
        x = np.zeros(n)
        e = rng.normal(size=n)
        for i in range(n):
            x[i] = (phi * x[i - 1] if i else 0) + e[i]
        labels = np.zeros(n, int)
        for c in cuts:
            labels[c:] += 1
        r = np.array([pooled(x, labels, k) for k in range(n)])
        rho = r / r[0]
        tau, window, size = times(x, labels)
        # Politis & White 2004, Patton, Politis & White 2009, circular bootstrap.
        kn = max(5, math.ceil(math.sqrt(math.log10(n))))
        limit = min(math.ceil(math.sqrt(n)) + kn, n - 1)
        bound = 2 * math.sqrt(math.log10(n) / n)
        significant = [abs(rho[k]) >= bound for k in range(1, limit + 1)]
        m = None
        for j in range(0, limit - kn + 1):
            if not any(significant[j:j + kn]):
                m = j
                break
        if m is None:
            m = max([k + 1 for k, s in enumerate(significant) if s], default=1)
        big = min(2 * max(m, 1), limit)
        lam = lambda t: 1.0 if abs(t) <= 0.5 else 2 * (1 - abs(t))
        ks = np.arange(-big, big + 1)
        w = np.array([lam(k / big) for k in ks])
        g = (w * abs(ks) * r[abs(ks)]).sum()
        f = (w * r[abs(ks)]).sum()
        b = (2 * g * g / (4 / 3 * f * f)) ** (1 / 3) * n ** (1 / 3)
        b = min(max(b, 1), math.ceil(min(3 * math.sqrt(n), n / 3)))
        out.append(dict(values=nums(x), labels=labels.tolist(), rho=nums(rho[:20]), tau=num(tau), window=window, size=num(size), block=num(b)))
    return out


def bca():
    out = []
    for values, fn, name in ((rng.gamma(1, size=30), np.mean, "mean"), (rng.lognormal(size=50), np.median, "median"),
                             (rng.normal(size=25), np.std, "sd")):
        r = stats.bootstrap((values,), fn, n_resamples=999, method="BCa", vectorized=False, random_state=1)
        p = stats.bootstrap((values,), fn, n_resamples=999, method="percentile", vectorized=False, random_state=1)
        jack = [fn(np.delete(values, i)) for i in range(len(values))]
        out.append(dict(name=name, values=nums(values), estimate=num(fn(values)), jackknife=nums(jack),
                        replicates=nums(r.bootstrap_distribution), bca=nums(r.confidence_interval),
                        percentile=nums(p.confidence_interval), stderr=num(r.standard_error)))
    return out


def permutation():
    out = []
    for n in (4, 7, 11, 13):
        a = np.round(rng.normal(0.4, 1, size=n), 2)
        b = np.round(rng.normal(0, 1, size=n), 2)
        r = stats.permutation_test((a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf, vectorized=False)
        out.append(dict(a=nums(a), b=nums(b), p=num(r.pvalue)))
    return out


def theilsen_big():
    out = []
    for name, n in (("continuous", 900), ("integer", 1500), ("mostly flat", 1200), ("heavy", 1000)):
        x = rng.normal(size=n)
        y = 0.3 * x + rng.normal(size=n)
        if name == "integer":
            x, y = rng.integers(0, 40, n) * 1.0, rng.integers(0, 30, n) * 1.0
        if name == "mostly flat":
            y = np.where(rng.random(n) < 0.8, 1.0, np.round(y, 1))
        if name == "heavy":
            y = rng.standard_cauchy(n)
        x, y = np.round(x, 4), np.round(y, 4)
        out.append(dict(name=name, x=nums(x), y=nums(y), fit=nums(stats.theilslopes(y, x, 0.95))))
    return out


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    golden = dict(versions=dict(python=sys.version.split()[0], numpy=np.__version__, scipy=scipy.__version__),
                  regression=regression(), describe=describe(), distributions=distributions(), dependence=dependence(),
                  bca=bca(), permutation=permutation())
    with open("golden.json", "w") as f:
        json.dump(golden, f, separators=(",", ":"))
    with open("theilsen.json", "w") as f:
        json.dump(theilsen_big(), f, separators=(",", ":"))
