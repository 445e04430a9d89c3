"""Golden numbers of the metric clusters: silhouettes, dispersion and correlations by
scikit-learn and SciPy, centroids and distances by NumPy.

    python3 clusters.py > clusters.json
"""
import json
import sys

import numpy as np
import scipy
import sklearn
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge
from sklearn.metrics import davies_bouldin_score, silhouette_samples
from sklearn.model_selection import GridSearchCV, GroupKFold

rng = np.random.RandomState(11)
labels = np.array([2, 5, 5, 3, 2, 9, 3, 5, 2, 3, 9, 5, 2, 2, 3, 5, 9, 5, 3, 2, 5, 7, 2, 3, 9, 5, 3, 2, 5, 9] * 2)
labels[labels == 7] = 5
labels[0] = 7  # a label with one sample
n, d = len(labels), 4
z = np.round(rng.randn(n, d) + 0.5 * labels[:, None] * np.array([0.8, -0.3, 0.1, 0]), 4)

present = np.unique(labels)
centroids = np.array([z[labels == g].mean(0) for g in present])
apart = np.linalg.norm(np.diff(centroids, axis=0), axis=1)
spread = np.sqrt(np.mean([((z[i] - centroids[list(present).index(labels[i])]) ** 2).sum() for i in range(n)]))

# samples are dealt to groups, those of every label in turn
groups = np.empty(n, int)
groups[np.argsort(labels, kind="stable")] = np.arange(n)
alphas = np.logspace(-4, 4, 64)
predicted = np.empty(n)
for train, test in GroupKFold(5).split(z, labels, groups):
    inner = list(GroupKFold(5).split(z[train], labels[train], groups[train]))
    search = GridSearchCV(Ridge(), {"alpha": alphas}, cv=inner, scoring="neg_mean_squared_error").fit(z[train], labels[train].astype(float))
    predicted[test] = search.predict(z[test])

json.dump({
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "sklearn": sklearn.__version__},
    "latent": z.tolist(), "label": labels.tolist(),
    "silhouette": float(silhouette_samples(z, labels).mean()),
    "silhouette_by_label": [float(silhouette_samples(z, labels)[labels == g].mean()) for g in present],
    "davies_bouldin": davies_bouldin_score(z, labels),
    "latent_mean": float(np.abs(z).mean()), "latent_std": float(z.std()),
    "separation": float(apart.mean()), "separation_std": float(apart.std()), "spread": float(spread),
    "labels": present.tolist(), "centroids": centroids.tolist(), "std": [float(z[labels == g].std(0).mean()) for g in present],
    "spearman": float(spearmanr(labels, predicted)[0]),
}, sys.stdout)
