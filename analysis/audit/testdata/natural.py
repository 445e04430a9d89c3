"""Natural images for TestRecall: patches of 64 x 64 gray levels of the photographs that scikit-image and scikit-learn ship.

    python natural.py FOLDER
    REPSCOPE_AUDIT_IMAGES=FOLDER go test ./analysis/audit -run Recall -v

Every photograph is an episode, of at most 80 patches. scikit-image 0.26.0, scikit-learn 1.9.1, Pillow 13.0.0.
"""

import os
import sys

import numpy as np
import skimage
import sklearn
from PIL import Image

NAMES = ("coffee.png camera.png astronaut.png gravel.png brick.png grass.png motorcycle_left.png hubble_deep_field.jpg moon.png retina.jpg ihc.png "
         "rocket.jpg chelsea.png coins.png cell.png").split()
SIDE = 64

paths = [os.path.join(os.path.dirname(skimage.__file__), "data", name) for name in NAMES]
paths += [os.path.join(os.path.dirname(sklearn.__file__), "datasets", "images", name) for name in ("china.jpg", "flower.jpg")]
frames, episodes = [], []
for number, path in enumerate(paths):
    gray = np.asarray(Image.open(path).convert("L"))
    rows, columns = gray.shape[0] // SIDE, gray.shape[1] // SIDE
    patches = gray[: rows * SIDE, : columns * SIDE].reshape(rows, SIDE, columns, SIDE).swapaxes(1, 2).reshape(-1, SIDE, SIDE)
    patches = patches[:: -(-len(patches) // 80)]
    frames.append(patches)
    episodes += [number] * len(patches)
np.save(os.path.join(sys.argv[1], "frames.npy"), np.concatenate(frames))
np.save(os.path.join(sys.argv[1], "episodes.npy"), np.array(episodes))
print(np.concatenate(frames).shape, np.bincount(episodes))
