#!/usr/bin/env python3
"""Write the shipped files of a trained encoder, and golden latents of both.

    /usr/bin/python3 export.py WORK EXAMPLE_FOLDER

Reads WORK/<model>.pth (float32). Writes, below internal/example: weights/<model>/best_encoder.pth (a plain state
dict rounded to float16), weights/<model>/best_encoder.onnx (opset 17, the same float16 values, each behind a Cast
to float32; axes batch and time are free) and testdata/golden_latents.npz (latents that PyTorch computes in float32
from the rounded weights, and the indices of their frames in the evaluation set).
"""
import io
import os
import sys

import numpy as np
import onnx
import onnx.numpy_helper
import torch

from model import ConvEncoder

HERE = os.path.dirname(os.path.abspath(__file__))
ARCADE = os.path.dirname(HERE)
MODELS = ['jepa', 'encoder_decoder']


def halve(model):
    """Store the float32 initialisers as float16, with a Cast to float32 before their use."""
    casts = []
    for tensor in model.graph.initializer:
        if tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        array = onnx.numpy_helper.to_array(tensor)
        half = array.astype(np.float16)
        assert (half.astype(np.float32) == array).all(), tensor.name
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(half, name + '.half'))
        casts.append(onnx.helper.make_node('Cast', [name + '.half'], [name], name=name + '.cast', to=onnx.TensorProto.FLOAT))
    for node in reversed(casts):
        model.graph.node.insert(0, node)


def main():
    work, example = sys.argv[1:3]
    torch.set_num_threads(1)
    frames = np.load(os.path.join(example, 'frames.npy'))
    # Two clips of consecutive frames far apart in the set.
    index = np.array([100, 101, 102, 103, 1500, 1501, 1502, 1503])
    batch = torch.from_numpy(frames[index].astype(np.float32)).reshape(2, 1, 4, 64, 64)
    golden = {'index': index.astype(np.int64)}
    for name in MODELS:
        state = {k: v.detach().half().contiguous().clone() for k, v in torch.load(f'{work}/{name}.pth').items()}
        folder = os.path.join(ARCADE, 'weights', name)
        os.makedirs(folder, exist_ok=True)
        torch.save(state, os.path.join(folder, 'best_encoder.pth'))

        encoder = ConvEncoder().eval()
        encoder.load_state_dict({k: v.float() for k, v in torch.load(os.path.join(folder, 'best_encoder.pth')).items()})
        with torch.no_grad():
            golden[name] = encoder(batch).reshape(8, 64).numpy()

        buffer = io.BytesIO()
        torch.onnx.export(encoder, batch, buffer, opset_version=17, input_names=['frames'], output_names=['latents'],
                          dynamic_axes={'frames': {0: 'batch', 2: 'time'}, 'latents': {0: 'batch', 1: 'time'}})
        model = onnx.load_from_string(buffer.getvalue())
        halve(model)
        onnx.checker.check_model(model, full_check=True)
        path = os.path.join(folder, 'best_encoder.onnx')
        onnx.save(model, path)
        print(name, sorted({n.op_type for n in model.graph.node}), os.path.getsize(path), 'bytes')
    np.savez(os.path.join(ARCADE, 'testdata', 'golden_latents.npz'), **golden)


if __name__ == '__main__':
    main()
