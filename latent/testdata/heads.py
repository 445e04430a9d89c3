"""Writes small heads (predictors, decoders, reward heads) as ONNX files and what they make of a few rows, computed with
numpy in float64, listed in golden_heads.json; see README.md. Weights and inputs are small multiples of 1/8, so that
float32 adds exactly.
"""
import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(12)
N, D, A = 11, 6, 4


def small(*shape):
    return (rng.integers(-8, 9, shape) / 8).astype(np.float32)


W, E, P, R = small(D, D), small(A, D), small(D, 20), small(2 * D, 1)
z, following = small(N, D), small(N, D)
action = rng.integers(0, A, N)
hot = np.eye(A)[action]


def write(name, inputs, nodes, weights, output):
    tensors = [numpy_helper.from_array(w, k) for k, w in weights.items()]
    value = lambda v: helper.make_tensor_value_info(v[0], v[1], v[2])
    graph = helper.make_graph([helper.make_node(*n[:3], **(n[3] if len(n) > 3 else {})) for n in nodes], name,
                              [value(i) for i in inputs], [value(output)], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, os.path.join(here, name + '.onnx'))


F, I = TensorProto.FLOAT, TensorProto.INT64
step = [('MatMul', ['z', 'W'], ['zw']), ('Add', ['zw', 'e'], ['out'])]
table = [('Gather', ['E', 'a'], ['e'])]
dense = [('MatMul', ['a', 'E'], ['e'])]

write('head_predictor', [('z', F, ['n', D]), ('a', I, ['n'])], table + step, {'W': W, 'E': E}, ('out', F, ['n', D]))
write('head_fixed', [('z', F, [4, D]), ('a', I, [4])], table + step, {'W': W, 'E': E}, ('out', F, [4, D]))
write('head_onehot', [('a', F, ['n', A]), ('z', F, ['n', D])], dense + step, {'W': W, 'E': E}, ('out', F, ['n', D]))
# The action as a number, in a column; the latent of one step, with its axis.
write('head_steps', [('left', F, ['n', 1, D]), ('right', F, ['n', 1])],
      [('Squeeze', ['left', 'one'], ['z']), ('MatMul', ['z', 'W'], ['zw']), ('Mul', ['right', 'v'], ['e']), ('Add', ['zw', 'e'], ['out'])],
      {'W': W, 'v': E[1:2], 'one': np.array([1])}, ('out', F, ['n', D]))
write('head_reward', [('z_next', F, ['n', D]), ('z_t', F, ['n', D])],
      [('Concat', ['z_t', 'z_next'], ['both'], {'axis': 1}), ('MatMul', ['both', 'R'], ['out'])], {'R': R}, ('out', F, ['n', 1]))
write('head_decoder', [('latent', F, ['n', D])],
      [('MatMul', ['latent', 'P'], ['flat']), ('Reshape', ['flat', 'shape'], ['out'])],
      {'P': P, 'shape': np.array([-1, 1, 4, 5])}, ('out', F, ['n', 1, 4, 5]))
write('head_nan', [('latent', F, ['n', D])], [('Log', ['latent'], ['out'])], {}, ('out', F, ['n', D]))
write('head_bool', [('latent', F, ['n', D])], [('IsNaN', ['latent'], ['out'])], {}, ('out', TensorProto.BOOL, ['n', D]))
write('head_mean', [('latent', F, ['n', D])], [('ReduceMean', ['latent'], ['out'], {'axes': [0], 'keepdims': 0})], {}, ('out', F, [D]))

z8, following8, W8, E8, P8, R8 = (x.astype(float) for x in (z, following, W, E, P, R))
json.dump({
    'latent': z8.tolist(), 'next': following8.tolist(), 'action': action.tolist(),
    'predicted': (z8 @ W8 + hot @ E8).tolist(), 'steps': (z8 @ W8 + action[:, None] * E8[1]).tolist(),
    'reward': (np.concatenate([z8, following8], 1) @ R8).tolist(), 'frame': (z8 @ P8).tolist(),
}, open(os.path.join(here, 'golden_heads.json'), 'w'))
