"""Writes golden.json, for the tests of package verification.

Usage: OMP_NUM_THREADS=1 python3 golden.py > golden.json   (in this folder)
SciPy's uniform_filter (windows), dctn (cosine transform), scikit-learn's brier_score_loss, roc_auc_score and
IsotonicRegression, xskillscore's contingency scores, and NumPy as definitions say it.
"""
import json
import sys

import numpy as np
import scipy
import sklearn
import xarray as xr
import xskillscore as xs
from scipy.fft import dctn
from scipy.ndimage import uniform_filter
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, roc_auc_score


def fields(rng, members, height, width):
    """A smooth truth and members that share a part of it."""
    noise = lambda: uniform_filter(rng.normal(size=(height, width)), 3, mode="wrap") * 3
    truth = noise()
    short = lambda x: np.float32(np.round(np.array(x) * 64) / 64)
    return short(truth), short([0.6 * truth + 0.3 + noise() * 0.8 for _ in range(members)])


def events(truth, members, threshold, below, weights):
    occurs = (lambda x: x <= np.float32(threshold)) if below else (lambda x: x >= np.float32(threshold))
    mean = members.astype(float).mean(0)
    o, f = occurs(truth), occurs(mean)
    w = np.ones(truth.shape) if weights is None else weights
    a, c, b, d = (w[m].sum() for m in (f & o, ~f & o, f & ~o, ~f & ~o))
    n = a + b + c + d
    H, F = a / (a + c), b / (b + d)
    r = (a + b) * (a + c) / n
    out = {"threshold": threshold, "below": below, "table": [a, c, b, d], "pod": H, "pofd": F, "far": b / (a + b), "csi": a / (a + b + c),
           "ets": (a - r) / (a + b + c - r), "frequency_bias": (a + b) / (a + c),
           "hss": 2 * (a * d - b * c) / ((a + c) * (c + d) + (a + b) * (b + d)),
           "sedi": None}
    if 0 < H < 1 and 0 < F < 1:
        out["sedi"] = (np.log(F) - np.log(H) - np.log(1 - F) + np.log(1 - H)) / (np.log(F) + np.log(H) + np.log(1 - F) + np.log(1 - H))
    if weights is None:
        edges = np.array([-0.5, 0.5, 1.5])
        table = xs.Contingency(xr.DataArray(o.ravel().astype(float), dims="x"), xr.DataArray(f.ravel().astype(float), dims="x"), edges, edges, dim="x")
        for name, value in (("pod", table.hit_rate()), ("far", table.false_alarm_ratio()), ("csi", table.threat_score()), ("pofd", table.false_alarm_rate()),
                            ("ets", table.equit_threat_score()), ("hss", table.heidke_score()), ("frequency_bias", table.bias_score())):
            assert abs(float(value) - out[name]) < 1e-12, name
    size = len(members)
    p = occurs(members).sum(0) / size
    y, q, v = o.ravel(), p.ravel(), w.ravel()
    brier = brier_score_loss(y, q, sample_weight=v)
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(q, y, sample_weight=v)
    recalibrated = brier_score_loss(y, np.clip(fitted.predict(q), 0, 1), sample_weight=v)
    base = np.average(y, weights=v)
    rel = res = 0
    for value in np.unique(q):
        m = q == value
        rate = np.average(y[m], weights=v[m])
        rel += v[m].sum() / v.sum() * (value - rate) ** 2
        res += v[m].sum() / v.sum() * (rate - base) ** 2
    # Ferro 2014, eq. 8, cell by cell: (i/m - o)^2 - i(m - i)/(m^2 (m - 1))
    i = q * size
    fair = np.average((i / size - y) ** 2 - i * (size - i) / (size**2 * (size - 1)), weights=v)
    out["brier"] = {"score": brier, "fair": fair, "reliability": rel, "resolution": res, "uncertainty": base * (1 - base)}
    out["roc_area"] = roc_auc_score(y, q, sample_weight=v)
    out["corp"] = {"mcb": brier - recalibrated, "dsc": base * (1 - base) - recalibrated,
                   "probability": np.unique(q).tolist(), "recalibrated": fitted.predict(np.unique(q)).tolist()}
    out["fss"] = []
    for window in (1, 2, 3, 6, 2 * max(truth.shape) - 1):
        box = lambda x: uniform_filter(x.astype(float), size=window, mode="constant", cval=0.0)
        for name, forecast in (("mean", f), ("ensemble", p)):
            pf, po = box(forecast), box(o)
            sums = [(w * (pf - po) ** 2).sum(), (w * pf**2).sum(), (w * po**2).sum()]
            out["fss"].append({"window": window, "of": name, "sums": sums, "fss": 1 - sums[0] / (sums[1] + sums[2])})
    return out


def spectra(field, kind):
    height, width = field.shape
    x = field.astype(float)
    if kind == "dct":
        power = dctn(x, norm="ortho") ** 2 / x.size
        f = np.hypot(*np.meshgrid(np.arange(height) / height, np.arange(width) / width, indexing="ij")) / 2
        unit = 0.5 / min(height, width)
    else:
        power = np.abs(np.fft.fft2(x) / x.size) ** 2
        f = np.hypot(*np.meshgrid(np.fft.fftfreq(height), np.fft.fftfreq(width), indexing="ij"))
        unit = 1 / min(height, width)
    band = np.floor(f / unit + 1e-9).astype(int)
    band[0, 0] = -1
    k = range(band.max() + 1)
    return {"power": [power[band == i].sum() for i in k], "modes": [int((band == i).sum()) for i in k],
            "frequency": [f[band == i].mean() if (band == i).any() else 0.0 for i in k]}


def distance(a, b, count):
    a, b = (np.array(x["power"])[1:count] for x in (a, b))
    return float(np.sqrt(np.mean((10 * np.log10(a / b)) ** 2)))


def pdebench(forecast, truth):
    """The formulas of PDEBench's metric for two dimensions, of samples [N, H, W]."""
    n, nx, ny = truth.shape
    e = forecast - truth
    nmse = np.mean(np.sqrt(np.mean(e**2, (1, 2))) / np.sqrt(np.mean(truth**2, (1, 2))))
    conserved = np.sqrt(np.mean((forecast.sum((1, 2)) - truth.sum((1, 2))) ** 2)) / (nx * ny)
    sides = (e[:, 0] ** 2 + e[:, -1] ** 2).sum(1) + (e[:, :, 0] ** 2 + e[:, :, -1] ** 2).sum(1)
    boundary = np.mean(np.sqrt(sides / (2 * nx + 2 * ny)))
    coefficients = np.abs(np.fft.fftn(forecast, axes=(1, 2)) - np.fft.fftn(truth, axes=(1, 2))) ** 2
    half = min(nx // 2, ny // 2)
    shells = np.zeros((n, half))
    for i in range(nx // 2):
        for j in range(ny // 2):
            k = int(np.floor(np.sqrt(i**2 + j**2)))
            if k < half:
                shells[:, k] += coefficients[:, i, j]
    shells = np.sqrt(shells.mean(0)) / (nx * ny)
    vrmse = np.mean(np.sqrt(np.mean(e**2, (1, 2)) / np.var(truth, axis=(1, 2))))
    return {"nrmse": nmse, "conserved": conserved, "boundary": boundary, "maximum": np.abs(e).max(), "vrmse": vrmse,
            "fourier": [float(np.mean(x)) if len(x) else None for x in (shells[:4], shells[4:12], shells[12:])]}


def acc(forecast, truth, climatology, weights, centered):
    f, o = forecast - climatology, truth - climatology
    if centered:
        f, o = f - np.average(f, weights=weights), o - np.average(o, weights=weights)
    return float((weights * f * o).sum() / np.sqrt((weights * f * f).sum() * (weights * o * o).sum()))


def main():
    rng = np.random.default_rng(20)
    cases = []
    for members, height, width, weighted in ((5, 8, 8, False), (4, 9, 14, True), (10, 15, 7, False), (7, 28, 31, True)):
        truth, ensemble = fields(rng, members, height, width)
        weights = np.round(rng.uniform(0.2, 1.5, size=truth.shape), 2) if weighted else None
        mean = ensemble.astype(float).mean(0)
        climatology = np.round(rng.normal(size=truth.shape) * 0.2, 2)
        w = np.ones(truth.shape) if weights is None else weights
        case = {"members": members, "height": height, "width": width, "truth": truth.ravel().tolist(), "ensemble": ensemble.ravel().tolist(),
                "weights": None if weights is None else weights.ravel().tolist(), "climatology": climatology.ravel().tolist(),
                "events": [events(truth, ensemble, t, below, weights) for t, below in ((0.5, False), (-0.7, True))],
                "spectra": {}, "pdebench": pdebench(np.stack([mean, ensemble[0].astype(float)]), np.stack([truth, truth]).astype(float)),
                "acc": acc(mean, truth.astype(float), climatology, w, False), "acc_centered": acc(mean, truth.astype(float), climatology, w, True)}
        for kind, resolved in (("dct", min(height, width)), ("fft", (min(height, width) + 1) // 2)):
            a, b = spectra(mean, kind), spectra(truth, kind)
            case["spectra"][kind] = {"mean": a, "truth": b, "lsd": distance(a, b, resolved)}
        cases.append(case)
    values, weights = rng.normal(size=40) + np.linspace(0, 1.5, 40), rng.integers(1, 5, 40)
    isotonic = {"values": values.tolist(), "weights": weights.tolist(),
                "fit": IsotonicRegression().fit(range(40), values, sample_weight=weights).predict(range(40)).tolist(),
                "equal": IsotonicRegression().fit(range(40), values).predict(range(40)).tolist()}
    versions = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "xskillscore": xs.__version__}
    print(json.dumps({"versions": versions, "cases": cases, "isotonic": isotonic}, default=float))


main()
