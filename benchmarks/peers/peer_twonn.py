"""The K nearest neighbors of all points with scikit-learn (brute force): 2 for Two-NN, 64 for
Gride's orders up to 64. Prints the Two-NN estimate N/Σ ln(r2/r1) and the seconds of the search,
without imports and reading. usage: peer_twonn.py X.npy K"""
import sys
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

x = np.load(sys.argv[1])
start = time.perf_counter()
distance, _ = NearestNeighbors(n_neighbors=int(sys.argv[2]), algorithm="brute").fit(x).kneighbors()
seconds = time.perf_counter() - start
print("two-nn", len(x) / np.log(distance[:, 1] / distance[:, 0]).sum())
print("seconds", f"{seconds:.3f}")
