"""The published ConvEncoder: [B, 1, T, 64, 64] → [B, T, 64], frame by frame, 960,480 parameters."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvEncoder(nn.Module):
    def __init__(self, channels=(1, 32, 64, 128, 256), dim=64):
        super().__init__()
        self.conv_layers = nn.ModuleList(
            nn.Conv2d(a, b, kernel_size=4, stride=2, padding=1) for a, b in zip(channels, channels[1:]))
        self.layer_norms = nn.ModuleList(nn.LayerNorm(c, eps=1e-5) for c in channels[1:])
        self.final_norm = nn.LayerNorm(4096)
        self.fc = nn.Linear(4096, dim)

    def forward(self, x):
        batch, channel, steps, height, width = x.shape
        # One image per frame; channels last in memory, so that the norm over channels moves nothing.
        x = x.permute(0, 2, 1, 3, 4).reshape(batch * steps, channel, height, width)
        if not torch.onnx.is_in_onnx_export():
            x = x.contiguous(memory_format=torch.channels_last)
        for conv, norm in zip(self.conv_layers, self.layer_norms):
            x = F.silu(conv(x))
            x = norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        x = self.final_norm(x.flatten(1))
        return self.fc(x).reshape(batch, steps, -1)
