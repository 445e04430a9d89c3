#!/usr/bin/env python3
"""Train a predictor and a decoder beside a shipped encoder of the arcade example, which stays as it is (see README.md).

    /usr/bin/python3 heads.py predictor jepa data/train --work WORK
    /usr/bin/python3 heads.py decoder   jepa data/train --work WORK
    /usr/bin/python3 heads.py export    jepa data/example --work WORK

The predictor maps a latent [B, 64] and the action [B] to the next latent; the decoder maps a latent [B, 64] to its
frame [B, 64, 64], 0 to 255 as the frames are stored. WORK/<model>.npy holds the latents of all training frames.
Training writes WORK/<model>_<head>.pth and the loss curve <model>_<head>.csv beside this file. Export writes, below
internal/example, weights/<model>/{predictor,decoder}.onnx (opset 17, float16 values behind a Cast to float32) and
testdata/golden_<model>.npz: what PyTorch makes of a few states.
"""
import argparse
import csv
import io
import math
import os
import time

import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

from export import halve

HERE = os.path.dirname(os.path.abspath(__file__))
ARCADE = os.path.dirname(HERE)
ACTIONS, DIM = 6, 64
CLIP = 9        # consecutive latents of a clip: rollouts of 8 steps
MOVING = 5      # gray levels of 255 by which a pixel differs from the frame before or after it to count as moving
WEIGHT = 4      # of a moving pixel in the decoder's loss; a still one has 1


class Predictor(nn.Module):
    """The next latent from a latent and the action taken, as a change; `mean` and `std` are those of the latents."""

    def __init__(self, hidden=256):
        super().__init__()
        self.register_buffer('mean', torch.zeros(DIM))
        self.register_buffer('std', torch.ones(DIM))
        self.latent = nn.Linear(DIM, hidden)
        self.action = nn.Embedding(ACTIONS, hidden)
        self.net = nn.Sequential(nn.LayerNorm(hidden), nn.SiLU(),
                                 nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.SiLU(),
                                 nn.Linear(hidden, DIM))

    def forward(self, latent, action):
        h = self.latent((latent - self.mean) / self.std) + self.action(action)
        return latent + self.std * self.net(h)


class Decoder(nn.Module):
    """The frame of a latent, in the units of the stored frames; the sigmoid keeps it inside their range."""

    def __init__(self):
        super().__init__()
        self.register_buffer('mean', torch.zeros(DIM))
        self.register_buffer('std', torch.ones(DIM))
        self.fc = nn.Linear(DIM, 120 * 4 * 4)
        self.layers = nn.Sequential(
            nn.SiLU(), nn.ConvTranspose2d(120, 64, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1),
            nn.SiLU(), nn.ConvTranspose2d(16, 16, 4, 2, 1),
            nn.SiLU(), nn.Conv2d(16, 1, 3, padding=1))

    def forward(self, latent):
        h = self.fc((latent - self.mean) / self.std)
        return 255 * torch.sigmoid(self.layers(h.reshape(-1, 120, 4, 4)))[:, 0]


class Data:
    """Latents, actions and frames; the last tenth of the episodes is held out."""

    def __init__(self, o):
        self.latents = torch.from_numpy(np.load(f'{o.work}/{o.model}.npy'))
        self.actions = torch.from_numpy(np.load(os.path.join(o.data, 'actions.npy')).astype(np.int64))
        self.frames = np.load(os.path.join(o.data, 'frames.npy'), mmap_mode='r')
        episodes = np.load(os.path.join(o.data, 'episodes.npy'))
        names = np.unique(episodes)
        held = np.isin(episodes, names[-max(1, len(names) // 10):])
        self.train, self.validation = np.flatnonzero(~held), np.flatnonzero(held)
        same = episodes[:-CLIP + 1] == episodes[CLIP - 1:]
        self.train_clips = np.flatnonzero(same & ~held[:len(same)])
        self.validation_clips = np.flatnonzero(same & held[:len(same)])
        self.episodes = episodes

    def clips(self, starts):
        index = torch.from_numpy(starts[:, None] + np.arange(CLIP))
        return self.latents[index], self.actions[index]

    def pictures(self, index):
        """Latents, frames, and the weight of every pixel."""
        index = np.sort(index)
        frames = self.frames[index].astype(np.float32)
        moving = np.zeros(frames.shape, bool)
        for step in (-1, 1):
            other = np.clip(index + step, 0, len(self.frames) - 1)
            inside = self.episodes[other] == self.episodes[index]
            moving |= (np.abs(self.frames[other].astype(np.float32) - frames) > MOVING) & inside[:, None, None]
        weight = np.where(moving, np.float32(WEIGHT), np.float32(1))
        return self.latents[torch.from_numpy(index)], torch.from_numpy(frames), torch.from_numpy(weight)


def predictor_loss(model, data, starts):
    """Half the error of one step from every latent of the clips, half that of the rollout from the first."""
    z, actions = data.clips(starts)
    scale = data.variance
    step = F.mse_loss(model(z[:, :-1].reshape(-1, DIM), actions[:, :-1].reshape(-1)).reshape(z[:, 1:].shape), z[:, 1:]) / scale
    rolled, now = 0, z[:, 0]
    for t in range(CLIP - 1):
        now = model(now, actions[:, t])
        rolled = rolled + F.mse_loss(now, z[:, t + 1]) / scale / (CLIP - 1)
    with torch.no_grad():
        copy = F.mse_loss(z[:, :-1], z[:, 1:]) / scale
        copied = F.mse_loss(z[:, :1].expand_as(z[:, 1:]), z[:, 1:]) / scale
    return (step + rolled) / 2, {'one_step': step, 'one_step_copy': copy, 'rolled': rolled, 'rolled_copy': copied}


def decoder_loss(model, data, index):
    z, frames, weight = data.pictures(index)
    square = ((model(z) - frames) / 255).square()
    return (weight * square).mean(), {'pixel': square.mean()}


def train(o):
    torch.manual_seed(o.seed)
    torch.use_deterministic_algorithms(True)
    rng, check = np.random.default_rng(o.seed), np.random.default_rng(o.seed + 1)
    data = Data(o)
    known = data.latents[torch.from_numpy(data.train)]
    data.variance = known.var(0).mean()
    if o.head == 'predictor':
        model, loss, draw, held = Predictor(), predictor_loss, data.train_clips, data.validation_clips
    else:
        model, loss, draw, held = Decoder(), decoder_loss, data.train, data.validation
    model.mean.copy_(known.mean(0).half().float())
    model.std.copy_(known.std(0).half().float())
    held = check.choice(held, 1024, replace=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=o.rate, weight_decay=1e-4)
    rows, seen, began = [], {}, time.time()
    for step in range(o.steps):
        rate = o.rate * min(1, (step + 1) / 50) * (0.01 + 0.99 * (1 + math.cos(math.pi * step / o.steps)) / 2)
        for group in optimizer.param_groups:
            group['lr'] = rate
        total, parts = loss(model, data, rng.choice(draw, o.batch, replace=False))
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        for name, value in {'loss': total, **parts}.items():
            seen.setdefault(name, []).append(float(value))
        if (step + 1) % 100 == 0 or step == 0:
            row = {'step': step + 1, **{k: f'{np.mean(v):.6g}' for k, v in seen.items()}}
            seen = {}
            with torch.no_grad():
                parts = [loss(model, data, held[i:i + 256])[1] for i in range(0, len(held), 256)]
            row.update({f'validation_{k}': f'{np.mean([float(p[k]) for p in parts]):.6g}' for k in parts[0]})
            rows.append(row)
            print(f'{time.time() - began:6.0f} s', row, flush=True)
            with open(os.path.join(o.curves, f'{o.model}_{o.head}.csv'), 'w', newline='') as f:
                writer = csv.DictWriter(f, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
            torch.save(model.state_dict(), f'{o.work}/{o.model}_{o.head}.pth')
    print(f'{o.model} {o.head}: torch {torch.__version__}, seed {o.seed}, {o.steps} steps of {o.batch}, {time.time() - began:.0f} s')


def write(model, path, example, names, output):
    buffer = io.BytesIO()
    torch.onnx.export(model, example, buffer, opset_version=17, input_names=names, output_names=[output],
                      dynamic_axes={name: {0: 'batch'} for name in [*names, output]})
    graph = onnx.load_from_string(buffer.getvalue())
    halve(graph)
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, path)
    print(path, sorted({n.op_type for n in graph.graph.node}), os.path.getsize(path), 'bytes')


def export(o):
    """The shipped files of both heads, and what PyTorch makes of the states of golden_latents.npz with them."""
    golden = np.load(os.path.join(ARCADE, 'testdata', 'golden_latents.npz'))
    latents = torch.from_numpy(golden[o.model])
    actions = torch.from_numpy(np.load(os.path.join(o.data, 'actions.npy'))[golden['index']].astype(np.int64))
    heads = {'predictor': Predictor(), 'decoder': Decoder()}
    for name, head in heads.items():
        state = torch.load(f'{o.work}/{o.model}_{name}.pth')
        head.load_state_dict({k: v.half().float() for k, v in state.items()})
        head.eval()
    folder = os.path.join(ARCADE, 'weights', o.model)
    write(heads['predictor'], os.path.join(folder, 'predictor.onnx'), (latents, actions), ['latent', 'action'], 'next')
    write(heads['decoder'], os.path.join(folder, 'decoder.onnx'), (latents,), ['latent'], 'frame')
    with torch.no_grad():
        following = heads['predictor'](latents, actions)
        frames = heads['decoder'](torch.cat([latents[:2], following[:2]]))
    np.savez(os.path.join(ARCADE, 'testdata', f'golden_{o.model}.npz'), action=actions.numpy(),
             next=following.numpy(), frame=frames.numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('head', choices=['predictor', 'decoder', 'export'])
    parser.add_argument('model', choices=['jepa', 'encoder_decoder'])
    parser.add_argument('data', help='folder of frames.npy, episodes.npy, actions.npy')
    parser.add_argument('--work', default='.', help='folder of the latents <model>.npy and for the float32 weights')
    parser.add_argument('--curves', default=HERE)
    parser.add_argument('--steps', type=int, default=3000)
    parser.add_argument('--batch', type=int, default=128, help='clips or frames of a step')
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--seed', type=int, default=42)
    parser.add_argument('--threads', type=int, default=1)
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    export(o) if o.head == 'export' else train(o)


if __name__ == '__main__':
    main()
