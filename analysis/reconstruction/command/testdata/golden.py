"""Writes frames and predictions of odd sizes, and what scikit-image says of them, for TestGolden; see README.md."""
import json
import os

import numpy as np
import skimage
from skimage.metrics import mean_squared_error, peak_signal_noise_ratio, structural_similarity

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)


def save(name, array):
    np.save(os.path.join(here, name + '.npy'), array)


def smooth(shape):
    """Random frames in 0..1 with some structure."""
    x = rng.random(shape)
    for axis in (-2, -1):
        x = (x + np.roll(x, 1, axis) + np.roll(x, 2, axis)) / 3
    return (x - x.min()) / (x.max() - x.min())


def scores(truth, predicted, channel):
    """Of frames in float64, 0..1; the last one has no successor."""
    out = {'mse': [], 'mae': [], 'psnr': [], 'ssim': [], 'gaussian': [], 'sharpness_ratio': [], 'moving_mse': [], 'static_mse': []}
    energy = lambda f: sum((np.diff(f, axis=a) ** 2).sum() for a in (-2, -1)) if channel is not None else \
        sum((np.diff(f, axis=a) ** 2).sum() for a in (0, 1))
    for i in range(len(truth) - 1):
        a, b = truth[i + 1], predicted[i]
        moves = np.abs(a - truth[i]) > 0.02
        out['mse'].append(mean_squared_error(a, b))
        out['mae'].append(np.abs(a - b).mean())
        out['psnr'].append(peak_signal_noise_ratio(a, b, data_range=1))
        out['ssim'].append(structural_similarity(a, b, data_range=1, channel_axis=channel))
        out['gaussian'].append(structural_similarity(a, b, data_range=1, channel_axis=channel, gaussian_weights=True, sigma=1.5,
                                                     use_sample_covariance=False))
        out['sharpness_ratio'].append(energy(b) / energy(a))
        out['moving_mse'].append(((a - b)[moves] ** 2).mean())
        out['static_mse'].append(((a - b)[~moves] ** 2).mean())
    return {k: [float(v) for v in values] for k, values in out.items()}


# Bytes of 19 × 23 pixels, most of which stay, with predictions in float64 0..1.
n = 9
bytes_ = np.empty((n, 19, 23), np.uint8)
bytes_[0] = np.round(255 * smooth((19, 23)))
for i in range(1, n):
    bytes_[i] = bytes_[i - 1]
    y, x = rng.integers(0, 12, 2)
    bytes_[i, y:y + 6, x:x + 6] = rng.integers(0, 256, (6, 6))
truth = bytes_ / 255
predicted = np.clip(np.concatenate([truth[1:], truth[-1:]]) + rng.normal(0, 0.05, truth.shape), 0, 1)
save('bytes', bytes_)
save('bytes_predicted', predicted)

# Colours in float32 -1..1 of 13 × 17 pixels, planes; predictions in float32 with channels last.
colours = (2 * smooth((n, 3, 13, 17)) - 1).astype(np.float32)
colours[1::2] = colours[::2][:n // 2] + np.where(rng.random((n // 2, 3, 13, 17)) < 0.3, 0.2, 0).astype(np.float32)
colours = np.clip(colours, -1, 1)
wrong = (colours + rng.normal(0, 0.1, colours.shape)).astype(np.float32)
wrong = np.concatenate([wrong[1:], wrong[-1:]])
save('colours', colours)
save('colours_predicted', np.moveaxis(wrong, 1, -1).copy())

json.dump({
    'scikit-image': skimage.__version__, 'numpy': np.__version__,
    'bytes': scores(truth, predicted, None),
    'colours': scores((colours.astype(float) + 1) / 2, (wrong.astype(float) + 1) / 2, 0),
}, open(os.path.join(here, 'golden.json'), 'w'), indent=1)
