#!/usr/bin/env python3
"""Write the shipped files of the trained models, and golden outputs.

    /usr/bin/python3 export.py WORK SEQUENCES.csv

Reads WORK/<model>.pth (float32). Writes ../weights/<model>.onnx (opset 17, the parameters rounded to float16, each behind
a Cast to float32; axes batch and length are free) and ../testdata/golden.npz: what PyTorch computes in float32 from the rounded
parameters for two sequences of different length, some positions of which are hidden; every eighth position, of the attentions every 32nd
query.
"""
import io
import os
import sys

import numpy as np
import onnx
import onnx.numpy_helper
import torch

from model import MASK, PAD, Frequencies, Transformer
from train import load

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ['trained', 'undertrained', 'overfitted', 'frequencies']


def halve(model):
    """Store the float32 parameters as float16, with a Cast to float32 before their use."""
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
    work, path = sys.argv[1:3]
    torch.set_num_threads(1)
    tokens, chains = load(path)
    lengths = (tokens != PAD).sum(1)
    pair = [int(lengths.argmin()), int(lengths.argmax())]
    tokens, chains = tokens[pair][:, :lengths.max()], chains[pair][:, :lengths.max()]
    tokens[:, 5:60:7] = MASK
    valid = (tokens != PAD).long()
    golden = {'token_ids': tokens.numpy(), 'chain_ids': chains.numpy(), 'attention_mask': valid.numpy()}
    os.makedirs(os.path.join(HERE, '..', 'weights'), exist_ok=True)
    os.makedirs(os.path.join(HERE, '..', 'testdata'), exist_ok=True)
    for name in MODELS:
        model = Frequencies() if name == 'frequencies' else Transformer()
        model.load_state_dict({k: v.half().float() for k, v in torch.load(f'{work}/{name}.pth').items()})
        model.eval()
        outputs = ['logits'] if name == 'frequencies' else ['logits', 'hidden_states', 'attentions']
        with torch.no_grad():
            answer = model(tokens, chains, valid)
        for output, value in zip(outputs, [answer] if name == 'frequencies' else answer):
            value = value[:, :, :, ::32] if output == 'attentions' else value[:, ::8]
            if output == 'logits' or name == 'trained':
                golden[f'{name}_{output}'] = value.numpy()
        axes = {'token_ids': {0: 'batch', 1: 'length'}, 'chain_ids': {0: 'batch', 1: 'length'}, 'attention_mask': {0: 'batch', 1: 'length'},
                'logits': {0: 'batch', 1: 'length'}, 'hidden_states': {0: 'batch', 1: 'length'},
                'attentions': {0: 'batch', 3: 'length', 4: 'length'}}
        buffer = io.BytesIO()
        torch.onnx.export(model, (tokens, chains, valid), buffer, opset_version=17, input_names=['token_ids', 'chain_ids', 'attention_mask'],
                          output_names=outputs, dynamic_axes={k: v for k, v in axes.items() if k in outputs or k.endswith(('ids', 'mask'))})
        exported = onnx.load_from_string(buffer.getvalue())
        halve(exported)
        onnx.checker.check_model(exported, full_check=True)
        file = os.path.join(HERE, '..', 'weights', name + '.onnx')
        onnx.save(exported, file)
        print(name, sorted({n.op_type for n in exported.graph.node}), os.path.getsize(file), 'bytes')
    np.savez_compressed(os.path.join(HERE, '..', 'testdata', 'golden.npz'), **golden)


if __name__ == '__main__':
    main()
