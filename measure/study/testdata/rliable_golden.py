"""Writes golden.json: the numbers that the tests of package study compare with.

Usage: python3 rliable_golden.py   (in this folder)
Needs rliable (with its dependencies arch, numpy, scipy).

Point values are rliable's for equal numbers of runs. Intervals are its stratified
percentile bootstrap with many resamples: other random numbers than ours, so they
agree to Monte-Carlo error only, which "replicates" says the size of.
"""
import json
import sys
from importlib.metadata import version

import numpy as np
from rliable import library, metrics

rng = np.random.default_rng(20240921)
REPLICATES = 20000
TAUS = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5]


def study(name, runs, tasks, quantum=None):
    """Three models whose scores overlap; tasks differ in level and in spread."""
    level = rng.normal(size=tasks) * 0.4 + 0.5
    spread = rng.gamma(2, 0.15, size=tasks)
    out = {}
    for i, model in enumerate("abc"):
        scores = level + 0.15 * i + spread * rng.standard_t(4, size=(runs, tasks))
        if quantum:
            scores = np.round(scores / quantum) * quantum
        out[model] = scores
    return name, out


def points(scores):
    return {
        "iqm": metrics.aggregate_iqm(scores),
        "mean": metrics.aggregate_mean(scores),
        "median": metrics.aggregate_median(scores),
        "gap": metrics.aggregate_optimality_gap(scores, 1),
        "gap_half": metrics.aggregate_optimality_gap(scores, 0.5),
    }


def aggregates(scores):
    return np.array([metrics.aggregate_iqm(scores), metrics.aggregate_mean(scores),
                     metrics.aggregate_median(scores), metrics.aggregate_optimality_gap(scores, 1)])


def entry(name, models):
    np.random.seed(7)  # rliable draws from NumPy's global state
    out = {"name": name, "taus": TAUS, "models": {}, "improvement": {}}
    _, ci = library.get_interval_estimates(models, aggregates, reps=REPLICATES)
    _, ci_tasks = library.get_interval_estimates(models, aggregates, reps=REPLICATES, task_bootstrap=True)
    profile, profile_ci = library.create_performance_profile(models, TAUS, reps=REPLICATES // 4)
    average, average_ci = library.create_performance_profile(models, TAUS, use_score_distribution=False, reps=REPLICATES // 4)
    for model, scores in models.items():
        out["models"][model] = {
            "scores": scores.T.tolist(),  # [task][run]
            **{k: float(v) for k, v in points(scores).items()},
            "ci": ci[model].T.tolist(), "ci_tasks": ci_tasks[model].T.tolist(),
            "profile": profile[model].tolist(), "profile_ci": profile_ci[model].T.tolist(),
            "average": average[model].tolist(), "average_ci": average_ci[model].T.tolist(),
        }
    for x, y in (("a", "b"), ("b", "a"), ("c", "a")):
        pair = {"pair": (models[x], models[y])}
        value, interval = library.get_interval_estimates(
            pair, metrics.probability_of_improvement, reps=REPLICATES // 10)
        out["improvement"][x + y] = {"value": float(value["pair"]), "ci": np.ravel(interval["pair"]).tolist()}
    return out


def main():
    studies = [study("atari", 5, 12), study("few", 3, 5), study("one_task", 8, 1), study("ties", 4, 6, quantum=0.25)]
    golden = {
        "versions": {"python": sys.version.split()[0], **{p: version(p) for p in ("rliable", "arch", "numpy", "scipy")}},
        "replicates": REPLICATES,
        "studies": [entry(name, models) for name, models in studies],
    }
    with open("golden.json", "w") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


main()
