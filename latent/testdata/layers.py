"""Writes layers.npz, preprocess.npz and two models beside this script; see README.md.

layers.npz: PyTorch's intermediate values, under "FILE|LAYER", of models that
generate.py wrote, for the first two states of their inputs. FILE's layer is a
value of an ONNX graph or a node of a checkpoint's.
preprocess.npz: frames resized by torch.nn.functional.interpolate and normalised
as torchvision's Normalize does.
"""
import os
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "model", "checkpoint", "testdata"))
import reference

torch.set_num_threads(1)
layers = {}


def path(name):
    return os.path.join(here, name)


def first(name):
    return torch.from_numpy(np.load(path(name))[:2].astype(np.float32))


with torch.no_grad():
    # ConvEncoder: [B, T] are joined inside.
    conv = reference.ConvEncoder(latent_dim=8, channels=(4, 6, 8, 12), size=32)
    conv.load_state_dict(torch.load(path("conv.pth")))
    x = first("conv_input.npy")
    b, c, t, h, w = x.shape
    x = x.permute(0, 2, 1, 3, 4).reshape(b * t, c, h, w)

    def keep(layer, value):
        layers["conv.pth|" + layer] = value.reshape(b, t, *value.shape[1:]).numpy()

    for i, (convolution, norm) in enumerate(zip(conv.conv_layers, conv.layer_norms)):
        x = torch.nn.functional.silu(convolution(x))
        keep(f"conv_layers.{i}", x)
        x = norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        keep(f"layer_norms.{i}", x)
    x = conv.final_norm(x.reshape(b * t, -1))
    keep("final_norm", x)
    keep("fc", conv.fc(x))

    # DQN, from its checkpoint and from ONNX.
    dqn = reference.DQNEncoder(channels=(8, 8, 8), latent_dim=24)
    dqn.load_state_dict(torch.load(path("dqn.pth")))
    x = first("dqn_input.npy")
    for i, convolution in enumerate((dqn.conv1, dqn.conv2, dqn.conv3)):
        x = convolution(x)
        layers[f"dqn_opset17.onnx|/conv{i + 1}/Conv_output_0"] = x.numpy()
        x = torch.relu(x)
        layers[f"dqn_opset17.onnx|/Relu{'_%d' % i if i else ''}_output_0"] = x.numpy()
    x = dqn.fc_enc(x.flatten(1))
    layers["dqn_opset17.onnx|/fc_enc/Gemm_output_0"] = x.numpy()
    layers["dqn_opset17.onnx|z"] = torch.relu(x).numpy()

    # The transformer layer, with the weights that the ONNX file holds.
    weights = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in onnx.load(path("tokens_opset17.onnx")).graph.initializer}

    def matrix(rows, columns):
        found = [v for v in weights.values() if tuple(v.shape) == (rows, columns)]
        assert len(found) == 1, (rows, columns)
        return found[0]

    def token(layer, value):
        layers["tokens_opset17.onnx|" + layer] = value.numpy()
        return value

    f = torch.nn.functional
    x = token("/patch/Conv_output_0", f.conv2d(first("tokens_input.npy"), weights["patch.weight"], weights["patch.bias"], stride=4))
    x = x.flatten(2).transpose(1, 2)
    x = token("/Concat_2_output_0", torch.cat([weights["cls"].expand(2, -1, -1), x], 1))
    y = token("/norm/LayerNormalization_output_0", f.layer_norm(x, (16,), weights["norm.weight"], weights["norm.bias"]))
    q, k, v = token("/qkv/MatMul_output_0", y @ matrix(16, 48)).reshape(2, 13, 3, 2, 8).permute(2, 0, 3, 1, 4)
    token("/Squeeze_1_output_0", k)
    a = token("/Softmax_output_0", torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, -1))
    y = token("/MatMul_1_output_0", a @ v).transpose(1, 2).reshape(2, 13, 16) @ matrix(16, 16)
    x = token("/Add_output_0", x + token("/proj/Add_output_0", y + weights["proj.bias"]))
    y = token("/mlp/mlp.0/LayerNormalization_output_0", f.layer_norm(x, (16,), weights["norm.weight"], weights["norm.bias"]))  # the same, stored once
    y = token("/mlp/mlp.1/Add_output_0", y @ matrix(16, 64) + weights["mlp.1.bias"])
    y = token("/mlp/mlp.2/Mul_1_output_0", f.gelu(y))
    token("z", x + token("/mlp/mlp.3/Add_output_0", y @ matrix(64, 16) + weights["mlp.3.bias"]))

np.savez_compressed(path("layers.npz"), **layers)

# A model of several outputs, one of which comes before the other.
model = onnx.load(path("dqn_opset17.onnx"))
model.graph.output.insert(0, helper.make_tensor_value_info("/Relu_1_output_0", TensorProto.FLOAT, ["batch", 8, 9, 9]))
onnx.save(model, path("dqn_outputs.onnx"))

# A model that joins the batch with another axis so that the states' rows are apart, and one whose layers no state owns.
nodes = [helper.make_node("Transpose", ["x"], ["swapped"], perm=[1, 0, 2]),
         helper.make_node("Reshape", ["swapped", "rows"], ["mixed"]),
         helper.make_node("Tanh", ["mixed"], ["tanh"]),
         helper.make_node("Reshape", ["tanh", "apart"], ["back"]),
         helper.make_node("Transpose", ["back"], ["straight"], perm=[1, 0, 2]),
         helper.make_node("ReduceMax", ["straight"], ["largest"], axes=[0], keepdims=1),
         helper.make_node("Cast", ["straight"], ["whole"], to=TensorProto.INT64),
         helper.make_node("Add", ["straight", "largest"], ["sum"]),
         helper.make_node("Flatten", ["sum"], ["z"])]
graph = helper.make_graph(nodes, "mixed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 3])],
                          [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 6]), helper.make_tensor_value_info("whole", TensorProto.INT64, ["n", 2, 3])],
                          [numpy_helper.from_array(np.array([-1, 3], np.int64), "rows"), numpy_helper.from_array(np.array([2, -1, 3], np.int64), "apart")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path("mixed.onnx"))

# Preprocessing. Keys of results are METHOD_HEIGHTxWIDTH.
rng = np.random.default_rng(5)
frames = rng.integers(0, 256, (2, 3, 13, 10), dtype=np.uint8)
out = {"frames": frames}
x = torch.from_numpy(frames.astype(np.float32))
for h, w in ((26, 20), (13, 7), (5, 10), (1, 1), (17, 31), (6, 5), (84, 84), (3, 40)):
    out[f"bilinear_{h}x{w}"] = f.interpolate(x, (h, w), mode="bilinear", align_corners=False).numpy()
    out[f"nearest_{h}x{w}"] = f.interpolate(x, (h, w), mode="nearest").numpy()
mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
y = f.interpolate(x, (9, 8), mode="bilinear", align_corners=False) / 255
out["normalised_9x8"] = ((y - mean[:, None, None]) / std[:, None, None]).numpy()
np.savez_compressed(path("preprocess.npz"), **out)
