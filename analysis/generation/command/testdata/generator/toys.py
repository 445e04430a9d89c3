"""Tiny encoders, decoders and classifiers of grids [2, 2, 3] with labels 0 … 2, for the
tests of generators that are run, and what ONNX Runtime makes of them.

    python3 toys.py        writes encoder.onnx …, generator.json

Versions: onnx, onnxruntime and numpy as printed into generator.json.
"""
import json

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T, helper as h, numpy_helper as nh

rng = np.random.RandomState(7)
C, H, W, D, K, N = 2, 2, 3, 4, 3, 12
CELLS = C * H * W


def weight(name, *shape, scale=1.0):
    return nh.from_array((scale * rng.randn(*shape)).astype(np.float32), name)


def port(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def save(file, nodes, inputs, outputs, weights):
    graph = h.make_graph(nodes, file, inputs, outputs, weights)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, file)


grid, label = port("x", ["n", C, H, W]), port("condition", ["n", K])
flat = nh.from_array(np.array([-1, CELLS], np.int64), "flat")
shape = nh.from_array(np.array([-1, C, H, W], np.int64), "shape")
axis = h.make_node

# logvar comes first, so that the mean is found by its name; the label goes in one-hot
encoder = [axis("Reshape", ["x", "flat"], ["rows"]), axis("Concat", ["rows", "condition"], ["both"], axis=1),
           axis("MatMul", ["both", "w"], ["mean"]), axis("MatMul", ["both", "v"], ["logvar"])]
save("encoder.onnx", encoder, [label, grid], [port("logvar", ["n", D]), port("mean", ["n", D])],
     [flat, weight("w", CELLS + K, D), weight("v", CELLS + K, D)])

# the decoder gives logits of grids
decoder = [axis("Concat", ["z", "condition"], ["both"], axis=1), axis("MatMul", ["both", "w"], ["rows"]), axis("Reshape", ["rows", "shape"], ["logits"])]
save("decoder.onnx", decoder, [port("z", ["n", D]), label], [port("logits", ["n", C, H, W])], [shape, weight("w", D + K, CELLS)])

# one that knows no labels and gives probabilities as rows
plain = [axis("MatMul", ["latent", "w"], ["rows"]), axis("Sigmoid", ["rows"], ["prob"])]
save("plain_decoder.onnx", plain, [port("latent", ["n", D])], [port("prob", ["n", CELLS])], [weight("w", D, CELLS)])
save("plain_encoder.onnx", [axis("Reshape", ["grid", "flat"], ["rows"]), axis("MatMul", ["rows", "w"], ["out"])],
     [port("grid", ["n", C, H, W])], [port("out", ["n", D])], [flat, weight("w", CELLS, D)])

save("classifier.onnx", [axis("Reshape", ["board", "flat"], ["rows"]), axis("MatMul", ["rows", "w"], ["scores"])],
     [port("board", ["n", C, H, W])], [port("scores", ["n", K])], [flat, weight("w", CELLS, K)])

# what is wrong with others: latents of another size, grids of another shape, three inputs
save("wide_decoder.onnx", [axis("MatMul", ["latent", "w"], ["prob"])], [port("latent", ["n", D + 1])], [port("prob", ["n", CELLS])], [weight("w", D + 1, CELLS)])
save("small_decoder.onnx", [axis("MatMul", ["latent", "w"], ["prob"])], [port("latent", ["n", D])], [port("prob", ["n", CELLS - 1])], [weight("w", D, CELLS - 1)])
save("three_decoder.onnx", [axis("Concat", ["z", "condition", "style"], ["both"], axis=1), axis("MatMul", ["both", "w"], ["logits"])],
     [port("z", ["n", D]), label, port("style", ["n", 2])], [port("logits", ["n", CELLS])], [weight("w", D + K + 2, CELLS)])

# models of the climbing board, which take grades as integers: two start holds, eight others
# and two at the top come and go with the latent
BOARD, G = (3, 18, 11), 19
hold = np.full((2, 594), 0, np.float32)
bias = np.full(594, -9, np.float32)
for cell in [2 * 11 + 3, 3 * 11 + 6] + [198 + r * 11 + c for r, c in zip(range(5, 17, 2), [2, 5, 3, 7, 4, 8])] + [198 + 60, 198 + 130] + [2 * 198 + 17 * 11 + 4, 2 * 198 + 17 * 11 + 5]:
    hold[:, cell], bias[cell] = rng.randn(2), 0.6
grade = port("grade", ["n"], T.INT64)
weights = [nh.from_array((0.05 * rng.randn(G, 2)).astype(np.float32), "steps"), nh.from_array(hold, "w"), nh.from_array(bias, "b"),
           nh.from_array(np.array([-1, *BOARD], np.int64), "shape")]
save("board_decoder.onnx", [axis("Gather", ["steps", "grade"], ["step"]), axis("Add", ["z", "step"], ["at"]), axis("MatMul", ["at", "w"], ["moved"]),
                            axis("Add", ["moved", "b"], ["rows"]), axis("Reshape", ["rows", "shape"], ["logits"])],
     [port("z", ["n", 2]), grade], [port("logits", ["n", *BOARD])], weights)
all_cells = nh.from_array(np.array([-1, 594], np.int64), "flat")
save("board_encoder.onnx", [axis("Reshape", ["board", "flat"], ["rows"]), axis("MatMul", ["rows", "w"], ["at"]), axis("Gather", ["steps", "grade"], ["step"]),
                            axis("Sub", ["at", "step"], ["mu"])],
     [port("board", ["n", *BOARD]), grade], [port("mu", ["n", 2])], [all_cells, weight("w", 594, 2, scale=0.3), weights[0]])
save("board_classifier.onnx", [axis("Reshape", ["board", "flat"], ["rows"]), axis("MatMul", ["rows", "w"], ["at"]), axis("MatMul", ["at", "v"], ["scores"])],
     [port("board", ["n", *BOARD])], [port("scores", ["n", G])], [all_cells, weight("w", 594, 2), weight("v", 2, G)])

cells = (rng.rand(N, C, H, W) < 0.4).astype(np.uint8)
labels = np.arange(N) % K
hot = np.eye(K, dtype=np.float32)[labels]


def run(file, **feed):
    session = ort.InferenceSession(file)
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))


mean = run("encoder.onnx", x=cells.astype(np.float32), condition=hot)["mean"]
logits = run("decoder.onnx", z=mean, condition=hot)["logits"]
scores = run("classifier.onnx", board=cells.astype(np.float32))["scores"]
json.dump({"versions": {"onnx": onnx.__version__, "onnxruntime": ort.__version__, "numpy": np.__version__},
           "cells": cells.reshape(N, -1).tolist(), "labels": labels.tolist(), "mean": mean.tolist(),
           "probability": (1 / (1 + np.exp(-logits.reshape(N, -1).astype(float)))).tolist(), "predicted": scores.argmax(1).tolist()},
          open("generator.json", "w"))
