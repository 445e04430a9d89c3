#!/usr/bin/env python3
"""Round the shipped weights, so that they are small where they are compressed.

    python3 round.py EXAMPLE_FOLDER

Every weight of two or more axes goes to the nearest multiple of a step of 1/12 of the standard deviation of its tensor,
itself rounded to three bits; biases and norms stay. The values remain float16, in the same files: less than six bits of
each are left to tell, and bzip2 finds them. Rounded twice is not rounded once, so it is run on what export.py and
heads.py write. Writes, below internal/example,
weights/*/{best_encoder.pth,best_encoder.onnx,predictor.onnx,decoder.onnx}, their compressed forms, which the binaries
hold, and testdata/golden_*.npz: latents by PyTorch, heads by ONNX Runtime. PyTorch 2.15.0, ONNX Runtime 1.32.0, onnx
1.23.2, numpy 2.4 were used.
"""
import bz2
import os
import sys

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime
import torch

from export import ARCADE, MODELS
from model import ConvEncoder


def rounded(w):
    """The float16 array w in steps of σ/12, of which three bits are kept so that every multiple is a float16; the
    same array if it is a vector."""
    if w.ndim < 2:
        return w
    x = w.astype(np.float64)
    fraction, exponent = np.frexp(x.std() / 12)
    step = np.round(fraction * 8) / 8 * 2.0 ** exponent
    exact = np.round(x / step) * step
    half = exact.astype(np.float16)
    assert (half == exact).all()
    return half


def round_onnx(path):
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT16:
            tensor.CopyFrom(onnx.numpy_helper.from_array(rounded(onnx.numpy_helper.to_array(tensor)), tensor.name))
    onnx.save(model, path)


def compress(path):
    with open(path, 'rb') as f, open(path + '.bz2', 'wb') as out:
        out.write(bz2.compress(f.read(), 9))
    print(os.path.relpath(path, ARCADE), os.path.getsize(path), os.path.getsize(path + '.bz2'))


def session(path, **inputs):
    return onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider']).run(None, inputs)[0]


def main():
    example = sys.argv[1]
    torch.set_num_threads(1)
    frames, actions = (np.load(os.path.join(example, name + '.npy')) for name in ('frames', 'actions'))
    golden = dict(np.load(os.path.join(ARCADE, 'testdata', 'golden_latents.npz')))
    index = golden['index']
    batch = torch.from_numpy(frames[index].astype(np.float32)).reshape(2, 1, 4, 64, 64)
    for name in MODELS:
        folder = os.path.join(ARCADE, 'weights', name)
        pth = os.path.join(folder, 'best_encoder.pth')
        state = {k: torch.from_numpy(rounded(v.numpy())) for k, v in torch.load(pth, weights_only=True).items()}
        torch.save(state, pth)
        encoder = ConvEncoder().eval()
        encoder.load_state_dict({k: v.float() for k, v in state.items()})
        with torch.no_grad():
            z = encoder(batch).reshape(8, 64).numpy()
        print(name, 'latents moved by', np.linalg.norm(z - golden[name]) / np.linalg.norm(golden[name]))
        golden[name] = z
        for file in ('best_encoder', 'predictor', 'decoder'):
            round_onnx(os.path.join(folder, file + '.onnx'))
        action = actions[index].astype(np.int64)
        following = session(os.path.join(folder, 'predictor.onnx'), latent=z, action=action)
        drawn = session(os.path.join(folder, 'decoder.onnx'), latent=np.concatenate([z[:2], following[:2]]))
        np.savez(os.path.join(ARCADE, 'testdata', f'golden_{name}.npz'), action=action, next=following, frame=drawn)
        for file in ('best_encoder.pth', 'predictor.onnx', 'decoder.onnx'):
            compress(os.path.join(folder, file))
    np.savez(os.path.join(ARCADE, 'testdata', 'golden_latents.npz'), **golden)


if __name__ == '__main__':
    main()
