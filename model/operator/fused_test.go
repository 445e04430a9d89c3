// Operators of ONNX Runtime's own domain that are refused; model/cpu/testdata/fused.py has what the others compute.

package operator_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func TestFusedErrors(t *testing.T) {
	t.Parallel()
	type attributes = map[string]graph.Attribute
	heads := func(n int64) attributes { return attributes{"num_heads": integer(n)} }
	group := func(more attributes) attributes {
		all := attributes{"num_heads": integer(4), "kv_num_heads": integer(2)}
		for name, a := range more {
			all[name] = a
		}
		return all
	}
	bits := func(n, k, block, bits int64) attributes {
		return attributes{"N": integer(n), "K": integer(k), "block_size": integer(block), "bits": integer(bits)}
	}
	rows, keys := floats(2, 3, 8), floats(2, 3, 4)
	none := (*graph.Tensor)(nil)
	cache := func(x *graph.Tensor, length, total int, more ...*graph.Tensor) []*graph.Tensor {
		return append([]*graph.Tensor{keys, keys, x, x, list(length, length), scalarInt(total)}, more...)
	}
	for _, c := range []struct {
		what, op   string
		x          *graph.Tensor
		attributes attributes
		constants  []*graph.Tensor
		want       string
	}{
		{"a skip of another width", "SkipLayerNormalization", rows, nil, []*graph.Tensor{floats(2, 3, 4), floats(8)}, "do not broadcast"},
		{"a longer skip", "SkipLayerNormalization", floats(1, 3, 8), nil, []*graph.Tensor{rows, floats(8)}, "a skip that broadcasts to the input"},
		{"a scale of another width", "SkipSimplifiedLayerNormalization", rows, nil, []*graph.Tensor{rows, floats(4)}, "input 2 (gamma) has shape [4], want [8]"},
		{"no axes", "SkipLayerNormalization", floats(), nil, []*graph.Tensor{floats(), floats(1)}, "want three axes"},
		{"an unknown attribute", "SkipLayerNormalization", rows, attributes{"wobble": integer(1)}, []*graph.Tensor{rows, floats(8)}, `attribute "wobble"`},
		{"segments without a table", "EmbedLayerNormalization", integers(2, 3), nil,
			[]*graph.Tensor{integers(2, 3), floats(9, 8), floats(9, 8), none, floats(8), floats(8)}, "segment_ids and segment_embedding"},
		{"no gamma", "EmbedLayerNormalization", integers(2, 3), nil, []*graph.Tensor{none, floats(9, 8), floats(9, 8)}, "input 5 is missing"},
		{"too few positions", "EmbedLayerNormalization", integers(2, 3), nil,
			[]*graph.Tensor{none, floats(9, 8), floats(2, 8), none, floats(8), floats(8)}, "3 positions, the table has 2"},
		{"a table without rows of words", "EmbedLayerNormalization", integers(2, 3), nil,
			[]*graph.Tensor{none, floats(9), floats(9, 8), none, floats(8), floats(8)}, "want [rows, width]"},
		{"groups that do not divide", "GroupNorm", floats(1, 2, 2, 6), attributes{"groups": integer(4)}, []*graph.Tensor{floats(6), floats(6)}, "4 groups for 6 channels"},
		{"no groups", "GroupNorm", floats(1, 2, 2, 6), nil, []*graph.Tensor{floats(6), floats(6)}, "0 groups"},
		{"negative groups", "GroupNorm", floats(1, 2, 2, 6), attributes{"groups": integer(-2)}, []*graph.Tensor{floats(6), floats(6)}, "-2 groups"},
		{"an activation of no name", "GroupNorm", floats(1, 2, 2, 6), attributes{"groups": integer(2), "activation": integer(7)},
			[]*graph.Tensor{floats(6), floats(6)}, "activation is 7, want 0 or 1"},
		{"a skip of another image", "SkipGroupNorm", floats(1, 2, 2, 6), attributes{"groups": integer(2)},
			[]*graph.Tensor{floats(6), floats(6), floats(1, 2, 3, 6)}, "input 3 (skip) has shape [1 2 3 6]"},
		{"a bias of another width", "BiasGelu", rows, nil, []*graph.Tensor{floats(3)}, "input 1 (bias) has shape [3], want [8]"},
		{"a bias without channels", "FastGelu", floats(), nil, []*graph.Tensor{floats(1)}, "has no axes"},
		{"an odd number of channels", "BiasSplitGelu", floats(2, 3, 5), nil, []*graph.Tensor{floats(5)}, "want an even number of channels"},
		{"integers", "QuickGelu", integers(2), nil, nil, "input 0 has type int64, want float32"},
		{"a product of vectors of two lengths", "FusedMatMul", floats(3), attributes{"transA": integer(1)}, []*graph.Tensor{floats(4, 2)}, "inner axes"},
		{"an activation of another program", "FusedConv", floats(1, 2, 5, 5), attributes{"activation": text("Wobble")}, []*graph.Tensor{floats(2, 2, 3, 3)},
			`the activation "Wobble"`},
		{"bounds that are missing", "FusedConv", floats(1, 2, 5, 5), attributes{"activation": text("Clip")}, []*graph.Tensor{floats(2, 2, 3, 3)}, "Clip with 0 numbers, want 2"},
		{"channels last of a row", "NhwcConv", floats(2, 3), nil, []*graph.Tensor{floats(2, 2, 3, 3)}, "want [N, …, C]"},

		{"no heads", "MultiHeadAttention", rows, nil, []*graph.Tensor{rows, rows}, "num_heads is 0"},
		{"heads that do not divide", "MultiHeadAttention", rows, heads(3), []*graph.Tensor{rows, rows}, "rows [2 3 8] of 3 heads"},
		{"an absurd number of heads", "MultiHeadAttention", rows, heads(1 << 40), []*graph.Tensor{rows, rows}, "out of range"},
		{"a query alone", "MultiHeadAttention", rows, heads(2), nil, "query [2 3 8], key [] and value []"},
		{"values of another length", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, floats(2, 4, 8)}, "one length of K and V"},
		{"packed operands of other heads", "MultiHeadAttention", floats(2, 3, 4, 3, 8), heads(2), nil, "packed operands"},
		{"a mask of another length", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, integers(2, 7)}, "input 4 (a mask) has shape [2 7]"},
		{"a bias of scores of other queries", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, floats(1, 2, 2, 3)},
			"input 5 (attention_bias) has shape [1 2 2 3]"},
		{"half a past", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, none, floats(2, 2, 1, 4)}, "past_key and past_value"},
		{"a past of another width", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, none, floats(2, 2, 1, 3), floats(2, 2, 1, 4)},
			"input 6 (the past) has shape [2 2 1 3]"},
		{"a shared buffer", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, none, none, none, list(1)}, "past_sequence_length"},
		{"weights of another width", "Attention", rows, heads(2), []*graph.Tensor{floats(7, 24)}, "input [2 3 8] and weights [7 24]"},
		{"sizes of another sum", "Attention", rows, attributes{"num_heads": integer(2), "qkv_hidden_sizes": graph.IntsAttribute(8, 8, 4)},
			[]*graph.Tensor{floats(8, 24)}, "qkv_hidden_sizes are [8 8 4]"},
		{"sizes below nothing", "Attention", rows, attributes{"num_heads": integer(2), "qkv_hidden_sizes": graph.IntsAttribute(-8, -8, 40)},
			[]*graph.Tensor{floats(8, 24)}, "qkv_hidden_sizes are [-8 -8 40]"},
		{"a past without heads", "Attention", rows, heads(2), []*graph.Tensor{floats(8, 24), floats(24), none, floats(2, 2, 3)}, "input 4 (past) has shape"},

		{"groups of heads that do not divide", "GroupQueryAttention", rows, attributes{"num_heads": integer(4), "kv_num_heads": integer(3)},
			cache(none, 2, 3), "kv_num_heads is 3"},
		{"no lengths", "GroupQueryAttention", rows, group(nil), []*graph.Tensor{keys, keys}, "input 5 is missing"},
		{"fewer keys than queries", "GroupQueryAttention", rows, group(nil), cache(none, 2, 1), "total_sequence_length is 1, want at least 3"},
		{"an absurd number of keys", "GroupQueryAttention", rows, group(nil), cache(none, 2, 1<<40), "total_sequence_length is"},
		{"a past that is too short", "GroupQueryAttention", rows, group(nil), cache(none, 8, 9), "a past of 0 keys, want at least 6"},
		{"a length below nothing", "GroupQueryAttention", rows, group(nil), cache(floats(2, 2, 6, 2), -3, 9), "seqlens_k has -3, want 2 to 8"},
		{"a length beyond the total", "GroupQueryAttention", rows, group(nil), cache(floats(2, 2, 6, 2), 9, 9), "seqlens_k has 9, want 2 to 8"},
		{"angles without tables", "GroupQueryAttention", rows, group(attributes{"do_rotary": integer(1)}), cache(none, 2, 3), "without cos_cache"},
		{"tables that are too short", "GroupQueryAttention", rows, group(attributes{"do_rotary": integer(1)}), cache(none, 2, 3, floats(2, 1), floats(2, 1)), "at least 3 rows"},
		{"a window of nothing", "GroupQueryAttention", rows, group(attributes{"local_window_size": integer(0)}), cache(none, 2, 3), "local_window_size is 0"},
		{"a cache of integers", "GroupQueryAttention", rows, group(attributes{"k_quant_type": text("PER_TENSOR")}), cache(none, 2, 3), "a quantized cache"},
		{"positions of another length", "RotaryEmbedding", rows, nil, []*graph.Tensor{integers(2, 4), floats(9, 2), floats(9, 2)}, "position_ids [2 4]"},
		{"tables without rows of angles", "RotaryEmbedding", rows, nil, []*graph.Tensor{list(0), floats(9), floats(9)}, "three or four axes and two"},
		{"a buffer that is full", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, none, floats(2, 2, 4, 4), floats(2, 2, 4, 4), list(2)},
			"past_sequence_length is 2, want 0 to 1: the past has room for 4 keys and 3 are new"},
		{"a cache of beams", "MultiHeadAttention", rows, heads(2), []*graph.Tensor{rows, rows, none, none, none, none, none, none, list(1)}, "without beam search"},
		{"a turn of no pairs", "Attention", rows, attributes{"num_heads": integer(2), "do_rotary": integer(1), "rotary_embedding_dim": integer(3)},
			[]*graph.Tensor{floats(8, 24)}, "rows of 4 elements with 3 rotated"},
		{"a shared buffer without its length", "Attention", rows, attributes{"num_heads": integer(2), "past_present_share_buffer": integer(1)},
			[]*graph.Tensor{floats(8, 24), floats(24), none, floats(2, 2, 2, 5, 4)}, "input 6 is missing"},
		{"a cache in windows", "GroupQueryAttention", rows, group(attributes{"sliding_window_cache": integer(1)}), cache(none, 2, 3), "export the model with a cache of all keys"},
		{"scores of groups", "GroupQueryAttention", rows, group(attributes{"qk_output": integer(1)}), cache(none, 2, 3), "export the model without its attentions"},

		{"three bits", "MatMulNBits", floats(2, 32), bits(3, 32, 16, 3), []*graph.Tensor{integers(3, 2, 8), floats(3, 2)}, "3 bits"},
		{"blocks of seventeen", "MatMulNBits", floats(2, 32), bits(3, 32, 17, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2)}, "blocks of 17"},
		{"absurd sizes", "MatMulNBits", floats(2, 32), bits(1<<40, 1<<40, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2)}, "N 1099511627776"},
		{"fewer weights than declared", "MatMulNBits", floats(2, 32), bits(4, 32, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2)}, "want 64 bytes and 8 scales"},
		{"an input of another width", "MatMulNBits", floats(2, 16), bits(3, 32, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2)}, "want […, 32]"},
		{"zero points of another number", "MatMulNBits", floats(2, 32), bits(3, 32, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2), floats(5)}, "zero_points [5], want 6 numbers or 3 bytes"},
		{"an order of groups with zero points", "MatMulNBits", floats(2, 32), bits(3, 32, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2), floats(3, 2), integers(32)},
			"quantize the model again symmetrically to 4 bits"},
		{"an order of groups of eight bits", "MatMulNBits", floats(2, 32), bits(3, 32, 16, 8), []*graph.Tensor{integers(3, 2, 16), floats(3, 2), none, integers(32)}, "g_idx with 8 bits"},
		{"an order of fewer columns", "MatMulNBits", floats(2, 32), bits(3, 32, 16, 4), []*graph.Tensor{integers(3, 2, 8), floats(3, 2), none, integers(31)}, "g_idx [31], want 32 integers"},
		{"a vector of weights", "DynamicQuantizeMatMul", floats(2, 8), nil, []*graph.Tensor{integers(8), floats(1)}, "want […, k] and [k, n]"},
		{"scales of other columns", "DynamicQuantizeMatMul", floats(2, 8), nil, []*graph.Tensor{integers(8, 3), floats(4)}, "input 2 has shape [4]"},
		{"floats as integers", "MatMulIntegerToFloat", floats(2, 8), nil, []*graph.Tensor{integers(8, 3), floats(1), floats(1)}, "input 0 has type float32"},
	} {
		_, err := bind(c.op, "com.microsoft", c.x, c.attributes, c.constants...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "malformed") {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// An attention of ONNX Runtime becomes the same step as one that is written out, and packed weights a product of the
// executors' own.
func TestFusedSteps(t *testing.T) {
	t.Parallel()
	heads := map[string]graph.Attribute{"num_heads": integer(2), "unidirectional": integer(1)}
	group := map[string]graph.Attribute{"num_heads": integer(4), "kv_num_heads": integer(2), "do_rotary": integer(1)}
	bits := map[string]graph.Attribute{"N": integer(200), "K": integer(96), "block_size": integer(32), "bits": integer(4)}
	rows, keys, table := floats(2, 3, 16), floats(2, 3, 8), floats(3, 2)
	none := (*graph.Tensor)(nil)
	for _, c := range []struct {
		op         string
		attributes map[string]graph.Attribute
		variable   int // inputs that are not constant
		inputs     []*graph.Tensor
		want       string
	}{
		{"MultiHeadAttention", heads, 3, []*graph.Tensor{rows, rows, rows, none, integers(2, 3), floats(1, 1, 3, 3)}, "Attention"},
		{"MultiHeadAttention", heads, 3, []*graph.Tensor{rows, rows, rows}, "Attention"},
		{"Attention", heads, 1, []*graph.Tensor{rows, floats(16, 48), floats(48)}, "Linear Attention"},
		{"GroupQueryAttention", group, 3, []*graph.Tensor{rows, keys, keys, none, none, list(2, 2), scalarInt(3), table, table}, "Attention"},
		{"MatMulNBits", bits, 1, []*graph.Tensor{floats(2, 3, 96), integers(200, 3, 16), floats(200, 3), none, none, floats(200)}, "Linear"},
		{"SkipLayerNormalization", nil, 2, []*graph.Tensor{rows, rows, floats(16), floats(16)}, "Add LayerNormalization"},
		{"BiasGelu", nil, 1, []*graph.Tensor{rows, floats(16)}, "Chain"},
	} {
		g := &graph.Graph{Opset: 14, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{}}
		n := &graph.Node{Name: "layer", Op: c.op, Domain: "com.microsoft", Outputs: []string{"y"}, Attributes: c.attributes}
		var operands []graph.Operand
		for i, x := range c.inputs {
			name := string(rune('a' + i))
			switch {
			case x == nil:
				name = ""
			case i < c.variable:
				g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: x.DType})
				operands = append(operands, graph.Operand{Type: x.Type()})
			default:
				g.Constants[name] = x
			}
			n.Inputs = append(n.Inputs, name)
		}
		g.Nodes = []*graph.Node{n}
		err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate))
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		p, err := g.Specialize(operands)
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		var steps []string
		for _, s := range p.Steps {
			if !s.Op.View {
				steps = append(steps, s.Node.Op)
			}
		}
		if got := strings.Join(steps, " "); got != c.want {
			t.Errorf("%s: steps %s, want %s", c.op, got, c.want)
		}
	}
}
