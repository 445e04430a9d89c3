"""Similarities of two spaces of the same samples: each function runs the program once.

The definitions, and scores with their null, are in :func:`repscope.similarity`.
"""

from __future__ import annotations

import warnings
from typing import Any, Optional

from ._errors import RepscopeWarning
from ._functions import similarity
from ._rows import InvalidParameter, rows_of


def cka(X: Any, Y: Any, *, debiased: bool = False) -> float:
    """Linear centered kernel alignment (Kornblith et al. 2019); ``debiased`` uses the unbiased HSIC (Song et al. 2012).

    Args:
        X: array [n, p] of one space; further axes are flattened.
        Y: array [n, q] of another space of the same n samples, n at least 4.

    Returns:
        0 to 1, debiased -1 to 1 and near 0 for unrelated spaces of independent samples. NaN, with a warning, where a space does
        not vary.

    Raises:
        ValueError: lengths differ, values are NaN or infinite, or an argument is out of range.
    """
    return _score("cka_debiased" if debiased else "cka", X, Y)


def cka_rbf(X: Any, Y: Any, *, bandwidth: float = 0.5) -> float:
    """Alignment of Gaussian kernels with the unbiased HSIC; ``bandwidth`` is in median distances of each space.

    Arguments and errors as for :func:`cka`.
    """
    return _score("cka_rbf", X, Y, bandwidth=bandwidth)


def mutual_knn(X: Any, Y: Any, *, k: int = 10, metric: str = "euclidean") -> float:
    """Mean share of common k nearest neighbors (Huh et al. 2024), from 0 to 1; ``metric`` is euclidean or cosine.

    Equal distances count in the mean over all their orders. Arguments and errors as for :func:`cka`; k is at most n - 2.
    """
    return _score("mutual_knn", X, Y, k=k, metric=metric)


def cknna(X: Any, Y: Any, *, k: int = 10) -> float:
    """Alignment over the pairs that are among the k nearest neighbors in both spaces, of rows divided by their norm (Huh et al. 2024).

    Arguments and errors as for :func:`cka`; k is at most n - 2.
    """
    return _score("cknna", X, Y, k=k)


def svcca(X: Any, Y: Any) -> float:
    """Mean canonical correlation of the principal components that hold 99 % of the variance (Raghu et al. 2017), from 0 to 1."""
    return _score("svcca", X, Y)


def pwcca(X: Any, Y: Any) -> float:
    """Canonical correlations of these components, weighted by projection (Morcos et al. 2018), from 0 to 1."""
    return _score("pwcca", X, Y)


def procrustes(X: Any, Y: Any) -> float:
    """Nuclear norm of X'Y for centered spaces of Frobenius norm 1: 1 for spaces that are equal after a rotation and a scaling.

    Its arc cosine is the shape distance of Williams et al. (2021); sqrt(2 - 2s) is the Procrustes distance.
    """
    return _score("procrustes", X, Y)


def rsa(X: Any, Y: Any, *, method: str = "spearman") -> float:
    """Correlation of the distances between all pairs of samples (Kriegeskorte et al. 2008); ``method`` is spearman or pearson."""
    if method not in ("spearman", "pearson"):
        raise InvalidParameter(f"method {method!r}: want 'spearman' or 'pearson'")
    return _score(f"rsa_{method}", X, Y, rsa_pairs=0)


def distance_correlation(X: Any, Y: Any) -> float:
    """Bias-corrected squared distance correlation (Székely & Rizzo 2013), from -1 to 1, near 0 for unrelated spaces."""
    return _score("distance_correlation", X, Y)


def unit_match(X: Any, Y: Any) -> float:
    """Mean absolute correlation of single units under their best one-to-one assignment (Li et al. 2016), from 0 to 1."""
    return _score("unit_match", X, Y)


def predictivity(X: Any, Y: Any, *, groups: Optional[Any] = None) -> float:
    """R² of a ridge regression from X to Y in five folds, with all samples of one of ``groups`` in one fold."""
    return _score("predictivity", X, Y, "predictivity_ab", groups)


def information_imbalance(X: Any, Y: Any) -> float:
    """2/n times the mean rank in Y of the nearest neighbor in X (Glielmo et al. 2022): near 0 if X has Y's neighbors, 1 for none."""
    return _score("information_imbalance", X, Y, "information_imbalance_ab")


def _score(measure: str, X: Any, Y: Any, score: Optional[str] = None, episodes: Optional[Any] = None, **options: Any) -> float:
    first, second = rows_of(X, "X"), rows_of(Y, "Y")
    if len(first) != len(second):
        raise ValueError(f"X has {len(first)} samples, Y has {len(second)}")
    if "k" in options:
        if isinstance(options["k"], bool) or int(options["k"]) != options["k"] or options["k"] < 1:
            raise InvalidParameter(f"k {options['k']!r}: want a whole number of at least 1")
        score = f"{measure}@{int(options['k'])}"
    with similarity(
        {"X": first, "Y": second}, measures=measure, episodes=episodes, permutations=0, bootstrap=0, format="none", **options
    ) as result:
        found = result.pairs[0]["scores"][score or measure]
    if found["value"] is None:
        warnings.warn(f"{measure} is undefined: {found['reason']}", RepscopeWarning, stacklevel=3)
        return float("nan")
    return float(found["value"])
