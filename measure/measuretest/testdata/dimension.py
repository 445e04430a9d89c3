"""Golden numbers for packages dimension and spectrum.

A curved 3-d surface in 10 dimensions with a little noise, 240 points, two of
them repeated. Neighbours by scikit-learn (brute force), spectra by numpy's SVD
and eigvalsh, the Gride likelihood maximised by scipy, chi-square quantiles by
scipy. usage: /usr/bin/python3 dimension.py > dimension.json
"""
import json
import sys
import numpy as np
import scipy
import sklearn
from scipy import optimize, stats
from sklearn.neighbors import NearestNeighbors

rng = np.random.default_rng(7)
t = rng.random((240, 3))
z = np.concatenate([np.sin(3 * t), np.cos(2 * t), t[:, :1] * t[:, 1:2], t, ], axis=1)
z = (z + 0.01 * rng.standard_normal(z.shape)).astype(np.float32)
z[50] = z[10]
z[200] = z[10]

x = z.astype(np.float64)
n, dim = x.shape
c = np.cov(x, rowvar=False, ddof=1)
lam = np.sort(np.linalg.eigvalsh(c))[::-1]
p = lam / lam.sum()
centred = x - x.mean(0)
s = np.linalg.svd(x, compute_uv=False)
q = s / s.sum() + 1e-7
share = np.cumsum(lam) / lam.sum()
spectrum = {
    "eigenvalues": lam.tolist(),
    "participation_ratio": float(np.trace(c) ** 2 / (c ** 2).sum()),
    "effective_rank": float(np.exp(stats.entropy(p))),
    "rankme": float(np.exp(-(q * np.log(q)).sum())),
    "stable_rank": float(np.linalg.norm(centred, "fro") ** 2 / np.linalg.norm(centred, 2) ** 2),
    "dims_90": int((share < 0.90).sum() + 1),
    "dims_99": int((share < 0.99).sum() + 1),
    "rms_distance": float(np.sqrt(2 * np.trace(c))),
}

u = np.delete(x, [50, 200], axis=0)
m = len(u)
d, _ = NearestNeighbors(n_neighbors=65, algorithm="brute").fit(u).kneighbors(u)
# scikit-learn's brute force expands the square; take differences for the digits.
_, ind = NearestNeighbors(n_neighbors=65, algorithm="brute").fit(u).kneighbors(u)
d = np.sort(np.sqrt(((u[:, None] - u[ind]) ** 2).sum(-1)), axis=1)[:, 1:]
mu = d[:, 1] / d[:, 0]
total = np.log(mu).sum()
sm = np.sort(mu)
k = int(np.floor(0.9 * m))
f = np.arange(1, m + 1) / m
fit, *_ = np.linalg.lstsq(np.log(sm[:k])[:, None], -np.log(1 - f[:k]), rcond=None)


def gride(n1, n2):
    r = d[:, n2 - 1] / d[:, n1 - 1]
    negative = lambda a: -(m * np.log(a) + (n2 - n1 - 1) * np.log(np.expm1(a * np.log(r))).sum() - ((n2 - 1) * a + 1) * np.log(r).sum())
    score = lambda a: m / a + (n2 - n1 - 1) * (np.log(r) / -np.expm1(-a * np.log(r))).sum() - (n2 - 1) * np.log(r).sum()
    rough = optimize.minimize_scalar(negative, bounds=(0.1, 50), method="bounded").x
    return float(optimize.brentq(score, rough * 0.9, rough * 1.1, xtol=1e-14, rtol=1e-14))


def levina_bickel(k):
    inverse = np.log(d[:, k - 1:k] / d[:, :k - 1]).sum(1) / (k - 1)
    return float(1 / inverse.mean())


json.dump({
    "made_by": f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}: /usr/bin/python3 dimension.py > dimension.json",
    "shape": list(z.shape),
    "latents": [float(str(v)) for v in z.ravel()],  # shortest text of a float32
    "spectrum": spectrum,
    "two_nn": {
        "n_used": m, "duplicates": n - m,
        "mle": float(m / total), "mle_unbiased": float((m - 1) / total),
        "mle_ci": [float(stats.chi2.ppf(a, 2 * m) / (2 * total)) for a in (0.025, 0.975)],
        "fit": float(fit[0]),
        "documented": float(1 / (np.log(mu.mean()) - scipy.special.digamma(1))),
    },
    "gride": [{"n1": n2 // 2, "n2": n2, "id": gride(n2 // 2, n2)} for n2 in (2, 4, 8, 16, 32, 64)],
    "lb_mle": [{"k": k, "id": levina_bickel(k)} for k in (5, 10, 20, 50)],
}, sys.stdout)
print()
