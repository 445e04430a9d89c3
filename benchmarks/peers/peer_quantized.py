"""The other side of quantized.py: quantizes the networks of peer_architectures.py by onnxruntime.quantization.

    peer_quantized.py FOLDER NAME …

NAME.onnx and NAME.json of FOLDER become NAME_qdq.onnx and NAME_qop.onnx: weights int8 for each channel, activations uint8, ranges from
random states.
"""
import json
import logging
import os
import shutil
import sys

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class States(CalibrationDataReader):
    def __init__(self, name, shape):
        random = np.random.default_rng(0)
        self.batches = iter([{name: random.random((2, *shape), dtype=np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.batches, None)


def main():
    logging.disable()
    folder, names = sys.argv[1], sys.argv[2:]
    for name in names:
        with open(f"{folder}/{name}.json") as f:
            shape = json.load(f)
        prepared = f"{folder}/{name}.prepared"
        quant_pre_process(f"{folder}/{name}.onnx", prepared)
        first = onnx.load(prepared).graph.input[0].name
        for form, kind in (("qdq", QuantFormat.QDQ), ("qop", QuantFormat.QOperator)):
            quantize_static(prepared, f"{folder}/{name}_{form}.onnx", States(first, shape), quant_format=kind, per_channel=True,
                            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
            shutil.copy(f"{folder}/{name}.json", f"{folder}/{name}_{form}.json")
        os.remove(prepared)


main()
