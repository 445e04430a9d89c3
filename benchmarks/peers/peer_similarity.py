"""A score of two spaces of 10,000 points and 512 dimensions under orders, with calibrated-similarity and PyTorch. Prints
processor seconds for one evaluation of the score, which it repeats for each order. usage: peer_similarity.py cka|cka_pairs|mutual_knn"""
import sys
import time

import torch
from calibrated_similarity import calibrate

N, DIM, K, ORDERS = 10_000, 512, 10, 2
torch.manual_seed(1)
x, y = torch.randn(N, DIM), torch.randn(N, DIM)


def cka(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    return (a.T @ b).norm() ** 2 / ((a.T @ a).norm() * (b.T @ b).norm())


def cka_pairs(a, b):
    """The same by n × n inner products, as the page of calibrated-similarity computes it."""
    a, b = a - a.mean(0), b - b.mean(0)
    first, second = a @ a.T, b @ b.T
    return (first * second).sum() / torch.sqrt((first * first).sum() * (second * second).sum())


def nearest(a):
    distance = torch.cdist(a, a)
    distance.fill_diagonal_(float("inf"))
    return distance.topk(K, largest=False).indices


def mutual_knn(a, b):
    mine, other = nearest(a), nearest(b)
    return (mine[:, :, None] == other[:, None, :]).sum() / (N * K)


start = time.process_time()
calibrate(x, y, {"cka": cka, "cka_pairs": cka_pairs, "mutual_knn": mutual_knn}[sys.argv[1]], K=ORDERS)
print((time.process_time() - start) / (1 + ORDERS))
