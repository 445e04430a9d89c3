"""Writes the PyTorch files that torch_test.go reads, next to this script.

    python generate.py        (PyTorch 2.15)
"""
import pathlib
import sys
import warnings

import torch

warnings.simplefilter("ignore")
out = pathlib.Path(__file__).parent
x = torch.arange(12, dtype=torch.float32).reshape(4, 3)


def save(name, value):
    torch.save(value, out / f"{name}.pt")


class Batch:
    """A class that a pickle names, as users have them."""

    def __init__(self):
        self.z = x


save("tensor", x)
save("bfloat16", x.bfloat16())
save("float16", x.half())
save("dict", {"z": x, "labels": torch.arange(4)})
save("one", {"z": x, "epoch": 3})
save("list", [x, 2 * x])
save("tuple", (x,))
save("integers", {0: x, 10: 2 * x})
save("nested", {"a": {"b.c": [x]}})
wide = torch.zeros(8, 6)
wide[::2, ::2] = 2 * x
save("views", {
    "transposed": x.t().contiguous().t(), "strided": wide[::2, ::2], "offset": torch.cat([-x, x])[4:], "expanded": x[0].expand(4, 3),
    "channels_last": x.reshape(2, 2, 3, 1).to(memory_format=torch.channels_last)})
save("rewards", [0.5, 1, -2.0])
save("mixed_list", [1, "two"])
save("scalar_list", [1, True])
save("empty_dict", {})
save("text_and_all", {"text": "a", "number": 1})
save("negated", torch._neg_view(x))
save("complex", x.to(torch.complex64))
save("sparse", x.to_sparse())
save("quantized", torch.quantize_per_tensor(x, 0.1, 0, torch.qint8))
save("eight", x.to(torch.float8_e4m3fn))
save("meta", x.to("meta"))
save("object", Batch())
print(torch.__version__, sys.version.split()[0])
