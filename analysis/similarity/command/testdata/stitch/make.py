"""Writes two small models, states for them, and what stitching them gives by numpy in float64.

a: front = tanh(x·A) -> z = front·Z; b: hidden = x·B -> logits = relu(hidden)·C. The stitched model is
logits = relu(map(front))·C, where map is the ridge regression of predictivity from front to hidden, fitted without
the episode of the state: penalties of 10^-6 to 10^2 mean eigenvalues, the one with the least error over the other
episodes.
"""

import json

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

EPISODES, LENGTH = 5, 40


def model(name, nodes, weights, output, width):
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", width])],
        [numpy_helper.from_array(w.astype(np.float32), k) for k, w in weights.items()],
    )
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(built)
    onnx.save(built, name + ".onnx")


def values(file, output, x):
    built = onnx.load(file)
    built.graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(built.SerializeToString())
    return session.run([output], {"x": x})[0].astype(np.float64)


def ridge(x, y, test, penalty):
    train = ~test
    mx, my = x[train].mean(0), y[train].mean(0)
    xx = (x[train] - mx).T @ (x[train] - mx)
    xy = (x[train] - mx).T @ (y[train] - my)
    w = np.linalg.solve(xx + penalty * np.trace(xx) / len(xx) * np.eye(len(xx)), xy)
    return (x[test] - mx) @ w + my


def predict(x, y, episode):
    penalties = 10.0 ** np.arange(-6, 3)
    lost = np.array(
        [[((ridge(x, y, episode == e, p) - y[episode == e]) ** 2).sum() for p in penalties] for e in range(EPISODES)]
    )
    out = np.empty_like(y)
    for e in range(EPISODES):
        best = penalties[np.argmin(np.delete(lost, e, axis=0).sum(0))]
        out[episode == e] = ridge(x, y, episode == e, best)
    return out


def main():
    r = np.random.default_rng(40)
    episode = np.repeat(np.arange(EPISODES), LENGTH)
    x = r.normal(size=(EPISODES * LENGTH, 3))
    for i in range(1, len(x)):
        if episode[i] == episode[i - 1]:
            x[i] = 0.8 * x[i - 1] + 0.6 * x[i]
    x = x.astype(np.float32)
    a, z, b, c = r.normal(size=(3, 5)), r.normal(size=(5, 2)), r.normal(size=(3, 4)), r.normal(size=(4, 3))
    node = helper.make_node
    model(
        "a",
        [node("MatMul", ["x", "A"], ["s"]), node("Tanh", ["s"], ["front"]), node("MatMul", ["front", "Z"], ["z"])],
        {"A": a, "Z": z},
        "z",
        2,
    )
    model(
        "b",
        [
            node("MatMul", ["x", "B"], ["hidden"]),
            node("Relu", ["hidden"], ["r"]),
            node("MatMul", ["r", "C"], ["logits"]),
        ],
        {"B": b, "C": c},
        "logits",
        3,
    )
    np.save("x.npy", x)
    np.save("episode.npy", episode.astype(np.int64))
    front, hidden, logits = values("a.onnx", "front", x), values("b.onnx", "hidden", x), values("b.onnx", "logits", x)
    out = {}
    for name, space in {"front": front, "hidden": hidden}.items():
        stitched = np.maximum(predict(space, hidden, episode), 0) @ c.astype(np.float32).astype(np.float64)
        out[name] = {
            "error": ((stitched - logits) ** 2).sum() / ((logits - logits.mean(0)) ** 2).sum(),
            "agreement": (stitched.argmax(1) == logits.argmax(1)).mean(),
        }
    with open("expected.json", "w") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


main()
