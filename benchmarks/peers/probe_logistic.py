"""Logistic probes next to scikit-learn: N rows of 512 standard normal float32 features, 2 or 4 classes that follow ten of
them. repscope's FitLogistic goes on to the minimum (coefficients to about 1e-8); scikit-learn's StandardScaler and
LogisticRegression run with the default tolerance (1e-4), on two threads and float64 features, and once more
with float32 features. Rounds alternate; printed are medians of wall seconds, as a Markdown table.

usage: /usr/bin/python3 benchmarks/peers/probe_logistic.py [ROUNDS] [N]      (from the repository's root)
"""
import re
import statistics
import sys
import time

import numpy as np
import sklearn
from measure import header, row, run
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
N = int(sys.argv[2]) if len(sys.argv) > 2 else 200000
DIM = 512

rng = np.random.default_rng(1)
X = rng.standard_normal((N, DIM), dtype=np.float32)
Y = X[:, :10].sum(1) + rng.standard_normal(N)


def ours(classes):
    out = run(["go", "test", "-run", "^$", "-bench", f"^BenchmarkFitLogistic$/^n={N},D={DIM},K={classes}$", "-benchtime", "1x", "./measure/probe"]).output
    return float(re.search(r"BenchmarkFitLogistic\S+\s+\d+\s+(\d+) ns/op", out)[1]) / 1e9


def theirs(classes, dtype):
    x, y = X.astype(dtype), np.clip((Y + classes / 2).astype(int), 0, classes - 1)
    start = time.perf_counter()
    LogisticRegression(C=1.0, max_iter=1000).fit(StandardScaler(copy=False).fit_transform(x), y)
    return time.perf_counter() - start


header("rows × 512, classes", "repscope s", "scikit-learn float64 s", "scikit-learn float32 s")
for classes in (2, 4):
    times = [[ours(classes), theirs(classes, np.float64), theirs(classes, np.float32)] for _ in range(ROUNDS)]
    row(f"{N}, {classes}", *(f"{statistics.median(t):.2f}" for t in zip(*times)))
print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, {ROUNDS} rounds")
