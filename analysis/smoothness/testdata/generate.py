"""Golden numbers for package smoothness.

60 grey frames of 8 x 8 in three episodes that drift slowly, and a 4-d latent
that is a nonlinear function of them. Distances by numpy, regression, Spearman
and Theil-Sen by scipy.stats, quantiles by numpy.
usage: /usr/bin/python3 generate.py > golden.json
"""
import json
import sys
import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(3)
frames = np.zeros((60, 8, 8), np.uint8)
episode = np.repeat([0, 1, 2], 20)
for e in range(3):
    value = rng.random((8, 8)) * 255
    for i in range(20):
        value = np.clip(value + rng.standard_normal((8, 8)) * (2 + i), 0, 255)
        frames[20 * e + i] = value
frames[31] = frames[30]  # a pair that does not move
w = rng.standard_normal((64, 4)) / 300
z = np.tanh(frames.reshape(60, 64) @ w).astype(np.float32)


def relation(zz, h):
    i = np.array([a for a in range(60 - h) if episode[a] == episode[a + h]])
    x = frames.reshape(60, 64).astype(np.float64)
    ds = np.linalg.norm(x[i] - x[i + h], axis=1)
    dz = np.linalg.norm(zz[i] - zz[i + h], axis=1)
    fit = stats.linregress(ds, dz)
    moving = ds > 1e-6 * 255
    ratio = dz[moving] / ds[moving]
    return {
        "pairs": len(i), "slope": fit.slope, "intercept": fit.intercept, "r": fit.rvalue, "r_squared": fit.rvalue ** 2,
        "p_value": fit.pvalue, "std_error": fit.stderr, "spearman": stats.spearmanr(ds, dz).correlation,
        "theil_sen": stats.theilslopes(dz, ds)[0],
        "ratio": {"mean": ratio.mean(), "sd": ratio.std(ddof=1), "median": np.median(ratio), "p95": np.quantile(ratio, 0.95),
                  "p99": np.quantile(ratio, 0.99), "max": ratio.max(), "pairs": int(moving.sum())},
    }


zd = z.astype(np.float64)
rms = np.sqrt(2 * np.trace(np.cov(zd, rowvar=False)))
json.dump({
    "made_by": f"numpy {np.__version__}, scipy {scipy.__version__}: /usr/bin/python3 generate.py > golden.json",
    "frames": frames.ravel().tolist(), "episode": episode.tolist(),
    "latents": [float(str(v)) for v in z.ravel()],  # shortest text of a float32
    "rms_distance": rms,
    "raw": {h: relation(zd, h) for h in (1, 5)},
    "rms": {h: relation(zd / rms, h) for h in (1, 5)},
    "l2": {h: relation(zd / np.linalg.norm(zd, axis=1, keepdims=True), h) for h in (1, 5)},
}, sys.stdout)
print()
