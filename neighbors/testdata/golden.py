"""Golden values of the neighbourhood scores, written to golden.json.

Trustworthiness and continuity come from scikit-learn's `trustworthiness` (continuity
with the two spaces exchanged), which is defined for k < n/2; the co-ranking measures
from the co-ranking matrix, written here with NumPy after Lee and Verleysen (2009) and
Lee et al. (2013). The data have no ties.

usage: /usr/bin/python3 golden.py
"""
import json
import os

import numpy as np
import sklearn
from sklearn.manifold import trustworthiness
from sklearn.metrics import pairwise_distances


def coranking(x, z):
    n = len(x)
    def ranks(p):
        d = pairwise_distances(p)
        np.fill_diagonal(d, -1)
        return np.argsort(np.argsort(d, axis=1), axis=1)
    a, b = ranks(x), ranks(z)
    q = np.zeros((n, n), np.int64)
    np.add.at(q, (a.ravel(), b.ravel()), 1)
    return q[1:, 1:]


def mrre(q, k):
    n = len(q) + 1
    i, j = np.mgrid[1:n, 1:n]
    h = n * sum(abs(n - 2 * l + 1) / l for l in range(1, k + 1))
    # Row: rank in the original, column: rank in the embedding.
    false = (q * np.abs(i - j) / j)[:, :k].sum() / h
    missing = (q * np.abs(i - j) / i)[:k, :].sum() / h
    return 1 - false, 1 - missing


def case(name, x, z, ks):
    n = len(x)
    q = coranking(x, z)
    qnx = np.array([q[:k, :k].sum() / (k * n) for k in range(1, n - 1)])
    k = np.arange(1, n - 1)
    rnx = ((n - 1) * qnx - k) / (n - 1 - k)
    lcmc = qnx - k / (n - 1)
    star = int(np.argmax(lcmc)) + 1
    out = {
        "name": name, "n": n, "ks": ks,
        "original": {"dim": x.shape[1], "data": x.ravel().tolist()},
        "embedded": {"dim": z.shape[1], "data": z.ravel().tolist()},
        "trustworthiness": [float(trustworthiness(x, z, n_neighbors=k)) for k in ks],
        "continuity": [float(trustworthiness(z, x, n_neighbors=k)) for k in ks],
        "q_nx": [float(qnx[k - 1]) for k in ks],
        "r_nx": [float(rnx[k - 1]) for k in ks],
        "mrre_false": [float(mrre(q, k)[0]) for k in ks],
        "mrre_missing": [float(mrre(q, k)[1]) for k in ks],
        "auc_r_nx": float((rnx / k).sum() / (1 / k).sum()),
        "k_star": star, "q_local": float(qnx[:star].mean()), "q_global": float(qnx[star - 1:].mean()),
    }
    return out


rng = np.random.default_rng(7)
cases = []
n = 61
z = rng.normal(size=(n, 3))
x = np.round(np.tanh(z @ rng.normal(size=(3, 12))) + 0.1 * rng.normal(size=(n, 12)), 4)
cases.append(case("manifold", x, np.round(z + 0.2 * rng.normal(size=z.shape), 4), [1, 5, 10, 20, 29, 30]))
cases.append(case("unrelated", np.round(rng.normal(size=(50, 9)), 4), np.round(rng.normal(size=(50, 4)), 4), [5, 10, 24]))
frames = rng.integers(0, 256, size=(40, 30)).astype(float)
cases.append(case("uint8", frames, np.round(frames[:, :10] @ rng.normal(size=(10, 2)) / 100, 4), [5, 10, 19]))

target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
with open(target, "w") as f:
    json.dump({"tool": f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}", "cases": cases}, f, separators=(",", ":"))
    f.write("\n")
