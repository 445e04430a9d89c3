"""repscope.metrics beside scikit-learn: one call of trustworthiness, and trustworthiness and continuity at k = 5, 10, 20
(six calls), on the same arrays in one process, in alternating rounds; prints a Markdown table of medians of seconds
and of processor seconds. Both have two threads. Ours is the whole call: arrays to a file, start of the program, its
result; what it remembers of a pair is cleared between rounds, not between the six calls. usage: metrics.py [--rounds N]
[--only n,n…], with a Python that has NumPy, scikit-learn and the package, or REPSCOPE_BIN and the package on PYTHONPATH."""
import argparse
import os
import statistics
import time

os.environ.update(GOMAXPROCS="2", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")

import numpy as np  # noqa: E402: after the threads are set
import sklearn  # noqa: E402
from sklearn.manifold import trustworthiness as theirs  # noqa: E402

from repscope import metrics  # noqa: E402

SIZES = [(1000, 784), (2000, 784), (5000, 784), (10000, 784)]


def timed(function):
    before, start = os.times(), time.perf_counter()
    value = function()
    after, wall = os.times(), time.perf_counter() - start
    return value, wall, sum(after[:4]) - sum(before[:4])


def ours(x, z, ks):
    metrics._known.clear()
    return [f(x, z, n_neighbors=k) for k in ks for f in (metrics.trustworthiness, metrics.continuity)][: 6 if len(ks) > 1 else 1]


def peer(x, z, ks):
    if len(ks) == 1:
        return [float(theirs(x, z, n_neighbors=ks[0]))]
    return [float(theirs(*pair, n_neighbors=k)) for k in ks for pair in ((x, z), (z, x))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(str(n) for n, _ in SIZES), help="numbers of samples")
    o = parser.parse_args()
    print(f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}")
    print("| n × D, type | calls | ours s | scikit-learn s | ratio | ours CPU s | scikit-learn CPU s | ratio | difference |\n" + "| --- " * 9 + "|")
    for n, dim in SIZES:
        if str(n) not in o.only.split(","):
            continue
        r = np.random.default_rng(n)
        x = r.normal(size=(n, 8)) @ r.normal(size=(8, dim)) + r.normal(size=(n, dim))
        z = x[:, :32] + r.normal(size=(n, 32))
        pixels = np.clip((x - x.min()) / (x.max() - x.min()) * 255, 0, 255).astype("uint8")
        for kind, a, b in (("float64", x, z), ("float32", x.astype("f4"), z.astype("f4")), ("uint8", pixels, z.astype("f4"))):
            for ks in ((5,), (5, 10, 20)):
                sides = {ours: [], peer: []}
                for _ in range(o.rounds):
                    for side, rows in sides.items():
                        rows.append(timed(lambda: side(a, b, ks)))
                mine, other = ([statistics.median(row[i] for row in rows) for i in (1, 2)] for rows in sides.values())
                difference = max(abs(p - q) for p, q in zip(sides[ours][0][0], sides[peer][0][0]))
                cells = [f"{n} × {dim}, {kind}", "6" if len(ks) > 1 else "1"]
                for i in (0, 1):
                    cells += [f"{mine[i]:.2f}", f"{other[i]:.2f}", f"{other[i] / mine[i]:.1f}"]
                print("| " + " | ".join([*cells, f"{difference:.1e}"]) + " |", flush=True)


main()
