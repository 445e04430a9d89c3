"""Writes platonic.json: the spaces of reference.json by the metrics of platonic-rep, each under our name of the score.

    git clone https://github.com/minyoungg/platonic-rep (dcd76ba)
    PYTHONPATH=platonic-rep python platonic.py       (torch 2.9.1)

Spaces are multiplied by 1000, which changes no score but makes the 1e-6 that is added to denominators vanish. Neighbors
there are by inner products of points of length 1, which is our cosine metric. README.md says which metrics are another
quantity.
"""
import json
import sys
import types

import torch

# imported for edit distances and canonical correlations only
sys.modules.setdefault("torchaudio", types.SimpleNamespace(functional=None))
sys.modules.setdefault("torchaudio.functional", types.SimpleNamespace())
sys.modules.setdefault("sklearn.cross_decomposition", types.SimpleNamespace(CCA=None))

from metrics import AlignmentMetrics

out = []
for case in json.load(open("reference.json")):
    X, Y = (1000 * torch.tensor(case[name], dtype=torch.float64) for name in ("x", "y"))
    found = {"cka": AlignmentMetrics.cka(X, Y), "cka_debiased": AlignmentMetrics.unbiased_cka(X, Y)}
    X, Y = (1000 * Z / Z.norm(dim=1, keepdim=True) for Z in (X, Y))
    for k in (3, 10) if X.shape[1] > 1 and Y.shape[1] > 1 else ():  # all directions of one dimension tie
        found[f"cknna@{k}"] = AlignmentMetrics.cknna(X, Y, topk=k)
        found[f"mutual_knn@{k}"] = AlignmentMetrics.mutual_knn(X, Y, topk=k)
    out.append({name: float(v) for name, v in found.items()})
json.dump(out, open("platonic.json", "w"), indent=0)
