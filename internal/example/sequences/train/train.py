#!/usr/bin/env python3
"""Train a model of the sequences.

    /usr/bin/python3 train.py NAME SEQUENCES.csv --work WORK [--steps 1500] [--stop STEP] [--sequences N] [--rate 3e-3]

Writes WORK/NAME.pth and NAME.csv, the curve, beside this script. The last tenth of the sequences is held out for the
validation_ columns. --stop ends the same training early; --sequences takes the first of them alone. NAME frequencies counts instead.
"""
import argparse
import csv
import math
import os
import time

import numpy as np
import torch
from torch.nn import functional

from model import CLS, EOS, LETTERS, MASK, PAD, PLACES, VOCABULARY, Frequencies, Transformer, places

HERE = os.path.dirname(os.path.abspath(__file__))


def load(path):
    """Tokens and chains of all sequences, padded to one length."""
    rows = []
    with open(path, newline='') as file:
        for row in csv.DictReader(file):
            rows.append((row['heavy_chain'], row['light_chain']))
    length = max(len(h) + len(l) for h, l in rows) + 2
    tokens = np.full((len(rows), length), PAD, np.int64)
    chains = np.zeros((len(rows), length), np.int64)
    for i, (heavy, light) in enumerate(rows):
        ids = [CLS] + [4 + LETTERS.index(c) for c in heavy + light] + [EOS]
        tokens[i, :len(ids)] = ids
        chains[i, 1 + len(heavy):len(ids)] = 1
    return torch.from_numpy(tokens), torch.from_numpy(chains)


def hide(tokens, generator):
    """Hide 15 % of the residues: the tokens with masks put in, and the targets, −100 elsewhere."""
    hidden = (torch.rand(tokens.shape, generator=generator) < 0.15) & (tokens >= 4)
    return torch.where(hidden, torch.tensor(MASK), tokens), torch.where(hidden, tokens, torch.tensor(-100))


def score(model, tokens, chains, generator):
    """Cross-entropy, accuracy and mean confidence at hidden positions."""
    shown, target = hide(tokens, generator)
    loss = right = sure = count = 0
    with torch.no_grad():
        for i in range(0, len(tokens), 100):
            part = slice(i, i + 100)
            logits = model(shown[part], chains[part], (tokens[part] != PAD).long())
            logits = logits[0] if isinstance(logits, tuple) else logits
            at = target[part] >= 0
            p, t = torch.log_softmax(logits[at], 1), target[part][at]
            loss -= p.gather(1, t[:, None]).sum().item()
            right += (p.argmax(1) == t).sum().item()
            sure += p.max(1).values.exp().sum().item()
            count += len(t)
    return loss / count, right / count, sure / count


def count(tokens, chains):
    """ln of the frequencies of tokens by place, each residue counted once more than it is found."""
    model = Frequencies()
    valid = (tokens != PAD).long()
    side, start, _ = places(tokens, chains, valid)
    table = torch.zeros(2 * PLACES * VOCABULARY, dtype=torch.float64)
    table.index_add_(0, ((start + PLACES * side) * VOCABULARY + tokens).flatten(), valid.double().flatten())
    table = table.reshape(-1, VOCABULARY)
    table[:, 4:4 + len(LETTERS)] += 1
    table[:, :4] = 0
    logits = torch.log(table / table.sum(1, keepdim=True)).clamp(min=-20)
    model.table.weight.data = logits.float()
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('sequences_file')
    parser.add_argument('--work', required=True)
    parser.add_argument('--steps', type=int, default=1500)
    parser.add_argument('--stop', type=int, default=0)
    parser.add_argument('--sequences', type=int, default=0)
    parser.add_argument('--rate', type=float, default=3e-3)
    parser.add_argument('--batch', type=int, default=48)
    o = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(42)
    tokens, chains = load(o.sequences_file)
    held = len(tokens) // 10
    held_out = tokens[-held:][:600], chains[-held:][:600]
    n = o.sequences or len(tokens) - held
    if o.name == 'frequencies':
        model = count(tokens[:n], chains[:n])
        print('validation', score(model, *held_out, torch.Generator().manual_seed(1)))
        torch.save(model.state_dict(), f'{o.work}/{o.name}.pth')
        return
    model = Transformer()
    print(sum(p.numel() for p in model.parameters()), 'parameters')
    optimizer = torch.optim.AdamW(model.parameters(), lr=o.rate, weight_decay=1e-4, betas=(0.9, 0.99))
    schedule = lambda step: min((step + 1) / 50, 0.02 + 0.98 * (1 + math.cos(math.pi * step / o.steps)) / 2)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    generator = torch.Generator().manual_seed(2)
    begin, total = time.time(), 0.0
    with open(os.path.join(HERE, o.name + '.csv'), 'w', newline='') as file:
        curve = csv.writer(file, lineterminator='\n')
        curve.writerow(['step', 'loss', 'validation_loss', 'validation_accuracy', 'validation_confidence'])
        for step in range(1, (o.stop or o.steps) + 1):
            index = torch.randint(n, (o.batch,), generator=generator)
            shown, target = hide(tokens[index], generator)
            logits, _, _ = model(shown, chains[index], (tokens[index] != PAD).long())
            at = target >= 0
            loss = functional.cross_entropy(logits[at], target[at])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += loss.item()
            if step % 50 == 0 or step == o.stop:
                row = [total / (step % 50 or 50)] + list(score(model, *held_out, torch.Generator().manual_seed(1)))
                curve.writerow([step] + [f'{v:.4f}' for v in row])
                file.flush()
                print(step, *(f'{v:.4f}' for v in row), f'{time.time() - begin:.0f} s', flush=True)
                total = 0.0
    torch.save(model.state_dict(), f'{o.work}/{o.name}.pth')


if __name__ == '__main__':
    main()
