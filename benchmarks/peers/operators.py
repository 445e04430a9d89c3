"""Single operators next to ONNX Runtime, two threads each: graphs of eight of an operator, of scaled inputs, whose results are added up. Prints the table
of architectures.py.

    ORT_PYTHON=python3 python3 benchmarks/peers/operators.py [--batch 4] [--rounds 3] [NAME …]

ORT_PYTHON is a Python with onnx and onnxruntime. NAME is such as Sin, Softmax_inner or Group_5; without any they are all.
"""
import os
import subprocess
import sys
import tempfile

from measure import HERE

PEER = """
import json, sys
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
folder, names = sys.argv[1], sys.argv[2:]
random = np.random.default_rng(1)
unary = "Softplus Log Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Celu Softsign Shrink ThresholdedRelu Sign Exp Tanh Erf".split()
image = (64, 32, 32)
several = {"Softmax_inner": ("Softmax", dict(axis=1)), "Softmax_last": ("Softmax", dict(axis=3)), "LogSoftmax_inner": ("LogSoftmax", dict(axis=1)),
           "LogSoftmax_last": ("LogSoftmax", dict(axis=3)), "LRN": ("LRN", dict(size=5))}
groups = {f"Group_{n}": n for n in (2, 3, 5, 6, 12, 16, 24, 32)}
for name in names or [*unary, "Pow", "Mod", *several, "CumSum_last", "MaxPool_places", *groups]:
    nodes, constants, parts, state = [], {}, [], image
    if name in groups:
        state = (groups[name] * (96 // groups[name]), 32, 32)
    for i in range(8):
        constants[f"s{i}"] = np.array(0.9 - 0.1 * i if name != "Acosh" else 1 + i, dtype="f4")
        nodes.append(helper.make_node("Add" if name == "Acosh" else "Mul", ["x", f"s{i}"], [f"x{i}"]))
        one, out = [f"x{i}"], [f"y{i}"]
        if name in groups:
            n = groups[name]
            constants[f"w{i}"] = random.standard_normal((state[0], n, 3, 3)).astype("f4")
            nodes.append(helper.make_node("Conv", [*one, f"w{i}"], out, group=state[0] // n, pads=[1, 1, 1, 1]))
        elif name in several:
            op, attributes = several[name]
            nodes.append(helper.make_node(op, one, out, **attributes))
        elif name in ("Pow", "Mod"):
            constants[f"w{i}"] = (0.3 + random.random((64, 1, 1))).astype("f4")
            nodes.append(helper.make_node(name, [*one, f"w{i}"], out, **(dict(fmod=1) if name == "Mod" else {})))
        elif name == "CumSum_last":
            constants["axis"] = np.array(3)
            nodes.append(helper.make_node("CumSum", [*one, "axis"], out))
        elif name == "MaxPool_places":
            nodes.append(helper.make_node("MaxPool", one, [f"p{i}", f"q{i}"], kernel_shape=[2, 2], strides=[2, 2]))
            nodes.append(helper.make_node("Cast", [f"q{i}"], [f"r{i}"], to=TensorProto.FLOAT))
            nodes.append(helper.make_node("Add", [f"p{i}", f"r{i}"], out))
        else:
            nodes.append(helper.make_node(name, one, out))
        parts += out
    nodes.append(helper.make_node("Sum", parts, ["y"]))
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *state])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(v, k) for k, v in constants.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{folder}/{name}.onnx")
    with open(f"{folder}/{name}.json", "w") as f:
        json.dump(state, f)
"""

options, names, rest = [], [], sys.argv[1:]
while rest:
    word = rest.pop(0)
    if word in ("-h", "--help"):
        sys.exit(__doc__)
    if word.startswith("--"):
        options += [word] + ([rest.pop(0)] if rest and "=" not in word else [])
    else:
        names.append(word)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([os.environ.get("ORT_PYTHON", sys.executable), "-c", PEER, folder, *names], check=True)
    sys.exit(subprocess.run([sys.executable, f"{HERE}/architectures.py", "--folder", folder, "--no-torch", "--batch", "4", *options]).returncode)
