"""Reference numbers for the measures of clusters, similarity, directions and motion, as JSON on stdout."""
import json
import sys

import numpy as np
import scipy
import sklearn
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

rng = np.random.default_rng(7)
n = 90
labels = rng.integers(0, 4, n)
labels[n - 1] = 7  # a class of one point
x = rng.normal(size=(4, 6))[np.minimum(labels, 3)] * 1.5 + rng.normal(size=(n, 6)) + 3
x = np.round(x, 4)
y = np.round(np.tanh(x @ rng.normal(size=(6, 4)) * 0.3) + 0.2 * rng.normal(size=(n, 4)), 4)
episode = np.repeat([0, 1, 2], [40, 30, 20])

out = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "sklearn": sklearn.__version__},
    "x": x.ravel().tolist(),
    "y": y.ravel().tolist(),
    "labels": labels.tolist(),
    "episode": episode.tolist(),
}

# Groups.
silhouettes = metrics.silhouette_samples(x, labels)
out["silhouettes"] = silhouettes.tolist()
out["silhouette"] = silhouettes.mean()
out["davies_bouldin"] = metrics.davies_bouldin_score(x, labels)
out["calinski_harabasz"] = metrics.calinski_harabasz_score(x, labels)
other = (labels + (rng.random(n) < 0.3) * rng.integers(0, 5, n)) % 6
out["other"] = other.tolist()
out["nmi"] = metrics.normalized_mutual_info_score(labels, other)
out["ami"] = metrics.adjusted_mutual_info_score(labels, other)
out["ari"] = metrics.adjusted_rand_score(labels, other)
out["inertia"] = {str(k): KMeans(k, n_init=10, random_state=0).fit(x).inertia_ for k in (2, 3, 4, 8)}

# Labels of nearest neighbours.
consistency = []
neighbours = NearestNeighbors(n_neighbors=20).fit(x).kneighbors(return_distance=False)
for k in (1, 5, 20):
    correct, purity = 0, 0.0
    for i in range(n):
        votes = [labels[j] for j in neighbours[i, :k]]
        correct += max(votes, key=votes.count) == labels[i]  # the first of the most frequent is the nearest
        purity += np.mean(np.array(votes) == labels[i])
    consistency.append({"k": k, "accuracy": correct / n, "purity": purity / n})
out["consistency"] = consistency

# The unit sphere.
u = x / np.linalg.norm(x, axis=1, keepdims=True)
out["uniformity"] = np.log(np.exp(-2 * pdist(u, "sqeuclidean")).mean())
pairs = [i for i in range(n - 1) if episode[i] == episode[i + 1]]
out["alignment"] = np.mean([((u[i] - u[i + 1]) ** 2).sum() for i in pairs])
out["uniformity_without_last_episode"] = np.log(np.exp(-2 * pdist(u[:70], "sqeuclidean")).mean())


# Similarity, from Gram matrices.
def similarity(a, b):
    m = len(a)
    h = np.eye(m) - 1 / m

    def hsic(k, l):
        return np.trace(k @ h @ l @ h)

    def unbiased(k, l):
        k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))
        one = np.ones(m)
        return (np.trace(k @ l) + (one @ k @ one) * (one @ l @ one) / ((m - 1) * (m - 2)) - 2 / (m - 2) * one @ k @ l @ one) / (m * (m - 3))

    k, l = a @ a.T, b @ b.T
    a0, b0 = a - a.mean(0), b - b.mean(0)
    a0, b0 = a0 / np.linalg.norm(a0), b0 / np.linalg.norm(b0)
    width = max(a0.shape[1], b0.shape[1])
    a0 = np.pad(a0, ((0, 0), (0, width - a0.shape[1])))
    b0 = np.pad(b0, ((0, 0), (0, width - b0.shape[1])))
    r, _ = orthogonal_procrustes(b0, a0)
    return {
        "cka": hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l)),
        "cka_debiased": unbiased(k, l) / np.sqrt(unbiased(k, k) * unbiased(l, l)),
        "procrustes": np.linalg.norm(a0 - b0 @ r),
        "rsa": spearmanr(pdist(a), pdist(b)).correlation,
    }


out["similarity"] = similarity(x, y)
out["similarity_without_last_episode"] = similarity(x[:70], y[:70])

# Time.
mean, variance = x.mean(0), x.var(0)
rho = []
for lag in range(21):
    at = [t for t in range(n - lag) if episode[t] == episode[t + lag]]
    per = (1 - lag / n) * np.array([((x[t] - mean) * (x[t + lag] - mean)) for t in at]).mean(0) / variance
    rho.append(float((per * variance).sum() / variance.sum()))
out["autocorrelation"] = rho
steps = {i: x[i + 1] - x[i] for i in pairs}
length = np.array([np.linalg.norm(v) for v in steps.values()])
out["steps"] = {"mean": length.mean(), "sd": length.std(ddof=1), "p95": np.percentile(length, 95),
                "relative_mean": length.mean() / np.sqrt(2 * x.var(0, ddof=1).sum())}
cosines = [steps[i] @ steps[i + 1] / np.linalg.norm(steps[i]) / np.linalg.norm(steps[i + 1]) for i in pairs if i + 1 in steps]
out["straightness"] = float(np.mean(cosines))
out["curvature_degrees"] = float(np.degrees(np.arccos(cosines)).mean())

json.dump(out, sys.stdout, indent=1)
print()
