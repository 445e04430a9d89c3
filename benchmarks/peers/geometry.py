"""The parts of the geometry analysis next to scikit-learn, SciPy and NumPy: n standard normal
points of 64 dimensions, labels by the signs of two coordinates, float64 (nearest neighbors:
float32 on both sides where the peer takes it). Rounds alternate between the two sides; printed
are medians of wall and processor seconds and their ratios, as a Markdown table.

usage: python3 benchmarks/peers/geometry.py [ROUNDS]      (from the repository's root)
"""
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.stats import spearmanr
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

N, DIM = 20000, 64
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3

rng = np.random.default_rng(1)
X, Y = rng.standard_normal((N, DIM)), rng.standard_normal((N, DIM))
LABELS = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
OTHER = rng.integers(0, 10, N)
PAIRS = rng.integers(0, N, (2_000_000, 2))


def uniformity():
    u = X / np.linalg.norm(X, axis=1, keepdims=True)
    total = 0.0
    for i in range(0, N, 1000):
        g = u[i:i + 1000] @ u[i:].T
        np.exp(4 * g - 4, out=g)
        total += np.triu(g[:, :1000], 1).sum() + g[:, 1000:].sum()
    return np.log(total / (N * (N - 1) / 2))


def cka_and_procrustes():
    x, y = X - X.mean(0), Y - Y.mean(0)
    cka = np.linalg.norm(x.T @ y) ** 2 / np.linalg.norm(x.T @ x) / np.linalg.norm(y.T @ y)
    _, nuclear = orthogonal_procrustes(x / np.linalg.norm(x), y / np.linalg.norm(y))
    return cka, np.sqrt(2 - 2 * nuclear)


def label_consistency():
    x = X.astype(np.float32)
    near = NearestNeighbors(n_neighbors=20, algorithm="brute").fit(x).kneighbors(return_distance=False)
    return (LABELS[near] == LABELS[:, None]).mean()


def rsa():
    a, b = (np.linalg.norm(z[PAIRS[:, 0]] - z[PAIRS[:, 1]], axis=1) for z in (X, Y))
    return spearmanr(a, b)[0]


PARTS = {
    "Silhouette/n=20000/d=64/threads=2": ("silhouette", lambda: metrics.silhouette_score(X, LABELS)),
    "Parts/uniformity": ("uniformity (NumPy)", uniformity),
    "Parts/kmeans": ("k-means, k = 10, 10 starts", lambda: KMeans(10, n_init=10, random_state=0).fit(X).inertia_),
    "Parts/davies_bouldin": ("Davies–Bouldin", lambda: metrics.davies_bouldin_score(X, LABELS)),
    "Parts/calinski_harabasz": ("Calinski–Harabasz", lambda: metrics.calinski_harabasz_score(X, LABELS)),
    "Parts/nmi": ("NMI", lambda: metrics.normalized_mutual_info_score(LABELS, OTHER)),
    "Parts/ami": ("AMI", lambda: metrics.adjusted_mutual_info_score(LABELS, OTHER)),
    "Parts/ari": ("ARI", lambda: metrics.adjusted_rand_score(LABELS, OTHER)),
    "Parts/label_consistency": ("labels of 20 nearest neighbors", label_consistency),
    "Parts/cka_and_procrustes": ("CKA and Procrustes (NumPy, SciPy)", cka_and_procrustes),
    "Parts/rsa": ("RSA, 2,000,000 pairs (SciPy)", rsa),
}


def ours(binary, name):
    """Seconds of one operation, wall and processor; the benchmark repeats short ones."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", name, "-test.benchtime", "1x"],
                         check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def theirs(run):
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def main():
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "geometry.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./analysis/geometry"], check=True)
        _, setup = ours(binary, "Parts/nmi")  # start and input, which the processor time includes
        print("| part | repscope s | peer s | wall ratio | processor ratio |\n| --- | --- | --- | --- | --- |")
        for name, (title, run) in PARTS.items():
            a, b = zip(*[(ours(binary, name), theirs(run)) for _ in range(ROUNDS)])
            wall, cpu = (statistics.median(t[i] for t in a) for i in range(2))
            peer_wall, peer_cpu = (statistics.median(t[i] for t in b) for i in range(2))
            if name.startswith("Parts/"):
                cpu -= setup
            ratio = f"{peer_cpu / cpu:.1f}" if cpu > setup else ""  # less is lost in the setup
            print(f"| {title} | {wall:.4f} | {peer_wall:.4f} | {peer_wall / wall:.1f} | {ratio} |", flush=True)


main()
