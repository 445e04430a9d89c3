"""Writes fused.tar.gz: the operators of ONNX Runtime's own domain, com.microsoft, that its optimizer and its quantization write, in the
ONNX node-test format with the outputs of ONNX Runtime; where it has them for GPUs alone, of NumPy. See README.md and cases.py.

    python fused.py                # the archive
    python fused.py FOLDER COUNT   # COUNT random forms of each, as folders of cases for TestConformance
"""
import math
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import cases

archive = cases.Cases(67)
normal, rng = archive.normal, archive.rng
MICROSOFT = "com.microsoft"
INT32 = np.int32


def case(name, op, inputs, outputs=("y",), opset=17, constants=(), domain=MICROSOFT, values=None, out=TensorProto.FLOAT, opset_=None, **attributes):
    """A case of one node. opset_ is its attribute opset. inputs are arrays by name, "" where one is absent; constants are the names of those that are."""
    names = ["" if a is None else k for k, a in inputs.items()]
    node = helper.make_node(op, names, list(outputs), name=name, domain=domain, **attributes)
    if opset_ is not None:
        node.attribute.append(helper.make_attribute("opset", opset_))
    given = {k: a for k, a in inputs.items() if a is not None and k not in constants}
    archive.graph(f"fused/{name}", opset, [node], given, [o for o in outputs if o], {k: inputs[k] for k in constants}, out=out,
                  values=None if values is None else {o: v.astype(np.float32) for o, v in zip(outputs, values)})


def erf(x):
    return np.vectorize(math.erf)(x)


def gelu(x):
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def silu(x):
    return x / (1 + np.exp(-x))


# Normalizations.
def skip(name, x, skip_shape, beta, bias, both, opset=17, simple=False, **attributes):
    width = x[-1]
    inputs = {"x": normal(*x), "skip": normal(*skip_shape), "gamma": normal(width)}
    if not simple:
        inputs["beta"] = normal(width) if beta else None
    if bias:
        inputs["bias"] = normal(width)
    outputs = ["y", "", "", "sum"] if both else ["y"]
    op = "SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization"
    case(f"{op.lower()}_{name}", op, inputs, outputs, opset, constants=["gamma"] + [k for k in ("beta", "bias") if inputs.get(k) is not None], **attributes)


for simple in (False, True):
    skip("plain", (2, 3, 8), (2, 3, 8), True, False, False, simple=simple)
    skip("all", (2, 3, 8), (2, 3, 8), True, True, True, opset=11, simple=simple, epsilon=1e-3)
skip("broadcast", (2, 3, 8), (1, 3, 8), False, True, True, opset=14)
skip("matrix", (3, 8), (3, 8), True, False, False, simple=True)
for opset in (11, 17, 21):
    case(f"simplified_{opset}", "SimplifiedLayerNormalization", {"x": normal(2, 3, 6), "scale": normal(6)}, opset=opset, domain="", epsilon=1e-6, axis=-1)
case("simplified_factor", "SimplifiedLayerNormalization", {"x": normal(2, 3, 6), "scale": normal(6)}, ["y", "factor"], domain="", axis=2)
case("layernorm_old", "LayerNormalization", {"x": normal(2, 3, 6), "scale": normal(6), "bias": normal(6)}, opset=12, domain="", epsilon=1e-4, axis=-1)


def embed(name, segments=True, mask=True, positions=None, outputs=("y", "index"), opset=14, **attributes):
    inputs = {"ids": rng.integers(0, 11, (2, 4)).astype(INT32), "segments": rng.integers(0, 2, (2, 4)).astype(INT32) if segments else None,
              "words": normal(11, 8), "places": normal(6, 8), "kinds": normal(2, 8) if segments else None, "gamma": normal(8), "beta": normal(8)}
    if mask or positions is not None:
        inputs["mask"] = np.array([[1, 1, 1, 0], [1, 0, 0, 0]], INT32) if mask else None
    if positions is not None:
        inputs["positions"] = np.array(positions, INT32)
    case(f"embed_{name}", "EmbedLayerNormalization", inputs, outputs, opset,
         constants=[k for k in ("words", "places", "kinds", "gamma", "beta") if inputs.get(k) is not None],
         out=[TensorProto.FLOAT, TensorProto.INT32, TensorProto.FLOAT][:len(outputs)], **attributes)


embed("all", epsilon=1e-5)
embed("sum", outputs=("y", "index", "sum"))
embed("without", segments=False, mask=False)
embed("positions", positions=[[3, 2, 1, 0], [5, 5, 4, 3]])
embed("positions_shared", positions=[[3, 2, 1, 0]], mask=False)


# Of GPUs alone.
def group_norm(x, gamma, beta, groups, epsilon, last, activation):
    if last:
        x = x.transpose(0, 3, 1, 2)
    n, c, h, w = x.shape
    parts = x.reshape(n, groups, -1).astype(np.float64)
    y = (parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + epsilon)
    y = y.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    y = silu(y) if activation else y
    return y.transpose(0, 2, 3, 1) if last else y


for last, activation, shape in ((1, 0, (2, 3, 5, 8)), (1, 1, (1, 4, 4, 6)), (0, 1, (2, 8, 3, 2)), (0, 0, (1, 6, 2, 3))):
    channels = shape[3] if last else shape[1]
    x, gamma, beta = normal(*shape), normal(channels), normal(channels)
    more = dict(groups=2, epsilon=1e-4, channels_last=last, activation=activation)
    y = group_norm(x, gamma, beta, 2, 1e-4, last, activation)
    case(f"groupnorm_{last}{activation}", "GroupNorm", {"x": x, "gamma": gamma, "beta": beta}, values=[y], constants=["gamma", "beta"], **more)
    for form in ("same", "channels", "channels4", "bias"):
        other, bias = normal(*shape), normal(channels) if form == "bias" else None
        if form.startswith("channels"):
            other = normal(shape[0], channels)
        broadcast = other
        if form == "channels4" or form == "channels":
            broadcast = other[:, None, None, :] if last else other[:, :, None, None]
        s = x + broadcast + (0 if bias is None else bias if last else bias[:, None, None])
        inputs = {"x": x, "gamma": gamma, "beta": beta, "skip": broadcast if form == "channels4" else other} | ({} if bias is None else {"bias": bias})
        case(f"skipgroupnorm_{last}{activation}_{form}", "SkipGroupNorm", inputs, ["y", "s"], constants=["gamma", "beta"], **more,
             values=[group_norm(s, gamma, beta, 2, 1e-4, last, activation), s])
x, bias, other = normal(2, 3, 8), normal(8), normal(2, 3, 8)
case("biasadd", "BiasAdd", {"x": x, "bias": bias, "skip": other}, values=[x + bias + other])
case("biassplitgelu", "BiasSplitGelu", {"x": x, "bias": bias}, values=[(x + bias)[..., :4] * gelu((x + bias)[..., 4:])])

# Activations.
for opset in (11, 20):
    case("gelu", "Gelu", {"x": normal(3, 7) * 3}, opset=opset)
    case("biasgelu", "BiasGelu", {"x": normal(2, 3, 7) * 3, "bias": normal(7)}, opset=opset)
    case("fastgelu", "FastGelu", {"x": normal(2, 3, 7) * 3}, opset=opset)
    case("fastgelu_bias", "FastGelu", {"x": normal(2, 3, 7) * 3, "bias": normal(7)}, opset=opset)
    case("quickgelu", "QuickGelu", {"x": normal(3, 7) * 3}, opset=opset)
    case("quickgelu_alpha", "QuickGelu", {"x": normal(3, 7) * 3}, opset=opset, alpha=0.5)

# Products and convolutions.
for name, a, b, more in (("alpha", (2, 3, 4), (2, 4, 5), dict(alpha=0.125)), ("a", (2, 4, 3), (2, 4, 5), dict(transA=1)), ("b", (2, 3, 4), (2, 5, 4), dict(transB=1, alpha=2.0)),
                         ("both", (4, 3), (5, 4), dict(transA=1, transB=1)), ("weights", (2, 3, 4), (5, 4), dict(transB=1)), ("vector", (4,), (4, 5), dict(alpha=3.0)),
                         ("batch_a", (3, 2, 4), (2, 4, 5), dict(transBatchA=1)), ("batch_b", (2, 3, 4), (4, 2, 5), dict(transBatchB=1)),
                         ("batch_all", (2, 3, 5, 4), (2, 3, 5, 4), dict(transBatchA=1, transBatchB=1, transB=1))):
    for constant in (False, True):
        case(f"matmul_{name}{'_constant' if constant else ''}", "FusedMatMul", {"a": normal(*a), "b": normal(*b)}, constants=["b"] if constant else [], opset=13, **more)
case("transposematmul", "TransposeMatMul", {"a": normal(2, 3, 4), "b": normal(2, 5, 4)}, transB=1)
for activation, numbers in (("Relu", ()), ("LeakyRelu", (0.3,)), ("HardSigmoid", (0.3, 0.4)), ("Elu", (0.5,)), ("Tanh", ()), ("Sigmoid", ()), ("Softplus", ()),
                            ("Softsign", ()), ("ThresholdedRelu", (0.4,))):
    named = dict(zip(("activation_alpha", "activation_beta"), numbers))
    case(f"gemm_{activation}", "FusedGemm", {"a": normal(3, 4), "b": normal(5, 4), "c": normal(5)}, constants=["b", "c"], opset=11, activation=activation,
         transB=1, alpha=0.5, beta=2.0, **named)
for activation, numbers in (("Relu", ()), ("LeakyRelu", (0.3,)), ("HardSigmoid", (0.3, 0.4)), ("Tanh", ()), ("Sigmoid", ()), ("Clip", (-0.5, 1.25))):
    for sum_ in (False, True):
        inputs = {"x": normal(2, 4, 5, 6), "w": normal(6, 2, 3, 3), "b": normal(6)} | ({"z": normal(2, 6, 5, 6)} if sum_ else {})
        more = dict(activation_params=list(numbers)) if numbers else {}
        case(f"conv_{activation}{'_sum' if sum_ else ''}", "FusedConv", inputs, constants=["w", "b"], opset=11, activation=activation, group=2, pads=[1, 1, 1, 1], **more)


def convolution(x, w, strides, pads):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3]))).astype(np.float64)
    (n, c, h, width), (m, _, kh, kw) = x.shape, w.shape
    rows, columns = (h - kh) // strides[0] + 1, (width - kw) // strides[1] + 1
    y = np.zeros((n, m, rows, columns))
    for i in range(rows):
        for j in range(columns):
            patch = x[:, :, i * strides[0]:i * strides[0] + kh, j * strides[1]:j * strides[1] + kw]
            y[:, :, i, j] = np.einsum("nchw,mchw->nm", patch, w)
    return y


x, w, b = normal(2, 5, 6, 3), normal(4, 3, 3, 2), normal(4)
y = convolution(x.transpose(0, 3, 1, 2), w, (2, 1), (1, 0, 1, 1)).transpose(0, 2, 3, 1)
more = dict(strides=[2, 1], pads=[1, 0, 1, 1], kernel_shape=[3, 2])
case("nhwcconv", "NhwcConv", {"x": x, "w": w}, constants=["w"], values=[y], **more)
case("nhwcconv_bias", "NhwcConv", {"x": x, "w": w, "b": b}, constants=["w", "b"], values=[y + b], **more)
z = normal(*y.shape)
case("nhwcfusedconv", "NhwcFusedConv", {"x": x, "w": w, "b": b, "z": z}, constants=["w", "b"], values=[np.maximum(y + b + z, 0)], activation="Relu", **more)
for kind in (np.int8, np.uint8):
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    case(f"nhwcmaxpool_{np.dtype(kind).name}", "NhwcMaxPool", {"x": rng.integers(low, high, (2, 6, 5, 3), endpoint=True).astype(kind)}, out=cases.TYPES[np.dtype(kind)],
         kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])


# Attention.
def lengths(batch, n):
    return rng.integers(1, n + 1, batch).astype(INT32)


def zeros_and_ones(*shape):
    mask = (rng.random(shape) < 0.7).astype(INT32)
    mask[..., 0] = 1
    return mask


def attend(q, k, v):
    """Attention of [batch, length, heads, width]."""
    scores = np.einsum("bqhd,bkhd->bhqk", q, k).astype(np.float64) / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), v)
    return y.reshape(*y.shape[:2], -1)


def multi(name, batch=2, queries=3, keys=None, heads=2, width=4, values=None, form="apart", bias=False, mask=None, added=None, past=0, present=False, scores=False,
          opset=17, **attributes):
    keys, values = keys or queries, values or width
    inputs = {"q": normal(batch, queries, heads * width), "k": normal(batch, keys, heads * width), "v": normal(batch, keys, heads * values)}
    if form == "qkv":
        inputs = {"q": normal(batch, queries, heads, 3, width), "k": None, "v": None}
    elif form == "kv":
        inputs |= {"k": normal(batch, keys, heads, 2, width), "v": None}
    elif form == "heads":
        inputs |= {"k": normal(batch, heads, keys, width), "v": normal(batch, heads, keys, values)}
    total = keys + past
    inputs["bias"] = normal(heads * (2 * width + values)) if bias else None
    inputs["mask"] = {None: None, "ends": lengths(batch, total), "keys": zeros_and_ones(batch, total), "all": zeros_and_ones(batch, queries, total)}[mask]
    inputs["added"] = None if added is None else normal(batch if added[0] else 1, heads if added[1] else 1, queries, total)
    if past:
        inputs |= {"pastk": normal(batch, heads, past, width), "pastv": normal(batch, heads, past, values)}
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    computed = None  # packed operands are of GPUs alone
    if form == "qkv":
        computed = [attend(*(inputs["q"][:, :, :, i] for i in range(3)))]
    elif form == "kv":
        computed = [attend(inputs["q"].reshape(batch, queries, heads, width), inputs["k"][:, :, :, 0], inputs["k"][:, :, :, 1])]
    outputs = ["y", "pk", "pv", "scores"] if scores else ["y", "pk", "pv"] if present else ["y"]
    case(f"multihead_{name}", "MultiHeadAttention", inputs, outputs, opset, constants=["bias"] if bias else [], num_heads=heads,
         values=computed, **attributes)


def multi_shared(name, past, room, batch=2, queries=2, heads=2, width=4, bias=False, added=None):
    """The past in a buffer with room behind it, which the present has too; what was behind the last key is not compared."""
    total, size = past + queries, heads * width
    inputs = {k: normal(batch, queries, size) for k in "qkv"} | {"bias": normal(3 * size) if bias else None, "mask": None}
    inputs["added"] = None if added is None else normal(batch, heads, queries, total)
    inputs |= {k: normal(batch, heads, past + room, width) for k in ("pastk", "pastv")} | {"pastlength": np.array([past], INT32)}
    case(f"multihead_{name}", "MultiHeadAttention", inputs, ["y", "pk", "pv"], constants=["pastlength"] + ["bias"] * bias, num_heads=heads, unidirectional=1)


multi("plain")
multi("cross", keys=5, values=3, opset=11)
multi("bias", bias=True, scale=0.25)
multi("qkv", form="qkv")
multi("kv", form="kv", keys=5)
multi("heads", form="heads", keys=5)
for mask in ("ends", "keys", "all"):
    multi(f"mask_{mask}", keys=5, mask=mask)
multi("mask_filter", mask="keys", mask_filter_value=-3.0)
for added in ((0, 0), (0, 1), (1, 0), (1, 1)):
    multi(f"added_{added[0]}{added[1]}", added=added, keys=4)
multi("causal", queries=4, unidirectional=1, mask="keys")
multi("past", queries=2, past=3, present=True, unidirectional=1)
multi("past_mask", queries=2, past=3, present=True, mask="keys", added=(1, 1))
multi("large", batch=2, queries=19, heads=3, width=16, bias=True)


def projected(name, batch=2, queries=4, heads=2, width=4, values=None, inside=6, bias=True, mask=None, past=0, added=False, present=False, opset=14, **attributes):
    values = values or width
    columns = heads * (2 * width + values)
    total = queries + past
    inputs = {"x": normal(batch, queries, inside), "w": normal(inside, columns), "bias": normal(columns) if bias else None}
    inputs["mask"] = {None: None, "ends": lengths(batch, total), "keys": zeros_and_ones(batch, total), "all": zeros_and_ones(batch, queries, total),
                      "both": np.concatenate([np.full(batch, total, INT32) - rng.integers(0, 2, batch).astype(INT32), rng.integers(0, 2, batch).astype(INT32)])}[mask]
    inputs["past"] = normal(2, batch, heads, past, width) if past else None
    inputs["added"] = normal(batch, heads, queries, total) if added else None
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    if values != width:
        attributes["qkv_hidden_sizes"] = [heads * width, heads * width, heads * values]
    case(f"attention_{name}", "Attention", inputs, ["y", "present"] if present else ["y"], opset, constants=["w"] + (["bias"] if bias else []), num_heads=heads, **attributes)


projected("plain")
projected("values", values=6, opset=11)
for mask in ("ends", "both", "keys", "all"):
    projected(f"mask_{mask}", mask=mask)
projected("causal", unidirectional=1, scale=0.3)
projected("past", queries=2, past=3, present=True, unidirectional=1)
projected("past_mask", queries=2, past=3, present=True, mask="all")
projected("added", added=True, mask="keys")
projected("present", present=True)
projected("large", queries=21, heads=2, width=16, inside=32, mask="keys")


def turned(name, batch=2, queries=3, heads=2, width=8, inside=6, part=0, past=0, room=0, opset=14, share=False, **attributes):
    """An Attention that turns queries and keys, or whose past has room behind it. ONNX Runtime computes both on GPUs alone. Its message
    advises the product, RotaryEmbedding and MultiHeadAttention, which give the values here. The room stays as it was."""
    size = heads * width
    inputs = {"x": normal(batch, queries, inside), "w": normal(inside, 3 * size), "bias": normal(3 * size), "mask": None}
    buffer = normal(2, batch, heads, past + room, width) if past + room else None
    pasts = {} if not past else {"pastk": buffer[0, :, :, :past], "pastv": buffer[1, :, :, :past]}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "bias"], ["s"]),
             helper.make_node("Split", ["s"], ["q", "k", "v"], axis=2)]
    operands = ["q", "k", "v"]
    constants = {k: inputs[k] for k in ("w", "bias")}
    if part is not None:
        angles = np.arange(past + queries)[:, None] / 10000 ** (np.arange(0, part or width, 2) / (part or width))
        constants |= {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32), "first": np.array([past])}
        for k in ("q", "k"):
            nodes.append(helper.make_node("RotaryEmbedding", [k, "first", "cos", "sin"], [k + "t"], domain=MICROSOFT, num_heads=heads, rotary_embedding_dim=part))
        operands[:2] = ["qt", "kt"]
    nodes.append(helper.make_node("MultiHeadAttention", operands + ["", "", ""] + list(pasts), ["y", "pk", "pv"], domain=MICROSOFT, num_heads=heads, unidirectional=1))
    archive.graph("plain", opset, nodes, {"x": inputs["x"]} | {k: np.ascontiguousarray(a) for k, a in pasts.items()}, ["y", "pk", "pv"], constants)
    y, *present = archive.cases.pop(f"plain_opset{opset}")[2].values()
    present = np.stack(present)
    if room:
        present = np.concatenate([present, buffer[:, :, :, past + queries:]], 3)
    inputs |= {"past": buffer, "added": None, "pastlength": np.array([past], INT32) if share else None}
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    attributes |= {"do_rotary": 1, "rotary_embedding_dim": part} if part is not None else {}
    case(f"attention_{name}", "Attention", inputs, ["y", "present"], opset, constants=["w", "bias"] + ["pastlength"] * share, num_heads=heads, unidirectional=1,
         values=[y, present], **({"past_present_share_buffer": 1} if share else {}), **attributes)


def table(rows, half):
    angles = rng.random((rows, half)) * 6
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def group(name, batch=2, queries=3, heads=4, groups=2, width=16, packed=False, past=0, room=0, lengths_=None, rotary=0, positions=False, added=None, sink=False,
          norm=False, known=True, present=True, opset=17, **attributes):
    """past keys before the queries in a buffer of past + room; lengths_ are the samples' last positions, all the same without them.
    Without present, the cache is not compared: what lies behind its last key is not defined."""
    total = past + queries
    size = heads * width
    inputs = {"q": normal(batch, queries, (heads + 2 * groups) * width if packed else size), "k": None if packed else normal(batch, queries, groups * width),
              "v": None if packed else normal(batch, queries, groups * width)}
    buffer = past + room
    inputs["pastk"] = normal(batch, groups, buffer, width) if buffer else None
    inputs["pastv"] = normal(batch, groups, buffer, width) if buffer else None
    inputs["lengths"] = np.array([total - 1] * batch if lengths_ is None else lengths_, INT32)
    inputs["total"] = np.array(total, INT32)
    cos, sin = table(total + 3, rotary // 2) if rotary else (None, None)
    inputs |= {"cos": cos, "sin": sin, "positions": np.add.outer(np.arange(batch)[::-1], np.arange(queries)) if positions else None}
    inputs["added"] = None if added is None else normal(batch if added[0] else 1, heads if added[1] else 1, queries, total)
    inputs["sink"] = normal(heads) if sink else None
    inputs |= {"ks": None, "vs": None, "qn": normal(width) if norm else None, "kn": normal(width) if norm else None}
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    constants = [k for k in ("cos", "sin", "sink", "qn", "kn") if inputs.get(k) is not None] + (["total", "lengths"] if known else ["total"])
    outputs = ["y", "pk", "pv"]
    attributes |= {"num_heads": heads, "kv_num_heads": groups} | ({"do_rotary": 1} if rotary else {})
    values = None
    if norm:  # of GPUs alone: as the node without it, of rows that are normalized
        def normed(x, weight):
            rows = x.reshape(*x.shape[:2], -1, width)
            return (rows / np.sqrt((rows ** 2).mean(-1, keepdims=True) + attributes["qk_norm_epsilon"]) * weight).reshape(x.shape).astype(np.float32)
        plain = {k: a for k, a in inputs.items() if k not in ("ks", "vs", "qn", "kn")} | {"q": normed(inputs["q"], inputs["qn"]), "k": normed(inputs["k"], inputs["kn"])}
        while list(plain.values())[-1] is None:
            plain.popitem()
        case("plain", "GroupQueryAttention", plain, outputs, opset, constants=["cos", "sin", "total", "lengths"],
             **{k: v for k, v in attributes.items() if k != "qk_norm_epsilon"})
        values = list(archive.cases.pop(f"fused/plain_opset{opset}")[2].values())
    case(f"group_{name}", "GroupQueryAttention", inputs, outputs, opset, constants=constants, values=values, **attributes)
    if not present:  # with all outputs first, since ONNX Runtime takes no past without them
        y = archive.cases[f"fused/group_{name}_opset{opset}"][2]["y"]
        case(f"group_{name}", "GroupQueryAttention", inputs, ["y"], opset, constants=constants, values=[y], **attributes)


group("plain")
group("packed", packed=True, opset=14)
group("one", groups=1)
group("same", groups=4)
group("rotary", rotary=16)
group("rotary_part", rotary=16, width=32)
group("rotary_pairs", rotary=16, rotary_interleaved=1)
group("positions", rotary=16, positions=True)  # of which the first counts
group("past_positions", rotary=16, positions=True, past=3, queries=1)
group("past_positions_two", rotary=16, positions=True, past=3, queries=2, batch=1)
group("cap", softcap=2.0)
group("scale", scale=0.2)
group("window", queries=7, local_window_size=3)
group("sink", sink=True)
group("smooth", smooth_softmax=1)
for added in ((0, 0), (1, 0), (1, 1)):
    group(f"added_{added[0]}{added[1]}", added=added)
group("norm", norm=True, rotary=16, qk_norm_epsilon=1e-3)
group("past", past=4, queries=1, rotary=16)
group("past_more", past=4, queries=2, rotary=16, batch=1)
group("past_uneven", past=4, queries=1, rotary=16, lengths_=[4, 2], known=False, present=False)
group("past_room", past=3, room=4, queries=1, rotary=16, batch=1, present=False)
group("padded", queries=4, rotary=16, lengths_=[3, 1], known=False)
group("past_window", past=6, queries=1, local_window_size=3, known=False)
group("bidirectional", causal=0)


def rotate(name, shape, ids, half=4, opset=17, **attributes):
    cos, sin = table(9, half)
    case(f"rotary_{name}", "RotaryEmbedding", {"x": normal(*shape), "ids": np.array(ids), "cos": cos, "sin": sin}, opset=opset, constants=["cos", "sin"], **attributes)


rotate("one", (2, 3, 16), [2])
rotate("ids", (2, 3, 16), [[0, 1, 2], [5, 3, 8]])
rotate("heads", (2, 2, 3, 8), [[0, 1, 2], [5, 3, 8]], opset=11)
rotate("pairs", (2, 3, 16), [0], interleaved=1)
rotate("part", (2, 3, 24), [0], num_heads=2, rotary_embedding_dim=8)


# Products of integers and of packed weights.
def packed(codes, bits):
    """Codes [rows, n] in bytes from the lowest bits on."""
    each = 8 // bits
    codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % each))).reshape(codes.shape[0], -1, each)
    return sum(codes[:, :, i] << (i * bits) for i in range(each)).astype(np.uint8)


def bits_product(name, x, n, k, block=16, bits=4, zeros=None, bias=False, order=False, opset=17, **attributes):
    blocks = -(-k // block)
    codes = rng.integers(0, 1 << bits, (n * blocks, block))
    inputs = {"x": normal(*x), "b": packed(codes, bits).reshape(n, blocks, -1), "scales": np.abs(normal(n, blocks)) / 8 + 0.125, "zeros": None, "order": None, "bias": None}
    if zeros == "packed":
        inputs["zeros"] = packed(rng.integers(0, 1 << bits, (n, blocks)), bits)
    elif zeros == "numbers":
        inputs["zeros"] = normal(n, blocks) + 8
    if order:
        inputs["order"] = rng.permutation(np.arange(blocks * block) // block).astype(INT32)[:k]
    if bias:
        inputs["bias"] = normal(n)
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    case(f"bits_{name}", "MatMulNBits", inputs, opset=opset, constants=[k for k, a in inputs.items() if a is not None and k != "x"], N=n, K=k, block_size=block,
         bits=bits, **attributes)


bits_product("plain", (2, 3, 32), 5, 32)
bits_product("zeros", (3, 64), 7, 64, zeros="packed", bias=True)
bits_product("numbers", (3, 64), 7, 64, zeros="numbers")
bits_product("rest", (3, 40), 6, 40, zeros="packed")
bits_product("eight", (3, 64), 7, 64, bits=8, block=32, zeros="packed", opset=14)
bits_product("large", (4, 160), 130, 160, block=32, zeros="packed")  # decoded when it is loaded


def integers(low, high, *shape):
    return rng.integers(low, high, shape, endpoint=True)


def dynamic(name, x, w, kind=np.uint8, columns=False, zero=True, bias=False, opset=14):
    n = w[-1]
    bounds = np.iinfo(kind)
    inputs = {"x": normal(*x), "w": integers(bounds.min, bounds.max, *w).astype(kind), "scale": np.abs(normal(n) if columns else normal(1)) / 64 + 1e-3,
              "zero": integers(bounds.min // 2, bounds.max, *([n] if columns else [1])).astype(kind) if zero else None, "bias": normal(n) if bias else None}
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    case(f"dynamic_{name}", "DynamicQuantizeMatMul", inputs, opset=opset, constants=[k for k, a in inputs.items() if a is not None and k != "x"])


dynamic("plain", (2, 3, 8), (8, 5))
dynamic("signed", (3, 8), (8, 5), np.int8, zero=False)
dynamic("columns", (3, 8), (8, 5), np.int8, columns=True, bias=True, opset=11)
dynamic("bytes", (4, 64), (64, 96), np.int8, zero=False, bias=True)


def scaled(name, x, w, left=np.uint8, right=np.int8, zeros=(True, True), columns=False, bias=False):
    n = w[-1]
    def drawn(kind, *shape):
        return integers(np.iinfo(kind).min, np.iinfo(kind).max, *shape).astype(kind)
    inputs = {"a": drawn(left, *x), "b": drawn(right, *w), "sa": np.abs(normal(1)) / 64 + 1e-3, "sb": np.abs(normal(n) if columns else normal(1)) / 64 + 1e-3,
              "za": drawn(left, 1) if zeros[0] else None, "zb": drawn(right, *([n] if columns else [1])) if zeros[1] else None, "bias": normal(n) if bias else None}
    while list(inputs.values())[-1] is None:
        inputs.popitem()
    case(f"scaled_{name}", "MatMulIntegerToFloat", inputs, constants=[k for k, a in inputs.items() if a is not None and k != "a"])


scaled("plain", (2, 3, 8), (8, 5))
scaled("unsigned", (3, 8), (8, 5), right=np.uint8, bias=True)
scaled("without", (3, 8), (8, 5), zeros=(False, False))
scaled("columns", (3, 8), (8, 5), columns=True, bias=True)
scaled("bytes", (4, 64), (64, 96), zeros=(True, False))


# Operators between a dequantization and a quantization.
def quantized(name, op, operands, kind=np.uint8, parameters_first=False, constants=(), **attributes):
    """operands are arrays of the type; each has a scale and a zero point, and so has the result."""
    inputs, out = {}, {"sy": np.array(0.037, np.float32), "zy": np.array(11, kind)}
    if parameters_first:
        inputs |= out
    for i, a in enumerate(operands):
        inputs |= {f"x{i}": a, f"s{i}": np.array(0.021 + 0.01 * i, np.float32), f"z{i}": np.array(7 - i, kind)}
    if not parameters_first:
        inputs |= out
    given = {k: a for k, a in inputs.items() if k.startswith("x")}
    node = helper.make_node(op, list(inputs), ["y"], domain=MICROSOFT, **attributes)
    archive.graph(f"fused/{op.lower()}_{name}", 14, [node], given, ["y"], {k: a for k, a in inputs.items() if k not in given}, out=cases.TYPES[np.dtype(kind)])


for kind in (np.uint8, np.int8):
    def bytes_(*shape):
        return integers(np.iinfo(kind).min, np.iinfo(kind).max, *shape).astype(kind)
    name = np.dtype(kind).name
    quantized(name, "QLinearAdd", [bytes_(2, 3, 4), bytes_(3, 4)], kind)
    quantized(name, "QLinearMul", [bytes_(2, 3, 4), bytes_(4)], kind)
    quantized(name, "QLinearSigmoid", [bytes_(3, 5)], kind)
    quantized(name, "QLinearLeakyRelu", [bytes_(3, 5)], kind, alpha=0.2)
    quantized(name, "QLinearSoftmax", [bytes_(3, 5)], kind, axis=-1, opset=14)
    quantized(name, "QLinearConcat", [bytes_(2, 3), bytes_(2, 2)], kind, parameters_first=True, axis=1)
    quantized(name, "QLinearAveragePool", [bytes_(2, 3, 5, 4)], kind, kernel_shape=[3, 2], pads=[1, 0, 1, 1], strides=[2, 1])
    quantized(name, "QLinearGlobalAveragePool", [bytes_(2, 3, 5, 4)], kind)
    inputs = {"a": bytes_(3, 8), "sa": np.array(0.02, np.float32), "za": np.array(3, kind), "b": bytes_(5, 8), "sb": np.array(0.03, np.float32), "zb": np.array(4, kind),
              "c": integers(-500, 500, 5).astype(INT32), "sy": np.array(0.11, np.float32), "zy": np.array(9, kind)}
    case(f"qgemm_{name}", "QGemm", inputs, constants=[k for k in inputs if k != "a"], out=cases.TYPES[np.dtype(kind)], transB=1)



def other_layouts():
    """Operators of ONNX in other layouts, and scales that ONNX Runtime rounds."""
    for kind in (np.uint8, np.int8):
        name, limits = np.dtype(kind).name, np.iinfo(kind)
        x = integers(limits.min, limits.max, 2, 5, 4, 6).astype(kind)
        inputs = {"x": x, "sx": np.array(0.05, np.float32), "zx": np.array(3, kind), "w": integers(-99, 99, 8, 3, 3, 3).astype(np.int8),
                  "sw": np.abs(normal(8)) / 64 + np.float32(0.01), "zw": np.zeros(8, np.int8), "sy": np.array(0.3, np.float32),
                  "zy": np.array(7, kind), "b": integers(-900, 900, 8).astype(INT32)}
        constants, out = [k for k in inputs if k != "x"], cases.TYPES[np.dtype(kind)]
        case(f"qconv_last_{name}", "QLinearConv", inputs, constants=constants, out=out, channels_last=1, group=2, pads=[1, 1, 1, 1], strides=[2, 1])
        inputs["x"] = x.transpose(0, 3, 1, 2).copy()
        case(f"qconv_first_{name}", "QLinearConv", inputs, constants=constants, out=out, group=2, pads=[1, 0, 1, 2])
        for op, more in (("QLinearGlobalAveragePool", {}), ("QLinearAveragePool", dict(kernel_shape=[3, 2], pads=[1, 0, 1, 1]))):
            pooled = {"x": x, "sx": np.array(0.05, np.float32), "zx": np.array(3, kind), "sy": np.array(0.0413, np.float32), "zy": np.array(5, kind)}
            case(f"{op.lower()}_last_{name}", op, pooled, constants=["sx", "zx", "sy", "zy"], out=out, channels_last=1, **more)
        for axis, opset in ((-1, 13), (1, 13), (1, 11), (2, 11)):
            soft = {"x": x[:, :, :, 0].copy(), "sx": np.array(0.04, np.float32), "zx": np.array(2, kind),
                    "sy": np.array(1 / 71.4, np.float32), "zy": np.array(limits.min, kind)}
            case(f"qlinearsoftmax_{axis % 3}_{opset}_{name}", "QLinearSoftmax", soft, constants=["sx", "zx", "sy", "zy"], out=out, axis=axis, opset_=opset)
    for kind in (np.uint8, np.int16, np.uint16):
        name, wide = np.dtype(kind).name, np.array([11, 12, 13], kind)
        case(f"quantize_{name}", "QuantizeLinear", {"x": normal(2, 3, 4) * 8, "s": np.array([0.1, 0.02, 0.3], np.float32), "z": wide},
             constants=["s", "z"], out=cases.TYPES[np.dtype(kind)], axis=1)
        case(f"dequantize_{name}", "DequantizeLinear", {"x": integers(0, 99, 2, 3, 4).astype(kind), "s": np.array(0.1, np.float32),
                                                        "z": np.array(5, kind)}, constants=["s", "z"])


def quantized_tokens():
    """What dynamic quantization makes of an optimized encoder of tokens."""
    ends, keys = np.array([5, 3], INT32), np.array([[1, 1, 1, 0, 1], [1, 0, 1, 1, 1]], INT32)
    for name, left, right, columns, mask, more in (("plain", np.uint8, np.int8, False, None, {}), ("ends", np.uint8, np.uint8, False, ends, {}),
                                                   ("keys", np.uint8, np.int8, True, keys, dict(unidirectional=1))):
        inputs = {"x": integers(np.iinfo(left).min, np.iinfo(left).max, 2, 5, 8).astype(left), "w": integers(0, 99, 8, 24).astype(right),
                  "b": normal(24), "sx": np.array(0.01, np.float32), "sw": np.abs(normal(24)) / 64 + np.float32(0.01) if columns else np.array(0.02, np.float32),
                  "mask": mask, "zx": np.array(131, left), "zw": np.full(24, 50, right) if columns else np.array(50, right)}
        case(f"qattention_{name}", "QAttention", inputs, constants=["w", "b", "sx", "sw", "zx", "zw"], num_heads=2, **more)
    tables = {"words": (9, 8), "positions": (6, 8), "segments": (2, 8), "gamma": (8,), "beta": (8,)}
    for name, segments in (("plain", False), ("segments", True)):
        inputs = {"ids": integers(0, 8, 2, 4).astype(INT32), "segment_ids": integers(0, 1, 2, 4).astype(INT32) if segments else None}
        parts = {k: integers(0, 255, *s).astype(np.uint8) if segments or k != "segments" else None for k, s in tables.items()}
        inputs.update(parts, mask=np.array([[1, 1, 1, 0], [1, 1, 0, 0]], INT32))
        inputs.update({f"s{k}": None if a is None else np.array(0.01 + i / 100, np.float32) for i, (k, a) in enumerate(parts.items())})
        inputs.update({f"z{k}": None if a is None else np.array(120 + i, np.uint8) for i, (k, a) in enumerate(parts.items())})
        case(f"qembedlayernormalization_{name}", "QEmbedLayerNormalization", inputs, outputs=["y", "n"], out=[TensorProto.FLOAT, TensorProto.INT32],
             constants=[k for k, a in inputs.items() if a is not None and k not in ("ids", "segment_ids", "mask")], epsilon=1e-6)
    for kind in (np.uint8, np.int8):
        limits, name = np.iinfo(kind), np.dtype(kind).name
        whole = lambda *shape: integers(limits.min, limits.max, *shape).astype(kind)
        inputs = {"c": integers(0, 1, 2, 3, 4) > 0, "a": whole(2, 3, 4), "sa": np.array(0.05, np.float32), "za": np.array(3, kind),
                  "b": whole(3, 4), "sb": np.array(0.041, np.float32), "zb": np.array(-7 if kind == np.int8 else 7, kind),
                  "sy": np.array(0.0613, np.float32), "zy": np.array(5, kind)}
        case(f"qlinearwhere_{name}", "QLinearWhere", inputs, constants=["sa", "za", "sb", "zb", "sy", "zy"], out=cases.TYPES[np.dtype(kind)])


def gaps():
    """Forms that were refused before."""
    turned("turned")
    turned("turned_part", part=4)
    turned("turned_past", past=3, queries=2)
    turned("shared", part=None, past=3, queries=2, room=4, share=True)
    turned("shared_first", part=None, past=0, queries=2, room=4, share=True)
    turned("shared_full", past=3, queries=2, room=2, share=True)
    rotate("scale", (2, 3, 16), [2], scale=0.5)  # which changes nothing
    rotate("packed", (2, 3, 16), [[0, 1, 2], [5, 3, 8]], is_packed_batching=1)  # nor does this
    bits_product("two", (3, 64), 7, 64, bits=2, block=32, zeros="packed", bias=True)
    bits_product("two_middle", (3, 64), 7, 64, bits=2)
    bits_product("ordered", (3, 64), 7, 64, order=True)
    bits_product("ordered_rest", (2, 2, 120), 7, 120, block=32, order=True, bias=True)
    bits_product("ordered_large", (4, 160), 130, 160, block=32, order=True)
    multi_shared("shared", past=3, room=3)
    multi_shared("shared_bias", past=2, room=4, bias=True, added=(1, 1))
    multi_shared("shared_full", past=3, room=2)
    for form in (dict(), dict(mask="keys"), dict(added=(0, 1), unidirectional=1), dict(past=3)):
        multi("_".join(["scores", *form]), queries=2, scores=True, **form)


def pick(*choices):
    return choices[rng.integers(len(choices))]


def size(most, least=1):
    return int(rng.integers(least, most, endpoint=True))


def forms(round_):
    """One random form of each operator with many."""
    name, opset = f"random_{round_}", size(21, 11)
    batch, queries, heads, width = size(3), size(6), size(4), 2 * size(6)
    past = pick(0, 0, size(4))
    apart = dict(batch=batch, queries=queries, heads=heads, width=width, opset=opset)
    mask = pick(None, "ends", "keys", "all")
    form = "apart" if past else pick("apart", "heads")
    multi(name, keys=queries if past else size(6), values=width if past or form == "heads" else size(7), form=form, bias=form == "apart" and pick(True, False), mask=mask,
          added=pick(None, (size(1, 0), size(1, 0))), past=past, present=past > 0, unidirectional=int(past > 0), **apart)
    projected(name, values=None if past else size(7), inside=size(9), bias=pick(True, False), mask=pick(None, "ends", "both", "keys", "all"), past=past,
              added=not past and pick(True, False), present=past > 0, unidirectional=pick(0, 1), **apart)
    groups = size(3)
    past = pick(0, 0, size(5))
    queries = size(7) if not past or batch == 1 else 1
    rotary = pick(0, 16, 32)
    known = pick(True, False)
    uneven = [size(past, 0) + queries - 1 for _ in range(batch)] if past and not known else None
    group(name, batch=batch, queries=queries, heads=groups * size(3), groups=groups, width=32, packed=pick(True, False), past=past, lengths_=uneven, rotary=rotary,
          room=pick(0, queries + 3) if past else 0, added=pick(None, (size(1, 0), size(1, 0))), sink=pick(True, False), known=known, present=False, opset=opset,
          softcap=pick(0.0, 3.0), local_window_size=pick(-1, size(5)), rotary_interleaved=pick(0, 1))
    s = [size(4) for _ in range(size(2))] + [size(9)]
    skip(name, tuple(s), tuple(s), pick(True, False), pick(True, False), True, opset)
    skip(name, tuple(s), tuple(s), False, pick(True, False), True, opset, simple=True)
    a, b = [size(3), size(5), size(6)], [size(6), size(5)]
    ta, tb = pick(0, 1), pick(0, 1)
    b[1 if tb else 0] = a[1 if ta else 2]
    case(f"matmul_{name}", "FusedMatMul", {"a": normal(*a), "b": normal(*b)}, constants=pick([], ["b"]), opset=opset, transA=ta, transB=tb, alpha=float(pick(1, 0.3)))
    case(f"conv_{name}", "FusedConv", {"x": normal(batch, 4, size(8, 4), size(8, 4)), "w": normal(2 * size(3), 2, size(3), size(3)), "b": None}, constants=["w"], opset=opset,
         activation=pick("Relu", "Sigmoid", "Tanh"), group=2, strides=[size(2), size(2)], pads=[size(1, 0) for _ in range(4)])
    block, bits = pick(16, 32), pick(4, 8)
    k = size(90, 17)
    bits_product(name, (size(3), size(4), k), size(40), k, block=block, bits=bits, zeros=pick(None, "packed"), bias=pick(True, False), opset=opset)
    k, n = size(70), size(100)
    dynamic(name, (size(4), k), (k, n), pick(np.int8, np.uint8), columns=pick(True, False), zero=pick(True, False), bias=pick(True, False), opset=opset)
    left = pick(np.int8, np.uint8)
    scaled(name, (size(4), k), (k, n), left, pick(np.int8, left), (pick(True, False), pick(True, False)), pick(True, False), pick(True, False))
    length = size(5)
    rotate(name, (batch, length, heads * 8), pick([0], [[size(8, 0) for _ in range(length)] for _ in range(batch)]), opset=opset, interleaved=pick(0, 1))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        for i in range(2):
            forms(i)
        other_layouts()
        quantized_tokens()
        gaps()
        archive.write("fused.tar.gz")
    else:
        archive.cases.clear()
        for i in range(int(sys.argv[2])):
            forms(i)
        for name, (model, inputs, outputs) in archive.cases.items():
            folder = os.path.join(sys.argv[1], name, "test_data_set_0")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(sys.argv[1], name, "model.onnx"), "wb") as file:
                file.write(model.SerializeToString())
            for kind, values in (("input", inputs), ("output", outputs)):
                for i, (key, a) in enumerate(values.items()):
                    with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as file:
                        file.write(numpy_helper.from_array(np.asarray(a, order="C"), key).SerializeToString())
