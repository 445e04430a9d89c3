"""Writes reference.json: small spaces and their similarities by other programs.

    pip install numpy==2.4.0 scipy scikit-learn dcor==0.7 rsatoolbox==0.3.2 torch calibrated-similarity==0.1.1
    python reference.py

Where a library has the measure, its value is taken: dcor (bias-corrected distance correlation), rsatoolbox (RSA),
scikit-learn (canonical correlations of components), calibrated-similarity (threshold and p value under given orders),
SciPy (assignment, ranks). The other measures are written out in NumPy from their definitions with n x n matrices, which
the program does not use.
"""
import json

import dcor
import numpy as np
import rsatoolbox
import scipy.optimize
import scipy.spatial.distance as distance
import scipy.stats
import torch
from calibrated_similarity import calibrate
from sklearn.cross_decomposition import CCA
from sklearn.decomposition import PCA


def centering(n):
    return np.eye(n) - 1 / n


def unbiased(K, L):
    n = len(K)
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    one = np.ones(n)
    return (np.sum(K * L.T) + one @ K @ one * (one @ L @ one) / ((n - 1) * (n - 2))
            - 2 / (n - 2) * one @ K @ L @ one) / (n * (n - 3))


def normalized(f, a, b):
    return f(a, b) / np.sqrt(f(a, a) * f(b, b))


def cka(X, Y):
    H = centering(len(X))
    return normalized(lambda a, b: np.trace(a @ a.T @ H @ b @ b.T @ H), X, Y)


def rbf(X, bandwidth=0.5):
    d = distance.pdist(X)
    return np.exp(-distance.squareform(d) ** 2 / (2 * (bandwidth * np.median(d)) ** 2))


def nearest(X, k):
    d = distance.squareform(distance.pdist(X))
    np.fill_diagonal(d, np.inf)
    return np.argsort(d, axis=1, kind="stable")[:, :k]


def mutual_knn(X, Y, k):
    return np.mean([len(set(a) & set(b)) / k for a, b in zip(nearest(X, k), nearest(Y, k))])


def imbalance(X, Y):
    d = distance.squareform(distance.pdist(Y))
    np.fill_diagonal(d, -1)
    ranks = scipy.stats.rankdata(d, axis=1) - 1
    first = nearest(X, 1)[:, 0]
    return 2 / len(X) * np.mean(ranks[np.arange(len(X)), first])


def cknna(X, Y, k):
    X, Y = (Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (X, Y))
    masks = []
    for Z in (X, Y):
        mask = np.zeros((len(Z), len(Z)))
        np.put_along_axis(mask, nearest(Z, k), 1, axis=1)
        masks.append(mask)
    K, L = X @ X.T, Y @ Y.T
    both = masks[0] * masks[1]
    return unbiased(both * K, both * L) / np.sqrt(
        unbiased(masks[0] * K, masks[0] * K) * unbiased(masks[1] * L, masks[1] * L))


def components(X):
    pca = PCA(svd_solver="full").fit(X)
    k = int(np.searchsorted(np.cumsum(pca.explained_variance_ratio_), 0.99 * (1 - 1e-12)) + 1)
    return pca.transform(X)[:, :k]


def canonical(X, Y):
    """Canonical correlations of the components, by scikit-learn, and the canonical variates of X."""
    A, B = components(X), components(Y)
    k = min(A.shape[1], B.shape[1])
    cca = CCA(n_components=k, scale=False, max_iter=100000, tol=1e-15).fit(A, B)
    U, V = cca.transform(A, B)
    return np.array([abs(np.corrcoef(U[:, i], V[:, i])[0, 1]) for i in range(k)]), U, V, A, B


def pwcca(X, Y):
    rho, U, V, A, B = canonical(X, Y)
    variates, space = (V, B) if B.shape[1] < A.shape[1] else (U, A)
    variates = variates / np.linalg.norm(variates, axis=0)
    full = Y if B.shape[1] < A.shape[1] else X
    full = full - full.mean(0)
    # the part of the units in the components
    basis, _ = np.linalg.qr(space)
    kept = basis @ (basis.T @ full)
    weights = np.abs(variates.T @ kept).sum(1)
    return float(weights @ rho / weights.sum())


def procrustes(X, Y):
    X, Y = (Z - Z.mean(0) for Z in (X, Y))
    return np.linalg.svd(X.T @ Y, compute_uv=False).sum() / np.linalg.norm(X) / np.linalg.norm(Y)


def rsa(X, Y, method):
    rdms = [rsatoolbox.rdm.calc_rdm(rsatoolbox.data.Dataset(Z), method="euclidean") for Z in (X, Y)]
    for r in rdms:
        # rsatoolbox's "euclidean" is the squared distance over the number of channels
        r.dissimilarities = np.sqrt(r.dissimilarities)
    return float(np.ravel(rsatoolbox.rdm.compare(rdms[0], rdms[1], method=method))[0])


def unit_match(X, Y):
    c = np.abs(np.corrcoef(X.T, Y.T)[: X.shape[1], X.shape[1]:])
    i, j = scipy.optimize.linear_sum_assignment(-c)
    return c[i, j].mean()


def predictivity(X, Y, folds):
    """Ridge of each fold with the penalty that is best on the other folds."""
    count = folds.max() + 1
    lost = np.zeros((count, 9))
    for f in range(count):
        train, test = folds != f, folds == f
        xm, ym = X[train].mean(0), Y[train].mean(0)
        A, B = X[train] - xm, Y[train] - ym
        mean = np.trace(A.T @ A) / X.shape[1]
        for a, e in enumerate(range(-6, 3)):
            w = np.linalg.solve(A.T @ A + 10.0 ** e * mean * np.eye(X.shape[1]), A.T @ B)
            lost[f, a] = np.sum((Y[test] - ym - (X[test] - xm) @ w) ** 2)
    residual = sum(lost[f, np.argmin(lost.sum(0) - lost[f])] for f in range(count))
    return 1 - residual / np.sum((Y - Y.mean(0)) ** 2)


def case(rng, n, p, q, shared, noise):
    z = rng.normal(size=(n, shared))
    X = z @ rng.normal(size=(shared, p)) + noise * rng.normal(size=(n, p)) + rng.normal(size=p)
    Y = z @ rng.normal(size=(shared, q)) + noise * rng.normal(size=(n, q)) + rng.normal(size=q)
    return np.round(X, 6), np.round(Y, 6)


out = []
for n, p, q, shared, noise in [(40, 6, 4, 2, 0.7), (30, 5, 5, 5, 0.2), (14, 20, 9, 3, 0.5), (60, 2, 1, 1, 0.5)]:
    rng = np.random.default_rng(n)
    X, Y = case(rng, n, p, q, shared, noise)
    folds = np.arange(n) * 5 // n
    orders = [rng.permutation(n) for _ in range(25)]
    it = iter(orders)
    gated, pvalue, threshold = calibrate(
        torch.tensor(X), torch.tensor(Y), lambda a, b: procrustes(a.numpy(), b.numpy()), K=len(orders),
        perm_fn=lambda n, device: torch.tensor(next(it)))
    scores = {
        "cka": cka(X, Y),
        "cka_debiased": normalized(lambda a, b: unbiased(*(centering(n) @ z @ z.T @ centering(n) for z in (a, b))), X, Y),
        "cka_rbf": normalized(unbiased, rbf(X), rbf(Y)),
        "mutual_knn@3": mutual_knn(X, Y, 3), "mutual_knn@10": mutual_knn(X, Y, 10),
        "cknna@3": cknna(X, Y, 3), "cknna@10": cknna(X, Y, 10),
        "svcca": canonical(X, Y)[0].mean(), "pwcca": pwcca(X, Y),
        "procrustes": procrustes(X, Y), "shape_angle": np.arccos(procrustes(X, Y)),
        "rsa_spearman": rsa(X, Y, "spearman"), "rsa_pearson": rsa(X, Y, "corr"),
        "distance_correlation": dcor.u_distance_correlation_sqr(X, Y),
        "unit_match": unit_match(X, Y),
        "predictivity_ab": predictivity(X, Y, folds), "predictivity_ba": predictivity(Y, X, folds),
        "information_imbalance_ab": imbalance(X, Y), "information_imbalance_ba": imbalance(Y, X),
    }
    out.append({
        "x": X.tolist(), "y": Y.tolist(), "scores": {k: float(v) for k, v in scores.items()},
        "orders": [o.tolist() for o in orders],
        "procrustes_null": [procrustes(X, Y[o]) for o in orders],
        "procrustes_p": float(pvalue), "procrustes_threshold": float(threshold), "procrustes_gated": float(gated),
    })
json.dump(out, open("reference.json", "w"), separators=(",", ":"))
