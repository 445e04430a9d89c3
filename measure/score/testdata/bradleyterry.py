# Writes bradleyterry.json: strengths of items by comparisons in pairs. Without ties they are those of choix
# (opt_pairwise, alpha=0); with ties scipy minimizes Davidson's likelihood, and standard errors come from its numerical
# second derivative. "bounded" has every graph of three items with 0 or 1 wins and ties, and random ones of four, and says
# by a linear program whether a direction exists along which the likelihood never falls.
# Run with numpy, scipy and choix.
import itertools, json, sys
import choix, numpy as np, scipy
from scipy.optimize import linprog, minimize


def probabilities(theta, delta, a, b):
    u = np.array([theta[a], theta[b], delta + (theta[a] + theta[b]) / 2])
    e = np.exp(u - u.max())
    return e / e.sum()


def davidson(n, contests):
    def loss(x):
        theta = np.append(x[:n - 1], -x[:n - 1].sum())
        return -sum(np.dot([w, l, t], np.log(probabilities(theta, x[-1], a, b))) for a, b, w, l, t in contests)
    x = minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-12}).x
    x = minimize(loss, x, method="Nelder-Mead", options={"xatol": 1e-13, "fatol": 1e-13, "maxiter": 20000}).x
    h, size = 1e-3, n
    hessian = np.empty((size, size))
    for i in range(size):
        for k in range(size):
            def at(s, t):
                y = x.copy(); y[i] += s * h; y[k] += t * h
                return loss(y)
            hessian[i, k] = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * h)
    cov = np.linalg.inv(hessian)[:n - 1, :n - 1]
    se = np.append(np.sqrt(np.diag(cov)), np.sqrt(cov.sum()))
    return np.append(x[:n - 1], -x[:n - 1].sum()), np.exp(x[-1]), se


def bradley_terry(n, contests):
    data = [p for a, b, w, l, _ in contests for p in [(a, b)] * w + [(b, a)] * l]
    theta = choix.opt_pairwise(n, data, alpha=0, method="Newton-CG", tol=1e-14)
    theta = theta - theta.mean()
    info = np.zeros((n, n))
    for a, b in data:
        p = 1 / (1 + np.exp(theta[b] - theta[a]))
        info[[a, b], [a, b]] += p * (1 - p)
        info[a, b] -= p * (1 - p)
        info[b, a] -= p * (1 - p)
    return theta, 0.0, np.sqrt(np.diag(np.linalg.pinv(info)))


def finite(n, contests):
    ties = any(t for *_, t in contests)
    size = n + ties
    rows = []
    def utility(kind, a, b):
        u = np.zeros(size)
        if kind == 2:
            u[a] = u[b] = 0.5
            u[n] = 1
        else:
            u[(a, b)[kind]] = 1
        return u
    seen = set()
    for a, b, *counts in contests:
        for kind, count in enumerate(counts):
            if count:
                seen |= {a, b}
                rows += [utility(kind, a, b) - utility(other, a, b) for other in range(2 + ties) if other != kind]
    if len(seen) < n:
        return False
    rows = np.array(rows)
    if np.linalg.matrix_rank(rows) < size - 1:
        return False  # some strengths change nothing: not connected
    best = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * size)
    return bool(-best.fun < 1e-7)


rng = np.random.default_rng(43)
fits = []
for n, ties in [(2, 0), (3, 0), (6, 0), (12, 0), (2, 1), (3, 1), (5, 1), (8, 1)]:
    contests = []
    while not contests or not finite(n, contests) or ties and not any(t for *_, t in contests):
        theta = rng.normal(size=n)
        contests = []
        for a, b in itertools.combinations(range(n), 2):
            count = int(rng.integers(4, 12))
            w, l, t = rng.multinomial(count, probabilities(theta, 0.0 if ties else -np.inf, a, b)).tolist()
            contests.append([a, b, w, l, t])
    theta, nu, se = (davidson if ties else bradley_terry)(n, contests)
    fits.append({"n": n, "contests": contests, "log": theta.tolist(), "tie": nu, "se": se.tolist()})
bounded = []
pairs = list(itertools.combinations(range(3), 2))
for counts in itertools.product(itertools.product((0, 1), repeat=3), repeat=3):
    contests = [[a, b, *c] for (a, b), c in zip(pairs, counts)]
    bounded.append({"n": 3, "contests": contests, "finite": finite(3, contests)})
pairs = list(itertools.combinations(range(4), 2))
while len(bounded) < 512 + 300:
    contests = [[a, b, *(rng.random(3) < (0.25, 0.1, 0.3)).astype(int).tolist()] for a, b in pairs]
    bounded.append({"n": 4, "contests": contests, "finite": finite(4, contests)})
json.dump({"made_by": f"numpy {np.__version__}, scipy {scipy.__version__}, choix 0.4.1", "fits": fits, "bounded": bounded},
          sys.stdout, separators=(",", ":"))
