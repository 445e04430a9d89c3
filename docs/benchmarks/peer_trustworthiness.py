"""Trustworthiness and continuity for k = 5, 10, 20 with scikit-learn, as its
documentation shows: six calls. usage: peer_trustworthiness.py X.npy Z.npy"""
import sys
import numpy as np
from sklearn.manifold import trustworthiness

x, z = np.load(sys.argv[1]), np.load(sys.argv[2])
for k in (5, 10, 20):
    print(k, trustworthiness(x, z, n_neighbors=k), trustworthiness(z, x, n_neighbors=k))
