"""Golden coefficients of scikit-learn's logistic regression on standardized features: fixed.json. Features are
float32 numbers. usage: fixed.py, in its folder."""
import json

import numpy as np
import scipy
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(21)


def case(n, d, classes, c, strength, mean=0.0, constant=False, common=0.0):
    x = rng.standard_normal((n, d)) * rng.uniform(0.3, 3, d) + common * rng.standard_normal((n, 1)) + mean
    logits = (x - mean) @ rng.standard_normal((d, classes)) * strength + np.linspace(0, 1.5, classes)
    y = np.array([rng.choice(classes, p=np.exp(v - v.max()) / np.exp(v - v.max()).sum()) for v in logits])
    if constant:
        x[:, 1] = 0.25
    x = np.round(x, 2).astype(np.float32)
    scaler = StandardScaler().fit(x.astype(float))
    m = LogisticRegression(C=c, tol=1e-12, max_iter=1000000).fit(scaler.transform(x.astype(float)), y)
    coefficients, intercept = m.coef_ / scaler.scale_, m.intercept_ - m.coef_ @ (scaler.mean_ / scaler.scale_)
    return {"n": n, "d": d, "classes": classes, "c": c, "x": [float(v) for v in np.round(x.ravel().astype(float), 2)], "y": y.tolist(),
            "coefficients": coefficients.ravel().tolist(), "intercept": intercept.tolist(),
            "probability": m.predict_proba(scaler.transform(x.astype(float))).ravel().tolist()}


cases = [
    case(150, 6, 2, 1.0, 0.5),
    case(120, 5, 2, 0.01, 4.0, mean=50, constant=True, common=2),
    case(160, 5, 4, 1.0, 0.7, common=5),
    case(30, 40, 3, 1.0, 0.3),  # more features than rows, separable
    case(200, 4, 3, 100.0, 0.2, mean=-20),
]
with open("fixed.json", "w") as f:
    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    json.dump({"versions": versions, "cases": cases}, f, separators=(",", ":"))
    f.write("\n")
