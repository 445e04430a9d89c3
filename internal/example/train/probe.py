#!/usr/bin/env python3
"""What the latents know: collapse and linear read-out of the game's own state.

    /usr/bin/python3 probe.py TRAIN_FOLDER EXAMPLE_FOLDER NAME=FILE.pth ...

A ridge regression from latents to each factor of factors.npy is fitted on 4,000 training frames and scored
(R², 1 is perfect, 0 is the mean) on the evaluation frames. "inside" scores the same read-out after taking
out the mean of each episode, so that knowing the episode is worth nothing. Beside the given encoders stand
an untrained one and 64 principal components of the pixels.
"""
import sys

import numpy as np
import torch

from model import ConvEncoder

NAMES = ['player_x', 'target_x', 'target_y', 'enemies', 'bombs', 'score', 'lives', 'time_left']


def load(folder, every=1):
    frames, factors, episodes = (np.load(f'{folder}/{n}.npy')[::every] for n in ('frames', 'factors', 'episodes'))
    return frames, factors.astype(float), episodes


def encode(encoder, frames):
    with torch.no_grad():
        return torch.cat([encoder(torch.from_numpy(frames[i:i + 64].astype(np.float32))[None, None])[0]
                          for i in range(0, len(frames), 64)]).double().numpy()


def inside(x, episodes):
    out = x.copy()
    for e in np.unique(episodes):
        out[episodes == e] -= x[episodes == e].mean(0)
    return out


def ridge(x, y, x_test, y_test):
    mean, scale = x.mean(0), x.std(0) + 1e-9
    x, x_test = (x - mean) / scale, (x_test - mean) / scale
    w = np.linalg.solve(x.T @ x + 1e-3 * len(x) * np.eye(x.shape[1]), x.T @ (y - y.mean()))
    error = y_test - x_test @ w - y.mean()
    return 1 - error @ error / np.square(y_test - y_test.mean()).sum()


def spectrum(z):
    values = np.linalg.eigvalsh(np.cov(z.T)).clip(0)
    p = values / values.sum()
    p = p[p > 0]
    return values.sum() ** 2 / np.square(values).sum(), np.exp(-(p * np.log(p)).sum())


def main():
    train, train_factors, train_episodes = load(sys.argv[1], 25)
    test, test_factors, test_episodes = load(sys.argv[2])
    latents = {}
    for argument in sys.argv[3:]:
        name, path = argument.split('=', 1)
        encoder = ConvEncoder()
        encoder.load_state_dict({k: v.float() for k, v in torch.load(path).items()})
        latents[name] = encode(encoder, train), encode(encoder, test)
    torch.manual_seed(0)
    encoder = ConvEncoder()
    latents['random'] = encode(encoder, train), encode(encoder, test)
    flat = [f.reshape(len(f), -1).astype(np.float64) for f in (train, test)]
    mean = flat[0].mean(0)
    axes = np.linalg.eigh(np.cov(flat[0][::2].T))[1][:, -64:]
    latents['pixel_pca'] = tuple((f - mean) @ axes for f in flat)

    print(f'{"":16s} {"ratio":>6s} {"rank":>5s} ' + ' '.join(f'{n:>10s}' for n in NAMES))
    for name, (z, z_test) in latents.items():
        participation, rank = spectrum(z_test)
        for label, center in (('', lambda x, e: x), (' inside', inside)):
            scores = []
            for j in range(len(NAMES)):
                keep, keep_test = train_factors[:, j] >= 0, test_factors[:, j] >= 0
                scores.append(ridge(
                    center(z[keep], train_episodes[keep]), center(train_factors[keep, j], train_episodes[keep]),
                    center(z_test[keep_test], test_episodes[keep_test]),
                    center(test_factors[keep_test, j], test_episodes[keep_test])))
            print(f'{name + label:16s} {participation:6.1f} {rank:5.1f} ' + ' '.join(f'{s:10.3f}' for s in scores))


if __name__ == '__main__':
    main()
