"""Ridge probes next to scikit-learn: 50,000 rows of 512 standard normal features, a linear target, 64
penalties. repscope's FitRidge (float32 features, 5 grouped folds, the final fit) and one RidgeCV with
default settings (leave-one-out, float64 features), on two threads each. Rounds alternate; printed are
medians of wall seconds, as a Markdown table. With --search also GridSearchCV over GroupKFold(5), which
is what FitRidge computes, in one round.

usage: /usr/bin/python3 benchmarks/peers/probe.py [ROUNDS] [--search]      (from the repository's root)
"""
import re
import statistics
import sys
import time

import numpy as np
import sklearn
from measure import header, row, run
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold

N, DIM = 50000, 512
ALPHAS = np.logspace(-4, 4, 64)
ARGUMENTS = [a for a in sys.argv[1:] if not a.startswith("-")]
ROUNDS = int(ARGUMENTS[0]) if ARGUMENTS else 3

rng = np.random.default_rng(1)
X = rng.standard_normal((N, DIM))
Y = X[:, :10].sum(1) + rng.standard_normal(N)


def seconds(fit):
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def ours():
    out = run(["go", "test", "-run", "^$", "-bench", f"^BenchmarkFitRidge$/^n={N},D={DIM},", "-benchtime", "1x", "./measure/probe"]).output
    return float(re.search(r"BenchmarkFitRidge\S+\s+\d+\s+(\d+) ns/op", out)[1]) / 1e9


def search():
    GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=GroupKFold(5), scoring="neg_mean_squared_error").fit(X, Y, groups=np.arange(N) // 1000)


mine, peer = [], []
for _ in range(ROUNDS):
    mine.append(ours())
    peer.append(seconds(lambda: RidgeCV(alphas=ALPHAS).fit(X, Y)))
print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, {ROUNDS} rounds\n")
header("n × D, 64 penalties", "repscope s", "scikit-learn s", "ratio")
a, b = statistics.median(mine), statistics.median(peer)
row("RidgeCV", f"{a:.2f}", f"{b:.1f}", f"{b / a:.0f}")
if "--search" in sys.argv:
    b = seconds(search)
    row("GridSearchCV over GroupKFold(5)", f"{a:.2f}", f"{b:.1f}", f"{b / a:.0f}")
