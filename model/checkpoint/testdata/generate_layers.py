"""Writes layers.npz: what forward hooks see of the blocks and stages of the models in families.

    python3 generate_layers.py [FOLDER]

The models are made again as generate_families.py makes them, and their outputs compared with the stored ones. Arrays are
named "FOLDER|MODULE" and hold the output for the first state of x0. A module has the name that the tensors of the file
have before their own, which transformers may change when it loads a file.

Made with the versions of generate_families.py and open_clip_torch 3.3.0.
"""

import os
import re
import sys

import numpy as np
import torch
from safetensors.numpy import load_file

import generate_families as g

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "families"
KINDS = re.compile("Block|Layer$|Bottleneck|Stage|Sequential")
arrays = {}


def stored(module, keys):
    """The name of a module in a file."""
    for name in (module, re.sub(r"\blayers\.", "encoder.layer.", module), re.sub(r"\blayer\.", "layers.", module),
                 re.sub(r"^model\.", "", module)):
        if any(key.startswith(name + ".") for key in keys):
            return name
    return None


def layers(name, model, forward, shapes, hub=True, state=None):
    folder = os.path.join(FOLDER, name)
    model = g.randomize(model, sum(map(ord, name)))
    keys = load_file(os.path.join(folder, "model.safetensors" if hub else "weights.safetensors")).keys()
    seen = {}

    def keep(module):
        return lambda m, x, y: seen.__setitem__(module, (y[0] if isinstance(y, tuple) else y).numpy().copy())

    for module, m in model.named_modules():
        if not re.search(r"\d$", module) or not KINDS.search(type(m).__name__):
            continue
        key = stored(module, keys)
        if key is None:
            print(f"{name}: {module} is not in the file")
        else:
            m.register_forward_hook(keep(key))
    golden = np.load(os.path.join(folder, "golden.npz"))
    x = golden["x0"].astype(np.float32)
    x = torch.from_numpy(x)
    y = forward(model, x.transpose(1, 2) if x.ndim == 5 else x).numpy()
    difference = np.abs(y - golden["y0"]).max() / np.abs(golden["y0"]).max()
    assert difference < 1e-5, (name, difference)
    for key, value in seen.items():
        arrays[f"{name}|{key}"] = value[:1].astype(np.float32)
    print(name, sorted(seen), flush=True)


def open_clip():
    import open_clip
    config = dict(embed_dim=8, vision_cfg=dict(image_size=16, layers=2, width=24, head_width=12, patch_size=4),
                  text_cfg=dict(context_length=8, vocab_size=16, width=8, heads=2, layers=1))
    layers("open_clip", open_clip.CLIP(**config), lambda m, x: m.encode_image(x), None, hub=False)


if __name__ == "__main__":
    g.case = layers
    g.hugging()
    g.other()
    g.convolutional()
    open_clip()
    np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.npz"), **arrays)
