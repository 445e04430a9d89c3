"""Accuracies, error and quadratic-weighted kappa of predictions, by scikit-learn."""
import json
import sys

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score, balanced_accuracy_score, cohen_kappa_score, mean_absolute_error

rng = np.random.default_rng(5)
cases = []
for labels, n in ((4, 60), (7, 300)):
    target = rng.integers(0, labels, n)
    predicted = np.clip(target + rng.integers(-2, 3, n), 0, labels - 1)
    near = [float(np.mean(np.abs(target - predicted) <= k)) for k in (1, 2)]
    cases.append({
        "target": target.tolist(), "predicted": predicted.tolist(),
        "exact_accuracy": accuracy_score(target, predicted), "within_one_accuracy": near[0], "within_two_accuracy": near[1],
        "macro_exact_accuracy": balanced_accuracy_score(target, predicted),
        "mean_absolute_error": float(mean_absolute_error(target, predicted)),
        "quadratic_weighted_kappa": cohen_kappa_score(target, predicted, weights="quadratic"),
    })
json.dump({"versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scikit-learn": sklearn.__version__}, "cases": cases},
          open("conditioning.json", "w"), indent=None)
