// Altered state dicts and files.

package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/internal/mmap"
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// FuzzBuild changes shapes of known state dicts, drops and renames tensors; what
// Build accepts must run on the state that it names.
func FuzzBuild(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte{})
	f.Add(uint8(1), uint8(2), []byte{3, 1, 8})
	f.Add(uint8(2), uint8(0), []byte{0, 4, 16, 4, 2, 2})
	f.Add(uint8(3), uint8(1), []byte{5, 0, 9, 0})
	published := familyShapes(f)
	for i := range published {
		f.Add(uint8(4+i), uint8(2), []byte{})
		f.Add(uint8(4+i), uint8(2), []byte{0, 1, 0})
		f.Add(uint8(4+i), uint8(2), []byte{9, 2, 0, 3, 30, 4, 0, 0, 2, 2})
	}
	f.Fuzz(func(t *testing.T, which, heads uint8, data []byte) {
		var state State
		switch kind := int(which) % (4 + len(published)); kind {
		default:
			state = State{}
			for key, shape := range published[kind-4] {
				state[key] = zeros(shape...)
			}
		case 0:
			state = small()
		case 1:
			state = video(8, 2, 1, 1, 2)
		case 2:
			state = mae(16, 2, 1, 8, 5)
		case 3:
			state = State{
				"conv1.weight": zeros(2, 4, 8, 8), "conv1.bias": zeros(2), "conv2.weight": zeros(2, 2, 4, 4), "conv2.bias": zeros(2),
				"conv3.weight": zeros(2, 2, 3, 3), "conv3.bias": zeros(2), "fc_enc.weight": zeros(3, 98), "fc_enc.bias": zeros(3),
			}
		}
		var keys []string
		for k := range state {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		// Each edit: a tensor, a number of axes, the axes; no axes drops the tensor.
		for len(data) >= 2 {
			key, rank := keys[int(data[0])%len(keys)], int(data[1])%7
			data = data[2:]
			if rank > len(data) {
				break
			}
			var shape []int
			for _, d := range data[:rank] {
				shape = append(shape, int(d)%33)
			}
			data = data[rank:]
			switch {
			case rank == 0:
				delete(state, key)
			case rank == 6:
				state[key+".more"] = zeros(shape[:2]...)
			default:
				state[key] = zeros(shape...)
			}
		}
		model, err := Build(state, Options{Heads: int(heads) % 17})
		if err != nil {
			return
		}
		if err := model.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatalf("a model that cannot run: %v", err)
		}
		if model.State == nil {
			return
		}
		shape := append([]int{2}, model.State...)
		if err := model.Check(shape); err != nil {
			t.Fatalf("state %v: %v", model.State, err)
		}
		if _, err := model.Graph.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: shape}}}); err != nil {
			t.Fatalf("state %v: %v", model.State, err)
		}
	})
}

// familyShapes are the shapes of the tensors of all golden families, in the order of their folders.
func familyShapes(f *testing.F) (list []map[string][]int) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "families", "*", "*.safetensors"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		file, err := mmap.Open(path)
		if err != nil {
			f.Fatal(err)
		}
		state, err := readSafetensors(file)
		if err != nil {
			f.Fatal(err)
		}
		shapes := map[string][]int{}
		for key, t := range state {
			shapes[key] = t.Shape
		}
		list = append(list, shapes)
		if err := file.Close(); err != nil {
			f.Fatal(err)
		}
	}
	return list
}

// FuzzSettings reads any bytes as a configuration file of a checkpoint.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"num_heads: 4", "encoder: {num_heads: 4, hidden_act: relu}", `{"num_attention_heads": 8, "layer_norm_eps": 1e-12}`, "a: &a {heads: 2}\nb: *a", "? [a]\n: {heads: 1.0}"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		model, err := build(mae(16, 2, 1, 8, 5), Options{}, &settings.Settings{Dir: dir})
		if err != nil {
			return
		}
		if err := model.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatalf("a model that cannot run: %v", err)
		}
	})
}
