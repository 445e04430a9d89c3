"""Quantises small.onnx (of generate_recurrent.py) in every way that ONNX Runtime knows, and writes the models
and its outputs for them; golden_quantized.json lists them. See README.md.
"""
import json
import logging
import os

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

here = os.path.dirname(os.path.abspath(__file__))
logging.disable(logging.WARNING)
rng = np.random.default_rng(32)
calibration = rng.random((16, 1, 16, 16), dtype=np.float32)
frames = rng.random((40, 1, 16, 16), dtype=np.float32)
np.save(os.path.join(here, "small_input.npy"), frames)


class Frames(CalibrationDataReader):
    def __init__(self):
        self.rest = iter(calibration)

    def get_next(self):
        return next(({"x": x[None]} for x in self.rest), None)


def path(name):
    return os.path.join(here, name)


unsigned, signed = QuantType.QUInt8, QuantType.QInt8
for name, form, per_channel, activations in [("qoperator", QuantFormat.QOperator, False, unsigned), ("qoperator_channels", QuantFormat.QOperator, True, unsigned),
                                             ("qoperator_signed", QuantFormat.QOperator, False, signed), ("qdq", QuantFormat.QDQ, False, unsigned), ("qdq_channels", QuantFormat.QDQ, True, signed)]:
    quantize_static(path("small.onnx"), path(f"small_{name}.onnx"), Frames(), quant_format=form, per_channel=per_channel, activation_type=activations, weight_type=signed)
quantize_dynamic(path("small.onnx"), path("small_dynamic.onnx"), weight_type=signed)
quantize_dynamic(path("dreamer_lstm_opset17.onnx"), path("small_dynamic_lstm.onnx"), weight_type=signed)

cases = []
for name in "qoperator qoperator_channels qoperator_signed qdq qdq_channels dynamic dynamic_lstm".split():
    file = f"small_{name}.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # the operators as they stand
    x = frames if name != "dynamic_lstm" else np.load(path("dreamer_lstm_input.npy"))
    z = onnxruntime.InferenceSession(path(file), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    np.save(path(f"small_{name}.npy"), z)
    case = dict(file=file, input="small_input.npy" if name != "dynamic_lstm" else "dreamer_lstm_input.npy", expected=f"small_{name}.npy")
    model = onnx.load(path(file))
    last = next(n for n in model.graph.node if n.output[0] == "z")
    if last.op_type == "DequantizeLinear":  # the step between two values of the result
        case["step"] = float(next(numpy_helper.to_array(i) for i in model.graph.initializer if i.name == last.input[1]))
    cases.append(case)
with open(path("golden_quantized.json"), "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")
