"""Reference definitions of the encoder architectures that model/checkpoint reads.

ConvEncoder: [B, 1, T, H, W] -> [B, T, D], each frame by itself:
4 x (Conv2d k4 s2 p1; activation; LayerNorm over channels, eps 1e-5),
flatten in (C, H, W) order, LayerNorm, Linear.
DQNEncoder: [B, 4, 84, 84] -> [B, 512].
VideoViT: [B, C, T, H, W] -> [B, T, E]: patches of one frame each, pre-norm blocks
within a frame, LayerNorm, mean over patches, pre-norm blocks over the frames of
a clip, LayerNorm. All attention is bidirectional and turns queries and keys by a
rotary embedding of the token's index. With E 64, patch 4, 8 + 4 blocks, 4 heads
and one channel it has 598,848 parameters (the frequencies are buffers).
ViTMAE: [B, C, H, W] -> tokens [B, 1 + N, E]; attributes have the names of Hugging
Face's encoder, so that its files have the same keys; without masking.
"""
import math

import torch
from torch import nn


class ConvEncoder(nn.Module):
    def __init__(self, latent_dim=64, channels=(32, 64, 128, 256), size=64, activation=torch.nn.functional.silu):
        super().__init__()
        self.activation = activation
        ins = (1,) + tuple(channels[:-1])
        self.conv_layers = nn.ModuleList(
            nn.Conv2d(i, o, kernel_size=4, stride=2, padding=1) for i, o in zip(ins, channels))
        self.layer_norms = nn.ModuleList(nn.LayerNorm(c, eps=1e-5) for c in channels)
        features = channels[-1] * (size // 2 ** len(channels)) ** 2
        self.final_norm = nn.LayerNorm(features)
        self.fc = nn.Linear(features, latent_dim)

    def forward(self, x):
        b, c, t, h, w = x.shape
        x = x.permute(0, 2, 1, 3, 4).reshape(b * t, c, h, w)
        for conv, norm in zip(self.conv_layers, self.layer_norms):
            x = self.activation(conv(x))
            x = norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        x = self.final_norm(x.reshape(b * t, -1))
        return self.fc(x).reshape(b, t, -1)


class DQNEncoder(nn.Module):
    def __init__(self, channels=(32, 64, 64), latent_dim=512, final_relu=True):
        super().__init__()
        a, b, c = channels
        self.conv1 = nn.Conv2d(4, a, kernel_size=8, stride=4)
        self.conv2 = nn.Conv2d(a, b, kernel_size=4, stride=2)
        self.conv3 = nn.Conv2d(b, c, kernel_size=3, stride=1)
        self.fc_enc = nn.Linear(c * 7 * 7, latent_dim)
        self.final_relu = final_relu

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = torch.relu(self.conv3(x))
        x = self.fc_enc(x.flatten(1))
        return torch.relu(x) if self.final_relu else x


class Rotary(nn.Module):
    def __init__(self, width, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, width, 2).float() / width))

    def forward(self, x):
        index = torch.arange(x.shape[-2], device=x.device).float()
        angle = torch.einsum("i,j->ij", index, self.inv_freq)
        angle = torch.cat([angle, angle], -1)
        half = x.shape[-1] // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * angle.cos() + turned * angle.sin()


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width)
        self.rotary_emb = Rotary(width // heads)

    def forward(self, x):
        b, n, e = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, e // self.heads).permute(2, 0, 3, 1, 4)
        q, k = self.rotary_emb(q), self.rotary_emb(k)
        weights = torch.softmax(q @ k.transpose(-2, -1) * (e // self.heads) ** -0.5, -1)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, n, e))


class MLP(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x):
        return self.fc2(torch.nn.functional.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-5)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=1e-5)
        self.mlp = MLP(width, 4 * width)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbed(nn.Module):
    def __init__(self, channels, width, patch):
        super().__init__()
        self.conv_spatial = nn.Conv3d(channels, width, kernel_size=(1, patch, patch), stride=(1, patch, patch))

    def forward(self, x):
        x = self.conv_spatial(x)  # [B, E, T, h, w]
        b, e, t, h, w = x.shape
        return x.permute(0, 2, 3, 4, 1).reshape(b * t, h * w, e)


class VideoViT(nn.Module):
    def __init__(self, width=64, patch=4, depth=8, temporal_depth=4, heads=4, channels=1):
        super().__init__()
        self.patch_embed = PatchEmbed(channels, width, patch)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width, eps=1e-5)
        self.temporal_blocks = nn.ModuleList(Block(width, heads) for _ in range(temporal_depth))
        self.temporal_norm = nn.LayerNorm(width, eps=1e-5)

    def forward(self, x):
        b, t = x.shape[0], x.shape[2]
        x = self.patch_embed(x)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x).mean(1).reshape(b, t, -1)
        for block in self.temporal_blocks:
            x = block(x)
        return self.temporal_norm(x)


class Part(nn.Module):
    """A node of a tree of names."""

    def __init__(self, **children):
        super().__init__()
        for name, child in children.items():
            setattr(self, name, child)


class ViTMAELayer(nn.Module):
    def __init__(self, width, heads, hidden, eps):
        super().__init__()
        self.heads = heads
        self.attention = Part(
            attention=Part(query=nn.Linear(width, width), key=nn.Linear(width, width), value=nn.Linear(width, width)),
            output=Part(dense=nn.Linear(width, width)))
        self.intermediate = Part(dense=nn.Linear(width, hidden))
        self.output = Part(dense=nn.Linear(hidden, width))
        self.layernorm_before = nn.LayerNorm(width, eps=eps)
        self.layernorm_after = nn.LayerNorm(width, eps=eps)

    def forward(self, x):
        b, n, e = x.shape
        y = self.layernorm_before(x)
        part = self.attention.attention
        q, k, v = (f(y).view(b, n, self.heads, e // self.heads).permute(0, 2, 1, 3) for f in (part.query, part.key, part.value))
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(e // self.heads), -1)
        x = x + self.attention.output.dense((weights @ v).permute(0, 2, 1, 3).reshape(b, n, e))
        return x + self.output.dense(torch.nn.functional.gelu(self.intermediate.dense(self.layernorm_after(x))))


class ViTMAE(nn.Module):
    def __init__(self, width=128, patch=7, layers=4, heads=8, hidden=512, channels=4, size=84, eps=1e-12):
        super().__init__()
        self.embeddings = Part(patch_embeddings=Part(projection=nn.Conv2d(channels, width, patch, stride=patch)))
        self.embeddings.cls_token = nn.Parameter(torch.randn(1, 1, width))
        self.embeddings.position_embeddings = nn.Parameter(torch.randn(1, 1 + (size // patch) ** 2, width))
        self.encoder = Part(layer=nn.ModuleList(ViTMAELayer(width, heads, hidden, eps) for _ in range(layers)))
        self.layernorm = nn.LayerNorm(width, eps=eps)

    def forward(self, x):
        positions = self.embeddings.position_embeddings
        x = self.embeddings.patch_embeddings.projection(x).flatten(2).transpose(1, 2) + positions[:, 1:]
        cls = self.embeddings.cls_token + positions[:, :1]
        x = torch.cat([cls.expand(x.shape[0], -1, -1), x], 1)
        for layer in self.encoder.layer:
            x = layer(x)
        return self.layernorm(x)


class MLPEncoder(nn.Module):
    """An encoder of vectors: Linear, LayerNorm, GELU, Linear, Tanh, Linear."""

    def __init__(self, inputs=48, hidden=96, latent_dim=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.GELU(),
            nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, latent_dim))

    def forward(self, x):
        return self.net(x)
