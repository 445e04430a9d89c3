"""Scores with the signatures of scikit-learn: the same numbers and the same errors."""

from __future__ import annotations

import inspect
import unittest
import warnings

import numpy as np

import repscope
from repscope import metrics
from repscope.metrics import continuity, trustworthiness

from .support import Case

try:
    import sklearn.manifold
    import sklearn.metrics
except ImportError:
    sklearn = None


def direct(X: np.ndarray, Z: np.ndarray, k: int) -> float:
    """The definition, in float64, for distances without ties."""
    n = len(X)
    return 1 - 2 * direct_penalty(Z, X, k) / (n * k * (2 * n - 3 * k - 1))


def direct_penalty(Z: np.ndarray, X: np.ndarray, k: int) -> float:
    """The sum over the neighbors in Z of what their ranks in X are above k."""
    n = len(X)
    d = lambda a: ((a[:, None].astype(float) - a[None].astype(float)) ** 2).sum(-1) + np.diag(np.full(n, np.inf))
    ranks = d(X).argsort(1).argsort(1) + 1
    near = d(Z).argsort(1)[:, :k]
    return float(np.maximum(np.take_along_axis(ranks, near, 1) - k, 0).sum())


def pair(n: int, D: int, d: int, seed: int = 0, dtype: str = "f8"):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, D))
    return X.astype(dtype), (X[:, :d] + 0.5 * r.normal(size=(n, d))).astype(dtype)


class Scores(Case):
    sizes = [(3, 2, 1, 1), (7, 3, 2, 3), (50, 5, 2, 5), (200, 10, 3, 7), (301, 4, 4, 150), (300, 784, 32, 20)]

    def test_the_definition(self) -> None:
        for n, D, d, k in self.sizes[:4]:
            X, Z = pair(n, D, d)
            self.assertAlmostEqual(trustworthiness(X, Z, n_neighbors=k), direct(X, Z, k), delta=1e-12)
            self.assertAlmostEqual(continuity(X, Z, n_neighbors=k), direct(Z, X, k), delta=1e-12)

    def test_kinds_of_arrays(self) -> None:
        X, Z = pair(60, 6, 2)
        want = trustworthiness(X, Z)
        for other in (X.tolist(), np.asfortranarray(X), X.astype(object), X.astype(">f8"), X.reshape(60, 2, 3), np.repeat(X, 2, axis=0)[::2]):
            self.assertEqual(trustworthiness(other, Z), want)
        whole = (100 * X).astype(np.int16)
        self.assertEqual(trustworthiness(whole, Z), trustworthiness(whole.astype(float), Z))
        self.assertIs(type(want), float)

    def test_perfect(self) -> None:
        X, _ = pair(40, 3, 2)
        self.assertEqual((trustworthiness(X, X), continuity(X, 3 * X)), (1.0, 1.0))
        self.assertIs(type(trustworthiness(X, X)), float)  # not the number 1 of a file

    def test_what_is_remembered(self) -> None:
        X, Z = pair(300, 40, 2)
        for k in (5, 5, 10, 7, 5):
            self.assertAlmostEqual(trustworthiness(X, Z, n_neighbors=k), direct(X, Z, k), delta=1e-12)
            self.assertAlmostEqual(continuity(X, Z, n_neighbors=k), direct(Z, X, k), delta=1e-12)
        for place in ((0, 0), (137, 19), (299, 39)):  # looked at early, and not
            before = trustworthiness(X, Z)
            X[place] = 40
            self.assertAlmostEqual(trustworthiness(X, Z), direct(X, Z, 5), delta=1e-12)
            self.assertNotEqual(trustworthiness(X, Z), before)

    def test_undefined(self) -> None:
        X, Z = pair(40, 3, 2)
        for a, b in ((X, 0 * Z), (0 * X, Z)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertTrue(np.isnan(trustworthiness(a, b)))
            self.assertTrue(any("undefined" in str(w.message) and w.filename == __file__ for w in caught))

    def test_diagonal_of_distances(self) -> None:
        X, Z = pair(30, 3, 2)
        D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
        want = trustworthiness(X, Z), continuity(X, Z)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual((trustworthiness(D, Z, metric="precomputed"), continuity(D + 1e-12 * np.eye(30), Z, metric="precomputed")), want)
        with self.assertWarnsRegex(repscope.RepscopeWarning, "similarities"):  # the diagonal is not looked at
            self.assertEqual(trustworthiness(D + np.eye(30), Z, metric="precomputed"), want[0])

    def test_errors(self) -> None:
        X, Z = pair(20, 3, 2)
        nan = X.copy()
        nan[3, 1] = np.nan
        D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
        for message, a, b, options in (
            (r"n_neighbors \(10\) should be less than n_samples / 2 \(10.0\)", X, Z, {"n_neighbors": 10}),
            (r"must be an int in the range \[1, inf\). Got 0 instead", X, Z, {"n_neighbors": 0}),
            (r"must be an int in the range \[1, inf\). Got 5.0 instead", X, Z, {"n_neighbors": 5.0}),
            ("Got 'manhattan' instead", X, Z, {"metric": "manhattan"}),
            ("'metric' parameter", X, Z, {"metric": np.dot}),
            ("X has 20 samples, X_embedded has 19", X, Z[:19], {}),
            (r"^X \(array \[20, 3\], float64\): point 3, coordinate 1 is NaN: want finite values$", nan, Z, {}),
            (r"^X_embedded \(.*point 3, coordinate 1 is NaN", Z, nan, {}),
            ("Expected 2D array, got 1D array", X[:, 0], Z, {}),
            (r"0 feature\(s\)", X[:, :0], Z, {}),
            ("should be less than n_samples", X[:0], Z[:0], {}),
            ("Precomputed metric requires shape", X, Z, {"metric": "precomputed"}),
            ("distance of point 0 from itself", D - np.eye(20), Z, {"metric": "precomputed"}),
        ):
            with self.assertRaisesRegex(ValueError, message):
                trustworthiness(a, b, **options)
        # as scikit-learn's of wrong parameters, these are both
        for kind in (ValueError, TypeError):
            with self.assertRaisesRegex(kind, "complex"):
                trustworthiness(X * 1j, Z)
            with self.assertRaisesRegex(kind, "NoneType"):
                trustworthiness(X, None)
            with self.assertRaisesRegex(kind, "in the range"):
                trustworthiness(X, Z, n_neighbors=0)
            with self.assertRaisesRegex(kind, "'metric' parameter"):
                trustworthiness(X, Z, metric="nothing")


@unittest.skipIf(sklearn is None, "no scikit-learn")
class ScikitLearn(Case):
    def same(self, X, Z, k, metric="euclidean") -> None:
        got, want = trustworthiness(X, Z, n_neighbors=k, metric=metric), sklearn.manifold.trustworthiness(X, Z, n_neighbors=k, metric=metric)
        self.assertAlmostEqual(got, float(want), delta=1e-12, msg=f"{X.shape} {Z.shape} {k} {metric}")

    def test_signature(self) -> None:
        theirs = inspect.signature(sklearn.manifold.trustworthiness).parameters
        for function in (trustworthiness, continuity):
            ours = inspect.signature(function).parameters
            self.assertEqual([(p.name, p.kind, p.default) for p in ours.values()], [(p.name, p.kind, p.default) for p in theirs.values()])

    def test_numbers(self) -> None:
        for n, D, d, k in Scores.sizes:
            for seed in range(2):
                X, Z = pair(n, D, d, seed)
                self.same(X, Z, k)
                self.same(Z, X, k)
                self.same(X, Z, k, "cosine")
                self.same(sklearn.metrics.pairwise_distances(X, metric="manhattan"), Z, k, "precomputed")
                exchanged = 1 - 2 * direct_penalty(X / np.linalg.norm(X, axis=1, keepdims=True), Z, k) / (n * k * (2 * n - 3 * k - 1))
                self.assertAlmostEqual(continuity(X, Z, n_neighbors=k, metric="cosine"), exchanged, delta=1e-12)
                self.assertAlmostEqual(continuity(X, Z, n_neighbors=k), float(sklearn.manifold.trustworthiness(Z, X, n_neighbors=k)), delta=1e-12)

    def test_sparse(self) -> None:
        sparse = __import__("scipy.sparse").sparse  # which scikit-learn needs
        X, Z = pair(40, 5, 2)
        X[X < 0] = 0
        X[:, 0] = 1  # else directions are the same but for rounding
        for metric in ("euclidean", "cosine"):
            self.same(sparse.csr_matrix(X), Z, 5, metric)
            self.same(X, sparse.coo_matrix(Z), 5, metric)

    def test_rows_of_zeros(self) -> None:
        X, Z = pair(60, 5, 2)
        X[3] = X[40] = 0
        distances = sklearn.metrics.pairwise_distances(X, metric="cosine")
        for score in (trustworthiness, continuity):  # all are as far from these, and scikit-learn takes them as its sort leaves them
            self.assertAlmostEqual(score(X, Z, metric="cosine"), score(distances, Z, metric="precomputed"), delta=1e-12)
        others = np.delete(np.arange(60), (3, 40))
        self.same(X[others], Z[others], 5, "cosine")

    def test_frames_of_pandas(self) -> None:
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        X, Z = pair(40, 5, 2)
        frame = pandas.DataFrame(X)
        self.same(frame, Z, 5)
        self.same(frame.astype("Float64"), Z, 5)
        self.same(frame.assign(yes=X[:, 0] > 0), Z, 5)
        with self.assertRaises(ValueError):
            trustworthiness(frame.assign(text="a"), Z)

    def test_float32_is_ranked_as_it_is(self) -> None:
        X, Z = pair(500, 20, 3, dtype="f4")
        self.assertAlmostEqual(trustworthiness(X, Z), float(sklearn.manifold.trustworthiness(X.astype("f8"), Z)), delta=1e-12)

    def test_far_from_the_origin(self) -> None:
        X, Z = pair(200, 5, 2)
        X = np.round(X, 6) + 2**20  # what is subtracted from it again is exact
        self.assertAlmostEqual(trustworthiness(X, Z), float(sklearn.manifold.trustworthiness(X - 2**20, Z)), delta=1e-12)

    def test_ties(self) -> None:
        # scikit-learn's number depends on the order of the rows; ours is that of no order.
        r = np.random.default_rng(0)
        X = r.integers(0, 3, size=(120, 3)).astype(float)
        Z = np.round(X[:, :2] + 0.4 * r.normal(size=(120, 2)))
        ours, theirs = [], []
        for _ in range(60):
            p = r.permutation(120)
            theirs.append(float(sklearn.manifold.trustworthiness(X[p], Z[p])))
        for _ in range(3):
            p = r.permutation(120)
            ours.append(trustworthiness(X[p], Z[p]))
        self.assertEqual(len(set(ours)), 1)
        self.assertGreater(max(theirs) - min(theirs), 0.02)
        self.assertAlmostEqual(ours[0], np.mean(theirs), delta=0.01)
        self.assertTrue(min(theirs) < ours[0] < max(theirs))

    def test_the_same_errors(self) -> None:
        X, Z = pair(20, 3, 2)
        for options in ({"n_neighbors": 10}, {"n_neighbors": 11}):
            said = []
            for function in (trustworthiness, sklearn.manifold.trustworthiness):
                with self.assertRaises(ValueError) as caught:
                    function(X, Z, **options)
                said.append(str(caught.exception))
            self.assertEqual(*said)


class Similarities(Case):
    """The similarities of two spaces: by their definitions, what they do not change with, and wrong arguments."""

    def spaces(self) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
        r = np.random.default_rng(5)
        shared = r.normal(size=(60, 3))
        X = shared @ r.normal(size=(3, 6)) + 0.5 * r.normal(size=(60, 6))
        Y = shared @ r.normal(size=(3, 4)) + 0.5 * r.normal(size=(60, 4))
        return X, Y, np.linalg.qr(r.normal(size=(6, 6)))[0]

    def test_definitions(self) -> None:
        X, Y, _ = self.spaces()
        A, B = X - X.mean(0), Y - Y.mean(0)
        cross = np.linalg.norm(A.T @ B) ** 2 / np.linalg.norm(A.T @ A) / np.linalg.norm(B.T @ B)
        self.assertAlmostEqual(metrics.cka(X, Y), cross, 10)
        nuclear = np.linalg.svd(A.T @ B, compute_uv=False).sum() / np.linalg.norm(A) / np.linalg.norm(B)
        self.assertAlmostEqual(metrics.procrustes(X, Y), nuclear, 10)
        distance = lambda Z: np.linalg.norm(Z[:, None] - Z[None], axis=2) + np.diag(np.full(len(Z), np.inf))
        near = [set(map(tuple, np.c_[np.repeat(np.arange(60), 5), distance(Z).argsort(1)[:, :5].ravel()])) for Z in (X, Y)]
        self.assertAlmostEqual(metrics.mutual_knn(X, Y, k=5), len(near[0] & near[1]) / 300, 12)
        upper = np.triu_indices(60, 1)
        self.assertAlmostEqual(metrics.rsa(X, Y, method="pearson"), np.corrcoef(distance(X)[upper], distance(Y)[upper])[0, 1], 10)

    def test_rotations(self) -> None:
        X, _, rotation = self.spaces()
        for score in (metrics.cka, metrics.cka_rbf, metrics.mutual_knn, metrics.cknna, metrics.svcca, metrics.pwcca,
                      metrics.procrustes, metrics.rsa, metrics.distance_correlation):
            self.assertAlmostEqual(score(X, 3 * X @ rotation), 1, 6, score.__name__)
        self.assertAlmostEqual(metrics.information_imbalance(X, X @ rotation), 2 / 60, 12)
        self.assertAlmostEqual(metrics.unit_match(X, X[:, ::-1]), 1, 10)
        self.assertGreater(metrics.predictivity(X, X @ rotation, groups=np.arange(60) // 6), 0.999)

    def test_wrong_arguments(self) -> None:
        X, Y, _ = self.spaces()
        self.assertTrue(np.isnan(metrics.cka(np.ones((20, 3)), Y[:20])))
        for wrong in (lambda: metrics.cka(X, Y[:30]), lambda: metrics.mutual_knn(X, Y, k=0), lambda: metrics.rsa(X, Y, method="kendall"),
                      lambda: metrics.cka(X[0], Y[0])):
            self.assertRaises(ValueError, wrong)


if __name__ == "__main__":
    unittest.main()
