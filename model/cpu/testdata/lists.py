"""Writes lists.tar.gz: lists of tensors in graphs, as PyTorch's exporter of scripts writes them for split, unbind and loops
and as each operator of lists has them, in the ONNX node-test format with the outputs of ONNX Runtime; see README.md and cases.py.

    python lists.py
"""
import io
import warnings
from typing import List

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

import cases

archive = cases.Cases(61)
make = helper.make_node
warnings.simplefilter("ignore")


# PyTorch's modules.
def scaled(x):
    values: List[torch.Tensor] = []
    for i in range(x.size(1)):
        values.append(x[:, i] * float(i + 1))
    return torch.stack(values, 1)


def running(x):
    parts = x.split(3, 1)
    sums = [torch.zeros_like(parts[0])]
    for i in range(len(parts) - 1):
        sums.append(parts[i] + sums[-1])
    return torch.cat(sums, 1)


def backwards(x):
    values: List[torch.Tensor] = []
    for v in x.unbind(1):
        values.insert(0, v.relu())
    values.pop()
    return torch.stack(values, -1) * len(values)


def alternating(x):
    values: List[torch.Tensor] = []
    for i, v in enumerate(x.unbind(2)):
        if i % 2 == 0:
            values.append(v)
        else:
            values.append(-v)
    return torch.cat(values, 1)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


for function in (scaled, running, backwards, alternating):
    for opset in (11, 13, 17):
        if opset == 11 and function is not scaled:
            continue  # of newer opsets: a loop that carries a list
        x = archive.normal(2, 7, 4)
        file = io.BytesIO()
        torch.onnx.export(torch.jit.script(Module(torch.jit.script(function))), (torch.from_numpy(x),), file, opset_version=opset, dynamo=False,
                          input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "batch", 1: "time"}})
        graph = onnx.load_from_string(file.getvalue()).graph
        constants = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        archive.graph(f"lists/pytorch_{function.__name__}", opset, list(graph.node), {"x": x}, ["y"], constants)


# Operators of lists.
def ints(*values):
    return np.array(values, np.int64)


def number(v):
    return np.array(v, np.int64)


def split(name, x, taken, sizes=None, opsets=(11, 24), reference=False, **attributes):
    """Splits, and joins the pieces of two places with the number of all."""
    kind = cases.TYPES[x.dtype]
    for opset in opsets:
        nodes = [make("SplitToSequence", ["x"] if sizes is None else ["x", "sizes"], ["s"], **attributes), make("SequenceAt", ["s", "first"], ["y"]),
                 make("SequenceAt", ["s", "second"], ["z"]), make("SequenceLength", ["s"], ["n"])]
        constants = {"first": number(taken[0]), "second": number(taken[1])} | ({} if sizes is None else {"sizes": sizes})
        archive.graph(f"lists/split_{name}", opset, nodes, {"x": x}, ["y", "z", "n"], constants, reference,
                      out=[kind, kind, TensorProto.INT64])


split("ones", archive.normal(3, 4), (0, -1))
split("ones_squeezed", archive.normal(3, 4), (1, -2), axis=1, keepdims=0)
split("of_two", archive.normal(2, 5), (2, -2), number(2), axis=-1)
split("of_two_keeps", archive.normal(2, 5), (2, -2), number(2), axis=-1, keepdims=0, reference=True)  # of no concern here
split("one_squeezed", archive.normal(2, 3), (2, -2), number(1), axis=-1, keepdims=0)  # but here
split("sizes_squeezed", archive.normal(2, 3), (2, -2), ints(1, 1, 1), axis=-1, keepdims=0)
split("whole", archive.normal(2, 5), (0, -1), number(9), axis=1)
split("sizes", archive.normal(2, 6), (1, 2), ints(1, 2, 3), axis=1)
split("sizes_none", archive.normal(2, 6), (0, 1), ints(0, 6), axis=1)
split("int32", np.arange(12, dtype=np.int32).reshape(2, 6), (0, 2), number(2), axis=1)
split("int64", np.arange(12).reshape(2, 6) - (1 << 62), (1, 2), number(2), axis=1)

a, b, c = (archive.normal(2, 3) for _ in range(3))
given = {"a": a, "b": b, "c": c}
at = {"zero": number(0), "one": number(1), "last": number(-1), "before": number(-2), "end": number(2)}


def lists(name, nodes, outputs=("y",), opsets=(11, 24), inputs=None, out=TensorProto.FLOAT, constants=None):
    for opset in opsets:
        archive.graph(f"lists/{name}", opset, nodes, given if inputs is None else inputs, list(outputs), at | (constants or {}), out=out)


pair = make("SequenceConstruct", ["a", "b"], ["s"])
for place in ("", *at):
    inserted = make("SequenceInsert", ["s", "c", place] if place else ["s", "c"], ["t"])
    lists(f"insert_{place or 'default'}", [pair, inserted, make("ConcatFromSequence", ["t"], ["y"], axis=0)])
three = make("SequenceConstruct", ["a", "b", "c"], ["s"])
for place in ("", "zero", "one", "last", "before", "end"):
    erased = make("SequenceErase", ["s", place] if place else ["s"], ["t"])
    lists(f"erase_{place or 'default'}", [three, erased, make("ConcatFromSequence", ["t"], ["y"], axis=-1)])
for axis in (0, 1, -1, -3):
    lists(f"stack_{axis}", [three, make("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=1)])
# Two lists that go on from one, and a list as it was before.
lists("shared", [make("SequenceEmpty", [], ["e"]), make("SequenceInsert", ["e", "a"], ["s"]), make("SequenceInsert", ["s", "b"], ["t"]),
                 make("SequenceInsert", ["s", "c"], ["u"]), make("SequenceInsert", ["t", "c"], ["v"]), make("SequenceInsert", ["t", "a"], ["w"]),
                 *(make("ConcatFromSequence", [k], [f"y{k}"], axis=1) for k in "stuvw")], [f"y{k}" for k in "stuvw"])
lists("length", [three, make("SequenceErase", ["s"], ["t"]), make("SequenceLength", ["s"], ["n"]), make("SequenceLength", ["t"], ["m"]),
                 make("Range", ["m", "n", "one"], ["y"])], out=TensorProto.INT64)
lists("empty_length", [make("SequenceEmpty", [], ["s"], dtype=TensorProto.INT8), make("SequenceLength", ["s"], ["n"]), make("Add", ["n", "one"], ["m"]),
                       make("Cast", ["m"], ["f"], to=TensorProto.FLOAT), make("Mul", ["f", "a"], ["y"])])
lists("identity", [pair, make("Identity", ["s"], ["t"]), make("SequenceAt", ["t", "last"], ["y"])], opsets=(14, 24))
lists("constants", [make("SequenceConstruct", ["p", "q"], ["s"]), make("SequenceAt", ["s", "one"], ["q2"]), make("Add", ["a", "q2"], ["y"])],
      constants={"p": archive.normal(2, 3), "q": archive.normal(2, 3)})
# Places that follow from a shape.
lists("shaped", [make("Shape", ["a"], ["sizes"]), make("Gather", ["sizes", "one"], ["width"]), make("Sub", ["width", "one"], ["place"]),
                 make("SplitToSequence", ["a", "one"], ["s"], axis=1), make("SequenceAt", ["s", "place"], ["y"])])


def body(nodes, inputs, outputs, lists_=(), element=TensorProto.FLOAT):
    def port(name):
        if name in lists_:
            return helper.make_tensor_sequence_value_info(name, element, None)
        kinds = {"i": (TensorProto.INT64, []), "go": (TensorProto.BOOL, []), "went": (TensorProto.BOOL, [])}
        return helper.make_tensor_value_info(name, *kinds.get(name, (element, None)))
    return helper.make_graph(nodes, "body", [port(k) for k in inputs], [port(k) for k in outputs])


same = make("Identity", ["go"], ["went"])
filled = body([make("Add", ["last", "b"], ["next"]), make("SequenceInsert", ["s", "next"], ["t"]), same], ["i", "go", "s", "last"], ["went", "t", "next"], ["s", "t"])
lists("loop", [make("SequenceEmpty", [], ["e"]), make("Loop", ["trips", "", "e", "a"], ["s", "z"], body=filled), make("ConcatFromSequence", ["s"], ["y"], axis=0)],
      ["y", "z"], (13, 24), constants={"trips": number(4)})
lists("loop_none", [make("SequenceConstruct", ["c"], ["e"]), make("Loop", ["zero", "", "e", "a"], ["s", "z"], body=filled),
                    make("ConcatFromSequence", ["s"], ["y"], axis=0)], ["y", "z"], (13, 24))
taken = body([make("SequenceAt", ["s", "i"], ["v"]), make("Mul", ["v", "sum"], ["w"]), same], ["i", "go", "sum"], ["went", "w"])
lists("loop_over", [three, make("SequenceLength", ["s"], ["n"]), make("Loop", ["n", "", "a"], ["y"], body=taken)], opsets=(13, 24))
chosen = dict(then_branch=body([make("SequenceInsert", ["s", "c"], ["t"])], [], ["t"], ["t"]), else_branch=body([make("Identity", ["s"], ["u"])], [], ["u"], ["u"]))
for which in (True, False):
    lists(f"if_{str(which).lower()}", [pair, make("If", ["which"], ["v"], **chosen), make("ConcatFromSequence", ["v"], ["y"], axis=1)], opsets=(14, 24),
          constants={"which": np.array(which)})
mapped = body([make("Add", ["p", "q"], ["r"]), make("Neg", ["r"], ["m"])], ["p", "q"], ["r", "m"])
for name, other in (("list", "t"), ("tensor", "c")):
    lists(f"map_{name}", [pair, make("SequenceConstruct", ["c", "a"], ["t"]), make("SequenceMap", ["s", other], ["u", "v"], body=mapped),
                          make("ConcatFromSequence", ["u"], ["y"], axis=0), make("SequenceAt", ["v", "one"], ["z"])], ["y", "z"], (17, 24))
for kind in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
    high = np.iinfo(kind).max
    x = np.array([[high, 3], [high - 2, 0]], kind)
    lists(f"type_{np.dtype(kind).name}", [make("SequenceEmpty", [], ["e"], dtype=cases.TYPES[np.dtype(kind)]), make("SequenceInsert", ["e", "x"], ["s"]),
                                          make("SequenceInsert", ["s", "x"], ["t"]), make("ConcatFromSequence", ["t"], ["y"], axis=1)],
          inputs={"x": x}, out=cases.TYPES[np.dtype(kind)])
yes = np.array([[True, False], [False, False]])
lists("type_bool", [make("SequenceConstruct", ["x", "x"], ["s"]), make("ConcatFromSequence", ["s"], ["y"], axis=1)], inputs={"x": yes}, out=TensorProto.BOOL)
# Optional values.
floats = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
none = make("Optional", [], ["o"], type=floats)
has = [make("OptionalHasElement", ["o"], ["has"]), make("Cast", ["has"], ["f"], to=TensorProto.FLOAT)]
lists("optional", [make("Optional", ["a"], ["o"]), *has, make("OptionalGetElement", ["o"], ["v"]), make("Mul", ["v", "f"], ["y"])], opsets=(15, 24))
lists("optional_none", [none, *has, make("Add", ["a", "f"], ["y"])], opsets=(15, 24))
lists("optional_list", [pair, make("Optional", ["s"], ["o"]), make("OptionalGetElement", ["o"], ["t"]), make("ConcatFromSequence", ["t"], ["y"], axis=0)], opsets=(15, 24))
either = dict(then_branch=body([make("OptionalGetElement", ["o"], ["v"])], [], ["v"]), else_branch=body([make("Neg", ["a"], ["w"])], [], ["w"]))
for name, first in (("there", make("Optional", ["b"], ["o"])), ("none", none)):
    lists(f"optional_if_{name}", [first, has[0], make("If", ["has"], ["y"], **either)], opsets=(16, 24))
lists("optional_tensor", [make("OptionalGetElement", ["a"], ["v"]), make("OptionalHasElement", ["a"], ["has"]), make("OptionalHasElement", [], ["no"]),
                          make("Xor", ["has", "no"], ["both"]), make("Cast", ["both"], ["f"], to=TensorProto.FLOAT), make("Mul", ["v", "f"], ["y"])], opsets=(18, 24))
archive.write("lists.tar.gz")
