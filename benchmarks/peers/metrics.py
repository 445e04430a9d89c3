"""repscope.metrics next to scikit-learn: one call of trustworthiness, and with --six trustworthiness and continuity at k = 5, 10,
20 (six calls), on the same arrays in one process, in alternating rounds; prints a Markdown table of medians of seconds
and of processor seconds. Both have two threads. Ours is the whole call: arrays to shared memory,
the program's answer; it runs already, and what is remembered of a pair is cleared between rounds, not between the six calls.
Processor seconds come in steps of 0.01, from /proc. The last columns say what of
scikit-learn's time is its distances, and what half the float32 product X·X' takes NumPy: a way that has
all distances is not faster than that. usage: metrics.py [--rounds N] [--only n,n…] [--dims D,D…] [--types float64,float32,uint8]
[--six], with a Python that has NumPy, scikit-learn and the package, or REPSCOPE_BIN and the package on PYTHONPATH."""
import argparse
import os
import statistics
import time

os.environ.update(GOMAXPROCS="2", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")

import numpy as np  # noqa: E402: after the threads are set
import sklearn  # noqa: E402
from sklearn.manifold import trustworthiness as theirs  # noqa: E402
from sklearn.metrics import pairwise_distances  # noqa: E402

from repscope import metrics  # noqa: E402

SIZES, DIMS, TYPES = (1000, 2000, 5000, 10000), (64, 784, 3000), ("float64", "float32", "uint8")


def timed(function):
    before, start = cpu(), time.perf_counter()
    value = function()
    wall = time.perf_counter() - start
    return value, wall, cpu() - before


def cpu():
    """Seconds of this process, of those that have ended, and of the one that answers for scores."""
    own, child = sum(os.times()[:4]), metrics.server()._child
    if child is None or child.poll() is not None:
        return own
    with open(f"/proc/{child.pid}/stat") as f:
        return own + sum(int(ticks) for ticks in f.read().rpartition(")")[2].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def ours(x, z, ks):
    metrics.server().pair = metrics.Pair()
    if len(ks) == 1:
        return [metrics.trustworthiness(x, z, n_neighbors=ks[0])]
    return [f(x, z, n_neighbors=k) for k in ks for f in (metrics.trustworthiness, metrics.continuity)]


def peer(x, z, ks):
    if len(ks) == 1:
        return [float(theirs(x, z, n_neighbors=ks[0]))]
    return [float(theirs(*pair, n_neighbors=k)) for k in ks for pair in ((x, z), (z, x))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=SIZES, type=numbers, help="numbers of samples")
    parser.add_argument("--dims", default=DIMS, type=numbers, help="dimensions")
    parser.add_argument("--types", default=TYPES, type=lambda text: text.split(","))
    parser.add_argument("--six", action="store_true", help="six calls, too")
    o = parser.parse_args()
    print(f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}")
    print(
        "| n × D, type | calls | ours s | scikit-learn s | ratio | ours CPU s | scikit-learn CPU s | ratio | difference "
        "| its distances s | half X·X' s |\n" + "| --- " * 11 + "|"
    )
    for n in o.only:
        for dim in o.dims:
            r = np.random.default_rng(n)
            x = r.normal(size=(n, 8)) @ r.normal(size=(8, dim)) + r.normal(size=(n, dim))
            z = x[:, :32] + r.normal(size=(n, 32))
            pixels = np.clip((x - x.min()) / (x.max() - x.min()) * 255, 0, 255).astype("uint8")
            for kind, a, b in (("float64", x, z), ("float32", x.astype("f4"), z.astype("f4")), ("uint8", pixels, z.astype("f4"))):
                for ks in ((5,), (5, 10, 20)) if o.six else ((5,),):
                    if kind in o.types:
                        compare(n, dim, kind, a, b, ks, o.rounds)


def numbers(text):
    return [int(part) for part in text.split(",")]


def compare(n, dim, kind, a, b, ks, rounds):
    narrow = a.astype("f4")
    sides = {lambda: ours(a, b, ks): [], lambda: peer(a, b, ks): [], lambda: pairwise_distances(a): [], lambda: narrow @ narrow.T: []}
    for _ in range(rounds):
        for side, rows in sides.items():
            rows.append(timed(side))
    mine, other, distances, product = ([statistics.median(row[i] for row in rows) for i in (1, 2)] for rows in sides.values())
    values = [rows[0][0] for rows in sides.values()]
    cells = [f"{n} × {dim}, {kind}", "6" if len(ks) > 1 else "1"]
    for i in (0, 1):
        cells += [f"{mine[i]:.3f}", f"{other[i]:.3f}", f"{other[i] / max(mine[i], 0.01 * i or mine[i]):.1f}"]
    cells += [f"{max(abs(p - q) for p, q in zip(values[0], values[1])):.1e}", f"{distances[0]:.3f}", f"{product[0] / 2:.3f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


main()
