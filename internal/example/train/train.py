#!/usr/bin/env python3
"""Train the two encoders of the arcade example (see README.md beside this file).

    go run ./internal/example/generate --train --out data
    /usr/bin/python3 internal/example/train/train.py jepa data
    /usr/bin/python3 internal/example/train/train.py encoder_decoder data

Writes the float32 state dict to WORK/<model>.pth and the loss curve to <model>.csv beside this file.
"""
import argparse
import copy
import csv
import math
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from model import ConvEncoder

ACTIONS = 6
CLIP = 4  # consecutive frames of a training clip


class Predictor(nn.Module):
    """The next latent from a latent and the action taken, as a change."""

    def __init__(self, dim=64, hidden=256):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + ACTIONS, hidden), nn.LayerNorm(hidden), nn.SiLU(),
                                 nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.SiLU(),
                                 nn.Linear(hidden, dim))

    def forward(self, z, action):
        return z + self.net(torch.cat([z, F.one_hot(action, ACTIONS).float()], -1))


class Decoder(nn.Module):
    """The next frame, 0 to 1, from a latent and the action taken."""

    def __init__(self, dim=64):
        super().__init__()
        self.fc = nn.Linear(dim + ACTIONS, 4096)
        self.layers = nn.Sequential(
            nn.SiLU(), nn.ConvTranspose2d(256, 96, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(96, 48, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(48, 24, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(24, 1, 4, 2, 1))

    def forward(self, z, action):
        h = self.fc(torch.cat([z, F.one_hot(action, ACTIONS).float()], -1))
        h = h.reshape(-1, 256, 4, 4).contiguous(memory_format=torch.channels_last)
        return torch.sigmoid(self.layers(h))[:, 0]


def off_diagonal_square(z):
    """Mean square of the off-diagonal covariances of z [n, d], per dimension."""
    z = z - z.mean(0)
    c = z.T @ z / (z.shape[0] - 1)
    return (c.square().sum() - c.diagonal().square().sum()) / z.shape[1]


class Data:
    """Frames, and the clips of CLIP consecutive frames inside one episode."""

    def __init__(self, folder, validation=0.1):
        self.frames = np.load(os.path.join(folder, 'frames.npy'))
        self.actions = np.load(os.path.join(folder, 'actions.npy'))
        episodes = np.load(os.path.join(folder, 'episodes.npy'))
        starts = {}
        for i in range(len(episodes) - CLIP + 1):
            if episodes[i] == episodes[i + CLIP - 1]:
                starts.setdefault(int(episodes[i]), []).append(i)
        names = sorted(starts)
        held = max(1, int(len(names) * validation))
        self.train = [np.array(starts[e]) for e in names[:-held]]
        self.validation = [np.array(starts[e]) for e in names[-held:]]

    def batch(self, rng, groups, episodes, clips):
        """`clips` clips from each of `episodes` episodes: frames [e*c, T, 64, 64], actions [e*c, T]."""
        # Long episodes are drawn more often, so that every frame counts alike.
        size = np.array([len(g) for g in groups], float)
        chosen = rng.choice(len(groups), episodes, replace=episodes > len(groups), p=size / size.sum())
        start = np.concatenate([rng.choice(groups[e], clips) for e in chosen])
        index = start[:, None] + np.arange(CLIP)
        return torch.from_numpy(self.frames[index].astype(np.float32)), torch.from_numpy(self.actions[index])


def new_encoder():
    """An encoder whose first filters see contrast rather than brightness, in units of raw pixels.

    Pixels are 0..255 and the screen is mostly dark sky: PyTorch's own initial weights answer to the mean
    brightness almost alone, and its initial biases are too small for the norm to quieten the sky's noise.
    """
    encoder = ConvEncoder()
    first = encoder.conv_layers[0]
    with torch.no_grad():
        first.weight -= 0.8 * first.weight.mean((1, 2, 3), keepdim=True)
        first.bias.uniform_(-5, 5)
    return encoder


class JEPA(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = new_encoder()
        self.target = copy.deepcopy(self.encoder).requires_grad_(False)
        self.predictor = Predictor()
        self.inverse = nn.Sequential(nn.Linear(128, 256), nn.LayerNorm(256), nn.SiLU(), nn.Linear(256, ACTIONS))

    def loss(self, frames, actions, episodes, clips):
        z = self.encoder(frames[:, None])                    # [n, T, 64]
        with torch.no_grad():
            target = self.target(frames[:, None])
        # Roll the predictor out over the clip from its first frame, and one step from each frame.
        step = self.predictor(z[:, :-1], actions[:, :-1])
        prediction = F.mse_loss(step, target[:, 1:])
        rolled = step[:, 0]
        for t in range(1, CLIP - 1):
            rolled = self.predictor(rolled, actions[:, t])
            prediction = prediction + F.mse_loss(rolled, target[:, t + 1]) / (CLIP - 2)
        prediction = prediction / 2
        # Which action was taken must show in the change of the latents: keeps the player in view.
        guess = self.inverse(torch.cat([z[:, :-1], z[:, 1:]], -1))
        inverse = F.cross_entropy(guess.reshape(-1, ACTIONS), actions[:, :-1].reshape(-1))
        # Against collapse: spread and decorrelate, over the batch and inside the episodes. Without the
        # second term the latents would only tell episodes apart, which is the easiest thing to predict.
        every = z.reshape(-1, z.shape[-1])
        inside = z.reshape(episodes, clips * CLIP, -1)
        inside = (inside - inside.mean(1, keepdim=True)).reshape(every.shape)
        spread = F.relu(1 - (every.var(0) + 1e-4).sqrt()).mean()
        spread_inside = F.relu(0.7 - (inside.var(0) + 1e-4).sqrt()).mean()
        covariance = off_diagonal_square(every)
        covariance_inside = off_diagonal_square(inside)
        total = 25 * prediction + 15 * (spread + spread_inside) + 0.2 * (covariance + covariance_inside) + 2 * inverse
        return total, {'prediction': prediction, 'inverse': inverse, 'spread': spread, 'spread_inside': spread_inside,
                       'covariance': covariance, 'covariance_inside': covariance_inside}

    def after_step(self, progress):
        momentum = 0.996 - 0.006 * (1 - progress) ** 2  # 0.990 → 0.996
        with torch.no_grad():
            for p, q in zip(self.target.parameters(), self.encoder.parameters()):
                p.lerp_(q, 1 - momentum)


class EncoderDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = new_encoder()
        self.decoder = Decoder()

    def loss(self, frames, actions, episodes, clips):
        # Each clip gives two transitions: frames 0 → 1 and 2 → 3.
        now, following = frames[:, 0::2], frames[:, 1::2]
        z = self.encoder(now[:, None])
        picture = self.decoder(z.reshape(-1, z.shape[-1]), actions[:, 0::2].reshape(-1))
        error = (picture - following.reshape(-1, 64, 64) / 255).square()
        pixel = error.sum((1, 2)).mean()
        return pixel, {'pixel': pixel}

    def after_step(self, progress):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model', choices=['jepa', 'encoder_decoder'])
    parser.add_argument('data', help='folder of frames.npy, episodes.npy, actions.npy')
    parser.add_argument('--work', default='.', help='folder for the float32 weights')
    parser.add_argument('--curves', default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument('--steps', type=int, default=1200)
    parser.add_argument('--episodes', type=int, default=16, help='episodes per batch')
    parser.add_argument('--clips', type=int, default=4, help='clips per episode')
    parser.add_argument('--rate', type=float, default=1e-3)
    parser.add_argument('--seed', type=int, default=42)
    parser.add_argument('--threads', type=int, default=2)
    o = parser.parse_args()

    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(o.seed)
    data = Data(o.data)
    model = JEPA() if o.model == 'jepa' else EncoderDecoder()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=o.rate, weight_decay=1e-4)
    check = np.random.default_rng(o.seed + 1)
    held_out = [data.batch(check, data.validation, 8, o.clips) for _ in range(4)]

    rows, began, seen = [], time.time(), {}
    for step in range(o.steps):
        progress = step / o.steps
        rate = o.rate * min(1, (step + 1) / 50) * (0.02 + 0.98 * (1 + math.cos(math.pi * progress)) / 2)
        for group in optimizer.param_groups:
            group['lr'] = rate
        frames, actions = data.batch(rng, data.train, o.episodes, o.clips)
        total, parts = model.loss(frames, actions, o.episodes, o.clips)
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(trained, 5 if o.model == 'jepa' else 50)
        optimizer.step()
        model.after_step(progress)
        for name, value in {'loss': total, **parts}.items():
            seen.setdefault(name, []).append(float(value))
        if (step + 1) % 25 == 0 or step == 0:
            row = {'step': step + 1, **{k: f'{np.mean(v):.6g}' for k, v in seen.items()}}
            seen = {}
            with torch.no_grad():
                held = [model.loss(*b, 8, o.clips)[1] for b in held_out]
            row.update({f'validation_{k}': f'{np.mean([float(h[k]) for h in held]):.6g}' for k in held[0]})
            rows.append(row)
            print(f'{time.time() - began:6.0f} s', row, flush=True)
            with open(os.path.join(o.curves, o.model + '.csv'), 'w', newline='') as f:
                writer = csv.DictWriter(f, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
            torch.save(model.encoder.state_dict(), os.path.join(o.work, o.model + '.pth'))
    print(f'{o.model}: torch {torch.__version__}, seed {o.seed}, {o.threads} threads, '
          f'{o.steps} steps, {time.time() - began:.0f} s')


if __name__ == '__main__':
    main()
