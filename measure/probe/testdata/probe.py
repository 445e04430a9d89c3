"""Golden numbers of scikit-learn for measure/probe and measure/score: probe.json and
../../score/testdata/score.json. usage: probe.py, in its folder."""
import json

import numpy as np
import scipy
import sklearn
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(12)
versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}


def write(path, data):
    with open(path, "w") as f:
        json.dump({"versions": versions, **data}, f, separators=(",", ":"))
        f.write("\n")


def folds_of(groups, k):
    out = np.zeros(len(groups), int)
    for f, (_, test) in enumerate(GroupKFold(k).split(groups, groups=groups)):
        out[test] = f
    return out


def ridge_case(n, d, targets, groups, alphas, noise=0.5, edit=None):
    x = np.round(rng.standard_normal((n, d)) * rng.uniform(0.5, 2, d) + rng.standard_normal(d), 3)
    if edit is not None:
        edit(x)
    y = np.round(x @ rng.standard_normal((d, targets)) + noise * rng.standard_normal((n, targets)) + 3, 3)
    case = {"n": n, "d": d, "targets": targets, "x": x.ravel().tolist(), "y": y.ravel().tolist(),
            "groups": groups.tolist(), "alphas": alphas, "fixed": []}
    for a in (alphas[0], 1.0, alphas[-1]):
        m = Ridge(alpha=a, solver="svd").fit(x, y)
        case["fixed"].append({"alpha": a, "coefficients": np.ravel(m.coef_).tolist(), "intercept": np.atleast_1d(m.intercept_).tolist()})
    inner = min(5, len(set(groups)))
    search = GridSearchCV(Ridge(solver="svd"), {"alpha": alphas}, cv=GroupKFold(inner), scoring="neg_mean_squared_error")
    search.fit(x, y, groups=groups)
    case["alpha"], case["errors"] = search.best_params_["alpha"], (-search.cv_results_["mean_test_score"]).tolist()
    # Cross-fitted: penalty chosen on the training folds alone.
    outer = folds_of(groups, 3)
    predicted, chosen = np.zeros_like(y), []
    for f in range(3):
        train, test = outer != f, outer == f
        k = min(5, len(set(groups[train])))
        search = GridSearchCV(Ridge(solver="svd"), {"alpha": alphas}, cv=GroupKFold(k), scoring="neg_mean_squared_error")
        search.fit(x[train], y[train], groups=groups[train])
        chosen.append(search.best_params_["alpha"])
        predicted[test] = search.predict(x[test]).reshape(-1, targets)
    case.update(outer=outer.tolist(), outer_alphas=chosen, predicted=predicted.ravel().tolist())
    scaled = StandardScaler().fit_transform(x)
    case["standardized"] = Ridge(alpha=1.0, solver="svd").fit(scaled, y).predict(scaled).ravel().tolist()
    return case


def deficient(x):
    x[:, 1] = 2 * x[:, 0] - x[:, 2]  # linearly dependent
    x[:, 3] = 0.25                   # constant


def groups_of(n, count):
    return np.sort(rng.integers(0, count, n))


alphas = np.logspace(-4, 4, 64).tolist()
ridges = [
    ridge_case(150, 6, 1, groups_of(150, 11), alphas),
    ridge_case(90, 8, 3, groups_of(90, 7), alphas, noise=6),
    ridge_case(24, 40, 2, groups_of(24, 6), alphas),  # more features than rows
    ridge_case(80, 7, 1, groups_of(80, 9), alphas, edit=deficient),
]
folds = []
for n, count, k in ((50, 5, 5), (200, 60, 5), (400, 23, 7)):
    groups = rng.integers(0, count, n) * 3 - 4
    folds.append({"k": k, "groups": groups.tolist(), "folds": folds_of(groups, k).tolist()})
groups = np.repeat(np.arange(40), 5)  # equal sizes
folds.append({"k": 5, "groups": groups.tolist(), "folds": folds_of(groups, 5).tolist()})

logistic = []
for n, d, classes, c in ((120, 4, 3, 1.0), (100, 5, 2, 0.1), (150, 3, 5, 100.0)):
    x = np.round(rng.standard_normal((n, d)) * 1.5, 3)
    logits = x @ rng.standard_normal((d, classes)) * 1.2
    y = np.array([rng.choice(classes, p=np.exp(v) / np.exp(v).sum()) for v in logits])
    case = {"n": n, "d": d, "classes": classes, "c": c, "x": x.ravel().tolist(), "y": y.tolist()}
    m = LogisticRegression(C=c, tol=1e-12, max_iter=100000).fit(x, y)
    case["probability"] = m.predict_proba(x).ravel().tolist()
    logistic.append(case)
write("probe.json", {"ridge": ridges, "folds": folds, "logistic": logistic})

scores = {"regression": [], "ranking": [], "classification": []}
for n, scale in ((5, 1), (40, 100), (333, 1e-3)):
    y = rng.standard_normal(n) * scale + 5 * scale
    p = y + rng.standard_normal(n) * scale * 0.7 + 0.3 * scale
    scores["regression"].append({"truth": y.tolist(), "predicted": p.tolist(), "mse": metrics.mean_squared_error(y, p),
                                 "r2": metrics.r2_score(y, p), "explained_variance": metrics.explained_variance_score(y, p)})
for n, levels in ((8, 3), (60, 10), (500, 10000)):
    positive = rng.random(n) < 0.3
    positive[:2] = True, False
    s = np.round(rng.standard_normal(n) + positive, 0 if levels < 5 else 1 if levels < 20 else 6)
    scores["ranking"].append({"positive": positive.tolist(), "score": s.tolist(), "auroc": metrics.roc_auc_score(positive, s),
                              "average_precision": metrics.average_precision_score(positive, s)})
for n, classes in ((20, 2), (100, 4), (300, 9)):
    t = rng.integers(0, classes, n)
    if classes == 9:
        t[t == 4] = 5  # class 4 is absent, class 7 never predicted, class 8 predicted only
        t[t == 8] = 1
    p = np.where(rng.random(n) < 0.6, t, rng.integers(0, classes, n))
    if classes == 9:
        p[p == 7] = 0
        p[p == 4] = 2
    q = rng.dirichlet(np.ones(classes), n)
    q[0] = np.eye(classes)[(t[0] + 1) % classes]  # certain and wrong
    scores["classification"].append({
        "classes": classes, "truth": t.tolist(), "predicted": p.tolist(), "probability": q.ravel().tolist(),
        "accuracy": metrics.accuracy_score(t, p), "balanced_accuracy": metrics.recall_score(t, p, average="macro", labels=sorted(set(t)), zero_division=0),
        "macro_f1": metrics.f1_score(t, p, average="macro", zero_division=0), "log_loss": metrics.log_loss(t, q, labels=list(range(classes)))})
write("../../score/testdata/score.json", scores)
