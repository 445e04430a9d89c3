"""Golden scores of ensembles: scoringrules where it has the score, literal NumPy where it has not.

usage: python3 golden.py > golden.json     (needs numpy and scoringrules)
"""
import json

import numpy as np
import scoringrules as sr

rng = np.random.default_rng(20261122)
LEVELS = [0.05, 0.25, 0.5, 0.9]
ALPHAS = [0.1, 0.2, 0.5]


def euclid(h, w):
    y, x = np.divmod(np.arange(h * w), w)
    return np.hypot(y[:, None] - y[None], x[:, None] - x[None])


def pair_weights(h, w, reach, cells):
    d = euclid(h, w)
    weights = 1 / (d + 1e-6) * np.outer(cells, cells)
    np.fill_diagonal(weights, 0)
    if reach:
        weights[d > reach] = 0
    return weights / weights.sum()


def energy(y, x, fair, weights):
    """Literal: y [D], x [S, D]; the norm over cells of positive weight, as the package defines it."""
    scale = weights * np.count_nonzero(weights) / weights.sum()
    norm = lambda d: np.sqrt((scale * d**2).sum(-1))
    s = len(x)
    skill = norm(x - y).mean()
    spread = 0.0
    if s > 1:
        spread = norm(x[:, None] - x[None]).sum() / (s * (s - 1) if fair else s * s)
    return skill - spread / 2


def pool(field, patch):
    v, h, w = field.shape[-3:]
    h, w = h // patch, w // patch
    return field[..., : h * patch, : w * patch].reshape(*field.shape[:-3], v, h, patch, w, patch).mean((-1, -3))


def tiles(field, tile):
    h, w = field.shape[-2:]
    return [field[..., a : a + tile, b : b + tile] for a in range(0, h - tile + 1, tile) for b in range(0, w - tile + 1, tile)]


def edges(h, w):
    at = np.arange(h * w).reshape(h, w)
    return list(zip(at[:, :-1].ravel(), at[:, 1:].ravel())) + list(zip(at[:-1].ravel(), at[1:].ravel()))


def case(name, v, h, w, s, kind, ties=False, mask=False, offset=0.0):
    truth = rng.normal(size=(v, h, w)).cumsum(-1)
    members = 0.7 * truth + 0.3 + rng.normal(size=(s, v, h, w)).cumsum(-1) * 0.8
    if ties:
        truth, members = np.round(truth), np.round(members)
    truth, members = (truth + offset).astype(kind), (members + offset).astype(kind)
    weights = rng.uniform(0.2, 2, (h, w)) if mask else np.ones((h, w))
    if mask:
        weights[0, :2] = 0
    y, x = truth.astype(float), members.astype(float)  # every score is computed in float64
    cells = np.broadcast_to(weights, y.shape).ravel()
    fy, fx = y.ravel(), x.reshape(s, -1).T  # [C], [C, S]
    mean = lambda values: float((cells * values).sum() / cells.sum())
    g = {"name": name, "grid": [v, h, w], "members": s, "kind": kind, "truth": truth.ravel().tolist(), "values": members.ravel().tolist(),
         "weights": cells.tolist() if mask else None, "levels": LEVELS, "alphas": ALPHAS}
    g["crps_biased"] = mean(sr.crps_ensemble(fy, fx, estimator="nrg"))
    g["crps_skill"] = mean(np.abs(fx - fy[:, None]).mean(1))
    if s > 1:
        g["crps_fair"] = mean(sr.crps_ensemble(fy, fx, estimator="fair"))
        g["twcrps_fair"] = mean(sr.twcrps_ensemble(fy, fx, a=offset - 0.5, b=offset + 1.5, estimator="fair"))
        g["twcrps_above"] = mean(sr.twcrps_ensemble(fy, fx, a=offset + 0.25, estimator="nrg"))
    g["threshold"] = [offset - 0.5, offset + 1.5, offset + 0.25]
    g["quantile"] = [mean(sr.quantile_score(fy, np.quantile(fx, q, axis=1), q)) for q in LEVELS]
    low, high = (np.stack([np.quantile(fx, q, axis=1) for q in level], -1) for level in (np.array(ALPHAS) / 2, 1 - np.array(ALPHAS) / 2))
    g["interval"] = [mean(sr.interval_score(fy, low[:, i], high[:, i], a)) for i, a in enumerate(ALPHAS)]
    g["coverage"] = [mean((fy >= low[:, i]) & (fy <= high[:, i])) for i in range(len(ALPHAS))]
    g["wis"] = mean(sr.weighted_interval_score(fy, np.median(fx, 1), low, high, np.array(ALPHAS)))
    error = fx.mean(1) - fy
    g.update(bias=mean(error), mae=mean(np.abs(error)), mse=mean(error**2))
    if s > 2 and not ties:
        var = fx.var(1, ddof=1)
        g.update(spread=float(np.sqrt(mean(var))), ratio=float(np.sqrt((s + 1) / s * mean(var) / mean(error**2))), debiased=mean(error**2) - mean(var) / s)
        g["dss"] = mean(sr.dssuv_ensemble(fy, fx))
        rules = mean(sr.error_spread_score(fy, fx))  # its skewness lacks the factor s
        z = (fx - fx.mean(1, keepdims=True)) / np.sqrt(var)[:, None]
        skew = s / ((s - 1) * (s - 2)) * (z**3).sum(1)
        assert np.isclose(rules, mean((var - error**2 - error * np.sqrt(var) * skew / s) ** 2))
        g["ess"] = mean((var - error**2 - error * np.sqrt(var) * skew) ** 2)
    g["energy_fair"], g["energy_biased"] = (energy(fy, fx.T, fair, cells) for fair in (True, False))
    if not mask:
        g["energy_biased"] = float(sr.es_ensemble(fy, fx.T, estimator="nrg"))
        if s > 1:
            g["energy_fair"] = float(sr.es_ensemble(fy, fx.T, estimator="fair"))
        patch = 2
        py, px = pool(y, patch), pool(x, patch)
        g["pooled"] = energy(py.ravel(), px.reshape(s, -1), True, np.ones(py.size))
        g["tiled"] = float(np.mean([energy(a.ravel(), b.reshape(s, -1), True, np.ones(a.size)) for a, b in zip(tiles(y, 3), tiles(x, 3))]))
    pairs = [(a, b, np.sqrt(weights.flat[a] * weights.flat[b])) for a, b in edges(h, w)]
    at = y.reshape(v, -1), x.reshape(s, v, -1)
    scores = [energy(at[0][:, [a, b]].ravel(), at[1][:, :, [a, b]].reshape(s, -1), True, np.ones(2 * v)) for a, b, _ in pairs]
    g["pairwise"] = float(np.average(scores, weights=[e[2] for e in pairs]))
    g["variogram"] = []
    for p in (0.5, 1, 2, 1.3):
        for reach in (0, 2):
            pw = pair_weights(h, w, reach, weights.ravel())
            per = [float(sr.vs_ensemble(at[0][i], at[1][:, i], w=pw, p=p)) for i in range(v)]
            g["variogram"].append({"p": p, "reach": reach, "documented": False, "scores": per})
    pw = pair_weights(h, w, 0, weights.ravel())
    m = x.mean(0).reshape(v, -1)
    square = lambda f: (f[:, None] - f[None]) ** 2
    g["variogram"].append({"p": 0, "reach": 0, "documented": True, "scores": [float((pw * np.abs(square(m[i]) - square(at[0][i]))).sum()) for i in range(v)]})
    if not mask:
        per = [np.mean([float(sr.vs_ensemble(a.ravel(), b.reshape(s, -1), w=pair_weights(3, 3, 0, np.ones(9)), p=0.5))
                        for a, b in zip(tiles(at[0][i].reshape(h, w), 3), tiles(at[1][:, i].reshape(s, h, w), 3))]) for i in range(v)]
        g["tiled_variogram"] = float(np.mean(per))
    kept = cells > 0
    below, equal = (fx < fy[:, None]).sum(1)[kept], (fx == fy[:, None]).sum(1)[kept]
    ranks = np.zeros(s + 1)
    for b, e in zip(below, equal):
        ranks[b : b + e + 1] += 1 / (e + 1)
    g["ranks"] = ranks.tolist()
    return g


cases = [
    case("float32", 2, 5, 6, 7, "float32"),
    case("float64", 1, 6, 7, 20, "float64"),
    case("ties", 2, 4, 5, 9, "float32", ties=True),
    case("mask", 2, 5, 4, 6, "float32", mask=True),
    case("mask, float64", 1, 4, 5, 12, "float64", mask=True),
    case("far from 0", 1, 5, 5, 10, "float64", offset=50000.0),
    case("one member", 2, 4, 4, 1, "float32"),
    case("two members", 1, 3, 19, 2, "float32"),
    case("wide", 1, 3, 70, 17, "float32"),
]
print(json.dumps({"versions": {"numpy": np.__version__, "scoringrules": sr.__version__}, "cases": cases}))
