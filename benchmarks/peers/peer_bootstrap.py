"""Bootstrap of a mean and its BCa interval with scipy (independent observations,
its only kind): n = 6,000, 2,000 resamples; prints the best of 5 in milliseconds."""
import time
import numpy as np
from scipy import stats

x = np.random.default_rng(0).standard_normal(6000)
best = float("inf")
for _ in range(5):
    start = time.perf_counter()
    stats.bootstrap((x,), np.mean, n_resamples=2000, method="BCa", vectorized=True, batch=100, random_state=1)
    best = min(best, time.perf_counter() - start)
print(f"{1000 * best:.1f}")
