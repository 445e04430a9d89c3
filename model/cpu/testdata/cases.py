"""Cases in the ONNX node-test format, as attention.py and signals.py write them: models of one node or a few, inputs, and the
outputs of ONNX Runtime, or of onnx's reference evaluator where ONNX Runtime lacks the operator or a form of it; see README.md."""
import gzip
import io
import os
import tarfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {np.dtype(k): v for k, v in {
    np.float32: TensorProto.FLOAT, np.int64: TensorProto.INT64, np.bool_: TensorProto.BOOL, np.int32: TensorProto.INT32, np.int8: TensorProto.INT8,
    np.uint8: TensorProto.UINT8, np.int16: TensorProto.INT16, np.uint16: TensorProto.UINT16, np.uint32: TensorProto.UINT32,
    np.uint64: TensorProto.UINT64}.items()}


class Cases:
    """Cases under construction, their random numbers from one seed."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.cases = {}

    def normal(self, *shape):
        return np.round(self.rng.standard_normal(shape) * 64).astype(np.float32) / 64  # few digits: the archive is small

    def graph(self, name, opset, nodes, inputs, outputs, constants=None, reference=False, out=TensorProto.FLOAT, values=None):
        """Adds a case. The first axis of the first input is symbolic. out is the type of the outputs, or a list of them; values
        are those of the outputs by name, if they are known. Nodes may be of other domains, version 1."""
        ports = [helper.make_tensor_value_info(k, TYPES[a.dtype], ["batch", *a.shape[1:]] if i == 0 and a.ndim else a.shape)
                 for i, (k, a) in enumerate(inputs.items())]
        kinds = out if isinstance(out, list) else [out] * len(outputs)
        g = helper.make_graph(nodes, name, ports, [helper.make_tensor_value_info(o, t, None) for o, t in zip(outputs, kinds)],
                              [numpy_helper.from_array(a, k) for k, a in (constants or {}).items()])
        opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in sorted({n.domain for n in nodes} - {""})]
        model = helper.make_model(g, opset_imports=opsets, producer_name="repscope", ir_version=10)
        if values is not None:
            values = list(values.values())
        elif reference:
            values = ReferenceEvaluator(model).run(None, inputs)
        else:
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.log_severity_level = 3
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            values = session.run(None, inputs)
        self.cases[f"{name}_opset{opset}"] = (model, inputs, dict(zip(outputs, values)))

    def case(self, name, op, opset, *inputs, outputs=1, reference=False, domain="", out=TensorProto.FLOAT, **attributes):
        """Adds a case of one node. Inputs are arrays, ("const", array), or None where one is absent."""
        names, given, constants = [], {}, {}
        for i, x in enumerate(inputs):
            names.append("" if x is None else f"x{i}")
            if isinstance(x, tuple):
                constants[names[-1]] = x[1]
            elif x is not None:
                given[names[-1]] = x
        results = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, results, name=name, domain=domain, **attributes)
        self.graph(name, opset, [node], given, results, constants, reference, out)

    def write(self, name):
        """Writes the archive. It carries no dates: the same cases give the same file."""
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as archive, tarfile.open(fileobj=archive, mode="w") as out:
            def add(name, data):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                out.addfile(entry, io.BytesIO(data))

            for name, (model, inputs, outputs) in self.cases.items():
                add(f"{name}/model.onnx", model.SerializeToString())
                for kind, values in (("input", inputs), ("output", outputs)):
                    for i, (key, a) in enumerate(values.items()):
                        add(f"{name}/test_data_set_0/{kind}_{i}.pb", numpy_helper.from_array(np.asarray(a, order="C"), key).SerializeToString())
        print(len(self.cases), "cases, onnx", onnx.__version__, "ONNX Runtime", onnxruntime.__version__, "NumPy", np.__version__)
