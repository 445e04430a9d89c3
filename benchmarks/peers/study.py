"""Times the stratified bootstrap of an interquartile mean, 10 runs of 26 tasks and 2,000 resamples, next to rliable.

Usage: python3 benchmarks/peers/study.py   (in the root of the repository)
Needs rliable and Go. Both sides on one thread, the best of five alternating rounds; rliable in processor time, without imports.
"""
import re
import subprocess
import time

import numpy as np
from rliable import library, metrics

ROUNDS, TASKS, RUNS, RESAMPLES = 5, 26, 10, 2000


def peer():
    scores = {"a": np.random.default_rng(0).normal(size=(RUNS, TASKS))}
    started = time.process_time()
    library.get_interval_estimates(scores, lambda s: np.array([metrics.aggregate_iqm(s)]), reps=RESAMPLES)
    return time.process_time() - started


def own(name):
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", f"IQM/{name}", "-cpu", "1", "-benchtime", "20x", "./measure/study"],
                         check=True, capture_output=True, text=True).stdout
    return float(re.search(r"(\d+) ns/op", out).group(1)) / 1e9


def main():
    rounds = [(peer(), own("percentile"), own("jackknife")) for _ in range(ROUNDS)]
    theirs, percentile, jackknife = (min(r[i] for r in rounds) for i in range(3))
    print(f"rliable, percentiles    {1e3 * theirs:7.1f} ms")
    print(f"repscope, percentiles   {1e3 * percentile:7.1f} ms   {theirs / percentile:.1f} x")
    print(f"repscope, jackknife     {1e3 * jackknife:7.1f} ms   {theirs / jackknife:.1f} x")


main()
