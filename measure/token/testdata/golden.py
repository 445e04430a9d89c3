"""Writes golden.json: scores of predictions by NumPy, SciPy and scikit-learn, for the tests of
package token.

Usage: python3 golden.py   (in this folder)
Needs numpy, scipy and scikit-learn.
"""
import json

import numpy as np
import scipy
import sklearn
from scipy.special import log_softmax, softmax
from scipy.stats import entropy
from sklearn import metrics
from sklearn.calibration import calibration_curve

rng = np.random.default_rng(14)


def predictions(n, vocabulary, scale, sharp):
    logits = (scale * rng.standard_normal((n, vocabulary))).astype(np.float32)
    targets = rng.integers(4, min(24, vocabulary), n)
    logits[np.arange(n), targets] += np.float32(sharp) * rng.random(n, np.float32)
    logits = np.round(logits, 3)
    wide = logits.astype(np.float64)
    logp, p = log_softmax(wide, axis=1), softmax(wide, axis=1)
    hit = np.zeros_like(p)
    hit[np.arange(n), targets] = 1
    predicted = wide.argmax(1)
    order = np.argsort(-wide, axis=1, kind="stable")
    labels = np.arange(vocabulary)
    mean = metrics.log_loss(targets, p, labels=labels)
    return {
        "vocabulary": vocabulary, "logits": [float(v) for v in logits.ravel()], "targets": targets.tolist(),
        "predicted": predicted.tolist(), "rank": np.argmax(order == targets[:, None], axis=1).tolist(),
        "nll": (-logp[np.arange(n), targets]).tolist(), "prob": p[np.arange(n), targets].tolist(),
        "confidence": p.max(1).tolist(), "entropy": entropy(p, axis=1).tolist(), "brier": ((p - hit) ** 2).sum(1).tolist(),
        "accuracy": metrics.accuracy_score(targets, predicted), "log_loss": mean, "perplexity": float(np.exp(mean)),
        "top": {k: metrics.top_k_accuracy_score(targets, p, k=k, labels=labels) for k in (3, 5, 10)},
        "mcc": metrics.matthews_corrcoef(targets, predicted),
    }


def adaptive(confidence, correct, bins):
    """ECE over bins of equal numbers of predictions, of confidences that all differ."""
    order = np.argsort(confidence)
    parts = zip(np.array_split(confidence[order], bins), np.array_split(correct[order], bins))
    return sum(abs(c.sum() - r.sum()) for c, r in parts) / len(confidence)


def calibration():
    n, bins = 3000, 15
    # Numbers of which no two are in one of 4,096 cells.
    confidence = (rng.choice(4096, n, replace=False) + 0.5) / 4096
    correct = (rng.random(n) < confidence**1.4).astype(float)
    true, mean = calibration_curve(correct, confidence, n_bins=bins, strategy="uniform")
    edges = np.linspace(0, 1, bins + 1)
    count = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=bins)
    return {"bins": bins, "confidence": confidence.tolist(), "correct": correct.tolist(), "count": count.tolist(),
            "accuracy": true.tolist(), "mean_confidence": mean.tolist(), "ece": float((count * abs(true - mean)).sum() / n),
            "maximum": float(abs(true - mean).max()), "adaptive": float(adaptive(confidence, correct, bins)),
            "edges": {str(k / bins): int(np.searchsorted(edges[1:-1], k / bins)) for k in (0, 1, 7, 15)}}


with open("golden.json", "w") as f:
    json.dump({"versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
               "predictions": [predictions(40, 32, 2, 4), predictions(25, 33, 0.5, 1), predictions(12, 11, 5, 10)],
               "calibration": calibration()}, f, separators=(",", ":"))
    f.write("\n")
