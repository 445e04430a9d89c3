"""Scores of two arrays, computed by the program.

Trustworthiness and continuity have the signatures of scikit-learn; :func:`cka`, :func:`mutual_knn` and the other similarities
take two arrays of the same samples.

>>> import numpy as np
>>> from repscope.metrics import continuity, trustworthiness
>>> X = np.random.default_rng(0).normal(size=(200, 8))
>>> round(trustworthiness(X, X[:, :6]), 3) > round(trustworthiness(X, X[:, :2]), 3)
True
>>> continuity(X, X)
1.0
"""

from __future__ import annotations

import json
import numbers
import warnings
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._arrays import Workspace
from ._client import _run, _Said
from ._errors import RepscopeWarning, UsageError
from ._progress import progress_of
from ._rows import InvalidParameter, rows_of
from ._server import Pair, Server, Unavailable, server

from ._similarities import (
    cka,
    cka_rbf,
    cknna,
    distance_correlation,
    information_imbalance,
    mutual_knn,
    predictivity,
    procrustes,
    pwcca,
    rsa,
    svcca,
    unit_match,
)

__all__ = [
    "cka",
    "cka_rbf",
    "cknna",
    "continuity",
    "distance_correlation",
    "information_imbalance",
    "mutual_knn",
    "predictivity",
    "procrustes",
    "pwcca",
    "rsa",
    "svcca",
    "trustworthiness",
    "unit_match",
]


# Who asks for a score of a pair of arrays a second time has these numbers of neighbors along with it, and those of the other score that
# was asked for: from longer lists, at a fraction of what they take alone.
_ALONG = (5, 10, 20)

# The metrics of scikit-learn that have the order of one of the program's.
_METRICS = {"euclidean": "euclidean", "l2": "euclidean", "sqeuclidean": "euclidean", "cosine": "cosine", "precomputed": "precomputed"}


def trustworthiness(X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: str = "euclidean") -> float:
    """Trustworthiness: to what extent nearest neighbors in an embedding are neighbors in the original space.

    A replacement for ``sklearn.manifold.trustworthiness``:

    T(k) = 1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_{j in N_k(i)} max(0, r(i, j) - k)

    where N_k(i) are the k nearest neighbors of sample i in the embedding and r(i, j) is the rank of
    sample j among the neighbors of i in the original space. Range 0 to 1; 1 is perfect, and an embedding
    unrelated to the original scores about 0.5.

    Numbers agree with scikit-learn up to the last digits of a float64, unless distances tie. For ties,
    such as between equal rows, scikit-learn uses the order left by its sort, which
    depends on the processor and on the order of the rows; here the score is the exact mean
    over all orders of equal distances, independent in both spaces. float32 is ranked exactly, as if it
    were converted to float64 first; scikit-learn rounds such distances to float32, which makes some tie. Its float64
    distances lose digits for rows far from the origin; these do not.

    One process of the program serves all calls: the first call starts it, and it ends with Python or after a minute without
    calls. It keeps the last arrays in shared memory. While their values stay the same,
    computed scores are cached. Concurrent calls from several threads use separate processes.

    Args:
        X: array [n, D] of the original samples, or the [n, n] distances of ``metric="precomputed"``,
            which must be symmetric; the diagonal is ignored. Tensors and objects with ``__array__`` or DLPack
            are accepted. Further axes are flattened to the values of a sample.
        X_embedded: array [n, d] of the embedding, compared by Euclidean distances.
        n_neighbors: k, at least 1 and below n / 2.
        metric: distance for X: "euclidean" ("l2", "sqeuclidean"), "cosine" or "precomputed".

    Returns:
        The score; NaN, with a warning, if all rows of X or all rows of X_embedded are equal.

    Raises:
        ValueError: as scikit-learn does: n_neighbors is not below n / 2, lengths differ, values are NaN
            or infinite; also for other metrics, which need precomputed distances.
    """
    return _score("trustworthiness", X, X_embedded, n_neighbors, metric)


def continuity(X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: str = "euclidean") -> float:
    """Continuity: to what extent nearest neighbors in the original space are neighbors in an embedding.

    C(k) is T(k) with the spaces exchanged: the k nearest neighbors come from X, and their ranks from
    the embedding. ``continuity(X, Z)`` is ``trustworthiness(Z, X)`` with Euclidean distances. Arguments, ties and
    errors are the same as for :func:`trustworthiness`.
    """
    return _score("continuity", X, X_embedded, n_neighbors, metric)


def _score(name: str, X: Any, X_embedded: Any, n_neighbors: int, metric: str) -> float:
    if not isinstance(n_neighbors, numbers.Integral) or n_neighbors < 1:
        raise InvalidParameter(f"The 'n_neighbors' parameter of {name} must be an int in the range [1, inf). Got {n_neighbors!r} instead.")
    if not isinstance(metric, str) or metric not in _METRICS:
        raise InvalidParameter(
            f"The 'metric' parameter of {name} must be one of {', '.join(map(repr, _METRICS))}. Got {metric!r} instead. "
            'For another, give its distances: X=pairwise_distances(X, metric=…), metric="precomputed".'
        )
    original, embedded = rows_of(X, "X"), rows_of(X_embedded, "X_embedded")
    n = len(original)
    if n_neighbors >= n / 2:
        raise ValueError(f"n_neighbors ({n_neighbors}) should be less than n_samples / 2 ({n / 2})")
    if len(embedded) != n:
        raise ValueError(f"X has {n} samples, X_embedded has {len(embedded)}")
    if metric == "precomputed" and original.shape != (n, n):
        raise ValueError(f"Precomputed metric requires shape (n_samples, n_samples). Got {original.shape} for X.")
    own = float(np.max(np.diagonal(original))) if metric == "precomputed" else 0.0
    if own > 0 and own > 1e-4 * float(np.max(original)):
        warnings.warn(
            f"X: nonzero diagonal (up to {own:.3g}) is ignored; a matrix of similarities would be ranked in "
            "reverse: give distances, such as 1 - similarity",
            RepscopeWarning,
            stacklevel=3,
        )
    value = _remembered(name, original, embedded, int(n_neighbors), _METRICS[metric])
    if value is None:
        warnings.warn(f"{name} is undefined: all rows of X or of X_embedded are equal", RepscopeWarning, stacklevel=3)
        return float("nan")
    return float(value)


def _remembered(name: str, original: np.ndarray, embedded: np.ndarray, k: int, metric: str) -> Optional[float]:
    """A score from the shared process, or from a separate process if the shared one is busy or cannot be started."""
    kept = server()
    if not kept.lock.acquire(blocking=False):
        return _one(name, original, embedded, k, metric)
    try:
        try:
            pair = kept.hold((("X", original), ("X_embedded", embedded)))
            if (name, k, metric) not in pair.scores:
                pair.scores.update(_ask(kept, pair, name, k, metric))
            return pair.scores[name, k, metric]
        except Unavailable:
            return _one(name, original, embedded, k, metric)
        finally:
            kept.settle()
    finally:
        kept.lock.release()


def _ask(kept: Server, pair: Pair, name: str, k: int, metric: str) -> Dict[Tuple[Any, ...], Optional[float]]:
    n = pair.arrays[0]["shape"][0]
    asked = {score for score, _, of in pair.scores if of == metric}
    names, ks = [name], [k]
    if name in asked:  # others are likely to follow
        ks = sorted({k, *(a for a in _ALONG if a < n / 2)})
        names = [score for score in __all__ if score in asked and any((score, a, metric) not in pair.scores for a in ks)]
    answer = kept.ask({"scores": names, "k": ks, "metric": metric, "original": pair.arrays[0], "embedded": pair.arrays[1]})
    return {(s, a, metric): value for s in names for a, value in zip(ks, answer[s])}


def _one(name: str, original: np.ndarray, embedded: np.ndarray, k: int, metric: str) -> Optional[float]:
    """One score, from a separate process."""
    with Workspace() as workspace:
        files = [workspace.save(role, array) for role, array in (("X", original), ("X_embedded", embedded))]
        done = _run(["score", name, *files, f"--k={k}", f"--metric={metric}"], progress_of(False, "score"), workspace, 0)
        if done.code != 0:
            err = _Said("score", done.stderr, workspace).error(done.code)
            raise UsageError(err.exit_code, err.message) from None
    value: Optional[float] = json.loads(done.stdout)[name]
    return value
