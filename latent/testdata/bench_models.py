"""The encoders of the speed comparison, with random weights, as ONNX files.

/usr/bin/python3 bench_models.py DIR [batch]

Writes DIR/{ConvEncoder,DQN,VideoViT,ViT-S}.onnx with a free batch axis, and for
each of them NAME.json with the shape of one state.
"""
import json
import os
import sys

import torch
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "model", "checkpoint", "testdata"))
import reference


class SelfAttention(nn.Module):
    """Attention with a fused qkv layer, as torch's TransformerEncoderLayer has it."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1)) * (d // self.heads) ** -0.5
        return self.proj((a.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(dim), SelfAttention(dim, heads)
        self.norm2, self.fc1, self.fc2 = nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(nn.functional.gelu(self.fc1(self.norm2(x))))


class ViT(nn.Module):
    """4x84x84 frames, patch 7, 145 tokens, dim 128, depth 6, 4 heads."""

    def __init__(self, dim=128, depth=6, heads=4):
        super().__init__()
        self.patches = nn.Conv2d(4, dim, 7, 7)
        self.cls, self.positions = nn.Parameter(torch.randn(1, 1, dim) * 0.02), nn.Parameter(torch.randn(1, 145, dim) * 0.02)
        self.blocks = nn.Sequential(*(Block(dim, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.norm(self.blocks(x))[:, 0]


def models():
    """Name → (module, shape of one state)."""
    torch.manual_seed(0)
    return {
        "ConvEncoder": (reference.ConvEncoder(), (1, 1, 64, 64)),
        "DQN": (reference.DQNEncoder(), (4, 84, 84)),
        "VideoViT": (reference.VideoViT(), (1, 6, 64, 64)),
        "ViT-S": (ViT(), (4, 84, 84)),
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, (model, state) in models().items():
        path = os.path.join(folder, name)
        torch.onnx.export(model.eval(), torch.rand(2, *state), path + ".onnx", opset_version=16,
                          input_names=["state"], output_names=["latent"], dynamic_axes={"state": {0: "batch"}, "latent": {0: "batch"}})
        with open(path + ".json", "w") as f:
            json.dump(state, f)
