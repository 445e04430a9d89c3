"""Writes perceptual.onnx and perceptual_fixed.onnx, small models of how far apart two screens look, and perceptual.json with what ONNX
Runtime makes of pairs of images.json by them.

Usage: python3 perceptual.py   (in this folder, after images.py; needs numpy, Pillow, onnx and onnxruntime)
The mean squared distance of the responses of four filters where that of the reference is larger, so that the order of the
screens is felt; the fixed file takes screens of 20 × 18.
"""
import base64
import json

import numpy as np
import onnx
import onnxruntime
import PIL
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

rng = np.random.default_rng(3)
weights = (rng.normal(size=(4, 3, 3, 3)) / 5).astype(np.float32)
bias = rng.normal(size=4).astype(np.float32) / 10


def save(name, height, width, inputs=2, outputs=(1, 1, 1)):
    nodes, names = [], ["reference", "generated"][:inputs]
    for n in names:
        nodes.append(helper.make_node("Conv", [n, "w", "b"], [n + "_c"], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [n + "_c"], [n + "_r"]))
    nodes.append(helper.make_node("Sub", [n + "_r" for n in (names * 2)[:2]], ["d"]))
    nodes.append(helper.make_node("Relu", ["d"], ["p"]))
    nodes.append(helper.make_node("Mul", ["d", "p"], ["s"]))
    axes = [1, 2, 3] if outputs == (1, 1, 1) else [1]
    nodes.append(helper.make_node("ReduceMean", ["s"], ["distance"], axes=axes, keepdims=1))
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 3, height, width]) for n in names]
    out = [helper.make_tensor_value_info("distance", TensorProto.FLOAT, ["n", *outputs])]
    graph = helper.make_graph(nodes, "distance", values, out, [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, name)


save("perceptual.onnx", "h", "w")
save("perceptual_fixed.onnx", 20, 18)
save("perceptual_map.onnx", "h", "w", outputs=(1, "h", "w"))

cases = []
for n, case in enumerate(json.load(open("images.json"))["cases"]):
    if case["reference"]["size"] != case["generated"]["size"]:
        continue
    x, y = [np.frombuffer(base64.b64decode(case[k]["pixels"]), np.uint8).reshape(*case[k]["size"], 4)[..., :3] for k in ("reference", "generated")]
    for name in ("perceptual.onnx", "perceptual_fixed.onnx"):
        if "fixed" in name:
            fit = lambda v: np.asarray(Image.fromarray(np.ascontiguousarray(v)).resize((18, v.shape[0]), Image.BICUBIC).resize((18, 20), Image.BICUBIC))
            x, y = fit(x), fit(y)
        for scale, of in (("signed", lambda v: v / 127.5 - 1), ("unit", lambda v: v / 255), ("raw", lambda v: v.astype(float))):
            feed = {k: of(v).astype(np.float32).transpose(2, 0, 1)[None] for k, v in (("reference", x), ("generated", y))}
            distance = float(onnxruntime.InferenceSession(name).run(None, feed)[0].ravel()[0])
            cases.append({"case": n, "file": name, "scale": scale, "distance": distance})

versions = {"numpy": np.__version__, "Pillow": PIL.__version__, "onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__}
with open("perceptual.json", "w") as file:
    json.dump({"versions": versions, "cases": cases}, file, separators=(",", ":"))
    file.write("\n")
print(len(cases), "cases")
