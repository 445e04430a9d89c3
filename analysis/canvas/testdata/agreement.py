# Writes agreement.json: rank correlations of scores with mean ratings, and how often the better
# rated of two designs of a sample has the better score. Run with scipy and numpy.
import itertools, json, sys
import numpy as np, scipy
from scipy import stats

rng = np.random.default_rng(15)
samples, models, raters = 12, 4, 3
quality = rng.normal(size=(samples, models))
score = np.round(quality + rng.normal(size=quality.shape), 1)  # rounded: some are tied
ratings = np.clip(np.round(2 * quality[:, :, None] + rng.normal(size=quality.shape + (raters,)) + 3), 1, 5)
missing = rng.random(ratings.shape) < 0.2
missing[:, :, 0] = False  # every case has a rating
mean = np.array([[ratings[s, m][~missing[s, m]].mean() for m in range(models)] for s in range(samples)])
hits = pairs = 0
for s in range(samples):
    for a, b in itertools.combinations(range(models), 2):
        if mean[s, a] != mean[s, b]:
            pairs += 1
            agree = (score[s, a] - score[s, b]) * (mean[s, a] - mean[s, b])
            hits += 1 if agree > 0 else 0.5 if agree == 0 else 0
within = [stats.spearmanr(score[:, m], mean[:, m]).statistic for m in range(models)]  # every model has all samples
rest = []
for r in range(raters):
    own, others = [], []
    for s in range(samples):
        for m in range(models):
            them = [ratings[s, m, k] for k in range(raters) if k != r and not missing[s, m, k]]
            if not missing[s, m, r] and them:
                own.append(ratings[s, m, r])
                others.append(np.mean(them))
    rest.append(stats.spearmanr(own, others).statistic)
json.dump({
    "made_by": f"numpy {np.__version__}, scipy {scipy.__version__}",
    "score": score.tolist(),
    "ratings": [[[None if missing[s, m, r] else ratings[s, m, r] for r in range(raters)] for m in range(models)] for s in range(samples)],
    "spearman": stats.spearmanr(score.ravel(), mean.ravel()).statistic,
    "kendall": stats.kendalltau(score.ravel(), mean.ravel()).statistic,
    "spearman_within": float(np.mean(within)),
    "pair_accuracy": hits / pairs, "pairs": pairs, "one_against_rest": float(np.mean(rest)),
}, sys.stdout, indent=None)
