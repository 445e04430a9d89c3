"""Writes operators.tar.gz: operator cases in the ONNX node-test format, with outputs
computed by ONNX Runtime; see README.md. Needs `make oracle` first.

    /usr/bin/python3 generate.py [FOLDER_OF_NODE_MODULES]
"""
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper

VERSION = "1.27.0"
here = os.path.dirname(os.path.abspath(__file__))
modules = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..", "..", ".oracle", "node_modules")
rng = np.random.default_rng(21)
cases = []

f16, f32, f64, i32, i64, u8 = np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8


TYPES = {np.dtype(k): v for k, v in {f32: TensorProto.FLOAT, f16: TensorProto.FLOAT16, f64: TensorProto.DOUBLE, i64: TensorProto.INT64,
                                     i32: TensorProto.INT32, u8: TensorProto.UINT8, np.int8: TensorProto.INT8, np.bool_: TensorProto.BOOL}.items()}


def normal(*shape, dtype=f32):
    return rng.standard_normal(shape).astype(dtype)


def uniform(low, high, *shape, dtype=f32):
    return rng.uniform(low, high, shape).astype(dtype)


def integers(low, high, *shape, dtype=i64):
    return rng.integers(low, high, shape).astype(dtype)


def const(*values, dtype=i64):
    """A constant of the model: a vector."""
    return ("const", np.array(values, dtype))


def scalar(value, dtype=f32):
    return ("const", np.array(value, dtype))


def graph(name, opset, nodes, inputs, outputs, constants=None, free=True):
    """Adds a case of several nodes. The first axis of the first input is symbolic."""
    values, ports = {}, []
    for i, (key, array) in enumerate(inputs.items()):
        dims = list(array.shape)
        if free and i == 0 and dims:
            dims[0] = "batch"
        ports.append(helper.make_tensor_value_info(key, TYPES[array.dtype], dims))
        values[key] = array
    g = helper.make_graph(nodes, name, ports, [helper.make_tensor_value_info(o, t, None) for o, t in outputs.items()],
                          [numpy_helper.from_array(a, k) for k, a in (constants or {}).items()])
    model = helper.make_model(g, opset_imports=[helper.make_opsetid("", opset)], producer_name="repscope")
    model.ir_version = 8
    cases.append((f"{name}_opset{opset}", model, values))


def case(name, op, *inputs, opsets=None, outputs=1, out=None, **attributes):
    """Adds cases of one node. Inputs are arrays, constants, or None where one is absent."""
    opsets = opsets or ((18, 20), (19, 21))[len(cases) // 2 % 2]
    names, given, constants = [], {}, {}
    for i, x in enumerate(inputs):
        if x is None:
            names.append("")
        elif isinstance(x, tuple):
            names.append(f"c{i}")
            constants[f"c{i}"] = x[1]
        else:
            names.append(f"x{i}")
            given[f"x{i}"] = x
    kind = out if out is not None else TYPES[next(iter(given.values())).dtype] if given else TensorProto.FLOAT
    for opset in opsets:
        n = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name=name, **attributes)
        kinds = kind if isinstance(kind, (list, tuple)) else [kind] * outputs
        graph(name, opset, [n], given, {f"y{i}": k for i, k in enumerate(kinds)}, constants)


B, F, I, H = TensorProto.BOOL, TensorProto.FLOAT, TensorProto.INT64, TensorProto.FLOAT16
new = (21,)

# Elementwise.
x = normal(2, 3, 5)
special = np.array([[-np.inf, -1e4, -3.5, -1, -0.5, -0.0], [0.0, 0.5, 1, 3.5, 1e4, np.inf]], f32)
for op in "Abs Neg Erf Exp Relu Sigmoid Tanh Sin Cos Tan Atan Sinh Cosh Asinh Floor Ceil Round Sign Softplus Softsign HardSwish Mish Elu Celu Selu LeakyRelu HardSigmoid ThresholdedRelu".split():
    case(op.lower(), op, x, opsets=new)
for op in "Abs Neg Erf Relu Sigmoid Tanh Floor Round Sign Softplus HardSwish Mish HardSigmoid".split():
    case(op.lower() + "_special", op, special if op not in ("HardSwish", "Mish") else special[:, 1:5], opsets=(18,))
for op, a in [("Sqrt", uniform(0, 4, 2, 7)), ("Log", uniform(0.01, 4, 2, 7)), ("Reciprocal", uniform(0.1, 4, 2, 7)), ("Asin", uniform(-1, 1, 2, 7)),
              ("Acos", uniform(-1, 1, 2, 7)), ("Acosh", uniform(1, 5, 2, 7)), ("Atanh", uniform(-0.9, 0.9, 2, 7))]:
    case(op.lower(), op, a, opsets=new)
case("elu_alpha", "Elu", x, opsets=new, alpha=0.3)
case("selu_alpha", "Selu", x, opsets=new, alpha=1.2, gamma=0.7)
case("hardsigmoid_slopes", "HardSigmoid", x, opsets=new, alpha=0.4, beta=0.3)
case("gelu", "Gelu", normal(3, 40) * 3, opsets=(20, 21))
case("gelu_tanh", "Gelu", normal(3, 40) * 3, opsets=(20, 21), approximate="tanh")
for op in "Add Sub Mul Div Pow Max Min".split():
    a, b = uniform(0.5, 3, 2, 3, 4), uniform(0.5, 3, 2, 3, 4)
    case(op.lower(), op, a, b, opsets=new)
    case(op.lower() + "_rows", op, a, b[0, 0], opsets=new)
    case(op.lower() + "_columns", op, a, b[:1, :, :1], opsets=new)
    case(op.lower() + "_both", op, a[:, :1], b[:1, :, 2:3], opsets=new)
    case(op.lower() + "_scalar", op, a, scalar(1.5), opsets=new)
    case(op.lower() + "_half", op, a.astype(f16), b.astype(f16), opsets=new)
for op in "Add Sub Mul Div Max Min".split():
    case(op.lower() + "_int64", op, integers(-9, 9, 2, 5), integers(1, 9, 2, 5), opsets=new)
    case(op.lower() + "_int32", op, integers(-9, 9, 2, 5, dtype=i32), integers(1, 9, 5, dtype=i32), opsets=new)
case("pow_integer_exponent", "Pow", x, const(3), opsets=new)
case("pow_int64", "Pow", integers(-4, 5, 6), const(2), opsets=new)
case("mod", "Mod", integers(-9, 9, 12), integers(1, 5, 12), opsets=new)
case("mod_truncated", "Mod", integers(-9, 9, 12), integers(1, 5, 12), opsets=new, fmod=1)
case("mod_float", "Mod", x, uniform(0.5, 2, 5), opsets=new, fmod=1)
case("prelu", "PRelu", x, uniform(0.1, 0.9, 3, 1), opsets=new)
for op in ("Sum", "Mean", "Max", "Min"):
    case(op.lower() + "_three", op, normal(2, 3), normal(3), normal(2, 1), opsets=new)
for op in "Equal Greater GreaterOrEqual Less LessOrEqual".split():
    case(op.lower(), op, integers(0, 3, 4, 3).astype(f32), integers(0, 3, 3).astype(f32), opsets=new, out=B)
    case(op.lower() + "_int64", op, integers(0, 3, 4, 3), integers(0, 3, 4, 1), opsets=new, out=B)
    case(op.lower() + "_int32", op, integers(0, 3, 4, 3, dtype=i32), integers(0, 3, 1, dtype=i32), opsets=new, out=B)
flags = integers(0, 2, 3, 4).astype(np.bool_)
case("equal_bool", "Equal", flags, flags[:1], opsets=new, out=B)
for op in ("And", "Or", "Xor"):
    case(op.lower(), op, flags, flags[:, :1], opsets=new)
case("not", "Not", flags, opsets=new)
case("where", "Where", flags, normal(3, 4), normal(4), opsets=new, out=F)
case("where_scalars", "Where", flags, scalar(0.0), scalar(-np.inf), opsets=new, out=F)
case("where_int64", "Where", flags, integers(0, 9, 3, 1), integers(0, 9, 4), opsets=new, out=I)
case("isnan", "IsNaN", np.array([1, np.nan, np.inf], f32), opsets=new, out=B)
case("isinf", "IsInf", np.array([1, np.nan, np.inf, -np.inf], f32), opsets=new, out=B)
case("isinf_positive", "IsInf", np.array([1, np.nan, np.inf, -np.inf], f32), opsets=new, out=B, detect_negative=0)
case("clip", "Clip", x, scalar(-0.5), scalar(0.8))
case("clip_low", "Clip", x, scalar(-0.5))
case("clip_high", "Clip", x, None, scalar(0.8))
case("clip_int64", "Clip", integers(-9, 9, 7), scalar(-3, i64), scalar(4, i64))
case("clip_half", "Clip", x.astype(f16), scalar(-0.5, f16), scalar(0.75, f16))

# Casts.
values = np.array([-2.75, -1.5, -0.5, 0, 0.5, 1.5, 2.75, 100], f32)
for name, to in [("float16", H), ("float64", TensorProto.DOUBLE), ("int32", TensorProto.INT32), ("int64", I), ("int8", TensorProto.INT8), ("bool", B)]:
    case("cast_to_" + name, "Cast", values, to=to, out=to)
case("cast_to_uint8", "Cast", np.abs(values), to=TensorProto.UINT8, out=TensorProto.UINT8)
case("cast_from_half", "Cast", values.astype(f16), to=F, out=F)
case("cast_from_bool", "Cast", flags, to=F, out=F)
case("cast_from_uint8", "Cast", integers(0, 256, 9, dtype=u8), to=F, out=F)
case("cast_int64_to_half", "Cast", integers(-5000, 5000, 9), to=H, out=H)
case("castlike_int64", "CastLike", values, const(0), out=I)
case("castlike_float", "CastLike", integers(-9, 9, 5), const(0, dtype=f32), out=F)
case("castlike_bool", "CastLike", values, const(True, dtype=np.bool_), out=B)

# Products.
case("matmul", "MatMul", normal(7, 5), normal(5, 9))
case("matmul_constant", "MatMul", normal(2, 7, 5), ("const", normal(5, 9)))
case("matmul_batched", "MatMul", normal(2, 3, 7, 5), normal(2, 3, 5, 4), opsets=new)
case("matmul_broadcast", "MatMul", normal(2, 1, 7, 5), normal(3, 5, 4), opsets=new)
case("matmul_one_right", "MatMul", normal(2, 3, 7, 5), normal(5, 4), opsets=new)
case("matmul_one_left", "MatMul", normal(7, 5), normal(2, 3, 5, 4), opsets=new)
case("matmul_vector_right", "MatMul", normal(2, 7, 5), normal(5), opsets=new)
case("matmul_vector_left", "MatMul", normal(5), normal(2, 5, 4), opsets=new)
case("matmul_vectors", "MatMul", normal(5), normal(5), opsets=new)
case("matmul_long", "MatMul", normal(3, 700), normal(700, 4), opsets=new)
case("matmul_half", "MatMul", normal(4, 6, dtype=f16), normal(6, 3, dtype=f16), opsets=new)
for a in (0, 1):
    for b in (0, 1):
        case(f"gemm_{a}{b}", "Gemm", normal(4, 6) if not a else normal(6, 4), normal(6, 5) if not b else normal(5, 6), normal(5), opsets=new, transA=a, transB=b)
        case(f"gemm_constant_{a}{b}", "Gemm", normal(4, 6) if not a else normal(6, 4), ("const", normal(6, 5) if not b else normal(5, 6)), ("const", normal(5)),
             opsets=new, transA=a, transB=b, alpha=0.5, beta=2.0)
case("gemm_no_bias", "Gemm", normal(4, 6), normal(6, 5), opsets=new)
case("gemm_scalar_bias", "Gemm", normal(4, 6), normal(6, 5), scalar(0.5), opsets=new)
case("gemm_column_bias", "Gemm", normal(4, 6), normal(6, 5), normal(4, 1), opsets=new, beta=0.5)
for i, (equation, shapes) in enumerate([("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("bhid,bhjd->bhij", [(2, 2, 3, 4), (2, 2, 5, 4)]), ("ij->ji", [(3, 4)]),
                                        ("ij->", [(3, 4)]), ("ij->i", [(3, 4)]), ("i,j->ij", [(3,), (4,)]), ("i,i->", [(5,), (5,)]), ("bnd,de->bne", [(2, 3, 4), (4, 5)]),
                                        ("...ij,...jk->...ik", [(2, 3, 4), (1, 4, 5)]), ("b...d,d->b...", [(2, 3, 4, 5), (5,)]), ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
                                        ("bij,bi->bij", [(2, 3, 4), (2, 3)]), ("ii->i", [(4, 4)]), ("ii", [(4, 4)]), ("bijj->bji", [(2, 3, 4, 4)]), ("ij,jk", [(2, 3), (3, 4)]),
                                        ("bhwc,hkc->bhwk", [(2, 3, 4, 5), (3, 6, 5)]), ("ab,cd->dacb", [(2, 3), (4, 5)]), ("abc,ab->c", [(2, 3, 4), (2, 3)]),
                                        ("n c h w, c k -> n k h w", [(2, 3, 4, 2), (3, 5)])]):
    case(f"einsum_{i:02d}", "Einsum", *[normal(*s) for s in shapes], opsets=new, equation=equation)

# Convolutions.
for name, xs, ws, kw in [
    ("1d", (2, 3, 11), (4, 3, 3), dict(pads=[1, 1])), ("1d_stride", (2, 3, 11), (4, 3, 4), dict(strides=[2])),
    ("2d", (2, 3, 7, 9), (4, 3, 3, 3), dict(pads=[1, 1, 1, 1])), ("2d_uneven", (2, 3, 7, 9), (5, 3, 2, 4), dict(pads=[0, 1, 2, 3], strides=[2, 1])),
    ("2d_dilated", (1, 3, 11, 9), (4, 3, 3, 2), dict(dilations=[2, 3])), ("2d_groups", (2, 6, 6, 6), (4, 3, 3, 3), dict(group=2, pads=[1, 1, 1, 1])),
    ("2d_depthwise", (2, 5, 6, 6), (10, 1, 3, 3), dict(group=5, strides=[2, 2])), ("2d_pointwise", (2, 5, 4, 6), (3, 5, 1, 1), {}),
    ("2d_same_upper", (1, 2, 7, 8), (3, 2, 4, 3), dict(auto_pad="SAME_UPPER", strides=[2, 3])), ("2d_same_lower", (1, 2, 7, 8), (3, 2, 4, 3), dict(auto_pad="SAME_LOWER")),
    ("2d_valid", (1, 2, 7, 8), (3, 2, 4, 3), dict(auto_pad="VALID")), ("2d_patches", (2, 4, 21, 21), (6, 4, 7, 7), dict(strides=[7, 7])),
    ("3d", (1, 2, 4, 5, 6), (3, 2, 3, 3, 3), dict(pads=[1, 1, 1, 1, 1, 1])), ("3d_patches", (2, 1, 3, 8, 8), (5, 1, 1, 4, 4), dict(strides=[1, 4, 4])),
]:
    case("conv_" + name, "Conv", normal(*xs), ("const", normal(*ws)), ("const", normal(ws[0])), opsets=new, **kw)
case("conv_no_bias", "Conv", normal(2, 3, 7, 7), ("const", normal(4, 3, 3, 3)))
case("conv_run_time_weights", "Conv", normal(2, 3, 7, 7), normal(4, 3, 3, 3), normal(4), opsets=new)
for name, xs, ws, kw in [
    ("1d", (2, 3, 5), (3, 4, 3), {}), ("1d_stride", (2, 3, 5), (3, 4, 4), dict(strides=[3], pads=[1, 0])), ("2d", (2, 3, 4, 5), (3, 2, 3, 3), {}),
    ("2d_stride", (2, 3, 4, 5), (3, 2, 4, 4), dict(strides=[2, 2], pads=[1, 1, 1, 1])), ("2d_uneven", (1, 3, 4, 5), (3, 2, 2, 4), dict(strides=[2, 1], pads=[0, 1, 1, 2])),
    ("2d_output_padding", (1, 3, 4, 5), (3, 2, 3, 3), dict(strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])), ("2d_dilated", (1, 3, 4, 5), (3, 2, 3, 2), dict(dilations=[2, 3])),
    ("2d_groups", (2, 6, 4, 4), (6, 2, 3, 3), dict(group=3, strides=[2, 2])), ("2d_output_shape", (1, 3, 4, 5), (3, 2, 3, 3), dict(strides=[2, 2], output_shape=[8, 10])),
    ("2d_same_upper", (1, 3, 4, 5), (3, 2, 3, 4), dict(strides=[2, 2], auto_pad="SAME_UPPER")), ("2d_same_lower", (1, 3, 4, 5), (3, 2, 3, 4), dict(strides=[2, 2], auto_pad="SAME_LOWER")),
    ("3d", (1, 2, 2, 3, 4), (2, 3, 2, 3, 3), dict(strides=[2, 1, 2], pads=[0, 1, 1, 0, 1, 1])),
]:
    case("convtranspose_" + name, "ConvTranspose", normal(*xs), ("const", normal(*ws)), ("const", normal(ws[1] * kw.get("group", 1))), opsets=new, **kw)

# Pooling.
for op, extra in [("MaxPool", [{}]), ("AveragePool", [{}, dict(count_include_pad=1)])]:
    for e in extra:
        tag = op.lower() + ("_padded" if e else "")
        for name, xs, kw in [
            ("1d", (2, 3, 9), dict(kernel_shape=[3], strides=[2])), ("2d", (2, 3, 8, 9), dict(kernel_shape=[2, 3], strides=[2, 2])),
            ("2d_pads", (2, 3, 8, 9), dict(kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])), ("2d_uneven", (1, 2, 8, 9), dict(kernel_shape=[3, 3], pads=[0, 1, 2, 1])),
            ("2d_ceil", (1, 2, 8, 10), dict(kernel_shape=[3, 3], strides=[2, 3], ceil_mode=1)), ("2d_ceil_pads", (1, 2, 8, 8), dict(kernel_shape=[3, 3], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1)),
            ("2d_ceil_dropped", (1, 2, 6, 7), dict(kernel_shape=[1, 2], strides=[4, 3], pads=[0, 1, 0, 1], ceil_mode=1)),
            ("2d_same", (1, 2, 7, 8), dict(kernel_shape=[3, 2], strides=[2, 2], auto_pad="SAME_UPPER")), ("3d", (1, 2, 4, 5, 6), dict(kernel_shape=[2, 2, 3], strides=[1, 2, 2])),
            ("2d_dilated", (1, 2, 9, 9), dict(kernel_shape=[3, 2], dilations=[2, 3])),
        ]:
            # Before opset 19 ONNX Runtime counts elements beyond the padding too; PyTorch does not.
            opsets = new if name == "2d_dilated" or e and name == "2d_ceil" else (11, 21)
            case(f"{tag}_{name}", op, normal(*xs), opsets=opsets, **kw, **e)
case("maxpool_uint8", "MaxPool", integers(0, 256, 1, 2, 6, 6, dtype=u8), opsets=new, kernel_shape=[2, 2], strides=[2, 2])
case("globalaveragepool", "GlobalAveragePool", normal(2, 3, 4, 5))
case("globalmaxpool", "GlobalMaxPool", normal(2, 3, 4, 5))

# Normalisations.
for name, xs, axis in [("last", (2, 3, 8), -1), ("two", (2, 3, 8), 1), ("all", (3, 8), 0)]:
    ws = xs[axis:] if axis >= 0 else xs[-1:]
    case("layernorm_" + name, "LayerNormalization", normal(*xs), ("const", normal(*ws)), ("const", normal(*ws)), axis=axis, epsilon=1e-6)
case("layernorm_no_bias", "LayerNormalization", normal(2, 8), ("const", normal(8)), opsets=(17, 21))
case("layernorm_outputs", "LayerNormalization", normal(2, 3, 8), ("const", normal(8)), ("const", normal(8)), opsets=new, outputs=3)
case("layernorm_offset", "LayerNormalization", normal(2, 64) + 3, ("const", normal(64)), ("const", normal(64)), opsets=new)
case("batchnorm", "BatchNormalization", normal(2, 3, 4, 5), *[("const", a) for a in (normal(3), normal(3), normal(3), uniform(0.5, 2, 3))], epsilon=1e-3)
case("batchnorm_vectors", "BatchNormalization", normal(4, 3), *[("const", a) for a in (normal(3), normal(3), normal(3), uniform(0.5, 2, 3))])
case("instancenorm", "InstanceNormalization", normal(2, 3, 4, 5), ("const", normal(3)), ("const", normal(3)))
case("groupnorm_groups", "GroupNormalization", normal(2, 6, 4, 5), ("const", normal(3)), ("const", normal(3)), opsets=(18, 20), num_groups=3)
case("groupnorm_channels", "GroupNormalization", normal(2, 6, 4, 5), ("const", normal(6)), ("const", normal(6)), opsets=new, num_groups=3, epsilon=1e-3)
case("lpnorm_1", "LpNormalization", normal(3, 4), axis=1, p=1)
case("lpnorm_2", "LpNormalization", normal(3, 4), axis=0, p=2)
for axis in (-1, 0, 1):
    case(f"softmax_{axis % 3}", "Softmax", normal(2, 3, 4) * 4, opsets=(11, 13, 21), axis=axis)
    case(f"logsoftmax_{axis % 3}", "LogSoftmax", normal(2, 3, 4) * 4, opsets=(11, 21), axis=axis)
case("softmax_default", "Softmax", normal(2, 3, 4) * 4, opsets=(11, 12, 13, 21))
case("softmax_large", "Softmax", normal(2, 6) * 200, opsets=new)

# Reductions.
for op in "Mean Sum Max Min Prod L1 L2 SumSquare LogSumExp".split():
    a = uniform(0.5, 2, 2, 3, 4)
    case("reduce_" + op.lower(), "Reduce" + op, a, const(1, -1), opsets=(18, 21) if op != "Sum" else (13, 21))
    case("reduce_" + op.lower() + "_dropped", "Reduce" + op, a, const(0), opsets=(18,) if op != "Sum" else (13,), keepdims=0)
    case("reduce_" + op.lower() + "_all", "Reduce" + op, a, opsets=(18,) if op != "Sum" else (13,), keepdims=0)
    if op != "Sum":
        case("reduce_" + op.lower() + "_attribute", "Reduce" + op, a, opsets=(11, 13), axes=[-2], keepdims=1)
case("reduce_sum_attribute", "ReduceSum", x, opsets=(11,), axes=[0, 2])
case("reduce_sum_noop", "ReduceSum", x, const(), opsets=new, noop_with_empty_axes=1)
case("reduce_mean_noop", "ReduceMean", x, const(), opsets=(18,), noop_with_empty_axes=1)
case("reduce_logsum", "ReduceLogSum", uniform(0.5, 2, 2, 3, 4), const(2), opsets=(18,))
for op in "Sum Max Min Prod Mean".split():
    case(f"reduce_{op.lower()}_int32", "Reduce" + op, integers(1, 9, 2, 3, 4, dtype=i32), const(1), opsets=(18,))
case("reduce_max_int64", "ReduceMax", integers(-9, 9, 2, 3, 4), const(1), opsets=(18,))
for op in ("ArgMax", "ArgMin"):
    case(op.lower(), op, integers(0, 4, 3, 7).astype(f32), opsets=new, out=I, axis=1)
    case(op.lower() + "_last", op, integers(0, 4, 3, 7).astype(f32), opsets=new, out=I, axis=0, keepdims=0, select_last_index=1)
case("argmax_int32", "ArgMax", integers(0, 99, 3, 7, dtype=i32), opsets=new, out=I, axis=-1, keepdims=0)
case("cumsum", "CumSum", x, scalar(1, i64), opsets=new)
case("cumsum_exclusive_reverse", "CumSum", x, scalar(-1, i64), opsets=new, exclusive=1, reverse=1)
case("cumsum_int64", "CumSum", integers(0, 9, 3, 4), scalar(0, i64), opsets=new)

# Shapes and movement.
case("reshape", "Reshape", x, const(0, -1))
case("reshape_allowzero", "Reshape", normal(0, 3), const(3, 0), opsets=(18, 21), allowzero=1)
case("flatten_0", "Flatten", x, opsets=(11, 21), axis=0)
case("flatten_negative", "Flatten", x, opsets=(11, 21), axis=-1)
case("transpose", "Transpose", x, opsets=new)
case("transpose_perm", "Transpose", normal(2, 3, 4, 5), opsets=new, perm=[0, 2, 3, 1])
case("transpose_int64", "Transpose", integers(0, 9, 2, 3, 4), opsets=new, perm=[1, 0, 2])
case("transpose_bool", "Transpose", flags, opsets=new)
case("squeeze", "Squeeze", normal(2, 1, 3, 1), const(1, -1))
case("squeeze_all", "Squeeze", normal(2, 1, 3, 1))
case("squeeze_attribute", "Squeeze", normal(2, 1, 3, 1), opsets=(11,), axes=[1])
case("unsqueeze", "Unsqueeze", x, const(0, -1))
case("unsqueeze_attribute", "Unsqueeze", x, opsets=(11,), axes=[0, 4])
case("expand", "Expand", normal(3, 1), const(2, 1, 4))
case("expand_bool", "Expand", flags[:, :1], const(3, 4))
case("tile", "Tile", normal(2, 3), const(2, 3))
case("concat", "Concat", normal(2, 3), normal(2, 1), normal(2, 2), axis=-1)
case("concat_int64", "Concat", integers(0, 9, 2, 3), integers(0, 9, 1, 3), axis=0)
case("split", "Split", normal(2, 6), opsets=(18, 21), outputs=3, axis=1, num_outputs=3)
case("split_uneven", "Split", normal(2, 7), opsets=(18, 21), outputs=3, axis=1, num_outputs=3)
case("split_sizes", "Split", normal(2, 7), const(1, 4, 2), opsets=(13, 21), outputs=3, axis=-1)
case("split_attribute", "Split", normal(2, 7), opsets=(11,), outputs=2, axis=1, split=[3, 4])
case("slice", "Slice", normal(5, 6, 7), const(1, -3), const(4, 100), const(0, 2))
case("slice_steps", "Slice", normal(5, 6, 7), const(4, 0), const(-100, 5), const(0, 1), const(-2, 2))
case("slice_negative", "Slice", normal(5, 6), const(-1), const(-4), const(1), const(-1))
case("slice_empty", "Slice", normal(5, 6), const(3), const(3), const(0))
case("slice_int32", "Slice", normal(5, 6), const(1, dtype=i32), const(3, dtype=i32), const(1, dtype=i32))
for mode in ("constant", "edge", "reflect", "wrap"):
    case("pad_" + mode, "Pad", normal(2, 4, 5), const(0, 1, 2, 0, 2, 1), opsets=(18, 21) if mode != "wrap" else (19, 21), mode=mode)
case("pad_opset11", "Pad", normal(2, 4), const(1, 0, 0, 2), scalar(2.5), opsets=(11,))
case("clip_opset11", "Clip", x, scalar(-0.5), scalar(0.8), opsets=(11, 12))
case("pad_value", "Pad", normal(2, 4), const(1, 0, 0, 2), scalar(-1.5))
case("pad_axes", "Pad", normal(2, 4, 3), const(1, 2), None, const(-2))
case("pad_negative", "Pad", normal(4, 5), const(-1, 1, 1, -2))
case("pad_int64", "Pad", integers(0, 9, 2, 3), const(0, 1, 1, 0), scalar(7, i64))
case("pad_bool", "Pad", flags, const(0, 1, 1, 0), scalar(True, np.bool_))
case("gather", "Gather", normal(5, 3), integers(-5, 5, 2, 3), axis=0)
case("gather_axis", "Gather", normal(2, 5, 3), const(4, 0), axis=1)
case("gather_scalar", "Gather", normal(2, 5, 3), scalar(-1, i64), axis=1)
case("gather_int32_index", "Gather", normal(5, 3), integers(0, 5, 4, dtype=i32), axis=0)
case("gather_elements", "GatherElements", normal(3, 4), integers(-3, 3, 2, 4), axis=0)
case("gather_elements_bool", "GatherElements", flags, integers(0, 4, 3, 2), axis=1)
case("gathernd", "GatherND", normal(3, 4, 5), integers(0, 3, 2, 2))
case("gathernd_batch", "GatherND", normal(2, 4, 5), integers(0, 4, 2, 3, 1), batch_dims=1)
case("scatternd", "ScatterND", normal(4, 3), np.array([[2], [0]], i64), normal(2, 3))
case("scatternd_add", "ScatterND", normal(4, 3), np.array([[2, 1], [2, 1], [0, 0]], i64), normal(3), reduction="add")
case("scatter_elements", "ScatterElements", normal(3, 4), np.array([[1, 0, 2, -1]], i64), normal(1, 4), axis=0)
case("scatter_elements_mul", "ScatterElements", normal(3, 4), np.array([[1, 0], [2, 2], [3, 3]], i64), normal(3, 2), axis=1, reduction="mul")
case("scatter_elements_max", "ScatterElements", normal(3, 4), np.array([[1, 0], [2, 2], [3, 3]], i64), normal(3, 2), axis=1, reduction="max")
case("shape", "Shape", x, out=I)
case("shape_start_end", "Shape", x, out=I, start=-2, end=-1)
case("size", "Size", x, out=I)
case("identity", "Identity", x)
case("identity_half", "Identity", x.astype(f16))
case("dropout", "Dropout", x, scalar(0.5))
case("dropout_attribute", "Dropout", x, opsets=(11,), ratio=0.3)
case("dropout_mask", "Dropout", x, scalar(0.5), scalar(False, np.bool_), opsets=new, outputs=2, out=[F, B])
case("trilu", "Trilu", normal(2, 4, 5))
case("trilu_lower", "Trilu", normal(4, 4), scalar(-1, i64), upper=0)
case("trilu_bool", "Trilu", np.ones((4, 4), np.bool_), scalar(1, i64))
case("trilu_int64", "Trilu", integers(1, 9, 4, 4), scalar(0, i64), upper=0)
case("onehot", "OneHot", integers(-5, 5, 2, 3), const(5), const(0, 1, dtype=f32), out=F)
case("onehot_axis", "OneHot", integers(0, 5, 2, 3), const(5), const(-1, 2, dtype=f32), out=F, axis=1)
case("onehot_int64", "OneHot", integers(0, 7, 4), const(5), const(0, 1), out=I, axis=0)
case("depthtospace", "DepthToSpace", normal(2, 8, 2, 3), blocksize=2)
case("depthtospace_crd", "DepthToSpace", normal(2, 8, 2, 3), blocksize=2, mode="CRD")
case("spacetodepth", "SpaceToDepth", normal(2, 3, 4, 6), blocksize=2)

# Resize: every mode by every coordinate rule, up and down, scales and sizes.
image = normal(1, 2, 4, 5)
for mode in ("linear", "cubic", "nearest"):
    for rule in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"):
        short = mode + "_" + rule
        o = (19, 21) if rule == "half_pixel_symmetric" else (18,)
        case("resize_up_" + short, "Resize", image, None, const(1, 1, 2, 3, dtype=f32), opsets=o, mode=mode, coordinate_transformation_mode=rule)
        case("resize_sizes_" + short, "Resize", image, None, None, const(1, 2, 7, 3), opsets=o, mode=mode, coordinate_transformation_mode=rule)
        if rule != "align_corners":
            case("resize_down_" + short, "Resize", image, None, const(1, 1, 0.6, 0.5, dtype=f32), opsets=o, mode=mode, coordinate_transformation_mode=rule)
for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
    for rule in ("half_pixel", "asymmetric", "align_corners"):
        case(f"resize_nearest_{rounding}_{rule}", "Resize", image, None, None, const(1, 2, 9, 3), opsets=(13,), mode="nearest", nearest_mode=rounding, coordinate_transformation_mode=rule)
for mode in ("linear", "nearest", "cubic"):
    case(f"resize_opset11_{mode}", "Resize", image, const(dtype=f32), const(1, 1, 2, 1.5, dtype=f32), opsets=(11,), mode=mode, coordinate_transformation_mode="pytorch_half_pixel")
    case(f"resize_opset11_sizes_{mode}", "Resize", image, const(dtype=f32), const(dtype=f32), const(1, 2, 8, 7), opsets=(11,), mode=mode, coordinate_transformation_mode="asymmetric",
         nearest_mode="floor")
case("resize_tf_half_pixel_for_nn", "Resize", image, const(dtype=f32), const(dtype=f32), const(1, 2, 8, 7), opsets=(11,), mode="nearest", coordinate_transformation_mode="tf_half_pixel_for_nn")
case("resize_axes", "Resize", image, None, None, const(8, 3), opsets=(18,), mode="linear", axes=[2, 3])
case("resize_not_larger", "Resize", image, None, None, const(9, 9), opsets=(18,), mode="linear", axes=[2, 3], keep_aspect_ratio_policy="not_larger")
case("resize_not_smaller", "Resize", image, None, None, const(9, 9), opsets=(18,), mode="nearest", axes=[2, 3], keep_aspect_ratio_policy="not_smaller")
case("resize_crop", "Resize", image, const(0, 0, 0.4, 0.6, 1, 1, 0.8, 1.2, dtype=f32), None, const(1, 2, 3, 3), opsets=(13,), mode="linear",
     coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.0)
case("resize_exclude_outside", "Resize", image, None, const(1, 1, 2, 2, dtype=f32), opsets=(18,), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5)
case("resize_positions", "Resize", normal(1, 4, 7, 7), None, None, const(1, 4, 12, 12), opsets=(18,), mode="cubic", coordinate_transformation_mode="pytorch_half_pixel")
case("resize_1d", "Resize", normal(2, 3, 8), None, const(1, 1, 2.5, dtype=f32), opsets=(18,), mode="linear")
case("resize_3d", "Resize", normal(1, 2, 3, 4, 5), None, const(1, 1, 2, 1.5, 2, dtype=f32), opsets=(18,), mode="linear")
case("resize_nearest_84", "Resize", normal(1, 1, 3, 84), None, None, const(1, 1, 3, 64), opsets=(18,), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric")


# Small graphs: shape arithmetic with a symbolic batch, as exporters write it.
def make(*args, **kw):
    return helper.make_node(*args, **kw)


for opset in (11, 13, 18, 21):
    graph("flatten_by_shape", opset, [
        make("Shape", ["x"], ["s"]), make("Gather", ["s", "zero"], ["n"], axis=0),
        make("Unsqueeze", ["n"], ["n1"], axes=[0]) if opset < 13 else make("Unsqueeze", ["n", "axis0"], ["n1"]),
        make("Concat", ["n1", "minus"], ["target"], axis=0), make("Reshape", ["x", "target"], ["y"])],
        {"x": normal(3, 2, 4)}, {"y": F}, {"zero": np.array(0, i64), "minus": np.array([-1], i64), "axis0": np.array([0], i64)})
    graph("cls_token", opset, [
        make("Shape", ["x"], ["s"]), make("Gather", ["s", "zero"], ["n"], axis=0), make("Concat", ["n", "one", "width"], ["target"], axis=0),
        make("ConstantOfShape", ["three"], ["ones"], value=numpy_helper.from_array(np.array([1], i64))), make("Mul", ["ones", "minus"], ["free"]),
        make("Equal", ["target", "free"], ["e"]), make("Where", ["e", "ones", "target"], ["size"]), make("Expand", ["token", "size"], ["cls"]),
        make("Concat", ["cls", "x"], ["y0"], axis=1), make("Add", ["y0", "position"], ["y"])],
        {"x": normal(3, 4, 5)}, {"y": F}, {"zero": np.array([0], i64), "one": np.array([1], i64), "width": np.array([5], i64), "three": np.array([3], i64),
                                           "minus": np.array([-1], i64), "token": normal(1, 1, 5), "position": normal(1, 5, 5)})
graph("causal_mask", 18, [
    make("Shape", ["x"], ["n"], start=1, end=2), make("Squeeze", ["n"], ["n0"]), make("Range", ["zero", "n0", "one"], ["r"]), make("Unsqueeze", ["r", "zero1"], ["columns"]),
    make("Unsqueeze", ["r", "one1"], ["rows"]), make("Greater", ["columns", "rows"], ["above"]), make("Where", ["above", "low", "nothing"], ["mask"]),
    make("MatMul", ["x", "k"], ["scores"]), make("Add", ["scores", "mask"], ["z"]), make("Softmax", ["z"], ["y"], axis=-1)],
    {"x": normal(2, 4, 6)}, {"y": F}, {"zero": np.array(0, i64), "one": np.array(1, i64), "zero1": np.array([0], i64), "one1": np.array([1], i64),
                                       "low": np.array(-np.inf, f32), "nothing": np.array(0, f32), "k": normal(6, 4)})
graph("rotary", 21, [
    make("Shape", ["x"], ["n"], start=1, end=2), make("Squeeze", ["n"], ["n0"]), make("Range", ["zero", "n0", "one"], ["r"]), make("Cast", ["r"], ["position"], to=F),
    make("Einsum", ["position", "frequency"], ["angle"], equation="i,j->ij"), make("Concat", ["angle", "angle"], ["angles"], axis=-1), make("Cos", ["angles"], ["c"]),
    make("Sin", ["angles"], ["s"]), make("Split", ["x"], ["x1", "x2"], axis=-1, num_outputs=2), make("Neg", ["x2"], ["m"]), make("Concat", ["m", "x1"], ["turned"], axis=-1),
    make("Mul", ["x", "c"], ["p"]), make("Mul", ["turned", "s"], ["q"]), make("Add", ["p", "q"], ["y"])],
    {"x": normal(2, 5, 8)}, {"y": F}, {"zero": np.array(0, i64), "one": np.array(1, i64), "frequency": uniform(0.1, 1, 4)})
graph("range_float", 21, [make("Range", ["a", "b", "c"], ["r"]), make("Mul", ["x", "r"], ["y"])], {"x": normal(2, 4)}, {"y": F},
      {"a": np.array(0.5, f32), "b": np.array(2.1, f32), "c": np.array(0.4, f32)})
graph("constants", 21, [
    make("Constant", [], ["a"], value_float=1.5), make("Constant", [], ["b"], value_floats=[1.0, 2.0, 3.0]), make("Constant", [], ["i"], value_int=2),
    make("Constant", [], ["j"], value_ints=[1, -1]), make("Mul", ["x", "a"], ["p"]), make("Add", ["p", "b"], ["q"]), make("Cast", ["i"], ["f"], to=F), make("Mul", ["q", "f"], ["r"]),
    make("Reshape", ["r", "j"], ["y"])], {"x": normal(2, 3)}, {"y": F}, free=False)
graph("half_precision", 21, [
    make("Cast", ["x"], ["h"], to=H), make("MatMul", ["h", "w"], ["m"]), make("Add", ["m", "b"], ["a"]), make("Relu", ["a"], ["r"]), make("Cast", ["r"], ["y"], to=F)],
    {"x": normal(3, 8)}, {"y": F}, {"w": normal(8, 5, dtype=f16), "b": normal(5, dtype=f16)})
graph("uint8_frames", 21, [
    make("Cast", ["x"], ["f"], to=F), make("Div", ["f", "scale"], ["d"]), make("Conv", ["d", "w"], ["c"], strides=[2, 2]), make("Clip", ["c", "", "high"], ["y"])],
    {"x": integers(0, 256, 2, 1, 8, 8, dtype=u8)}, {"y": F}, {"scale": np.array(255, f32), "w": normal(3, 1, 4, 4), "high": np.array(0.3, f32)})
graph("attention", 21, [
    make("MatMul", ["x", "w"], ["qkv"]), make("Reshape", ["qkv", "heads"], ["r"]), make("Transpose", ["r"], ["t"], perm=[2, 0, 3, 1, 4]), make("Split", ["t"], ["q", "k", "v"], axis=0, num_outputs=3),
    make("Squeeze", ["q", "axis0"], ["q0"]), make("Squeeze", ["k", "axis0"], ["k0"]), make("Squeeze", ["v", "axis0"], ["v0"]), make("Transpose", ["k0"], ["kt"], perm=[0, 1, 3, 2]),
    make("Mul", ["q0", "scale"], ["qs"]), make("MatMul", ["qs", "kt"], ["s"]), make("Softmax", ["s"], ["p"], axis=-1), make("MatMul", ["p", "v0"], ["o"]),
    make("Transpose", ["o"], ["ot"], perm=[0, 2, 1, 3]), make("Reshape", ["ot", "flat"], ["y"])],
    {"x": normal(2, 5, 8)}, {"y": F}, {"w": normal(8, 24), "heads": np.array([0, 0, 3, 2, 4], i64), "axis0": np.array([0], i64), "scale": np.array(0.5, f32), "flat": np.array([0, 0, 8], i64)})
graph("masked_patches", 18, [
    make("Pad", ["x", "pads", "", "axes"], ["p"], mode="reflect"), make("Conv", ["p", "w", "b"], ["c"], strides=[2, 2]), make("Shape", ["c"], ["s"], end=2),
    make("Concat", ["s", "free"], ["t"], axis=0), make("Reshape", ["c", "t"], ["f"]), make("Transpose", ["f"], ["tokens"], perm=[0, 2, 1]),
    make("GatherElements", ["tokens", "index"], ["y"], axis=1)],
    {"x": normal(2, 1, 5, 5), "index": integers(0, 9, 2, 4, 3)}, {"y": F}, {"pads": np.array([1, 1, 0, 0], i64), "axes": np.array([2, 3], i64), "w": normal(3, 1, 2, 2), "b": normal(3), "free": np.array([-1], i64)})

# Indices, order, known conditions, quantised numbers, sampling.
i8 = np.int8
for name, shape, extra in [("2d", (2, 3, 7, 6), dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])), ("1d", (2, 2, 9), dict(kernel_shape=[3], strides=[2], pads=[1, 1])),
                           ("3d", (1, 2, 4, 5, 6), dict(kernel_shape=[2, 3, 2], strides=[1, 2, 2])), ("column_major", (2, 2, 5, 6), dict(kernel_shape=[2, 2], strides=[2, 2], storage_order=1)),
                           ("dilated", (1, 2, 8, 8), dict(kernel_shape=[2, 2], dilations=[2, 3])), ("ceil", (1, 2, 7, 8), dict(kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1))]:
    case("maxpool_indices_" + name, "MaxPool", normal(*shape), opsets=(12, 21), outputs=2, out=[F, I], **extra)
case("maxpool_indices_ties", "MaxPool", integers(0, 3, 2, 2, 6, 6).astype(f32), opsets=new, outputs=2, out=[F, I], kernel_shape=[3, 3], strides=[1, 1])
case("topk", "TopK", normal(3, 9), const(4), opsets=(11, 21), outputs=2, out=[F, I])
case("topk_smallest", "TopK", normal(3, 9), const(2), opsets=new, outputs=2, out=[F, I], largest=0)
case("topk_axis", "TopK", normal(3, 7, 4), const(3), opsets=new, outputs=2, out=[F, I], axis=1)
case("topk_ties", "TopK", integers(0, 3, 4, 11).astype(f32), const(6), opsets=new, outputs=2, out=[F, I])
case("topk_all_int64", "TopK", integers(-50, 50, 2, 8), const(8), opsets=new, outputs=2, out=[I, I], axis=-1, largest=0)
for mode in "nearest linear cubic".split():
    for padding in "zeros border reflection".split():
        for align in (0, 1):
            case(f"gridsample_{mode}_{padding}_{align}", "GridSample", normal(2, 3, 5, 6), uniform(-1.6, 1.6, 2, 4, 7, 2), opsets=(20,), mode=mode, padding_mode=padding, align_corners=align)
case("gridsample_bilinear_16", "GridSample", normal(1, 2, 4, 4), uniform(-1, 1, 1, 3, 3, 2), opsets=(16,))
case("gridsample_bicubic_16", "GridSample", normal(1, 2, 4, 4), uniform(-1, 1, 1, 3, 3, 2), opsets=(16,), mode="bicubic")
case("gridsample_one_pixel", "GridSample", normal(1, 2, 1, 1), uniform(-2, 2, 1, 3, 3, 2), opsets=(20,), padding_mode="reflection")
for size in (1, 3, 5):
    case(f"lrn_{size}", "LRN", normal(2, 4, 3, 2) * 3, opsets=new, size=size, alpha=0.3, beta=0.6, bias=1.5)
case("lrn_defaults", "LRN", normal(1, 7, 4, 2) * 3, opsets=(13,), size=3)
case("meanvariancenormalization", "MeanVarianceNormalization", normal(2, 3, 4, 5), opsets=(13, 21))
case("meanvariancenormalization_axes", "MeanVarianceNormalization", normal(2, 3, 4, 5), opsets=new, axes=[1, 3])
case("shrink", "Shrink", normal(3, 8), opsets=(11, 21), lambd=0.7, bias=0.4)
case("shrink_defaults", "Shrink", normal(3, 8), opsets=new)
case("hardmax", "Hardmax", normal(3, 4, 5), opsets=(11, 21))
case("hardmax_axis", "Hardmax", integers(0, 3, 3, 4, 5).astype(f32), opsets=(12, 21), axis=1)
case("eyelike", "EyeLike", normal(3, 5), opsets=new, k=1)
case("eyelike_int64", "EyeLike", normal(4, 3), opsets=new, out=I, k=-1, dtype=I)
graph("nonzero", 21, [make("NonZero", ["c"], ["i"]), make("Transpose", ["i"], ["t"]), make("GatherND", ["x", "t"], ["y"])],
      {"x": normal(3, 4)}, {"y": F}, {"c": np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, -1]], f32)}, free=False)
U8, I8 = TensorProto.UINT8, TensorProto.INT8
case("quantizelinear", "QuantizeLinear", normal(3, 8) * 60, scalar(0.5), opsets=(13, 21), out=U8)
case("quantizelinear_int8", "QuantizeLinear", normal(3, 8) * 60, scalar(0.4), scalar(-3, i8), opsets=(13, 21), out=I8)
case("quantizelinear_uint8", "QuantizeLinear", normal(3, 8) * 60, scalar(0.4), scalar(120, u8), opsets=(13, 21), out=U8)
case("quantizelinear_axis", "QuantizeLinear", normal(2, 3, 4) * 9, ("const", uniform(0.05, 0.3, 3)), const(1, -2, 5, dtype=i8), opsets=(13, 21), out=I8)
case("dequantizelinear", "DequantizeLinear", integers(0, 256, 3, 8, dtype=u8), scalar(0.5), scalar(128, u8), opsets=(11, 21), out=F)
case("dequantizelinear_int8", "DequantizeLinear", integers(-128, 128, 3, 8, dtype=i8), scalar(0.25), opsets=(13, 21), out=F)
case("dequantizelinear_axis", "DequantizeLinear", integers(-128, 128, 4, 3, dtype=i8), ("const", uniform(0.1, 1, 3)), const(0, 4, -5, dtype=i8), opsets=(13, 21), out=F, axis=-1)
case("dynamicquantizelinear", "DynamicQuantizeLinear", normal(4, 9) * 3 + 1, opsets=(11, 21), outputs=3, out=[U8, F, U8])
graph("quantized_conv", 21, [
    make("QuantizeLinear", ["x", "s", "z"], ["q"]), make("DequantizeLinear", ["q", "s", "z"], ["d"]), make("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0),
    make("Conv", ["d", "v", "b"], ["c"], strides=[2, 2]), make("Relu", ["c"], ["y"])],
    {"x": uniform(0, 1, 2, 1, 8, 8)}, {"y": F}, {"s": np.array(1 / 255, f32), "z": np.array(0, u8), "w": integers(-127, 128, 4, 1, 3, 3, dtype=i8),
     "ws": uniform(0.001, 0.01, 4), "wz": np.zeros(4, i8), "b": normal(4)})


def branch(name, nodes, output, constants=None, kind=F):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(output, kind, None)], [numpy_helper.from_array(a, k) for k, a in (constants or {}).items()])


# As PyTorch exports squeeze: a Squeeze if the axis is 1, nothing otherwise.
for length in (1, 3):
    graph(f"if_squeeze_{length}", 17, [
        make("Shape", ["x"], ["s"]), make("Gather", ["s", "zero"], ["n"]), make("Equal", ["n", "one"], ["e"]),
        make("If", ["e"], ["z"], then_branch=branch("then", [make("Squeeze", ["x", "axes"], ["a"])], "a"), else_branch=branch("else", [make("Identity", ["x"], ["a2"])], "a2")),
        make("Mul", ["z", "two"], ["y"])],
        {"x": normal(length, 4, 1)}, {"y": F}, {"one": np.array(1, i64), "zero": np.array(0, i64), "axes": np.array([0], i64), "two": np.array(2, f32)})
graph("if_nested", 17, [
    make("Relu", ["x"], ["r"]),
    make("If", ["yes"], ["y", "y2"], then_branch=helper.make_graph([
        make("Add", ["r", "bias"], ["p"]),
        make("If", ["no"], ["q"], then_branch=branch("a", [make("Neg", ["p"], ["u"])], "u"), else_branch=branch("b", [make("Mul", ["p", "factor"], ["u"])], "u", {"factor": normal(4)})),
        make("Sub", ["q", "x"], ["out"])], "outer", [], [helper.make_tensor_value_info("out", F, None), helper.make_tensor_value_info("p", F, None)], [numpy_helper.from_array(normal(4), "bias")]),
        else_branch=helper.make_graph([make("Identity", ["x"], ["out"]), make("Identity", ["r"], ["p"])], "other", [],
                                      [helper.make_tensor_value_info("out", F, None), helper.make_tensor_value_info("p", F, None)]))],
    {"x": normal(3, 4)}, {"y": F, "y2": F}, {"yes": np.array(True), "no": np.array(False)})


# Recurrence: S steps, B sequences, inputs of I, states of H elements.
S, B_, I_, H_ = 5, 3, 4, 6
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(name, op, steps=S, batch=B_, bias=True, lengths=None, h=False, c=False, p=False, outputs=None, constant=True, opsets=(14,), **attributes):
    """A recurrent layer; weights and biases are constants or given at the run."""
    d, g = 2 if attributes.get("direction") == "bidirectional" else 1, GATES[op]
    weight = (lambda a: ("const", a)) if constant else (lambda a: a)
    inputs = [normal(steps, batch, I_), weight(normal(d, g * H_, I_) * f32(0.7)), weight(normal(d, g * H_, H_) * f32(0.5)),
              weight(normal(d, 2 * g * H_) * f32(0.5)) if bias else None, None if lengths is None else ("const", np.array(lengths, i32)),
              normal(d, batch, H_) if h else None]
    if op == "LSTM":
        inputs += [normal(d, batch, H_) if c else None, weight(normal(d, 3 * H_) * f32(0.5)) if p else None]
    while inputs[-1] is None:
        inputs.pop()
    case(f"{op.lower()}_{name}", op, *inputs, opsets=opsets, outputs=outputs or (3 if op == "LSTM" else 2), out=F, hidden_size=H_, **attributes)


for op in GATES:
    for direction in ("forward", "reverse", "bidirectional"):
        recurrent(direction, op, direction=direction, opsets=(11, 21))
        recurrent(direction + "_initial", op, h=True, c=True, direction=direction)
        recurrent(direction + "_lengths", op, h=True, lengths=[5, 2, 4], direction=direction)
    recurrent("no_bias", op, bias=False)
    recurrent("run_time_weights", op, constant=False, h=True, direction="bidirectional")
    recurrent("complete", op, lengths=[5, 5, 5])
    recurrent("one_step", op, steps=1, batch=1, h=True)
    recurrent("clip", op, h=True, c=True, clip=0.6)
    recurrent("clip_lengths", op, lengths=[3, 5, 1], clip=0.6, direction="bidirectional")
recurrent("after", "GRU", linear_before_reset=1, h=True)
recurrent("after_bidirectional", "GRU", linear_before_reset=1, direction="bidirectional", lengths=[1, 5, 3])
recurrent("after_no_bias", "GRU", linear_before_reset=1, bias=False)
recurrent("peepholes", "LSTM", p=True, h=True, c=True)
recurrent("peepholes_bidirectional", "LSTM", p=True, direction="bidirectional")
recurrent("coupled", "LSTM", c=True, input_forget=1)
for f in "Relu Tanh Sigmoid Softsign Softplus".split():
    recurrent(f.lower(), "RNN", activations=[f])
for f in "LeakyRelu Elu HardSigmoid".split():
    recurrent(f.lower() + "_defaults", "GRU", activations=["Sigmoid", f])
for f, alpha, beta in [("LeakyRelu", [0.2], []), ("ThresholdedRelu", [0.4], []), ("Elu", [0.5], []), ("HardSigmoid", [0.3], [0.4]), ("Affine", [0.5], [0.25]), ("ScaledTanh", [1.5], [0.5])]:
    recurrent(f.lower() + "_parameters", "RNN", activations=[f], activation_alpha=alpha, **(dict(activation_beta=beta) if beta else {}))
recurrent("activations", "LSTM", direction="bidirectional", activations=["HardSigmoid", "Tanh", "ScaledTanh", "Sigmoid", "Softsign", "Tanh"], activation_alpha=[0.25, 1.2], activation_beta=[0.5, 0.8])
recurrent("activations", "GRU", activations=["HardSigmoid", "LeakyRelu"], activation_alpha=[0.25, 0.1], activation_beta=[0.5])


# Products of integers. At run time or constant; zero points and scales of the whole, of rows, columns or filters.
def bytes_(*shape, dtype=u8):
    return integers(0, 256, *shape, dtype=dtype) if dtype == u8 else integers(-127, 128, *shape, dtype=dtype)


def weights(a, constant):
    return ("const", a) if constant else a


for dtype in (u8, i8):
    tag = np.dtype(dtype).name
    for constant in (True, False):
        name = tag + ("" if constant else "_run_time")
        case(f"matmulinteger_{name}", "MatMulInteger", bytes_(5, 40), weights(bytes_(40, 7, dtype=dtype), constant), scalar(113, u8), scalar(3, dtype), opsets=(11, 21), out=TensorProto.INT32)
        case(f"matmulinteger_columns_{name}", "MatMulInteger", bytes_(2, 5, 40), weights(bytes_(40, 7, dtype=dtype), constant), scalar(113, u8),
             weights(bytes_(7, dtype=dtype), constant), opsets=(21,), out=TensorProto.INT32)
        case(f"convinteger_{name}", "ConvInteger", bytes_(2, 3, 7, 6), weights(bytes_(4, 3, 3, 2, dtype=dtype), constant), scalar(120, u8), scalar(2, dtype), opsets=(11, 21), out=TensorProto.INT32,
             pads=[1, 1, 0, 2], strides=[2, 1]) if dtype == u8 else None
case("matmulinteger_no_zeros", "MatMulInteger", bytes_(5, 40), bytes_(40, 7), opsets=(21,), out=TensorProto.INT32)
case("matmulinteger_stacks", "MatMulInteger", bytes_(2, 3, 4, 9), bytes_(3, 9, 5, dtype=i8), scalar(7, u8), opsets=(21,), out=TensorProto.INT32)
case("matmulinteger_long", "MatMulInteger", bytes_(3, 2000), ("const", bytes_(2000, 4, dtype=i8)), scalar(128, u8), opsets=(21,), out=TensorProto.INT32)
case("convinteger_groups", "ConvInteger", bytes_(2, 4, 7, 6), ("const", bytes_(6, 2, 3, 3)), scalar(99, u8), opsets=(21,), out=TensorProto.INT32, group=2, auto_pad="SAME_UPPER")
for a, b in [(u8, u8), (u8, i8), (i8, i8)]:
    tag = f"{np.dtype(a).name}_{np.dtype(b).name}"
    y = TYPES[np.dtype(a)]
    for constant in (True, False):
        name = tag + ("" if constant else "_run_time")
        case(f"qlinearmatmul_{name}", "QLinearMatMul", bytes_(5, 40, dtype=a), scalar(0.02), scalar(5, a), weights(bytes_(40, 7, dtype=b), constant), scalar(0.01), scalar(3, b), scalar(0.09), scalar(20, a), opsets=(11, 21), out=y)
        case(f"qlinearconv_{name}", "QLinearConv", bytes_(2, 3, 7, 6, dtype=a), scalar(0.02), scalar(9, a), weights(bytes_(4, 3, 3, 2, dtype=b), constant), scalar(0.01), scalar(0, b), scalar(0.1), scalar(11, a),
             ("const", integers(-9000, 9000, 4, dtype=i32)), opsets=(11, 21), out=y, pads=[1, 1, 0, 2], strides=[2, 1])
    case(f"qlinearmatmul_columns_{tag}", "QLinearMatMul", bytes_(2, 5, 40, dtype=a), scalar(0.02), scalar(5, a), ("const", bytes_(40, 7, dtype=b)), ("const", uniform(0.005, 0.02, 7)), ("const", np.zeros(7, b)),
         scalar(0.09), scalar(20, a), opsets=(21,), out=y)
    case(f"qlinearconv_filters_{tag}", "QLinearConv", bytes_(2, 3, 7, 6, dtype=a), scalar(0.02), scalar(9, a), ("const", bytes_(4, 3, 3, 2, dtype=b)), ("const", uniform(0.005, 0.02, 4)), ("const", np.zeros(4, b)),
         scalar(0.1), scalar(11, a), opsets=(21,), out=y)
case("qlinearconv_depthwise", "QLinearConv", bytes_(1, 6, 9, 9), scalar(0.02), scalar(128, u8), ("const", bytes_(6, 1, 3, 3, dtype=i8)), ("const", uniform(0.005, 0.02, 6)), ("const", np.zeros(6, i8)), scalar(0.05), scalar(0, u8),
     ("const", integers(-900, 900, 6, dtype=i32)), opsets=(21,), out=U8, group=6, pads=[1, 1, 1, 1])


# Loops whose number of iterations is known.
def ports(**kinds):
    return [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in kinds.items()]


def body(nodes, inputs, outputs, constants=None):
    return helper.make_graph(nodes, "body", inputs, outputs, [numpy_helper.from_array(a, k) for k, a in (constants or {}).items()])


counting = body([make("Cast", ["i"], ["f"], to=F), make("Add", ["s", "f"], ["t"]), make("Mul", ["t", "x"], ["u"]), make("MatMul", ["u", "w"], ["s2"]), make("Relu", ["s2"], ["out"]), make("Identity", ["c"], ["c2"])],
                ports(i=(I, []), c=(B, []), s=(F, None)), ports(c2=(B, []), s2=(F, None), out=(F, None)), {"w": normal(4, 4)})
for condition in ("yes", ""):
    graph("loop" + condition, 17, [make("Loop", ["n", condition, "x"], ["y", "z"], body=counting)], {"x": normal(3, 4)}, {"y": F, "z": F}, {"n": np.array(4, i64), "yes": np.array(True)})
graph("loop_steps_of_input", 21, [  # as PyTorch exports: for t in range(x.shape[1])
    make("Shape", ["x"], ["shape"]), make("Gather", ["shape", "one"], ["n"]),
    make("Loop", ["n", "yes", "zero"], ["h", "all"], body=body([
        make("Gather", ["x", "t"], ["x_t"], axis=1), make("MatMul", ["state", "w"], ["p"]), make("Add", ["p", "x_t"], ["q"]), make("Tanh", ["q"], ["next"]),
        make("Identity", ["next"], ["seen"]), make("Cast", ["c"], ["c2"], to=B)],
        ports(t=(I, []), c=(B, []), state=(F, None)), ports(c2=(B, []), next=(F, None), seen=(F, None)))),
    make("Transpose", ["all"], ["y"], perm=[1, 0, 2])],
    {"x": normal(2, 5, 4)}, {"y": F, "h": F}, {"one": np.array(1, i64), "yes": np.array(True), "zero": np.zeros((2, 4), f32), "w": normal(4, 4)}, free=False)
graph("loop_nested", 17, [make("Loop", ["n", "", "x"], ["y"], body=body([
    make("Loop", ["m", "", "s"], ["s2"], body=body([make("Mul", ["v", "half"], ["w"]), make("Add", ["w", "x"], ["v2"]), make("Identity", ["e"], ["e2"])],
                                                   ports(j=(I, []), e=(B, []), v=(F, None)), ports(e2=(B, []), v2=(F, None)))), make("Identity", ["c"], ["c2"])],
    ports(i=(I, []), c=(B, []), s=(F, None)), ports(c2=(B, []), s2=(F, None)), {"m": np.array(2, i64), "half": np.array(0.5, f32)}))],
    {"x": normal(3, 4)}, {"y": F}, {"n": np.array(3, i64)})
graph("loop_none", 17, [make("Loop", ["n", "", "x"], ["s"], body=body([make("Neg", ["s"], ["s2"]), make("Identity", ["c"], ["c2"])],
    ports(i=(I, []), c=(B, []), s=(F, None)), ports(c2=(B, []), s2=(F, None)))), make("Relu", ["s"], ["y"])], {"x": normal(3, 4)}, {"y": F}, {"n": np.array(0, i64)})
summing = body([make("Mul", ["s", "a"], ["p"]), make("Add", ["p", "b"], ["q"]), make("Tanh", ["q"], ["s2"]), make("Sub", ["s2", "a"], ["o"]), make("Identity", ["s2"], ["o2"])],
               ports(s=(F, None), a=(F, None), b=(F, None)), ports(s2=(F, None), o=(F, None), o2=(F, None)))
for name, kw in [("", {}), ("_axes", dict(scan_input_axes=[1, -1], scan_output_axes=[1, -1])), ("_directions", dict(scan_input_directions=[1, 0], scan_output_directions=[0, 1]))]:
    graph("scan" + name, 17, [make("Scan", ["s", "x", "z"], ["f", "y", "y2"], body=summing, num_scan_inputs=2, **kw)],
          {"x": normal(3, 3, 3) if not name else normal(3, 4, 3) if name == "_axes" else normal(4, 3, 3), "z": normal(3, 3, 3) if not name else normal(3, 3, 4) if name == "_axes" else normal(4, 3, 3), "s": normal(3, 3)},
          {"f": F, "y": F, "y2": F}, free=False)

case("reversesequence", "ReverseSequence", normal(5, 3, 2, 2), const(5, 1, 3), opsets=(11, 21))
case("reversesequence_batch_first", "ReverseSequence", normal(3, 5), integers(1, 6, 3), opsets=(17,), batch_axis=0, time_axis=1)


def main():
    work = tempfile.mkdtemp()
    manifest = {"version": VERSION, "cases": []}
    for name, model, values in cases:
        with open(os.path.join(work, name + ".onnx"), "wb") as f:
            f.write(model.SerializeToString())
        inputs = []
        for i, (key, a) in enumerate(values.items()):
            file = f"{name}.input_{i}.raw"
            a = np.array(a, order="C", ndmin=0)
            a.tofile(os.path.join(work, file))
            inputs.append(dict(name=key, dtype=str(a.dtype), dims=list(a.shape), file=file))
        manifest["cases"].append(dict(name=name, model=name + ".onnx", inputs=inputs))
    path = os.path.join(work, "manifest.json")
    with open(path, "w") as f:
        json.dump(manifest, f)
    subprocess.run(["node", os.path.join(here, "oracle.js"), modules, path], check=True)
    with open(path) as f:
        results = json.load(f)["cases"]
    refused = [f"{c['name']}: {c['error']}" for c in results if "error" in c]
    # No dates: the same cases give the same file.
    with open(os.path.join(here, "operators.tar.gz"), "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed, tarfile.open(fileobj=packed, mode="w") as out:
        def write(name, data):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))

        def array(t):
            with open(os.path.join(work, t["file"]), "rb") as f:
                return np.frombuffer(f.read(), np.dtype(t["dtype"])).reshape(t["dims"])

        for c in results:
            if "error" in c:
                continue
            with open(os.path.join(work, c["model"]), "rb") as f:
                write(f"{c['name']}/model.onnx", f.read())
            for kind in ("input", "output"):
                for i, t in enumerate(c[kind + "s"]):
                    write(f"{c['name']}/test_data_set_0/{kind}_{i}.pb", numpy_helper.from_array(array(t), t["name"]).SerializeToString())
    shutil.rmtree(work)
    print(len(results) - len(refused), "cases")
    for line in refused:
        print("refused", line)
    sys.exit(1 if refused else 0)


main()
