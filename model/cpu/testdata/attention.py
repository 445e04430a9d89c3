"""Writes attention.tar.gz: cases of attention and other operators of sequence models, opsets 23 to 28, in the ONNX
node-test format; see README.md. Outputs are ONNX Runtime's, or those of onnx's reference evaluator where it lacks the operator.

    python attention.py
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from cases import Cases

F = TensorProto.FLOAT
archive = Cases(23)
rng, normal, graph, case = archive.rng, archive.normal, archive.graph, archive.case


def heads(b, h, s, d):
    return normal(b, h, s, d)


# Attention: forms of Q, K and V, masks, windows, what is watched.
def qkv(b=2, h=4, groups=4, queries=7, keys=9, width=8, values=6, axes=4):
    q, k, v = normal(b, h, queries, width), normal(b, groups, keys, width), normal(b, groups, keys, values)
    if axes == 4:
        return q, k, v
    return [np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(x.shape[0], x.shape[2], -1) for x in (q, k, v)]


hidden = rng.integers(0, 3, (7, 9)) > 0
hidden[3] = False  # a query that attends to nothing
bias = normal(2, 1, 7, 9)
packed = dict(q_num_heads=4, kv_num_heads=4)
for opset in (23, 24):
    case("attention", "Attention", opset, *qkv())
    case("attention_packed", "Attention", opset, *qkv(axes=3), **packed)
    case("attention_groups", "Attention", opset, *qkv(groups=2))
    case("attention_groups_packed", "Attention", opset, *qkv(groups=1, axes=3), q_num_heads=4, kv_num_heads=1)
    case("attention_scale", "Attention", opset, *qkv(), scale=0.2)
    case("attention_softcap", "Attention", opset, *qkv(), normal(7, 9), softcap=1.5)
    case("attention_causal", "Attention", opset, *qkv(keys=7), is_causal=1)
    case("attention_causal_groups", "Attention", opset, *qkv(queries=7, keys=7, groups=2), is_causal=1)
    case("attention_mask", "Attention", opset, *qkv(), bias)
    case("attention_mask_heads", "Attention", opset, *qkv(groups=2), normal(1, 4, 7, 9))
    case("attention_mask_constant", "Attention", opset, *qkv(), ("const", normal(1, 1, 7, 9)))
    case("attention_mask_bool", "Attention", opset, *qkv(), hidden, reference=True)
    case("attention_mask_bool_constant", "Attention", opset, *qkv(), ("const", hidden), reference=True)
    case("attention_mask_causal", "Attention", opset, *qkv(keys=7), rng.integers(0, 4, (2, 1, 7, 7)) > 0, is_causal=1, reference=True)
    case("attention_past", "Attention", opset, *qkv(queries=3, keys=3), None, heads(2, 4, 5, 8), heads(2, 4, 5, 6), outputs=3)
    case("attention_past_groups", "Attention", opset, *qkv(queries=3, keys=3, groups=2), normal(3, 8), heads(2, 2, 5, 8), heads(2, 2, 5, 6), outputs=3)
    case("attention_past_causal", "Attention", opset, *qkv(queries=3, keys=3), None, heads(2, 4, 5, 8), heads(2, 4, 5, 6), outputs=3, is_causal=1, reference=True)
    for mode in range(4):
        case(f"attention_watched_{mode}", "Attention", opset, *qkv(), bias, *[None] * 2, outputs=1, qk_matmul_output_mode=mode)
        node = helper.make_node("Attention", ["q", "k", "v", "m"], ["y", "", "", "s"], softcap=2.0 * (mode > 0), qk_matmul_output_mode=mode)
        q, k, v = qkv()
        graph(f"attention_scores_{mode}", opset, [node], {"q": q, "k": k, "v": v, "m": bias}, ["y", "s"])
valid = np.array([9, 4])
case("attention_valid", "Attention", 24, *qkv(), None, None, None, valid, reference=True)
case("attention_valid_causal", "Attention", 24, *qkv(), None, None, None, valid, is_causal=1, reference=True)
case("attention_mask_short", "Attention", 24, *qkv(), normal(7, 6), reference=True)
case("attention_mask_short_valid", "Attention", 24, *qkv(), rng.integers(0, 4, (7, 6)) > 0, None, None, np.array([6, 5]), reference=True)
for left, right in ((2, 0), (1, 2), (-1, 1), (3, -1)):
    case(f"attention_window_{left}_{right}".replace("-1", "all"), "Attention", 25, *qkv(), left_window_size=left, right_window_size=right, reference=True)
case("attention_window_causal", "Attention", 25, *qkv(), hidden, left_window_size=2, right_window_size=1, is_causal=1, reference=True)
case("attention_window_valid", "Attention", 25, *qkv(), None, None, None, valid, left_window_size=2, right_window_size=0, reference=True)
case("attention_window_past", "Attention", 25, *qkv(queries=3, keys=3), None, heads(2, 4, 5, 8), heads(2, 4, 5, 6), left_window_size=2, outputs=3, reference=True)

# Attention whose scores or weights a graph changes.
score = helper.make_graph([helper.make_node("Add", ["s", "bias"], ["t"])], "score", [helper.make_tensor_value_info("s", F, None)],
                          [helper.make_tensor_value_info("t", F, None)], [numpy_helper.from_array(normal(7, 9), "bias")])
weight = helper.make_graph([helper.make_node("Mul", ["w", "w"], ["u"])], "weight", [helper.make_tensor_value_info("w", F, None)],
                           [helper.make_tensor_value_info("u", F, None)])
flex = dict(reference=True, domain="ai.onnx.preview")
case("flexattention", "FlexAttention", 27, *qkv(groups=2), **flex)
case("flexattention_scale", "FlexAttention", 27, *qkv(), scale=0.3, **flex)
case("flexattention_scores", "FlexAttention", 27, *qkv(), score_mod=score, **flex)
case("flexattention_both", "FlexAttention", 27, *qkv(), score_mod=score, prob_mod=weight, **flex)

# Rotary embeddings, apart and before attention.
angles = rng.uniform(0, 6, (16, 4))
tables = lambda a: (np.cos(a).astype(np.float32), np.sin(a).astype(np.float32))
cos, sin = tables(angles)
ids = rng.integers(0, 16, (2, 5))
for interleaved in (0, 1):
    tag = "_interleaved" * interleaved
    kw = dict(interleaved=interleaved)
    case("rotary" + tag, "RotaryEmbedding", 23, normal(2, 3, 5, 8), *tables(rng.uniform(0, 6, (2, 5, 4))), **kw)
    case("rotary_ids" + tag, "RotaryEmbedding", 23, normal(2, 3, 5, 8), cos, sin, ids, **kw)
    case("rotary_packed" + tag, "RotaryEmbedding", 23, normal(2, 5, 24), cos, sin, ids, num_heads=3, **kw)
    case("rotary_part" + tag, "RotaryEmbedding", 23, normal(2, 3, 5, 12), cos, sin, ids, rotary_embedding_dim=8, **kw)
    for part in (0, 8):
        width = 12 if part else 8
        rotary = dict(interleaved=interleaved, rotary_embedding_dim=part)
        nodes = [helper.make_node("Mul", ["x", "two"], ["k0"]),
                 helper.make_node("RotaryEmbedding", ["x", "cos", "sin", "ids"], ["q"], **rotary),
                 helper.make_node("RotaryEmbedding", ["k0", "cos", "sin", "ids"], ["k"], **rotary),
                 helper.make_node("Attention", ["q", "k", "x"], ["y"], is_causal=1)]
        graph(f"rotary_attention{'_part' * (part > 0)}{tag}", 23, nodes, {"x": normal(2, 3, 5, width)}, ["y"],
              {"cos": cos, "sin": sin, "ids": np.arange(5)[None].repeat(2, 0), "two": np.array(2, np.float32)})

# Normalization and activations.
for axis, scale in ((-1, (16,)), (1, (3, 16)), (-1, (1,)), (2, (3, 1))):
    case(f"rmsnormalization_{axis}_{len(scale)}{scale[-1]}".replace("-", "m"), "RMSNormalization", 23, normal(2, 3, 16), normal(*scale), axis=axis,
         reference=scale == (3, 1))
case("rmsnormalization_epsilon", "RMSNormalization", 23, normal(5, 33) * 1e-3, normal(33), epsilon=1e-3)
nodes = [helper.make_node("Mul", ["x", "x"], ["s"]), helper.make_node("ReduceMean", ["s", "axes"], ["m"]), helper.make_node("Add", ["m", "e"], ["v"]),
         helper.make_node("Sqrt", ["v"], ["r"]), helper.make_node("Reciprocal", ["r"], ["f"]), helper.make_node("Mul", ["x", "f"], ["n"]),
         helper.make_node("Mul", ["w", "n"], ["y"])]
graph("rmsnormalization_written", 18, nodes, {"x": normal(2, 5, 32)}, ["y"],
      {"axes": np.array([-1]), "e": np.array(1e-6, np.float32), "w": normal(32)})
case("swish", "Swish", 24, normal(3, 40) * 5)
case("swish_alpha", "Swish", 24, normal(3, 40) * 5, alpha=1.7)
case("swish_zero", "Swish", 24, normal(3, 40), alpha=0.0)
case("swiglu", "SwiGLU", 28, normal(3, 40), normal(3, 40), reference=True)
case("swiglu_alpha", "SwiGLU", 28, normal(3, 40), normal(3, 40), alpha=0.5, reference=True)

# States.
for rule, decay, beta in (("linear", None, None), ("gated", 2 * 4, None), ("gated", 2, None), ("delta", None, 2), ("gated_delta", 2 * 4, 2), ("gated_delta", 2, 1)):
    for q in (2, 4):
        k = normal(2, 5, 8)
        case(f"linearattention_{rule}_{decay}_{beta}_{q}", "LinearAttention", 27, normal(2, 5, q * 4), k / 3, normal(2, 5, 6),
             heads(2, 2, 4, 3), None if decay is None else -np.abs(normal(2, 5, decay)), None if beta is None else rng.uniform(0, 1, (2, 5, beta)).astype(np.float32),
             outputs=2, q_num_heads=q, kv_num_heads=2, update_rule=rule)
case("linearattention_scale", "LinearAttention", 27, normal(2, 1, 8), normal(2, 1, 8), normal(2, 1, 6), outputs=2, q_num_heads=2, kv_num_heads=2,
     update_rule="linear", scale=0.7)
for activation in ("none", "silu"):
    case("causalconv_" + activation, "CausalConvWithState", 27, normal(2, 5, 7), ("const", normal(5, 1, 4)), ("const", normal(5)), outputs=2, activation=activation)
case("causalconv_state", "CausalConvWithState", 27, normal(2, 5, 2), normal(5, 1, 4), None, normal(2, 5, 3), outputs=2)
case("causalconv_one", "CausalConvWithState", 27, normal(2, 5, 3), normal(5, 1, 1), normal(5), outputs=2)
case("tensorscatter", "TensorScatter", 24, normal(2, 3, 6, 4), normal(2, 3, 2, 4), np.array([1, 4]))
case("tensorscatter_first", "TensorScatter", 24, normal(2, 6, 4), normal(2, 3, 4), axis=1)
case("tensorscatter_circular", "TensorScatter", 24, normal(2, 3, 6, 4), normal(2, 3, 3, 4), np.array([5, 2]), mode="circular")

archive.write("attention.tar.gz")
