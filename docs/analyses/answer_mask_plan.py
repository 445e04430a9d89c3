"""Answers a mask plan with a model that is run outside of repscope.

    sequence --sequences antibodies.csv --mask-plan plan.npz
    python3 answer_mask_plan.py plan.npz answer.npz
    sequence --dump mine=answer.npz --sequences antibodies.csv

The model here knows only which residue is common at which place of a chain, as seen where it
is not hidden; put your own in the place of the function model. Needs NumPy (tried: 1.24, 2.4).
"""

import sys

import numpy as np


def model(token_ids, chain_ids, attention_mask, vocabulary, mask_token):
    """Logits [B, L, V] of a batch of the plan: what a network is shown stands in its arguments."""
    logits = np.empty((*token_ids.shape, vocabulary), np.float32)
    places = place(chain_ids, attention_mask)
    for row in range(len(token_ids)):
        logits[row] = np.log(counts[chain_ids[row], places[row]] + 0.1)
    return logits


def place(chain_ids, attention_mask):
    """The place of every token in its chain, [B, L]."""
    index = np.arange(chain_ids.shape[1])
    first = np.argmax((chain_ids == 1) & (attention_mask == 1), axis=1)[:, None]
    return np.where(chain_ids == 1, index - first, index).clip(0)


def count(token_ids, chain_ids, attention_mask, vocabulary, mask_token):
    """How often a token is seen at a place of a chain, [2, L, V]: the training of this model."""
    out = np.zeros((2, token_ids.shape[1], vocabulary))
    seen = (attention_mask == 1) & (token_ids != mask_token)
    np.add.at(out, (chain_ids[seen], place(chain_ids, attention_mask)[seen], token_ids[seen]), 1)
    return out


if __name__ == "__main__":
    plan = dict(np.load(sys.argv[1]))
    vocabulary = 32
    mask_token = 31
    inputs = [plan[name].astype(np.int64) for name in ("token_ids", "chain_ids", "attention_mask")]
    masked = plan["pass"] == 0  # what this model learns from: the rows of the standard mask
    counts = count(*(a[masked] for a in inputs), vocabulary, mask_token)
    batches = range(0, len(inputs[0]), 64)
    plan["logits"] = np.concatenate([model(*(a[i : i + 64] for a in inputs), vocabulary, mask_token) for i in batches])
    np.savez(sys.argv[2], **plan)
