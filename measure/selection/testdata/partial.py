"""Rank correlations of a fixed table by numpy and scipy: ranks are regressed on the ranks of the step, and the
residuals correlated. Writes partial.json."""
import json
import numpy as np
from scipy import stats

x = [3.1, 0.2, 5.5, 2.2, 2.2, 7.9, 6.1, 4.0, 9.3, 8.8, 1.5, 5.5]
y = [0.30, 0.10, 0.35, 0.20, 0.25, 0.50, 0.45, 0.60, 0.55, 0.60, 0.15, 0.40]
z = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]
run = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def residual(values):
    design = np.column_stack([np.ones(len(z)), stats.rankdata(z)])
    ranks = stats.rankdata(values)
    return ranks - design @ np.linalg.lstsq(design, ranks, rcond=None)[0]


within = [stats.spearmanr(np.array(x)[np.array(run) == r], np.array(y)[np.array(run) == r])[0] for r in range(3)]
means = [[float(np.mean(np.array(v)[np.array(run) == r])) for r in range(3)] for v in (x, y)]
json.dump({"x": x, "y": y, "z": z, "run": run, "spearman": stats.spearmanr(x, y)[0], "kendall": stats.kendalltau(x, y)[0],
           "partial": float(np.corrcoef(residual(x), residual(y))[0, 1]), "within": within,
           "mean_x": means[0], "mean_y": means[1]}, open("partial.json", "w"), indent=1)
