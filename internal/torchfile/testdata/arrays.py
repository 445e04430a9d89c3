"""Writes PyTorch files with arrays of NumPy, views and subclasses, and arrays.json with what is in them.

    python arrays.py        (PyTorch 2.15, NumPy 2.4)
"""
import collections
import json
import pathlib

import numpy as np
import torch

out = pathlib.Path(__file__).parent
expected = {}


class Ordered(collections.OrderedDict):
    """A subclass that no reader knows."""


def describe(v):
    if isinstance(v, torch.Tensor):
        v = v.detach().numpy()
    return {"dtype": v.dtype.name, "shape": list(v.shape), "data": v.astype(float).flatten().tolist()}


def save(name, value, **options):
    torch.save(value, out / name, **options)
    expected[name] = [[k, describe(v)] for k, v in value.items()]


a, t, base = np.arange(12.0).reshape(3, 4), torch.arange(6.0).reshape(2, 3), torch.arange(20.0)
arrays = dict(plain=a, fortran=np.asfortranarray(a), big=a.astype(">f4"), backwards=a[::-1, ::-1], part=a[:, 1::2], integers=np.arange(-3, 3), flags=np.array([True, False]),
              scalar=np.array(2.5), half=a.astype(np.float16), empty=np.zeros((0, 4)))
for protocol in (2, 4, 5):
    save(f"arrays_protocol{protocol}.pt", arrays, pickle_protocol=protocol)
save("arrays_legacy.pt", arrays, _use_new_zipfile_serialization=False)
views = dict(tied=t, transposed=t.T, row=t[1], window=base[5:17].reshape(3, 4)[:, 1:3], expanded=torch.tensor([1.0, 2.0]).reshape(2, 1).expand(2, 3),
             channels_last=torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last))
save("views.pt", views)
save("views_legacy.pt", views, _use_new_zipfile_serialization=False)
save("subclass.pt", Ordered(views))
(out / "arrays.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")
