"""What scikit-learn's t-SNE and PCA say about 240 handwritten digits and 150 irises: golden.json.
usage: golden.py, in its folder."""
import json

import numpy as np
import sklearn
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness

cases = []
for name, x, perplexity in [("digits", load_digits().data[:240], 20), ("iris", load_iris().data, 30)]:
    x = np.ascontiguousarray(x, dtype=np.float64)
    tsne = TSNE(perplexity=perplexity, init="pca", learning_rate="auto", random_state=0, n_jobs=1)
    y = tsne.fit_transform(x)
    pca = PCA(3, svd_solver="full").fit(x)
    scores = pca.transform(x)
    scores *= np.where(pca.components_[range(3), np.abs(pca.components_).argmax(axis=1)] < 0, -1, 1)
    cases.append({"name": name, "d": x.shape[1], "x": x.ravel().tolist(), "perplexity": perplexity, "kl": float(tsne.kl_divergence_),
                  "trustworthiness": float(trustworthiness(x, y, n_neighbors=10)), "scores": scores.ravel().tolist(),
                  "explained": pca.explained_variance_ratio_.tolist()})

with open("golden.json", "w") as f:
    json.dump({"versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__}, "cases": cases}, f, separators=(",", ":"))
    f.write("\n")
