"""Writes layers.json: the best pair of layers of two models by calibrate_layers of calibrated-similarity 0.1.1, with
linear CKA and orders that are drawn here. usage: python3 layers.py > layers.json"""
import json

import numpy as np
import torch
from calibrated_similarity import calibrate_layers

random = np.random.default_rng(5)
N, ORDERS = 24, 99
shared = random.normal(size=(N, 3))
a = [np.round(np.c_[shared + s * random.normal(size=(N, 3)), random.normal(size=(N, 2))], 3) for s in (1.2, 2.0)]
b = [np.round(shared @ random.normal(size=(3, d)) + s * random.normal(size=(N, d)), 3)
     for d, s in ((4, 5.0), (2, 3.0), (6, 4.0))]
orders = [random.permutation(N) for _ in range(ORDERS)]


def cka(x, y):
    x, y = x - x.mean(0), y - y.mean(0)
    return (x.T @ y).norm() ** 2 / ((x.T @ x).norm() * (y.T @ y).norm())


waiting = iter(orders)
layers = [[torch.tensor(z, dtype=torch.float64) for z in model] for model in (a, b)]
calibrated, p, threshold = calibrate_layers(
    *layers, cka, agg="max", K=ORDERS, perm_fn=lambda n, device: torch.tensor(next(waiting)))
best = max(float(cka(x, y)) for x in layers[0] for y in layers[1])
print(json.dumps({
    "a": [z.tolist() for z in a], "b": [z.tolist() for z in b], "orders": [o.tolist() for o in orders],
    "best": best, "gated": float(calibrated), "p": float(p), "threshold": float(threshold)}))
