"""Writes the node cases of the ONNX standard, made by onnx's own generator, into a folder: for each case model.onnx and
test_data_set_0/{input,output}_i.pb, and cases.json, the list of them with their tolerances. TestNodeCases reads the folder.

    python node_cases.py FOLDER            # with onnx 1.23.2
    REPSCOPE_ONNX_NODE_CASES=FOLDER go test ./model/cpu -run TestNodeCases -v
"""
import json
import os
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

# Operators that no encoder's inference has, and why.
RANDOM = "random numbers"
OUT_OF_SCOPE = {op: RANDOM for op in ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial")}
OUT_OF_SCOPE |= {op: "training" for op in ("Adagrad", "Adam", "Momentum", "Gradient")}
OUT_OF_SCOPE |= {"ImageDecoder": "image files"}
# Cases whose numbers ONNX Runtime and PyTorch do not have; see README.md.
OTHERS = {f"test_resize_downsample_scales_{mode}_align_corners": "align_corners by a length that is not whole" for mode in ("linear", "cubic")}
DOMAINS = {"ai.onnx.ml": "classical models (ai.onnx.ml)", "ai.onnx.preview.training": "training"}


def kind(type_):
    """The kind of a value that is no tensor of numbers, or None."""
    which = type_.WhichOneof("value")
    if which != "tensor_type":
        return {"sequence_type": "sequences", "optional_type": "optional values", "map_type": "maps"}.get(which, which)
    element = type_.tensor_type.elem_type
    if element == onnx.TensorProto.STRING:
        return "strings"
    return "complex numbers" if element in (onnx.TensorProto.COMPLEX64, onnx.TensorProto.COMPLEX128) else None


def scope(case):
    """Why a case is out of scope; empty if it is not."""
    if case.name in OTHERS:
        return OTHERS[case.name]
    for node in case.model.graph.node:
        reason = OUT_OF_SCOPE.get(node.op_type) or DOMAINS.get(node.domain)
        if reason:
            return reason
        if node.op_type.startswith("Optional"):
            return "optional values"
        if node.op_type == "Dropout" and "training" in case.name and "zero_ratio" not in case.name:
            return RANDOM
    for value in [*case.model.graph.input, *case.model.graph.output]:
        reason = kind(value.type)
        if reason:
            return reason
    return ""


def serialized(value, name):
    """A TensorProto, or what stands for another kind of value."""
    if isinstance(value, onnx.TensorProto):
        return value.SerializeToString()
    if isinstance(value, dict):
        return numpy_helper.from_dict(value, name).SerializeToString()
    if isinstance(value, list):
        return numpy_helper.from_list(value, name).SerializeToString()
    return b"" if value is None else numpy_helper.from_array(np.asarray(value), name).SerializeToString()


def main(folder):
    warnings.simplefilter("ignore")
    from onnx.backend.test.case.node import collect_testcases

    np.random.seed(0)
    cases = sorted(collect_testcases(None), key=lambda case: case.name)
    operators = {case.name: case.model.graph.node[0].op_type for case in cases}
    rows = []
    for case in cases:
        set_ = os.path.join(folder, case.name, "test_data_set_0")
        os.makedirs(set_, exist_ok=True)
        with open(os.path.join(folder, case.name, "model.onnx"), "wb") as f:
            f.write(case.model.SerializeToString())
        reason = scope(case)
        if not reason:
            (inputs, outputs), = case.data_sets
            for direction, values, ports in ("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output):
                for i, (value, port) in enumerate(zip(values, ports)):
                    with open(os.path.join(set_, f"{direction}_{i}.pb"), "wb") as f:
                        f.write(serialized(value, port.name))
        # A case whose operator is written out as the function of the standard counts as that operator's.
        operator = operators.get(case.name.split("_expanded")[0], operators[case.name])
        rows.append({"name": case.name, "operator": operator, "rtol": case.rtol, "atol": case.atol, "outOfScope": reason})
    with open(os.path.join(folder, "cases.json"), "w") as f:
        json.dump({"onnx": onnx.__version__, "cases": rows}, f, indent=1)
    print(f"{len(rows)} cases of onnx {onnx.__version__}, {sum(1 for r in rows if r['outOfScope'])} out of scope")


if __name__ == "__main__":
    main(sys.argv[1])
