"""Writes states.onnx, a recurrent encoder with inputs beside the states as PyTorch exports it, states.npz, its inputs, and
states_expected.npz, ONNX Runtime's outputs; see README.md.

    python generate_states.py
"""
import os
import warnings

import numpy as np
import onnxruntime
import torch

here = os.path.dirname(os.path.abspath(__file__))
warnings.simplefilter("ignore")
torch.manual_seed(0)


class Encoder(torch.nn.Module):
    """[B, T, 2, 3] to the state after the last step, times a gain: [B, 4]."""

    def __init__(self):
        super().__init__()
        self.linear, self.layer = torch.nn.Linear(6, 5), torch.nn.LSTM(5, 4, 2, batch_first=True)

    def forward(self, x, h0, c0, gain):
        y, (h, c) = self.layer(self.linear(x.flatten(2)), (h0, c0))
        return y[:, -1] * gain, h, c


batch, x, h, c = 3, torch.randn(3, 4, 2, 3), torch.randn(2, 1, 4), torch.randn(2, 1, 4)
path = os.path.join(here, "states.onnx")
torch.onnx.export(Encoder().eval(), (x, h.expand(2, batch, 4).contiguous(), c.expand(2, batch, 4).contiguous(), torch.tensor(1.5)), path, dynamo=False, opset_version=17,
                  input_names=["x", "h0", "c0", "gain"], output_names=["z", "hn", "cn"], dynamic_axes={"x": {0: "batch", 1: "time"}, "h0": {1: "batch"}, "c0": {1: "other"}})
session = onnxruntime.InferenceSession(path)
zeros = np.zeros((2, batch, 4), np.float32)
outputs = {"zeros": session.run(["z"], {"x": x.numpy(), "h0": zeros, "c0": zeros, "gain": np.array(1, np.float32)})[0],
           "arrays": session.run(["z"], {"x": x.numpy(), "h0": np.repeat(h.numpy(), batch, 1), "c0": np.repeat(c.numpy(), batch, 1), "gain": np.array(2.5, np.float32)})[0]}
np.savez(os.path.join(here, "states.npz"), x=x.numpy(), h=h.numpy(), c=c.numpy(), wide=np.zeros((2, 2, 4), np.float32))
np.savez(os.path.join(here, "states_expected.npz"), **outputs)
