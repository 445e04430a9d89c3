"""Writes blocked.tar.gz: small networks of images as ONNX Runtime's optimizer saves them at the level ORT_ENABLE_ALL, with convolutions
of com.microsoft.nchwc; outputs are those of the network before it. On a processor with AVX-512 blocks have 16 channels; networks
with blocks of 8 are written by hand. See README.md and cases.py.

    python blocked.py
"""
import os
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import cases

archive = cases.Cases(71)
normal = archive.normal
BLOCKED = "com.microsoft.nchwc"


class Net:
    """A network under construction: nodes in a row."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, a):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(a)
        return name

    def add(self, op, *inputs, domain="", **attributes):
        name = f"v{len(self.nodes)}"
        names = ["" if i is None else i if isinstance(i, str) else self.constant(i) for i in inputs]
        self.nodes.append(helper.make_node(op, names, [name], name=name, domain=domain, **attributes))
        return name

    def conv(self, x, out, inner, kernel=3, group=1, bias=True, **attributes):
        pad = kernel // 2 * attributes.get("dilations", [1])[0]
        return self.add("Conv", x, normal(out, inner, kernel, kernel) / 4, normal(out) if bias else None, group=group,
                        pads=[pad] * 4, **attributes)

    def model(self, output, shape):
        ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *shape[1:]])]
        g = helper.make_graph(self.nodes, "net", ports, [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(a, k) for k, a in self.constants.items()])
        domains = sorted({n.domain for n in self.nodes} - {""})
        opsets = [helper.make_opsetid("", 17)] + [helper.make_opsetid(d, 1) for d in domains]
        return helper.make_model(g, opset_imports=opsets, producer_name="repscope", ir_version=8)


def run(model, x, level, path=""):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    if path:
        options.optimized_model_filepath = path
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


LEVELS = onnxruntime.GraphOptimizationLevel


def case(name, net, output, shape, expect):
    """The network as it is optimized; expect are operators that the file must have."""
    x, model = normal(*shape), net.model(output, shape)
    y = run(model, x, LEVELS.ORT_DISABLE_ALL)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "optimized.onnx")
        run(model, x, LEVELS.ORT_ENABLE_ALL, path)
        optimized = onnx.load(path)
    found = {n.op_type for n in optimized.graph.node if n.domain == BLOCKED}
    assert set(expect.split()) <= found, (name, found)
    archive.cases[f"blocked/{name}"] = (optimized, {"x": x}, {output: y})


n = Net()
y = n.conv("x", 48, 3, strides=[2, 2])
y = n.add("MaxPool", n.add("Relu", y), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 1], ceil_mode=1)
y = n.add("HardSigmoid", n.conv(y, 32, 48, kernel=1), alpha=0.2, beta=0.5)
case("stem", n, n.conv(n.add("GlobalAveragePool", y), 24, 32, kernel=1), (2, 3, 13, 11), "Conv MaxPool GlobalAveragePool ReorderOutput")

n = Net()
x = n.add("Relu", n.conv("x", 24, 16, kernel=1))
y = n.add("Add", n.conv(n.conv(x, 24, 1, group=24), 24, 24, kernel=1, bias=False), x)
case("depthwise", n, n.add("Sigmoid", y), (2, 16, 5, 4), "Conv ReorderInput ReorderOutput")

n = Net()
y = n.add("Relu", n.conv("x", 48, 20, kernel=1))
y = n.add("AveragePool", y, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 1, 0], count_include_pad=1)
y = n.add("AveragePool", y, kernel_shape=[2, 2], pads=[1, 0, 1, 0])
case("pools", n, n.conv(n.add("GlobalMaxPool", y), 24, 48, kernel=1), (2, 20, 8, 7), "AveragePool GlobalMaxPool")

for mode, coordinates in (("nearest", "asymmetric"), ("linear", "asymmetric"), ("linear", "half_pixel"), ("linear", "align_corners")):
    n = Net()
    scales = n.constant(np.array([1, 1, 2, 3], np.float32))
    y = n.add("Resize", n.conv("x", 24, 16), None, scales, mode=mode, coordinate_transformation_mode=coordinates,
              **({"nearest_mode": "floor"} if mode == "nearest" else {}))
    case(f"upsample_{mode}_{coordinates}", n, n.conv(y, 24, 24, kernel=1), (2, 16, 4, 3), "Upsample")

n = Net()
y = n.conv(n.conv("x", 48, 8), 48, 16, group=3, dilations=[2, 2])
y = n.add("BatchNormalization", n.add("Concat", y, n.conv("x", 16, 8), axis=1), normal(64), normal(64), normal(64), np.abs(normal(64)) + 0.5)
case("groups", n, n.conv(n.add("Relu", y), 24, 64, kernel=1), (2, 8, 6, 5), "Conv")

n = Net()
y = n.conv("x", 48, 16)
gate = n.add("Sigmoid", n.conv(n.add("GlobalAveragePool", y), 48, 48, kernel=1))
case("gate", n, n.conv(n.add("Mul", y, gate), 24, 48), (2, 16, 5, 4), "GlobalAveragePool")

n = Net()
y = n.add("Transpose", n.conv(n.add("Transpose", "x", perm=[0, 3, 1, 2]), 24, 20), perm=[0, 2, 3, 1])
case("channels_last", n, n.add("Relu", y), (2, 5, 4, 20), "ReorderInput ReorderOutput")


def filters(w, block):
    """Weights [O, I, h, w] in blocks, as the domain wants them."""
    out, inner, h, width = w.shape
    w = np.concatenate([w, np.zeros((-out % block, inner, h, width), np.float32)])
    if inner < block:
        return w.reshape(-1, block, inner, h, width).transpose(0, 2, 3, 4, 1).reshape(w.shape)
    w = np.concatenate([w, np.zeros((len(w), -inner % block, h, width), np.float32)], axis=1)
    return w.reshape(len(w) // block, block, -1, block, h, width).transpose(0, 2, 4, 5, 3, 1).reshape(w.shape)


def by_hand(name, block):
    """A convolution of pixels, one of blocks, one of single channels with a sum and an activation."""
    stem, middle, single, biases = normal(24, 3, 3, 3), normal(20, 24, 1, 1), normal(20, 1, 3, 3), normal(20)
    plain, net, pads = Net(), Net(), [1, 1, 1, 1]
    y = plain.add("Conv", plain.add("Conv", "x", stem, pads=pads), middle, biases)
    y = plain.add("LeakyRelu", plain.add("Add", plain.add("Conv", y, single, group=20, pads=pads), y), alpha=0.2)
    x = normal(2, 3, 5, 4)
    values = run(plain.model(y, x.shape), x, LEVELS.ORT_DISABLE_ALL)
    padded = -(-20 // block) * block
    y = net.add("Conv", net.add("Conv", "x", filters(stem, block), domain=BLOCKED, pads=pads), filters(middle, block),
                np.pad(biases, (0, padded - 20)), domain=BLOCKED)
    y = net.add("Conv", y, filters(single, block), None, y, domain=BLOCKED, group=padded, pads=pads, activation="LeakyRelu",
                activation_params=[0.2])
    y = net.add("ReorderOutput", y, domain=BLOCKED, channels=20)
    archive.cases[f"blocked/{name}"] = (net.model(y, x.shape), {"x": x}, {y: values})


by_hand("eight", 8)
by_hand("sixteen", 16)

if __name__ == "__main__":
    archive.write("blocked.tar.gz")
