"""Writes vendi.json: Vendi scores of package vendi-score, for the tests of package spectrum.

Usage: OMP_NUM_THREADS=1 python3 vendi.py   (in this folder)
Needs numpy and vendi-score.
"""
import json
from importlib.metadata import version

import numpy as np
from vendi_score import vendi

rng = np.random.default_rng(8)


def case(name, z):
    """Orders 1, 2 and infinity under the cosine kernel, from the n × n kernel."""
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    scores = {str(q): float(vendi.score_K(unit @ unit.T, q=q)) for q in (1, 2, "inf")}
    dual = float(vendi.score_dual(z, q=1, normalize=True))
    return {"name": name, "dim": z.shape[1], "points": z.ravel().tolist(), "scores": scores, "dual": dual}


cases = [
    case("more points", rng.normal(size=(30, 5)) * [3, 1, 1, 0.5, 0.1]),
    case("fewer points", rng.normal(size=(12, 20)) + 1),
    case("groups", np.repeat(np.eye(4), [6, 3, 2, 1], axis=0)),
]
with open("vendi.json", "w", encoding="utf-8") as file:
    json.dump({"versions": {"numpy": np.__version__, "vendi-score": version("vendi-score")}, "cases": cases}, file)
    file.write("\n")
