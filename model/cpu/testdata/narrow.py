"""Writes narrow.tar.gz: cases of narrow types and their quantization, of bits, losses, selections and points of images, in
the ONNX node-test format; see README.md and cases.py.

    python narrow.py
"""
import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

import cases

cases.TYPES |= {np.dtype(k): v for k, v in {
    np.float16: TensorProto.FLOAT16, ml_dtypes.bfloat16: TensorProto.BFLOAT16, ml_dtypes.float8_e4m3fn: TensorProto.FLOAT8E4M3FN,
    ml_dtypes.float8_e5m2: TensorProto.FLOAT8E5M2, ml_dtypes.float4_e2m1fn: TensorProto.FLOAT4E2M1, ml_dtypes.int4: TensorProto.INT4,
    ml_dtypes.uint4: TensorProto.UINT4, ml_dtypes.int2: TensorProto.INT2, ml_dtypes.uint2: TensorProto.UINT2, ml_dtypes.float8_e8m0fnu: TensorProto.FLOAT8E8M0}.items()}
archive = cases.Cases(41)
case, graph, normal, rng = archive.case, archive.graph, archive.normal, archive.rng
F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def number(v, kind=np.float32):
    return ("const", np.array(v, kind))


def through(name, opset, op, x, rest=(), reference=False, back=F, out=F, constants=None, **attributes):
    """A node whose result is cast back."""
    names = ["x", *[f"c{i}" for i in range(len(rest))]]
    nodes = [helper.make_node(op, names, ["n"], **attributes), helper.make_node("Cast", ["n"], ["y"], to=back)]
    graph(name, opset, nodes, {"x": x}, ["y"], {f"c{i}": c for i, c in enumerate(rest)}, reference, out=out)


# Casts to narrow types and back, numbers halfway between two among them.
x = np.concatenate([normal(40) * 4, np.float32([0, 0.0625, 0.3125, 17, 19, 240, 248, 449, 464, 465, 57344, 61440, 65000, 1e6, np.inf, np.nan, 1e-7, 2 ** -10, 3 * 2.0 ** -11])])
x = np.concatenate([x, -x]).astype(np.float32)
for name in ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"):
    for saturate in (0, 1):
        # ONNX Runtime makes what rounds to infinity NaN.
        through(f"cast_{name.lower()}_{saturate}", 19, "Cast", x, to=getattr(TensorProto, name), saturate=saturate, reference=saturate == 0 and name == "FLOAT8E5M2")
through("cast_float4", 23, "Cast", x, to=TensorProto.FLOAT4E2M1, reference=True)
for mode in ("up", "down", "nearest"):
    through(f"cast_float8e8m0_{mode}", 24, "Cast", np.abs(normal(40)) + np.float32(1 / 64), to=TensorProto.FLOAT8E8M0, round_mode=mode, reference=True)
for name in ("INT4", "UINT4"):
    through(f"cast_{name.lower()}", 21, "Cast", rng.integers(-8 if name == "INT4" else 0, 8, 24).astype(np.float32), to=getattr(TensorProto, name), back=I, out=I)
for name in ("INT2", "UINT2"):
    through(f"cast_{name.lower()}", 25, "Cast", rng.integers(-2 if name == "INT2" else 0, 2, 24).astype(np.float32), to=getattr(TensorProto, name), back=I, out=I, reference=True)
through("castlike_float8", 19, "CastLike", x, [np.zeros(1, ml_dtypes.float8_e5m2)], reference=True)

# Quantization in blocks and to narrow types; weights of 4 bits.
for axis, shape, block in ((0, (7, 3), 3), (1, (2, 10), 4), (2, (2, 3, 9), 2), (1, (3, 8), 8)):
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // block)
    scale = np.abs(normal(*blocks)) + np.float32(0.125)
    zero = rng.integers(-3, 4, blocks)
    for kind in (np.int8, ml_dtypes.int4):
        through(f"quantize_blocks_{axis}_{block}_{np.dtype(kind).name}", 21, "QuantizeLinear", normal(*shape) * 3, [scale, zero.astype(kind)], back=I, out=I, axis=axis, block_size=block,
                reference=shape[axis] % block != 0)
    w = rng.integers(-8, 8, shape).astype(ml_dtypes.int4)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=axis, block_size=block), helper.make_node("Add", ["x", "d"], ["y"])]
    graph(f"dequantize_blocks_{axis}_{block}", 21, nodes, {"x": normal(*shape)}, ["y"], {"w": w, "s": scale, "z": zero.astype(ml_dtypes.int4)}, reference=shape[axis] % block != 0)
for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
    through(f"quantize_{np.dtype(kind).name}", 19, "QuantizeLinear", normal(4, 5) * 100, [np.float32(0.5), np.zeros((), kind)])
    w = (normal(6, 4) * 2).astype(kind)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=1), helper.make_node("MatMul", ["x", "d"], ["y"])]
    graph(f"dequantize_{np.dtype(kind).name}", 19, nodes, {"x": normal(3, 6)}, ["y"], {"w": w, "s": np.abs(normal(4)) + np.float32(0.25)})
for kind in (ml_dtypes.uint4, ml_dtypes.int4):
    w = rng.integers(0, 8, (33, 5)).astype(kind)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=1), helper.make_node("MatMul", ["x", "d"], ["y"])]
    graph(f"dequantize_{np.dtype(kind).name}", 21, nodes, {"x": normal(3, 33)}, ["y"], {"w": w, "s": np.abs(normal(5)), "z": rng.integers(0, 8, 5).astype(kind)})
for output in (TensorProto.FLOAT, TensorProto.FLOAT16):
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["d"], output_dtype=output), helper.make_node("Cast", ["d"], ["c"], to=F), helper.make_node("Add", ["x", "c"], ["y"])]
    graph(f"dequantize_output_{output}", 23, nodes, {"x": normal(3, 4)}, ["y"], {"w": rng.integers(-9, 9, (3, 4)).astype(np.int8), "s": np.float32(0.5)}, reference=True)

# Bits.
some = np.concatenate([normal(12), np.float32([0, -0.0, np.inf, -np.inf, 65504, 1e-7, 1e-40])])
through("bitcast_float32", 26, "BitCast", some, to=TensorProto.INT32, back=I, out=I, reference=True)
for kind, name in ((np.float16, "float16"), (ml_dtypes.bfloat16, "bfloat16")):
    nodes = [helper.make_node("Cast", ["x"], ["h"], to=cases.TYPES[np.dtype(kind)]), helper.make_node("BitCast", ["h"], ["n"], to=TensorProto.INT16),
             helper.make_node("Cast", ["n"], ["y"], to=I)]
    graph(f"bitcast_{name}", 26, nodes, {"x": some}, ["y"], out=I, reference=True)
    nodes = [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.UINT16), helper.make_node("BitCast", ["i"], ["n"], to=cases.TYPES[np.dtype(kind)]), helper.make_node("Cast", ["n"], ["y"], to=F)]
    graph(f"bitcast_of_{name}", 26, nodes, {"x": rng.integers(0, 0x7C00 if name == "float16" else 0x7F80, 20)}, ["y"], reference=True)
nodes = [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.UINT8), helper.make_node("BitCast", ["i"], ["n"], to=TensorProto.FLOAT8E4M3FN), helper.make_node("Cast", ["n"], ["y"], to=F)]
graph("bitcast_of_float8", 26, nodes, {"x": np.arange(0, 256, 3)}, ["y"], reference=True)
nodes = [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT32), helper.make_node("BitCast", ["i"], ["n"], to=TensorProto.UINT32), helper.make_node("Cast", ["n"], ["y"], to=I)]
graph("bitcast_sign", 26, nodes, {"x": rng.integers(-9, 9, 10)}, ["y"], out=I, reference=True)

# Remainders, reductions of booleans and of nothing.
for opset in (13,):
    a, b = normal(4, 5), normal(5)
    b[b == 0] = 1
    case("mod_down", "Mod", opset, a, b, reference=True)
truth = rng.integers(0, 2, (3, 4, 2)) > 0
for op in ("ReduceMax", "ReduceMin"):
    case(f"{op.lower()}_bool", op, 20, truth, ("const", np.array([1])), out=B, keepdims=0)
    case(f"{op.lower()}_nothing", op, 20, np.zeros((2, 0, 3), np.float32), ("const", np.array([1])), reference=True)
    case(f"{op.lower()}_nothing_bool", op, 20, np.zeros((2, 0, 3), bool), ("const", np.array([1])), out=B, reference=True)

# Selections.
for axis in (None, 0, -1):
    attributes = {} if axis is None else dict(axis=axis)
    case(f"compress_{axis}", "Compress", 11, normal(3, 4), ("const", np.array([True, False, True])), **attributes)
    for sorted_ in (0, 1):
        repeated = rng.integers(-1, 2, (4, 3)).astype(np.float32)
        case(f"unique_{axis}_{sorted_}", "Unique", 11, ("const", repeated), outputs=4, out=[F, I, I, I], sorted=sorted_, **attributes)
        case(f"unique_integers_{axis}_{sorted_}", "Unique", 11, ("const", repeated.astype(np.int64)), outputs=4, out=[I, I, I, I], sorted=sorted_, **attributes)
for center in (0, 1):
    for batch, boxes, classes, most, overlap, least in ((1, 12, 1, 5, 0.3, 0.0), (2, 20, 3, 4, 0.5, 0.4), (1, 7, 2, 0, 0.5, 0.0), (2, 9, 1, 100, 0.0, None)):
        corners = rng.random((batch, boxes, 4)).astype(np.float32)
        scores = rng.random((batch, classes, boxes)).astype(np.float32)
        last = [] if least is None else [number([least])]
        case(f"suppression_{center}_{boxes}_{most}", "NonMaxSuppression", 11, ("const", corners), ("const", scores), ("const", np.array([most])), number([overlap]), *last, out=I, center_point_box=center)

# Losses.
for shape in ((5, 4), (3, 4, 6), (2, 3, 4, 5)):
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    labels.flat[1] = 2
    weights = np.abs(normal(shape[1])) + np.float32(0.25)
    for reduction in ("none", "sum", "mean"):
        for ignore in ({}, dict(ignore_index=2)):
            for w in ([], [weights]):
                name = f"{len(shape)}_{reduction}_{len(ignore)}_{len(w)}"
                case(f"nll_{name}", "NegativeLogLikelihoodLoss", 13, normal(*shape), labels, *w, reduction=reduction, **ignore)
                case(f"entropy_{name}", "SoftmaxCrossEntropyLoss", 13, normal(*shape), labels, *w, outputs=2, reduction=reduction, **ignore)
case("entropy_old", "SoftmaxCrossEntropyLoss", 12, normal(2, 3, 4), rng.integers(0, 3, (2, 4)), outputs=2)

# Points of images.
boxes = np.sort(rng.uniform(-2, 12, (5, 2, 2)), axis=1).reshape(5, 4).astype(np.float32)
boxes[1] = [3, 3, 3, 3]
image, index = normal(2, 3, 9, 11), np.array([0, 1, 1, 0, 1])
for mode in ("avg", "max"):
    for transformation in ("half_pixel", "output_half_pixel"):
        case(f"roialign_{mode}_{transformation}", "RoiAlign", 16, image, boxes, index, mode=mode, output_height=3, output_width=2, sampling_ratio=2, spatial_scale=0.75,
             coordinate_transformation_mode=transformation)
        case(f"roialign_adaptive_{mode}_{transformation}", "RoiAlign", 16, image, ("const", boxes), ("const", index), mode=mode, output_height=2, output_width=3, spatial_scale=1.0,
             coordinate_transformation_mode=transformation)
case("roialign", "RoiAlign", 10, image, boxes, index, output_height=2, output_width=2, sampling_ratio=3)
for name, c, o, kernel, group, offsets, rest in (
        ("plain", 2, 3, (3, 3), 1, 1, dict(pads=[1, 1, 1, 1])), ("groups", 4, 6, (2, 3), 2, 2, dict(strides=[2, 1], pads=[0, 1, 2, 0])),
        ("offsets", 6, 4, (3, 2), 1, 3, dict(dilations=[2, 2])), ("pixel", 3, 2, (1, 1), 1, 1, {})):
    size = [7, 8]
    pads, strides, dilations = rest.get("pads", [0] * 4), rest.get("strides", [1, 1]), rest.get("dilations", [1, 1])
    out = [(size[i] + pads[i] + pads[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(2)]
    taps = offsets * kernel[0] * kernel[1]
    weights = normal(o, c // group, *kernel)
    case(f"deform_{name}", "DeformConv", 19, normal(2, c, *size), ("const", weights), normal(2, 2 * taps, *out) * 2, group=group, offset_group=offsets, kernel_shape=list(kernel), **rest)
    case(f"deform_mask_{name}", "DeformConv", 19, normal(2, c, *size), weights, normal(2, 2 * taps, *out), normal(o), normal(2, taps, *out), group=group, offset_group=offsets, **rest)

# What newer operators have replaced, and modes.
case("scatter", "Scatter", 10, normal(3, 4), rng.integers(0, 4, (2, 3)), normal(2, 3), axis=1)
for mode in ("nearest", "linear"):
    case(f"upsample_{mode}", "Upsample", 9, normal(1, 2, 3, 4), number([1, 1, 2, 3]), mode=mode)
    case(f"upsample_old_{mode}", "Upsample", 7, normal(1, 2, 3, 4), scales=[1.0, 1.0, 2.0, 1.5], mode=mode)
for mode in ("DCR", "CRD"):
    case(f"spacetodepth_{mode.lower()}", "SpaceToDepth", 28, normal(2, 3, 4, 6), blocksize=2, mode=mode, reference=True)

archive.write("narrow.tar.gz")
