"""Golden numbers of probes end to end, by scikit-learn: the same transitions, features,
folds and grouped choices of the ridge strength.

    python3 reward.py > reward.json
"""
import json

import numpy as np
import scipy
import sklearn
from scipy.stats import pearsonr
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, f1_score, mean_squared_error, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold

rng = np.random.RandomState(3)
lengths = [23, 31, 18, 40, 27, 35, 29]
episode = np.repeat(np.arange(len(lengths)), lengths)
n, d = len(episode), 3
z = np.round(rng.randn(n, d), 3)
reward = np.round(np.maximum(z[:, 0] + 0.5 * rng.randn(n), 0), 3)
lives = (z[:, 1] + 0.7 * rng.randn(n) > 0).astype(int) + (z[:, 2] > 1).astype(int)
predicted = np.round(np.vstack([z[1:], z[:1]]) + 0.4 * rng.randn(n, d), 3)

now = np.array([i for i in range(n - 1) if episode[i] == episode[i + 1]])
groups, y = episode[now], reward[now]
true = np.hstack([z[now], z[now + 1]])
pred = np.hstack([z[now], predicted[now]])
ALPHAS = np.logspace(-4, 4, 64)


def folds(groups, k):
    """GroupKFold with stable ties, as since scikit-learn 1.6: the larger label first."""
    sizes = {g: int((groups == g).sum()) for g in np.unique(groups)}
    rows, of = [0] * k, {}
    for g in sorted(sizes, key=lambda g: (-sizes[g], -g)):
        f = rows.index(min(rows))
        of[g] = f
        rows[f] += sizes[g]
    return np.array([of[g] for g in groups])


def splits(groups, k):
    f = folds(groups, k)
    return [(np.flatnonzero(f != i), np.flatnonzero(f == i)) for i in range(k)]


def cross(fit_on, evaluate, target, alpha):
    out = [np.zeros(target.shape) for _ in evaluate]
    alphas = []
    for train, test in splits(groups, 5):
        if alpha is None:
            inner = splits(groups[train], 5)
            search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=inner, scoring="neg_mean_squared_error").fit(fit_on[train], target[train])
            model, a = search.best_estimator_, search.best_params_["alpha"]
        else:
            model, a = Ridge(alpha=alpha).fit(fit_on[train], target[train]), alpha
        alphas.append(a)
        for o, x in zip(out, evaluate):
            o[test] = model.predict(x[test])
    return out, alphas


def area(p):
    """The AUROC of pairs of one fold: heads of different folds are different functions."""
    right = pairs = 0
    for _, test in splits(groups, 5):
        positive = y[test] > 0
        count = positive.sum() * (~positive).sum()
        if count:
            right, pairs = right + roc_auc_score(positive, p[test]) * count, pairs + count
    return right / pairs


def correlation(p):
    """Pearson's r of values around the means of their fold."""
    centered = np.array([y, p])
    for _, test in splits(groups, 5):
        centered[:, test] -= centered[:, test].mean(1, keepdims=True)
    return pearsonr(*centered).statistic


def scores(p):
    return {"mse": mean_squared_error(y, p), "r2": r2_score(y, p), "r": correlation(p), "auroc": area(p)}


result = {"numpy": np.__version__, "scikit_learn": sklearn.__version__, "scipy": scipy.__version__, "episode": episode.tolist(), "z": z.ravel().tolist(),
          "reward": reward.tolist(), "lives": lives.tolist(), "predicted": predicted.ravel().tolist(), "rows": {}}
for alpha in (None, 2.5):
    (tt, tp), alphas = cross(true, [true, pred], y, alpha)
    (pp,), _ = cross(pred, [pred], y, alpha)
    key = "chosen" if alpha is None else "given"
    result["rows"][key] = {"true/true": scores(tt), "true/predicted": scores(tp), "predicted/predicted": scores(pp),
                           "alphas": alphas, "transfer_gap": mean_squared_error(y, tp) - mean_squared_error(y, tt),
                           "published_gap": mean_squared_error(y, pp) - mean_squared_error(y, tt)}
onehot = np.eye(lives.max() + 1)[lives[now + 1]]
(c,), _ = cross(z[now + 1], [z[now + 1]], onehot, 2.5)
c = c.argmax(1)
result["lives_scores"] = {"balanced_accuracy": balanced_accuracy_score(lives[now + 1], c), "f1": f1_score(lives[now + 1], c, average="macro")}
print(json.dumps(result))
