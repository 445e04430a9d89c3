"""Writes the golden models, inputs and outputs beside this script; see README.md.

Every model NAME.{pth,onnx,safetensors} has its input in INPUT.npy (uint8 or
float32) and PyTorch's float32 output in NAME.npy or, for one module in several
files, in GROUP.npy; golden.json lists them.
"""
import json
import os
import struct
import sys
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "model", "checkpoint", "testdata"))
import reference

warnings.filterwarnings("ignore")
torch.manual_seed(20)
torch.set_num_threads(1)
rng = np.random.default_rng(20)
cases = []


def path(name):
    return os.path.join(here, name)


def case(file, inputs, expected, **options):
    cases.append(dict(file=file, input=inputs, expected=expected, **options))


def randomise(module):
    """Weights far from the symmetric defaults, so that mixed-up tensors show; exact in half precision."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            if "norm" in name or (".1." in name and p.dim() == 1):
                p.copy_(torch.rand_like(p) + (0.5 if name.endswith("weight") else -0.5))
            else:
                p.copy_(p * 1.5)
            p.copy_(p.half().float())
    return module.eval()


def save(name, array):
    np.save(path(name), array)


def run(module, x):
    with torch.no_grad():
        return module(torch.from_numpy(x.astype(np.float32))).numpy()


def safetensors(name, state):
    header, data = {}, b""
    for key, t in state.items():
        raw = t.contiguous().numpy().tobytes()
        kind = {torch.float32: "F32", torch.float16: "F16"}[t.dtype]
        header[key] = {"dtype": kind, "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path(name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def export(module, example, name, opset, axes=None):
    torch.onnx.export(module, example, path(name), opset_version=opset, input_names=["x"], output_names=["z"],
                      dynamic_axes=axes or {"x": {0: "batch"}, "z": {0: "batch"}})


# ConvEncoder, small, frames of 32 x 32, three frames per clip.
conv = randomise(reference.ConvEncoder(latent_dim=8, channels=(4, 6, 8, 12), size=32))
x = rng.integers(0, 256, (5, 1, 3, 32, 32), dtype=np.uint8)
save("conv_input.npy", x)
save("conv.npy", run(conv, x))
torch.save(conv.state_dict(), path("conv.pth"))
case("conv.pth", "conv_input.npy", "conv.npy")
torch.save(conv.state_dict(), path("conv_legacy.pt"), _use_new_zipfile_serialization=False)
case("conv_legacy.pt", "conv_input.npy", "conv.npy")
torch.save({k: v.half() for k, v in conv.state_dict().items()}, path("conv_half.pth"))
case("conv_half.pth", "conv_input.npy", "conv.npy")
safetensors("conv.safetensors", {k: v.half() for k, v in conv.state_dict().items()})
case("conv.safetensors", "conv_input.npy", "conv.npy")
axes = {"x": {0: "batch", 2: "time"}, "z": {0: "batch", 1: "time"}}
for opset in (11, 13, 17):
    export(conv, torch.randn(2, 1, 2, 32, 32), f"conv_opset{opset}.onnx", opset, axes)
    case(f"conv_opset{opset}.onnx", "conv_input.npy", "conv.npy")

target = randomise(reference.ConvEncoder(latent_dim=8, channels=(4, 6, 8, 12), size=32))
torch.save({"epoch": 3, "config": {"latent_dim": 8}, "encoder_state_dict": conv.state_dict(),
            "target_encoder_state_dict": target.state_dict(), "optimizer_state_dict": {"state": {}, "param_groups": [{"lr": 1e-3}]}},
           path("conv_checkpoint.pth"))
save("conv_target.npy", run(target, x))
case("conv_checkpoint.pth", "conv_input.npy", "conv.npy")
case("conv_checkpoint.pth", "conv_input.npy", "conv_target.npy", state="target")
for name, f in (("relu", torch.relu), ("gelu", torch.nn.functional.gelu), ("tanh", torch.tanh)):
    conv.activation = f
    save(f"conv_{name}.npy", run(conv, x))
    case("conv.pth", "conv_input.npy", f"conv_{name}.npy", activation=name)

# ConvEncoder for frames of 64 x 64 in half precision.
large = randomise(reference.ConvEncoder(latent_dim=64, channels=(8, 16, 24, 32), size=64))
x = rng.integers(0, 256, (3, 1, 1, 64, 64), dtype=np.uint8)
save("conv64_input.npy", x)
save("conv64.npy", run(large, x))
torch.save({k: v.half() for k, v in large.state_dict().items()}, path("conv64.pth"))
case("conv64.pth", "conv64_input.npy", "conv64.npy")

# DQN, both variants.
x = rng.integers(0, 256, (3, 4, 84, 84), dtype=np.uint8)
save("dqn_input.npy", x)
dqn = randomise(reference.DQNEncoder(channels=(8, 8, 8), latent_dim=24))
torch.save(dqn.state_dict(), path("dqn.pth"))
save("dqn.npy", run(dqn, x))
case("dqn.pth", "dqn_input.npy", "dqn.npy")
for opset in (11, 13, 17):
    export(dqn, torch.randn(2, 4, 84, 84), f"dqn_opset{opset}.onnx", opset)
    case(f"dqn_opset{opset}.onnx", "dqn_input.npy", "dqn.npy")
dqn.final_relu = False
save("dqn_linear.npy", run(dqn, x))
case("dqn.pth", "dqn_input.npy", "dqn_linear.npy", final_activation="none")
export(dqn, torch.randn(1, 4, 84, 84), "dqn_fixed_batch.onnx", 13, axes={"z": {}})
case("dqn_fixed_batch.onnx", "dqn_input.npy", "dqn_linear.npy")

# MLP on vectors.
mlp = randomise(reference.MLPEncoder(inputs=24, hidden=40, latent_dim=6))
x = rng.standard_normal((7, 24)).astype(np.float32)
save("mlp_input.npy", x)
save("mlp.npy", run(mlp, x))
torch.save(mlp.state_dict(), path("mlp.pth"))
for opset in (11, 13, 17):
    export(mlp, torch.randn(2, 24), f"mlp_opset{opset}.onnx", opset)
    case(f"mlp_opset{opset}.onnx", "mlp_input.npy", "mlp.npy")
model = onnx.load(path("mlp_opset17.onnx"))
onnx.save_model(model, path("mlp_external.onnx"), save_as_external_data=True, location="mlp_external.bin", size_threshold=0)
case("mlp_external.onnx", "mlp_input.npy", "mlp.npy")


# A residual network with batch normalisation and pooling, and one in half precision.
class Residual(torch.nn.Module):
    def __init__(self):
        super().__init__()
        c = torch.nn
        self.stem = c.Sequential(c.Conv2d(3, 8, 5, stride=2, padding=2, bias=False), c.BatchNorm2d(8), c.ReLU(), c.MaxPool2d(3, 2, 1))
        self.a = c.Sequential(c.Conv2d(8, 8, 3, padding=1, groups=2), c.BatchNorm2d(8), c.LeakyReLU(0.1), c.Conv2d(8, 8, 3, padding=2, dilation=2))
        self.b = c.Sequential(c.Conv2d(8, 8, 3, padding=1, groups=8), c.ELU(), c.AvgPool2d(2), c.Conv2d(8, 12, 1), c.Hardswish())
        self.head = c.Sequential(c.AdaptiveAvgPool2d(1), c.Flatten(), c.Dropout(0.3), c.Linear(12, 5), c.Softplus())

    def forward(self, x):
        x = self.stem(x)
        x = torch.nn.functional.silu(x + self.a(x))
        return self.head(self.b(x))


residual = Residual()
for m in residual.modules():
    if isinstance(m, torch.nn.BatchNorm2d):
        m.running_mean.copy_(torch.randn(8))
        m.running_var.copy_(torch.rand(8) + 0.5)
        torch.nn.init.uniform_(m.weight)
        torch.nn.init.uniform_(m.bias)
residual.eval()
x = rng.standard_normal((4, 3, 30, 26)).astype(np.float32)
save("residual_input.npy", x)
save("residual.npy", run(residual, x))
for opset in (11, 17):
    torch.onnx.export(residual, torch.randn(2, 3, 30, 26), path(f"residual_opset{opset}.onnx"), opset_version=opset,
                      input_names=["x"], output_names=["z"], dynamic_axes={"x": {0: "n"}}, training=torch.onnx.TrainingMode.PRESERVE,
                      do_constant_folding=False)
    case(f"residual_opset{opset}.onnx", "residual_input.npy", "residual.npy")


# A transformer layer: tokens out, so a pooling is needed.
class Tokens(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = torch.nn.Conv2d(1, 16, 4, stride=4)
        self.cls = torch.nn.Parameter(torch.randn(1, 1, 16))
        self.norm = torch.nn.LayerNorm(16)
        self.qkv = torch.nn.Linear(16, 48, bias=False)
        self.proj = torch.nn.Linear(16, 16)
        self.mlp = torch.nn.Sequential(torch.nn.LayerNorm(16), torch.nn.Linear(16, 64), torch.nn.GELU(), torch.nn.Linear(64, 16))

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        b, n, e = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, 2, e // 2).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-2, -1) * (e // 2) ** -0.5, -1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, n, e))
        return x + self.mlp(x)


tokens = Tokens().eval()
x = rng.standard_normal((6, 1, 12, 16)).astype(np.float32)
save("tokens_input.npy", x)
save("tokens.npy", run(tokens, x))
for opset in (11, 17):
    export(tokens, torch.randn(2, 1, 12, 16), f"tokens_opset{opset}.onnx", opset)
    case(f"tokens_opset{opset}.onnx", "tokens_input.npy", "tokens.npy")

# Newer opsets, written by hand: axes as inputs (18), num_outputs (18), Gelu (20), GroupNormalization per channel (21).
x = rng.standard_normal((3, 8, 6)).astype(np.float32)
save("new_input.npy", x)
scale, bias = rng.standard_normal(8).astype(np.float32), rng.standard_normal(8).astype(np.float32)
weight = rng.standard_normal((6, 5)).astype(np.float16)


def new_model(opset):
    def const(name, array):
        return numpy_helper.from_array(np.asarray(array), name)
    inits = [const("axes", np.array([-1], np.int64)), const("scale", scale), const("bias", bias), const("weight16", weight)]
    nodes = [helper.make_node("Split", ["x"], ["left", "right"], axis=2, num_outputs=2),
             helper.make_node("ReduceMean", ["left", "axes"], ["mean"], keepdims=1),
             helper.make_node("Mul", ["right", "mean"], ["product"]),
             helper.make_node("Concat", ["left", "product"], ["joined"], axis=2)]
    last = "joined"
    if opset >= 20:
        nodes.append(helper.make_node("Gelu", [last], ["gelu"], approximate="tanh"))
        last = "gelu"
    if opset >= 21:
        nodes.append(helper.make_node("GroupNormalization", [last, "scale", "bias"], ["normal"], num_groups=4, epsilon=1e-3))
        last = "normal"
    nodes += [helper.make_node("Cast", ["weight16"], ["weight"], to=TensorProto.FLOAT),
              helper.make_node("MatMul", [last, "weight"], ["tokens"]),
              helper.make_node("Flatten", ["tokens"], ["z"], axis=1)]
    graph = helper.make_graph(nodes, "new", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8, 6])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 40])], inits)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


for opset in (18, 20, 21):
    onnx.save(new_model(opset), path(f"new_opset{opset}.onnx"))
    t = torch.from_numpy(x)
    left, right = t[..., :3], t[..., 3:]
    t = torch.cat([left, right * left.mean(-1, keepdim=True)], -1)
    if opset >= 20:
        t = torch.nn.functional.gelu(t, approximate="tanh")
    if opset >= 21:
        t = torch.nn.functional.group_norm(t, 4, torch.from_numpy(scale), torch.from_numpy(bias), 1e-3)
    t = (t @ torch.from_numpy(weight.astype(np.float32))).flatten(1)
    save(f"new_opset{opset}.npy", t.numpy())
    case(f"new_opset{opset}.onnx", "new_input.npy", f"new_opset{opset}.npy")

with open(path("golden.json"), "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")
