"""Writes rotary.npz and gelu.npz beside this script: PyTorch's functions on their own; see README.md."""
import os
import sys

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, here)
import reference

torch.manual_seed(40)
torch.set_num_threads(1)
arrays = {}
for width, tokens in ((2, 5), (6, 40), (16, 64), (4, 1000)):
    rotary = reference.Rotary(width)
    x = torch.randn(1, 2, tokens, width) if tokens < 1000 else torch.randn(1, 1, tokens, width)
    name = f"_{width}_{tokens}"
    arrays["x" + name], arrays["y" + name], arrays["inv_freq" + name] = x.numpy(), rotary(x).numpy(), rotary.inv_freq.numpy()
np.savez(os.path.join(here, "rotary.npz"), **arrays)

x = torch.cat([torch.linspace(-8, 8, 1601), torch.tensor([-40.0, -1e-30, 0.0, 1e-30, 40.0])])
exact = torch.nn.functional.gelu(x.double())
tanh = torch.nn.functional.gelu(x.double(), approximate="tanh")
np.savez(os.path.join(here, "gelu.npz"), x=x.numpy(), exact=exact.float().numpy(), tanh=tanh.float().numpy())
