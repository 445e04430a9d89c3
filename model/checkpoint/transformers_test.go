// Transformers against their reference in PyTorch, with their settings.

package checkpoint

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// video is the state dict of a VideoViT of one channel.
func video(width, patch, depth, temporal, heads int) State {
	s := State{
		"patch_embed.conv_spatial.weight": zeros(width, 1, 1, patch, patch), "patch_embed.conv_spatial.bias": zeros(width),
		"norm.weight": zeros(width), "norm.bias": zeros(width), "temporal_norm.weight": zeros(width), "temporal_norm.bias": zeros(width),
	}
	for stack, n := range map[string]int{"blocks": depth, "temporal_blocks": temporal} {
		for i := range n {
			maps.Copy(s, prefixed(fmt.Sprintf("%s.%d.", stack, i), State{
				"norm1.weight": zeros(width), "norm1.bias": zeros(width), "norm2.weight": zeros(width), "norm2.bias": zeros(width),
				"attn.qkv.weight": zeros(3*width, width), "attn.proj.weight": zeros(width, width), "attn.proj.bias": zeros(width),
				"attn.rotary_emb.inv_freq": zeros(width / heads / 2),
				"mlp.fc1.weight":           zeros(4*width, width), "mlp.fc1.bias": zeros(4 * width), "mlp.fc2.weight": zeros(width, 4*width), "mlp.fc2.bias": zeros(width),
			}))
		}
	}
	return s
}

// mae is the state dict of a ViT-MAE of four channels.
func mae(width, patch, layers, hidden, tokens int) State {
	s := State{
		"embeddings.cls_token": zeros(1, 1, width), "embeddings.position_embeddings": zeros(1, tokens, width),
		"embeddings.patch_embeddings.projection.weight": zeros(width, 4, patch, patch), "embeddings.patch_embeddings.projection.bias": zeros(width),
		"layernorm.weight": zeros(width), "layernorm.bias": zeros(width),
	}
	for i := range layers {
		block := State{
			"attention.output.dense.weight": zeros(width, width), "attention.output.dense.bias": zeros(width),
			"intermediate.dense.weight": zeros(hidden, width), "intermediate.dense.bias": zeros(hidden),
			"output.dense.weight": zeros(width, hidden), "output.dense.bias": zeros(width),
			"layernorm_before.weight": zeros(width), "layernorm_before.bias": zeros(width), "layernorm_after.weight": zeros(width), "layernorm_after.bias": zeros(width),
		}
		for _, part := range []string{"query", "key", "value"} {
			block["attention.attention."+part+".weight"], block["attention.attention."+part+".bias"] = zeros(width, width), zeros(width)
		}
		maps.Copy(s, prefixed(fmt.Sprintf("encoder.layer.%d.", i), block))
	}
	return s
}

func prefixed(prefix string, s State) State {
	out := State{}
	for k, v := range s {
		out[prefix+k] = v
	}
	return out
}

// The published sizes: the numbers of parameters that PyTorch counts (frequencies
// are buffers), shapes, and graphs that run for any number of frames.
func TestTransformerSizes(t *testing.T) {
	for _, c := range []struct {
		name       string
		state      State
		parameters int
		input, out []int
		example    []int
		heads      string
	}{
		{"VideoViT", video(64, 4, 8, 4, 4), 598_848, []int{1, 1, 6, 64, 64}, []int{1, 6, 64}, []int{1, 6, 64, 64}, ""},
		{"VideoViT", video(64, 4, 8, 4, 4), 598_848, []int{2, 1, 1, 32, 16}, []int{2, 1, 64}, []int{1, 6, 64, 64}, ""},
		{"ViT-MAE", mae(128, 7, 4, 512, 145), 837_248, []int{1, 4, 84, 84}, []int{1, 145, 128}, []int{4, 84, 84}, "heads=8"},
		{"ViT-MAE", prefixed("vit.", mae(64, 14, 2, 256, 37)), 152_768, []int{3, 4, 84, 84}, []int{3, 37, 64}, []int{4, 84, 84}, "heads=8"},
	} {
		model, err := Build(c.state, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if model.Architecture != c.name || model.Parameters != c.parameters || !slices.Equal(model.State, c.example) {
			t.Errorf("%s: %d parameters, state %v; want %s, %d, %v", model.Architecture, model.Parameters, model.State, c.name, c.parameters, c.example)
		}
		if c.heads != "" && !slices.Contains(model.Settings, c.heads) {
			t.Errorf("%s: settings %v, want %s", c.name, model.Settings, c.heads)
		}
		if err := model.Check(c.input); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := model.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatal(err)
		}
		p, err := model.Graph.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: c.input}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Values[p.Outputs[0]].Shape; !slices.Equal(got, c.out) {
			t.Errorf("%s: %v gives %v, want %v", c.name, c.input, got, c.out)
		}
	}
}

func TestTransformerErrors(t *testing.T) {
	change := func(s State, f func(State)) State {
		f(s)
		return s
	}
	for _, c := range []struct {
		name    string
		state   State
		options Options
		want    []string
	}{
		{"missing", change(video(8, 2, 2, 1, 2), func(s State) { delete(s, "blocks.1.mlp.fc2.bias") }), Options{}, []string{"VideoViT", `"blocks.1.mlp.fc2.bias" is missing (want shape [8])`}},
		{"no block", video(8, 2, 0, 1, 2), Options{}, []string{`"blocks.0.attn.rotary_emb.inv_freq" is missing`}},
		{"no temporal block", video(8, 2, 1, 0, 2), Options{}, []string{`"temporal_blocks.0.`}},
		{"gap", change(video(8, 2, 3, 1, 2), func(s State) { delete(s, "blocks.1.norm1.weight") }), Options{}, []string{"tensors that the architecture does not have", `"blocks.1.attn.proj.bias" [8]`}},
		{"one frequency", change(video(8, 2, 2, 1, 2), func(s State) { delete(s, "blocks.1.attn.rotary_emb.inv_freq") }), Options{}, []string{`"blocks.1.attn.rotary_emb.inv_freq" is missing`}},
		{"frequencies", change(video(8, 2, 2, 1, 2), func(s State) { s["blocks.1.attn.rotary_emb.inv_freq"] = zeros(3) }), Options{}, []string{"inv_freq", "[3]", "divisor"}},
		{"qkv bias", change(video(8, 2, 2, 1, 2), func(s State) { s["blocks.0.attn.qkv.bias"] = zeros(24) }), Options{}, []string{`1 tensors that the architecture does not have`, `"blocks.0.attn.qkv.bias" [24]`}},
		{"qkv", change(video(8, 2, 2, 1, 2), func(s State) { s["blocks.0.attn.qkv.weight"] = zeros(16, 8) }), Options{}, []string{`"blocks.0.attn.qkv.weight" has shape [16 8], want [24 8]`}},
		{"tube", change(video(8, 2, 1, 1, 2), func(s State) { s["patch_embed.conv_spatial.weight"] = zeros(8, 1, 2, 2, 2) }), Options{}, []string{"[8 1 2 2 2]", "[any any 1 any any]"}},
		{"fc2", change(video(8, 2, 1, 1, 2), func(s State) { s["blocks.0.mlp.fc2.weight"] = zeros(8, 16) }), Options{}, []string{`[8 16], want [8 32]`}},
		{"heads contradict", video(8, 2, 1, 1, 2), Options{Heads: 4}, []string{"heads 4", "which means 2"}},
		{"heads unknown", change(video(8, 2, 1, 1, 2), dropFrequencies), Options{}, []string{"number of heads", "inv_freq", "num_heads"}},
		{"heads odd", change(video(6, 2, 1, 1, 1), dropFrequencies), Options{Heads: 2}, []string{"2 heads", "3", "odd"}},
		{"negative heads", video(8, 2, 1, 1, 2), Options{Heads: -1}, []string{"heads -1"}},
		{"video activation", video(8, 2, 1, 1, 2), Options{Activation: "relu"}, []string{"GELU"}},
		{"video final activation", video(8, 2, 1, 1, 2), Options{FinalActivation: "relu"}, []string{"has no final activation"}},
		{"MAE final activation", mae(16, 7, 1, 8, 17), Options{FinalActivation: "relu"}, []string{"has no final activation"}},
		{"MAE missing", change(mae(16, 7, 2, 8, 17), func(s State) { delete(s, "encoder.layer.1.attention.attention.key.weight") }), Options{}, []string{"ViT-MAE", `key.weight" is missing (want shape [16 16])`}},
		{"MAE heads", mae(16, 7, 1, 8, 17), Options{Heads: 3}, []string{"3 heads", "width 16"}},
		{"MAE default heads", mae(12, 7, 1, 8, 17), Options{}, []string{"8 heads (the default)", "width 12"}},
		{"MAE positions", change(mae(16, 7, 1, 8, 17), func(s State) { s["embeddings.position_embeddings"] = zeros(1, 1, 16) }), Options{}, []string{"position_embeddings", "[1 1 16]"}},
		{"MAE CLS", change(mae(16, 7, 1, 8, 17), func(s State) { s["embeddings.cls_token"] = zeros(16) }), Options{}, []string{`"embeddings.cls_token" has shape [16], want [1 1 16]`}},
		{"heads without attention", small(), Options{Heads: 4}, []string{"no attention"}},
		{"near VideoViT", change(video(8, 2, 2, 1, 2), func(s State) {
			delete(s, "patch_embed.conv_spatial.weight")
			s["patch_embed.proj.weight"] = zeros(8, 1, 2, 2)
		}), Options{}, []string{"nearest is VideoViT", `lacks "patch_embed.conv_spatial.weight"`}},
		{"near ViT-MAE", change(mae(16, 7, 2, 8, 17), func(s State) { delete(s, "embeddings.position_embeddings") }), Options{}, []string{"nearest is ViT-MAE", `lacks "embeddings.position_embeddings"`}},
		{"near DQN", State{"q.conv1.weight": zeros(1), "q.conv1.bias": zeros(1), "q.conv2.weight": zeros(1), "q.fc1.weight": zeros(2)}, Options{}, []string{"nearest is DQN CNN", `"fc_enc.weight"`}},
		{"near nothing", State{"layer.0.alpha": zeros(1)}, Options{}, []string{"none is similar", `"layer.0.alpha" [1]`}},
	} {
		_, err := Build(c.state, c.options)
		if err == nil {
			t.Errorf("%s: no error, want one with %q", c.name, c.want)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %q lacks %q", c.name, err, w)
			}
		}
	}
}

func dropFrequencies(s State) {
	for k := range s {
		if strings.HasSuffix(k, "inv_freq") {
			delete(s, k)
		}
	}
}

func TestTransformerShapes(t *testing.T) {
	v, err := Build(video(8, 4, 1, 1, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(mae(16, 7, 1, 8, 145), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model *Network
		shape []int
		want  string
	}{
		{v, []int{1, 1, 6, 64, 64}, ""}, {v, []int{1, 1, 1, 8, 20}, ""}, {v, []int{1, 1, 6, 64, 62}, "whole number of patches of 4×4"}, {v, []int{1, 1, 6, 64}, ""},
		{m, []int{1, 4, 84, 84}, ""}, {m, []int{1, 4, 42, 168}, ""}, {m, []int{1, 4, 84, 83}, "whole number"}, {m, []int{1, 4, 84, 91}, ""}, {m, []int{1, 4, 70, 70}, ""},
	} {
		err := c.model.Check(c.shape)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: %v, want %q", c.model.Architecture, c.shape, err, c.want)
		}
	}
}

// Settings come from the option, else the checkpoint, else a configuration file.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name    string
		state   State
		options Options
		inside  any
		file    string
		content string
		want    string // of the settings, or of the error
		warning string
	}{
		{"default", mae(16, 7, 1, 8, 17), Options{}, nil, "", "", "heads=8", "8 attention heads, the default"},
		{"option", mae(16, 7, 1, 8, 17), Options{Heads: 2}, map[string]any{"num_heads": 4}, "config.yaml", "num_heads: 16", "heads=2", ""},
		{"inside", mae(16, 7, 1, 8, 17), Options{}, map[string]any{"num_heads": int64(4)}, "config.yaml", "num_heads: 16", "heads=4", ""},
		{"beside", mae(16, 7, 1, 8, 17), Options{}, map[string]any{"lr": 0.1}, "config.yaml", "model:\n  encoder: {num-heads: 16}\n  predictor: {num_heads: 2}\nnum_heads: 1", "heads=16", ""},
		{"JSON", mae(16, 7, 1, 8, 17), Options{}, nil, "config.json", `{"num_attention_heads": 4, "decoder_num_attention_heads": 16, "layer_norm_eps": 1e-06, "hidden_act": "gelu_new"}`,
			"activation=gelu_tanh heads=4 layer_norm_eps=1e-06", "1e-06, from"},
		{"decoder only", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yml", "decoder: {num_heads: 4}", "heads=8", ""},
		{"encoder decoder", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "encoder_decoder: {num_heads: 4}", "heads=4", ""},
		{"contradiction", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "a: {num_heads: 4}\nb: {heads: 2}", "a.num_heads is 4, but b.heads is 2", ""},
		{"agreement", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "a: {num_heads: 4}\nb: {heads: 4}", "heads=4", ""},
		{"not a number", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "num_heads: many", "num_heads is many, want a positive integer", ""},
		{"zero", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "num_heads: 0", "num_heads is 0", ""},
		{"broken", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "a: [", "config.yaml", ""},
		{"a list", mae(16, 7, 1, 8, 17), Options{}, nil, "config.yaml", "- 1\n- 2", "heads=8", ""},
		{"video", func() State { s := video(8, 2, 1, 1, 2); dropFrequencies(s); return s }(), Options{}, nil, "config.yaml", "encoder: {n_heads: 2}", "heads=2", ""},
		{"conv", small(), Options{}, nil, "config.yaml", "model: {activation: ReLU}", "activation=relu", "activation relu, from"},
		{"conv default", small(), Options{}, nil, "config.yaml", "model: {activation: SiLU}", "activation=silu", ""},
		{"conv option", small(), Options{Activation: "tanh"}, nil, "config.yaml", "model: {activation: ReLU}", "activation=tanh", ""},
		{"conv unknown", small(), Options{}, nil, "config.yaml", "model: {activation: maxout}", `activation "maxout" (`, ""},
	} {
		dir := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		model, err := build(c.state, c.options, &settings.Settings{Dir: dir, Inside: c.inside})
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(model.Settings, " ")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if err == nil && c.warning != "" && !strings.Contains(strings.Join(model.Warnings, " "), c.warning) {
			t.Errorf("%s: warnings %q, want %q", c.name, model.Warnings, c.warning)
		}
	}
}

// arrays reads testdata/name.npz.
func arrays(t *testing.T, name string) map[string]*graph.Tensor {
	t.Helper()
	return arraysIn(t, filepath.Join("testdata", name))
}

// arraysIn are the arrays of a file.
func arraysIn(t *testing.T, path string) map[string]*graph.Tensor {
	t.Helper()
	list, err := dataset.OpenAll(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*graph.Tensor{}
	for _, a := range list {
		values := make([]float32, a.Len()*a.RowLen())
		if err := a.ReadFloat32(values, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		out[a.Key()] = graph.Floats(values, slices.Clone(a.Shape())...)
		a.Close()
	}
	return out
}

// run computes a graph of one input and one output.
func run(t *testing.T, g *graph.Graph, x *graph.Tensor) *graph.Tensor {
	t.Helper()
	return answers(t, g, x)[g.Outputs[0].Name]
}

func newBuilder() *builder {
	return &builder{settings: &settings.Settings{}, graph: &graph.Graph{Opset: 20, Constants: map[string]*graph.Tensor{}}, model: &Network{}}
}

// The rotary embedding alone, for several widths and numbers of tokens.
func TestRotary(t *testing.T) {
	golden := arrays(t, "rotary.npz")
	tested := 0
	for name, x := range golden {
		key, ok := strings.CutPrefix(name, "x")
		if !ok {
			continue
		}
		tested++
		y, frequencies := golden["y"+key], golden["inv_freq"+key].F32
		width := x.Shape[3]
		for i, f := range rotaryFrequencies(rotaryBase, width) {
			if math.Abs(float64(f/frequencies[i])-1) > 1e-6 {
				t.Errorf("width %d: frequency %d is %g, want %g", width, i, f, frequencies[i])
			}
		}
		b := newBuilder()
		free := graph.Dim{Size: -1}
		b.input(free, free, free, graph.Dim{Size: width})
		n := b.apply("Slice", "", nil, b.apply("Shape", "", nil, "x"), b.ints(2), b.ints(3))
		b.output(b.rotate("", "x", b.rotateIndex(frequencies, n)))
		got := run(t, b.graph, x)
		worst := 0.0
		for i, w := range y.F32 {
			worst = max(worst, math.Abs(float64(got.F32[i])-float64(w)))
		}
		t.Logf("%s: largest difference %.1e", key, worst)
		if !slices.Equal(got.Shape, y.Shape) || !(worst <= 1e-6) {
			t.Errorf("%s: shape %v, largest difference %.1e", key, got.Shape, worst)
		}
	}
	if tested != 4 {
		t.Errorf("%d cases, want 4", tested)
	}
}

// GELU in both forms against float64: also its small values for negative x.
func TestGELU(t *testing.T) {
	golden := arrays(t, "gelu.npz")
	for _, name := range []string{"gelu", "gelu_tanh"} {
		b := newBuilder()
		b.input(graph.Dim{Size: -1})
		b.activate(named(name), "")
		b.output(b.last)
		want := golden[map[string]string{"gelu": "exact", "gelu_tanh": "tanh"}[name]].F32
		got := run(t, b.graph, golden["x"])
		worst := 0.0
		for i, w := range want {
			worst = max(worst, math.Abs(float64(got.F32[i])-float64(w))/max(1, math.Abs(float64(w))))
		}
		t.Logf("%s: largest difference %.1e", name, worst)
		if !(worst <= 2e-7) {
			t.Errorf("%s: largest difference %.1e", name, worst)
		}
	}
}

func TestHelp(t *testing.T) {
	text := Help()
	for _, a := range architectures {
		if a.Name == "" || a.Input == "" || a.Output == "" || len(a.Keys) == 0 || !strings.Contains(text, a.Name) {
			t.Errorf("%+v", a)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 || strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
			t.Errorf("line of %d columns: %q", n, line)
		}
	}
	// The keys are those that Build reads: all of them, and no others.
	for i, state := range []State{small(), video(8, 2, 1, 1, 2)} {
		a := architectures[i]
		want := append(slices.Clone(a.Keys), a.Optional...)
		var got []string
		for k := range state {
			parts := strings.Split(k, ".")
			for j, p := range parts {
				if p == "0" || p == "1" {
					parts[j] = "i"
				}
			}
			if k = strings.Join(parts, "."); !slices.Contains(got, k) {
				got = append(got, k)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: keys %q, want %q", a.Name, want, got)
		}
	}
	for _, a := range architectures { // the keys of a family are among those of a model, and its names explain all
		if a.Name != "ViT-MAE" {
			continue
		}
		state, has := mae(16, 7, 1, 8, 17), map[string]bool{}
		for key := range state {
			has[generic(key)] = true
		}
		for _, key := range a.Keys {
			if !has[key] {
				t.Errorf("a ViT-MAE has no %q", key)
			}
		}
		if strange := a.strange(state); len(strange) > 0 {
			t.Errorf("%q are no keys of a ViT-MAE", strange)
		}
	}
}
