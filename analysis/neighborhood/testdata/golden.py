"""Golden values of the neighborhood analysis, written to golden.json.

Trustworthiness comes from scikit-learn; continuity is its trustworthiness with the two
spaces exchanged. The data have no ties.

usage: /usr/bin/python3 golden.py
"""
import json
import os

import numpy as np
import sklearn
from sklearn.manifold import trustworthiness


def case(name, dtype, x, models, ks):
    return {
        "name": name, "dtype": dtype, "dim": x.shape[1], "ks": ks, "frames": x.ravel().tolist(),
        "models": [{
            "dim": z.shape[1], "latents": z.ravel().tolist(),
            "trustworthiness": [float(trustworthiness(x, z, n_neighbors=k)) for k in ks],
            "continuity": [float(trustworthiness(z, x, n_neighbors=k)) for k in ks],
        } for z in models],
    }


rng = np.random.default_rng(7)
x = rng.normal(size=(70, 6)).round(6)
walk = np.cumsum(rng.normal(size=(64, 24)), axis=0)
frames = np.clip(128 + 12 * walk, 0, 255).astype(np.uint8).astype(float)
golden = {"scikit-learn": sklearn.__version__, "numpy": np.__version__, "cases": [
    case("float64", "float64", x, [
        np.tanh(x @ rng.normal(size=(6, 2))).round(6),
        rng.normal(size=(70, 3)).round(6)], [1, 5, 10, 20]),
    case("uint8", "uint8", frames, [
        (frames @ rng.normal(size=(24, 3)) / 100).round(5)], [3, 7, 31]),
]}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
with open(path, "w") as file:
    json.dump(golden, file)
