"""Writes golden.json, for the tests of package variant.

Usage: OMP_NUM_THREADS=1 python3 golden.py > golden.json   (in this folder)
SciPy's spearmanr, scikit-learn's roc_auc_score, matthews_corrcoef and ndcg_score (which shares gains among
equal scores), pandas' groupby and median, NumPy's percentile; the partial correlation by least squares.
"""
import json
import sys

import numpy as np
import pandas as pd
import scipy
import sklearn
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import matthews_corrcoef, ndcg_score, roc_auc_score


def partial(x, y, z):
    """The correlation of residuals of ranks after regression on the ranks of z."""
    x, y, z = (rankdata(v) for v in (x, y, z))
    design = np.column_stack([np.ones(len(z)), z])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    return pearsonr(*left)[0]


def top_recall(truth, score):
    best, high = truth > np.percentile(truth, 90), score > np.percentile(score, 90)
    return (best & high).sum() / best.sum()


def assay(rng, n, digits, share):
    truth = rng.normal(size=n).round(digits[0])
    given = rng.integers(1, 5, size=n).astype(float)
    score = (share * truth + rng.normal(size=n) - 0.5 * given).round(digits[1])
    fit = truth > np.median(truth)
    gains = (truth - truth.min()) / (truth.max() - truth.min())
    median = pd.Series(score).median()
    return {
        "measured": truth.tolist(), "score": score.tolist(), "fit": fit.tolist(), "given": given.tolist(),
        "want": {
            "spearman": spearmanr(truth, score)[0],
            "ndcg": ndcg_score([gains], [score], k=n // 10, ignore_ties=False),
            "auc": roc_auc_score(fit, score),
            "mcc": matthews_corrcoef(fit, score >= median),
            "top_recall": top_recall(truth, score),
            "partial_spearman": partial(truth, score, given),
        },
    }


def levels(rng):
    frame = pd.DataFrame({
        "protein": rng.choice(list("ABCDE"), size=17),
        "function": rng.choice(["binding", "stability", "activity"], size=17),
        "value": rng.normal(size=17).round(6),
    })
    pairs = frame.groupby(["protein", "function"], sort=False)["value"].mean()
    functions = pairs.groupby("function", sort=False).mean()
    proteins = frame.groupby("protein", sort=False)["value"].mean()
    return {
        "protein": frame.protein.tolist(), "function": frame.function.tolist(), "value": frame.value.tolist(),
        "assay_mean": frame.value.mean(), "protein_mean": proteins.mean(), "function_mean": functions.mean(),
        "proteins": dict(proteins), "functions": dict(functions),
    }


rng = np.random.default_rng(7)
json.dump({
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__,
                 "pandas": pd.__version__, "python": sys.version.split()[0]},
    "assays": [assay(rng, n, digits, share) for n, digits, share in
               [(10, (3, 3), 1.0), (57, (4, 4), 0.8), (200, (1, 1), 0.6), (101, (3, 0), 0.3), (40, (0, 2), -0.5)]],
    "levels": [levels(rng) for _ in range(3)],
}, sys.stdout, indent=None, separators=(",", ":"))
print()
