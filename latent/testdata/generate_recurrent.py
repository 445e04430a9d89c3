"""Writes recurrent encoders as PyTorch exports them, their inputs and PyTorch's outputs, listed in
golden_recurrent.json, and the network that generate_quantized.py quantises; see README.md.
"""
import json
import os
import warnings

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
warnings.filterwarnings("ignore")
torch.manual_seed(31)
torch.set_num_threads(1)
rng = np.random.default_rng(31)
cases = []


class Dreamer(torch.nn.Module):
    """Frames to features, a recurrent layer over time, a head: [B, T, 1, 16, 16] to [B, T, 12]."""

    def __init__(self, layer, width):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 4, 4, 4)
        self.layer = layer
        self.head = torch.nn.Linear(width, 12)

    def forward(self, x):
        b, t = x.shape[:2]
        y = torch.relu(self.conv(x.flatten(0, 1))).reshape(b, t, -1)
        return self.head(self.layer(y)[0])


class Last(torch.nn.Module):
    """The state after the last step, of all layers and directions: [B, T, 6] to [B, W]."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        state = self.layer(x)[1]
        state = torch.cat(state, -1) if isinstance(state, tuple) else state
        return state.transpose(0, 1).flatten(1)


class Cell(torch.nn.Module):
    """A cell that is called step by step, as world models do: [B, T, 6] to [B, T, 8]."""

    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRUCell(6, 8)

    def forward(self, x):
        h, all = torch.zeros(x.shape[0], 8), []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            all.append(h)
        return torch.stack(all, 1)


class Small(torch.nn.Module):
    """The network to be quantised: [B, 1, 16, 16] to [B, 10]."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(1, 4, 4, 2, 1)
        self.second = torch.nn.Conv2d(4, 8, 4, 2, 1)
        self.depthwise = torch.nn.Conv2d(8, 8, 3, 1, 1, groups=8)
        self.hidden = torch.nn.Linear(128, 16)
        self.head = torch.nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.second(torch.relu(self.first(x))))
        x = x + torch.relu(self.depthwise(x))
        return self.head(torch.sigmoid(self.hidden(x.flatten(1))))


def case(name, module, x, opsets, time=True, times=True):
    """The time of the input is free if time, that of the output if times."""
    module.eval()
    np.save(os.path.join(here, name + "_input.npy"), x)
    with torch.no_grad():
        np.save(os.path.join(here, name + ".npy"), module(torch.from_numpy(x)).numpy())
    # Exported for another batch and length than it is run with.
    example = np.concatenate([x, x[:1]])
    if time:
        example = np.concatenate([example, example[:, :1]], 1)
    axes = {"x": {0: "batch", 1: "time"} if time else {0: "batch"}, "z": {0: "batch", 1: "time"} if times else {0: "batch"}}
    for opset in opsets:
        file = f"{name}_opset{opset}.onnx"
        torch.onnx.export(module, torch.from_numpy(example), os.path.join(here, file), opset_version=opset, input_names=["x"], output_names=["z"], dynamic_axes=axes)
        cases.append(dict(file=file, input=name + "_input.npy", expected=name + ".npy"))


frames = rng.random((3, 5, 1, 16, 16), dtype=np.float32)
series = rng.standard_normal((3, 5, 6)).astype(np.float32)
case("dreamer_gru", Dreamer(torch.nn.GRU(64, 20, batch_first=True), 20), frames, (11, 17))
case("dreamer_lstm", Dreamer(torch.nn.LSTM(64, 12, 2, batch_first=True, bidirectional=True), 24), frames, (11, 17))
case("dreamer_rnn", Dreamer(torch.nn.RNN(64, 16, batch_first=True, nonlinearity="relu"), 16), frames, (14,))
case("last_lstm", Last(torch.nn.LSTM(6, 8, 2, batch_first=True)), series, (13,), times=False)
case("cell", Cell(), series, (17,), time=False, times=False)
with open(os.path.join(here, "golden_recurrent.json"), "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")

small = Small().eval()
torch.onnx.export(small, torch.zeros(2, 1, 16, 16), os.path.join(here, "small.onnx"), opset_version=13, input_names=["x"], output_names=["z"],
                  dynamic_axes={"x": {0: "batch"}, "z": {0: "batch"}})
