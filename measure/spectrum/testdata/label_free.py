"""Writes label_free.json: power laws, stable ranks and LiDAR by NumPy, from their papers, for package spectrum.

Usage: OMP_NUM_THREADS=1 python3 label_free.py   (in this folder)
Needs numpy. Power law (Agrawal et al. 2022, with the regression of Stringer et al. 2019): least squares of ln λ on
ln rank with weights 1/rank; R² without weights. LiDAR (Thilak et al. 2024): Σ_b and Σ_w with the numbers of classes
and of points as denominators, δ added to the diagonal of Σ_w, the inverse square root by its eigenvectors, 1e-7
added to every share.
"""
import json

import numpy as np

rng = np.random.default_rng(42)


def power_law(values, low, high):
    """Exponent and R² of the eigenvalues of ranks low to high."""
    rank = np.arange(low, high + 1)
    x, y = np.log(rank), np.log(values[low - 1:high])
    design = np.stack([x, np.ones_like(x)], axis=1)
    weights = np.diag(1 / rank)
    slope, constant = np.linalg.solve(design.T @ weights @ design, design.T @ weights @ y)
    residual = y - slope * x - constant
    return {"low": low, "high": high, "alpha": float(-slope),
            "r_squared": float(1 - (residual**2).sum() / ((y - y.mean())**2).sum())}


def spectrum(name, z, ranges):
    """Eigenvalues of the covariance, and what follows from them."""
    values = np.linalg.eigvalsh(np.cov(z, rowvar=False))[::-1]
    sigma = np.linalg.svd(z, compute_uv=False)
    return {"name": name, "dim": z.shape[1], "points": z.ravel().tolist(),
            "fits": [power_law(values, *r) for r in ranges],
            "stable_rank_uncentered": float((sigma**2).sum() / sigma[0]**2),
            "nesum": float(values.sum() / values[0])}


def lidar(z, labels, delta):
    """Smooth rank of the between-class scatter, whitened by the within-class scatter."""
    classes = [z[labels == c] for c in np.unique(labels)]
    means = np.array([c.mean(axis=0) for c in classes])
    about = means - means.mean(axis=0)
    between = about.T @ about / len(classes)
    inside = np.concatenate([c - m for c, m in zip(classes, means)])
    within = inside.T @ inside / len(inside) + delta * np.eye(z.shape[1])
    values, vectors = np.linalg.eigh(within)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    share = np.abs(np.linalg.eigvalsh(root @ between @ root))
    share = share / share.sum() + 1e-7
    return float(np.exp(-(share * np.log(share)).sum()))


def grouped(name, classes, views, dim, delta, noise):
    """Classes with as many views each as views says, in random order."""
    labels = np.repeat(np.arange(classes), views)
    centers = rng.normal(size=(classes, dim)) * np.linspace(2, 0.1, dim)
    z = centers[labels] + noise * rng.normal(size=(len(labels), dim)) + 3
    order = rng.permutation(len(labels))
    z, labels = z[order], labels[order]
    return {"name": name, "dim": dim, "points": z.ravel().tolist(), "labels": labels.tolist(), "delta": delta,
            "lidar": lidar(z, labels, delta)}


rank = np.arange(1, 25)
golden = {
    "numpy": np.__version__,
    "spectra": [
        spectrum("power law", rng.normal(size=(80, 24)) * rank**-0.6 + 1, [(1, 24), (3, 12), (2, 6)]),
        spectrum("fewer points", rng.normal(size=(16, 24)) - 0.5, [(1, 7), (2, 12)]),
    ],
    "lidar": [
        grouped("equal classes", 12, np.full(12, 4), 6, 1e-4, 0.5),
        grouped("unequal classes", 9, np.arange(2, 11), 5, 0.5, 1.0),
        grouped("more coordinates", 5, np.full(5, 3), 20, 1e-4, 0.3),
    ],
}
with open("label_free.json", "w", encoding="utf-8") as file:
    json.dump(golden, file)
    file.write("\n")
