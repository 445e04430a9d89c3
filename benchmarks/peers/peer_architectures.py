"""PyTorch's side of architectures.py: makes the networks, with random weights, and times them.

    peer_architectures.py export FOLDER [NAME …]
    peer_architectures.py torch FOLDER NAME BATCH SECONDS      prints seconds for a batch, the median of runs
"""
import json
import sys

import torch
from peer_onnxruntime import seconds
from torch import nn

CHANNELS = {"impala": (4, 84, 84), "nature": (4, 84, 84), "autoencoder": (3, 64, 64), "slots": (3, 64, 64), "cnn_lstm": (6, 3, 64, 64)}


class Residual(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.body = nn.Sequential(nn.ReLU(), nn.Conv2d(n, n, 3, padding=1), nn.ReLU(), nn.Conv2d(n, n, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


def impala():
    """Espeholt et al. 2018, the large network, 16 and 32 channels."""
    parts, last = [], 4
    for n in (16, 32, 32):
        parts += [nn.Conv2d(last, n, 3, padding=1), nn.MaxPool2d(3, 2, 1), Residual(n), Residual(n)]
        last = n
    return nn.Sequential(*parts, nn.ReLU(), nn.Flatten(), nn.Linear(32 * 11 * 11, 256), nn.ReLU())


def nature():
    """Mnih et al. 2015."""
    return nn.Sequential(nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(), nn.Flatten(),
                         nn.Linear(3136, 512), nn.ReLU())


def autoencoder():
    """Four strided convolutions and four transposed ones."""
    down, up, sizes = [], [], (3, 32, 64, 128, 256)
    for a, b in zip(sizes, sizes[1:]):
        down += [nn.Conv2d(a, b, 4, 2, 1), nn.BatchNorm2d(b), nn.ReLU()]
    for a, b in zip(sizes[:0:-1], sizes[-2::-1]):
        up += [nn.ConvTranspose2d(a, b, 4, 2, 1), nn.ReLU()]
    return nn.Sequential(*down, *up[:-1], nn.Sigmoid())


class Slots(nn.Module):
    """Slot attention (Locatello et al. 2020): seven slots, three rounds."""

    def __init__(self, n=64, slots=7):
        super().__init__()
        self.encode = nn.Sequential(*[m for i in range(4) for m in (nn.Conv2d(n if i else 3, n, 5, padding=2, stride=2 if i == 1 else 1), nn.ReLU())])
        self.slots = nn.Parameter(torch.randn(1, slots, n))
        self.norm, self.q, self.k, self.v = nn.LayerNorm(n), nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)
        self.norm_slots, self.norm_mlp, self.gru = nn.LayerNorm(n), nn.LayerNorm(n), nn.GRUCell(n, n)
        self.mlp = nn.Sequential(nn.Linear(n, 2 * n), nn.ReLU(), nn.Linear(2 * n, n))

    def forward(self, x):
        f = self.norm(self.encode(x).flatten(2).transpose(1, 2))
        k, v, s = self.k(f), self.v(f), self.slots.expand(x.shape[0], -1, -1)
        for _ in range(3):
            a = (self.q(self.norm_slots(s)) @ k.transpose(1, 2) / 8).softmax(1) + 1e-8
            u = (a / a.sum(-1, keepdim=True)) @ v
            # The cell of GRUCell, written out: its operator takes two axes alone.
            gi, gh = nn.functional.linear(u, self.gru.weight_ih, self.gru.bias_ih), nn.functional.linear(s, self.gru.weight_hh, self.gru.bias_hh)
            (ir, iz, i), (hr, hz, h) = gi.chunk(3, -1), gh.chunk(3, -1)
            z = (iz + hz).sigmoid()
            s = (1 - z) * (i + (ir + hr).sigmoid() * h).tanh() + z * s
            s = s + self.mlp(self.norm_mlp(s))
        return s


class Recurrent(nn.Module):
    """A small convolution network for each frame, and an LSTM over six of them."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(3, 32, 4, 2), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 4, 2), nn.ReLU(), nn.Flatten(),
                                    nn.Linear(64 * 36, 256))
        self.lstm = nn.LSTM(256, 256, batch_first=True)

    def forward(self, x):
        z = self.encode(x.flatten(0, 1)).reshape(-1, 6, 256)
        return self.lstm(z)[0][:, -1]


def vision(name):
    import torchvision
    return lambda: torchvision.models.get_model(name, weights=None)


def timm_model(name):
    import timm
    return lambda: timm.create_model(name, pretrained=False)


NETWORKS = {"mobilenet_v3_small": vision("mobilenet_v3_small"), "mobilenet_v2": vision("mobilenet_v2"), "squeezenet1_1": vision("squeezenet1_1"),
            "efficientnet_b0": vision("efficientnet_b0"), "densenet121": vision("densenet121"), "resnet18": vision("resnet18"), "resnet50": vision("resnet50"),
            "shufflenet_v2": vision("shufflenet_v2_x1_0"), "regnet_y_400mf": vision("regnet_y_400mf"), "convnext_tiny": vision("convnext_tiny"),
            "resnext50": vision("resnext50_32x4d"), "vit_tiny": timm_model("vit_tiny_patch16_224"), "impala": impala, "nature": nature,
            "autoencoder": autoencoder, "slots": Slots, "cnn_lstm": Recurrent}


def network(name):
    torch.manual_seed(0)
    return NETWORKS[name]().eval(), CHANNELS.get(name, (3, 224, 224))


def export(folder, names):
    for name in names or NETWORKS:
        net, state = network(name)
        torch.onnx.export(net, (torch.rand(2, *state),), f"{folder}/{name}.onnx", input_names=["x"], output_names=["y"], opset_version=17,
                          dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}}, dynamo=False)
        with open(f"{folder}/{name}.json", "w") as f:
            json.dump(state, f)


def main():
    kind, folder = sys.argv[1:3]
    if kind == "export":
        return export(folder, sys.argv[3:])
    name, batch, budget = sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
    torch.set_num_threads(2)
    net, state = network(name)
    x = torch.rand(batch, *state)
    with torch.inference_mode():
        print(seconds(lambda: net(x), budget))


main()
