"""Reference definitions of the encoder architectures that latent/checkpoint reads.

ConvEncoder: [B, 1, T, H, W] -> [B, T, D], each frame by itself:
4 x (Conv2d k4 s2 p1; activation; LayerNorm over channels, eps 1e-5),
flatten in (C, H, W) order, LayerNorm, Linear.
DQNEncoder: [B, 4, 84, 84] -> [B, 512].
"""
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


class MLPEncoder(nn.Module):
    """An encoder of vectors: Linear, LayerNorm, GELU, Linear, Tanh, Linear."""

    def __init__(self, inputs=48, hidden=96, latent_dim=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.GELU(),
            nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, latent_dim))

    def forward(self, x):
        return self.net(x)
