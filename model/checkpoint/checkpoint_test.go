// State dicts: what is recognised, and what is wrong with the others.

package checkpoint

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"repscope/internal/mmap"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func zeros(shape ...int) Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return Tensor{Shape: shape, Read: func() ([]float32, error) { return make([]float32, n), nil }}
}

// small is the state dict of a ConvEncoder with two layers for frames of 8×8.
func small() State {
	return State{
		"conv_layers.0.weight": zeros(3, 1, 4, 4), "conv_layers.0.bias": zeros(3), "layer_norms.0.weight": zeros(3), "layer_norms.0.bias": zeros(3),
		"conv_layers.1.weight": zeros(5, 3, 4, 4), "conv_layers.1.bias": zeros(5), "layer_norms.1.weight": zeros(5), "layer_norms.1.bias": zeros(5),
		"final_norm.weight": zeros(20), "final_norm.bias": zeros(20), "fc.weight": zeros(7, 20), "fc.bias": zeros(7),
	}
}

func TestBuild(t *testing.T) {
	model, err := Build(small(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if model.Architecture != "ConvEncoder" || !slices.Equal(model.State, []int{1, 1, 8, 8}) || model.Parameters != 51+6+245+10+40+147 {
		t.Errorf("model %+v", model)
	}
	if err := model.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Error(err)
	}
	for _, shape := range [][]int{{2, 1, 3, 8, 8}, {2, 1, 3, 9, 11}, {2, 1, 1, 16, 4}} {
		if err := model.Check(shape); err != nil {
			t.Errorf("%v: %v", shape, err)
		}
	}
	if err := model.Check([]int{2, 1, 3, 16, 16}); err == nil || !strings.Contains(err.Error(), "8×8") {
		t.Errorf("16×16: %v", err)
	}
}

func TestBuildPrefix(t *testing.T) {
	state := State{"decoder.weight": zeros(3)}
	for k, v := range small() {
		state["module.encoder."+k] = v
	}
	model, err := Build(state, Options{})
	if err != nil || len(model.Warnings) != 1 || !strings.Contains(model.Warnings[0], `"module.encoder."`) {
		t.Errorf("model %+v, error %v", model, err)
	}
}

// Names as torch.compile, DistributedDataParallel and sharding leave them: around the whole model, and around parts of
// it.
func TestBuildWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, note string }{
		{"", "_orig_mod.", `begin with "_orig_mod."`}, {"", "module._orig_mod.", `begin with "module._orig_mod."`},
		{"", "_orig_mod.module.", `begin with "_orig_mod.module."`},
		{"conv_layers.", "conv_layers._orig_mod.", `"_orig_mod." is removed`},
		{"fc.", "fc._fsdp_wrapped_module._checkpoint_wrapped_module.", `"_fsdp_wrapped_module." is removed`},
	} {
		state := State{}
		for k, v := range small() {
			if rest, ok := strings.CutPrefix(k, c.from); ok {
				k = c.to + rest
			}
			state[k] = v
		}
		model, err := Build(state, Options{})
		if err != nil || !strings.Contains(strings.Join(model.Notes, " "), c.note) || model.Parameters != 51+6+245+10+40+147 {
			t.Errorf("%q: %+v, %v", c.to, model, err)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	change := func(f func(State)) State {
		s := maps.Clone(small())
		f(s)
		return s
	}
	for _, c := range []struct {
		name    string
		state   State
		options Options
		want    []string
	}{
		{"missing", change(func(s State) { delete(s, "fc.bias") }), Options{}, []string{"ConvEncoder", `"fc.bias" is missing`, "[7]"}},
		{"surplus", change(func(s State) { s["fc2.weight"] = zeros(2, 2) }), Options{}, []string{"1 tensors that the architecture does not have", `"fc2.weight"`}},
		{"half with a prefix", change(func(s State) {
			for _, k := range []string{"conv_layers.1.bias", "fc.weight", "fc.bias"} {
				s["_orig_mod."+k] = s[k]
				delete(s, k)
			}
		}), Options{}, []string{`"conv_layers.1.bias" is missing`, `the file has it as "_orig_mod.conv_layers.1.bias"`,
			`3 of 12 names begin with "_orig_mod."`}},
		{"two in one", change(func(s State) { s["fc._orig_mod.bias"] = zeros(7) }), Options{},
			[]string{`"fc._orig_mod.bias" and "fc.bias" differ only`, "a mixture of two"}},
		{"wrong shape", change(func(s State) { s["layer_norms.1.bias"] = zeros(4) }), Options{}, []string{`"layer_norms.1.bias" has shape [4], want [5]`}},
		{"wrong rank", change(func(s State) { s["fc.weight"] = zeros(140) }), Options{}, []string{`"fc.weight" has shape [140], want [any 20]`}},
		{"wrong kernel", change(func(s State) { s["conv_layers.1.weight"] = zeros(5, 3, 3, 3) }), Options{}, []string{"[5 3 3 3]", "[any 3 4 4]"}},
		{"wrong features", change(func(s State) {
			s["final_norm.weight"], s["final_norm.bias"], s["fc.weight"] = zeros(21), zeros(21), zeros(7, 21)
		}), Options{}, []string{`"final_norm.weight"`, "multiple of the 5 channels"}},
		{"activation", small(), Options{Activation: "sine"}, []string{"sine"}},
		{"final activation", small(), Options{FinalActivation: "relu"}, []string{"has no final activation"}},
		{"unknown", State{"blocks.0.weight": zeros(1)}, Options{}, []string{`"blocks.0.weight"`, "ConvEncoder, VideoViT, DQN CNN, ", "ONNX"}},
		{"empty tensor", change(func(s State) { s["fc.weight"], s["fc.bias"] = zeros(0, 20), zeros(0) }), Options{}, []string{"[0 20]"}},
		{"reader that lies", change(func(s State) {
			s["fc.bias"] = Tensor{Shape: []int{7}, Read: func() ([]float32, error) { return nil, nil }}
		}), Options{}, []string{"0 elements"}},
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

// FuzzOpen reads any bytes as a checkpoint; it must end with an error or a model.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"conv.pth", "conv.safetensors", "conv_legacy.pt", "conv_checkpoint.pth", "mlp.pth"} {
		data, err := os.ReadFile(filepath.Join("../../latent/testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		model, err := Open(path, Options{})
		if err != nil {
			return
		}
		if err := errors.Join(model.Graph.Prepare(fuse.Rules(cpu.Evaluate)), model.Close()); err != nil {
			t.Errorf("a model that cannot run: %v", err)
		}
	})
}

// Large weights are read from the file when they are wanted; one that changed is refused.
func TestDeferredWeights(t *testing.T) {
	for _, name := range []string{"dqn.pth", "conv64.pth", "conv.safetensors"} {
		data, err := os.ReadFile(filepath.Join("../../latent/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := mmap.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		content, err := readContent(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		state := content.state
		for key, tensor := range state {
			want, err := tensor.Read()
			got := make([]float32, len(want))
			if err := errors.Join(err, tensor.Load(got, 0)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q: Load gives other values, error %v", name, key, err)
			}
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		for key, tensor := range state {
			n, _ := graph.Elements(tensor.Shape)
			if err := tensor.Load(make([]float32, n), 0); err == nil || !strings.Contains(err.Error(), "changed") {
				t.Errorf("%s: %q of a changed file: %v", name, key, err)
			}
		}
	}
}
