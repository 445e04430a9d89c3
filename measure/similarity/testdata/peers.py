"""Writes peers.json: the spaces of reference.json by the measures of netrep and ReSi, each under our name of the score.

    git clone https://github.com/ahwillia/netrep (0186b8a), https://github.com/mklabunde/resi (24ab9e5)
    PYTHONPATH=netrep:resi python peers.py       (numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, torch 2.15.0)

Measures that are another quantity in a program are in no list; README.md says which, and why.
"""
import json
import sys
import types

import numpy as np

for name in ("loguru", "einops"):  # imported by ReSi for messages and images only
    sys.modules.setdefault(name, types.SimpleNamespace(
        logger=types.SimpleNamespace(info=lambda *a: None, warning=lambda *a: None), rearrange=None))

from netrep.metrics import LinearMetric
from repsim.measures.cka import centered_kernel_alignment
from repsim.measures.procrustes import orthogonal_angular_shape_metric_centered
from repsim.measures.rsa import representational_similarity_analysis

out = []
for case in json.load(open("reference.json")):
    X, Y = np.array(case["x"]), np.array(case["y"])
    found = {
        "netrep shape_angle": LinearMetric(alpha=1.0).fit_score(X, Y),
        "ReSi cka": centered_kernel_alignment(X, Y, "nd"),
        "ReSi shape_angle": orthogonal_angular_shape_metric_centered(X, Y, "nd"),
        "ReSi rsa_spearman": representational_similarity_analysis(X, Y, "nd", inner="euclidean"),
    }
    out.append({name: float(v) for name, v in found.items()})
json.dump(out, open("peers.json", "w"), indent=0)
