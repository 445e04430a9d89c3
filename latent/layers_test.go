// Layers against PyTorch, against models cut at each layer, and what cannot be a layer.

package latent

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/runtest"
	"repscope/model/graph"
)

// archive reads the arrays of an .npz file of testdata.
func archive(t testing.TB, name string) (values map[string][]float32, shapes map[string][]int) {
	t.Helper()
	arrays, err := dataset.OpenAll(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	values, shapes = map[string][]float32{}, map[string][]int{}
	for _, a := range arrays {
		v := make([]float32, a.Len()*a.RowLen())
		if err := a.ReadFloat32(v, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		values[a.Key()], shapes[a.Key()] = v, slices.Clone(a.Shape())
		a.Close()
	}
	return values, shapes
}

// batchOf returns the first n states of a golden input.
func batchOf(t testing.TB, name string, n int) Array {
	x, shape := array(t, name)
	width := len(x) / shape[0]
	shape[0] = n
	return Array{shape, x[:n*width]}
}

func openLayers(t testing.TB, file string, layers ...string) LayerEncoder {
	t.Helper()
	e, err := Open(filepath.Join("testdata", file), OpenOptions{Layers: layers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e.(LayerEncoder)
}

func TestGoldenLayers(t *testing.T) {
	inputs := map[string]string{"conv.pth": "conv_input.npy", "dqn_opset17.onnx": "dqn_input.npy", "tokens_opset17.onnx": "tokens_input.npy"}
	values, shapes := archive(t, "layers.npz")
	byFile := map[string][]string{}
	for key := range values {
		file, layer, _ := strings.Cut(key, "|")
		byFile[file] = append(byFile[file], layer)
	}
	if len(byFile) != len(inputs) {
		t.Fatalf("layers of %d files", len(byFile))
	}
	for file, layers := range byFile {
		slices.Sort(layers)
		e := openLayers(t, file, layers...)
		out, err := e.EncodeLayers(t.Context(), batchOf(t, inputs[file], 2))
		if err != nil {
			t.Fatal(err)
		}
		if len(out) != len(layers) || len(e.Layers()) != len(layers) {
			t.Fatalf("%s: %d layers, want %v", file, len(out), layers)
		}
		for k, layer := range layers {
			key := file + "|" + layer
			if !slices.Equal(out[k].Shape, shapes[key]) {
				t.Errorf("%s: shape %v, want %v", key, out[k].Shape, shapes[key])
				continue
			}
			if r := relative(out[k].Values, values[key]); !(r <= 1e-5) {
				t.Errorf("%s: relative error %.1e", key, r)
			}
		}
	}
}

// Every layer that a model lists can be computed with all others, and some alone,
// with the same values, and the output stays what it is.
func TestEveryLayer(t *testing.T) {
	runtest.Long(t, "it encodes every layer of many models, one after another")
	for _, g := range goldens(t) {
		if g.options().State+g.Activation+g.FinalActivation != "" || strings.HasSuffix(g.File, "opset11.onnx") || strings.HasSuffix(g.File, "opset13.onnx") {
			continue
		}
		path := filepath.Join("testdata", g.File)
		x, shape := array(t, g.Input)
		listed, err := Layers(path, g.options(), shape[1:])
		if err != nil {
			t.Errorf("%s: %v", g.File, err)
			continue
		}
		open := func(layer string) LayerEncoder {
			o := g.options()
			o.Layers, o.StateShape = []string{layer}, shape[1:]
			e, err := Open(path, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			return e.(LayerEncoder)
		}
		all := open("*")
		batch := Array{shape, x}
		out, err := all.EncodeLayers(t.Context(), batch)
		if err != nil {
			t.Errorf("%s: %v", g.File, err)
			continue
		}
		for k, l := range all.Layers() {
			i := slices.IndexFunc(listed, func(m Layer) bool { return m.Name == l.Name })
			if i < 0 || listed[i].Reason != "" || !slices.Equal(listed[i].Shape[1:], out[k].Shape[1:]) {
				t.Errorf("%s: layer %s has shape %v, listed %+v", g.File, l.Name, out[k].Shape, listed[max(i, 0)])
			}
			if want, wantShape := array(t, g.Expected); l.Output {
				if !slices.Equal(out[k].Shape, wantShape) || !(relative(out[k].Values, want) <= 5e-5) {
					t.Errorf("%s: the output differs among all layers by %.1e", g.File, relative(out[k].Values, want))
				}
			}
			if k%(1+len(out)/16) != 0 {
				continue // opening a model once for each of hundreds of layers takes too long
			}
			one := open(l.Name)
			alone, err := one.Encode(t.Context(), batch)
			if err != nil {
				t.Errorf("%s: layer %s: %v", g.File, l.Name, err)
				continue
			}
			r := relative(alone.Values, out[k].Values)
			if !slices.Equal(alone.Shape, out[k].Shape) || !(r <= 1e-5) && slices.ContainsFunc(out[k].Values, func(v float32) bool { return v != 0 }) {
				t.Errorf("%s: layer %s alone: shape %v, relative difference %.1e", g.File, l.Name, alone.Shape, r)
			}
		}
	}
}

func TestChooseLayers(t *testing.T) {
	names := func(e LayerEncoder) (list []string) {
		for _, l := range e.Layers() {
			list = append(list, l.Name)
		}
		return list
	}
	if got := names(openLayers(t, "dqn_opset17.onnx", "z", "/Relu*", "/conv?/*", "z")); !slices.Equal(got,
		[]string{"z", "/Relu_output_0", "/Relu_1_output_0", "/Relu_2_output_0", "/conv1/Conv_output_0", "/conv2/Conv_output_0", "/conv3/Conv_output_0"}) {
		t.Errorf("layers %v", got)
	}
	if got := names(openLayers(t, "conv.pth", "layer_norms.1", "fc")); len(got) != 2 || !strings.HasPrefix(got[0], "transpose") || !strings.HasPrefix(got[1], "gemm") {
		t.Errorf("layers by node %v", got)
	}
	// A model of several outputs needs a choice, which layers are.
	if _, err := Open("testdata/dqn_outputs.onnx", OpenOptions{}); err == nil {
		t.Error("two outputs without a choice")
	}
	e := openLayers(t, "dqn_outputs.onnx", "z", "/Relu_1_output_0")
	if l := e.Layers(); !l[0].Output || !l[1].Output || e.Info().Identity == openLayers(t, "dqn_outputs.onnx", "z").Info().Identity {
		t.Errorf("layers %+v", l)
	}
	want, _ := array(t, "dqn.npy")
	z, err := e.Encode(t.Context(), batchOf(t, "dqn_input.npy", 3))
	if err != nil || !(relative(z.Values, want) <= 1e-5) {
		t.Errorf("the first of two outputs: %v", err)
	}
	for _, c := range []struct{ file, layer, want string }{
		{"dqn_opset17.onnx", "/Rely_output_0", "no layer"},
		{"dqn_opset17.onnx", "Relu*", "no layer"},
		{"tokens_opset17.onnx", "/Transpose_1_output_0", "first axis is not the batch"},
		{"tokens_opset17.onnx", "/Split*", "no value can be encoded"},
		{"mixed.onnx", "whole", "int64"},
		{"mixed.onnx", "largest", "first axis is not the batch"},
	} {
		_, err := Open(filepath.Join("testdata", c.file), OpenOptions{Layers: []string{c.layer}})
		wantError(t, err, c.file, c.want)
	}
	_, err = Open("testdata/dqn_opset17.onnx", OpenOptions{Layers: []string{"z"}, Output: "z"})
	wantError(t, err, "want only one of the two")
}

// Rows of a stream have the same bits wherever it starts, and a layer that mixes
// states is found.
func TestStream(t *testing.T) {
	x, shape := array(t, "conv_input.npy")
	src := &memorySource{values: x, shape: shape}
	e := openLayers(t, "conv.pth", "fc", "conv_layers.1")
	collect := func(first, batch int, pool Pool) [][]float32 {
		s, err := NewStream(t.Context(), e, src, EncodeOptions{Batch: batch, Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		all := make([][]float32, 2)
		next := first
		err = s.Run(t.Context(), first, func(lo, hi int, rows [][]float32) error {
			if lo != next || hi > lo+batch {
				t.Errorf("rows %d to %d after %d", lo, hi, next)
			}
			next = hi
			for k := range rows {
				all[k] = append(all[k], rows[k]...)
			}
			return nil
		})
		if err != nil || next != 5 {
			t.Fatalf("ended at %d: %v", next, err)
		}
		return all
	}
	want := collect(0, 5, PoolKeep)
	if len(want[0]) != 5*3*8 || len(want[1]) != 5*3*6*8*8 {
		t.Fatalf("%d and %d elements", len(want[0]), len(want[1]))
	}
	for first := range 6 {
		for _, batch := range []int{1, 2, 64} {
			got := collect(first, batch, PoolKeep)
			for k := range got {
				if !slices.Equal(got[k], want[k][first*len(want[k])/5:]) {
					t.Errorf("from state %d in batches of %d: layer %d differs", first, batch, k)
				}
			}
		}
	}
	if got := collect(0, 2, PoolFlatten); !slices.Equal(got[0], want[0]) {
		t.Error("flattened rows differ")
	}
	_, err := NewStream(t.Context(), e, src, EncodeOptions{Pool: PoolLast})
	wantError(t, err, "conv.pth", "layer conv_layers.1", "flatten")

	points := &memorySource{values: make([]float32, 24), shape: []int{4, 2, 3}}
	for layer, want := range map[string]string{"mixed": "mixed", "swapped": "first axis is not the batch"} {
		e, err := Open("testdata/mixed.onnx", OpenOptions{Layers: []string{layer}})
		if err == nil {
			_, err = NewStream(t.Context(), e, points, EncodeOptions{Pool: PoolKeep})
			e.Close()
		}
		wantError(t, err, want)
	}
	// The memory does not grow with the number of states.
	long := &endlessSource{n: 200}
	s, err := NewStream(t.Context(), e, long, EncodeOptions{Batch: 8, Pool: PoolKeep})
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		if err := s.Run(context.Background(), 0, func(int, int, [][]float32) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	run()
	few := testing.AllocsPerRun(1, run)
	long.n = 800
	if many := testing.AllocsPerRun(1, run); many > few+8 {
		t.Errorf("%v allocations for 200 states, %v for 800", few, many)
	}
}

// endlessSource serves any number of states that are not stored.
type endlessSource struct{ n int }

func (s *endlessSource) Len() int     { return s.n }
func (s *endlessSource) Shape() []int { return []int{1, 3, 32, 32} }
func (s *endlessSource) Float32(dst []float32, lo, _ int) error {
	for i := range dst {
		dst[i] = float32((i + lo) % 255)
	}
	return nil
}
func (s *endlessSource) Fingerprint() (string, error) { return "endless", nil }

func TestPreprocessing(t *testing.T) {
	values, shapes := archive(t, "preprocess.npz")
	src := &memorySource{values: values["frames"], shape: shapes["frames"]}
	for key, want := range values {
		if key == "frames" {
			continue
		}
		method, _, _ := strings.Cut(key, "_")
		p := Preprocessing{Layout: "CHW", Height: shapes[key][2], Width: shapes[key][3], Interpolation: Interpolation(method)}
		if method == "normalised" {
			p.Interpolation, p.Scale, p.High = Bilinear, ScaleUnit, 255
			p.Mean, p.Std = []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}
		}
		prepared, err := Prepared(src, p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(prepared.Shape(), shapes[key][1:]) {
			t.Fatalf("%s: shape %v", key, prepared.Shape())
		}
		got := make([]float32, len(want))
		if err := prepared.Float32(got, 0, 2); err != nil {
			t.Fatal(err)
		}
		if r := relative(got, want); method == "nearest" && r != 0 || !(r <= 1e-6) {
			t.Errorf("%s: relative difference %.1e from PyTorch", key, r)
		}
	}

	// One value for all channels; channels of clips in both orders.
	ramp := func(shape ...int) *memorySource {
		s := &memorySource{shape: shape, values: make([]float32, graph.Count(shape))}
		for i := range s.values {
			s.values[i] = float32(i)
		}
		return s
	}
	for _, c := range []struct {
		layout  string
		shape   []int
		channel func(i int) int
	}{
		{"CTHW", []int{2, 2, 3, 2, 2}, func(i int) int { return i / 12 % 2 }},
		{"TCHW", []int{2, 3, 2, 2, 2}, func(i int) int { return i / 4 % 2 }},
	} {
		s := ramp(c.shape...)
		prepared, err := Prepared(s, Preprocessing{Layout: c.layout, Mean: []float64{1, 2}, Std: []float64{4, 8}})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, len(s.values))
		if err := prepared.Float32(got, 0, 2); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			k := c.channel(i)
			if want := (float32(i) - []float32{1, 2}[k]) / []float32{4, 8}[k]; v != want {
				t.Errorf("%s: element %d is %g, want %g", c.layout, i, v, want)
				break
			}
		}
		a, err1 := s.Fingerprint()
		b, err2 := prepared.Fingerprint()
		if err1 != nil || err2 != nil || a == b {
			t.Errorf("fingerprints %s %s: %v %v", a, b, err1, err2)
		}
	}

	for _, c := range []struct {
		shape []int
		p     Preprocessing
		want  string
	}{
		{[]int{3, 8, 8}, Preprocessing{Layout: "CHW", Mean: []float64{1, 2}}, "2 values of the mean for states of shape [3 8 8] with 3 channels"},
		{[]int{3, 8, 8}, Preprocessing{Layout: "THW", Std: []float64{1, 2, 3}}, "with 1 channel: want one, or one per channel (layout THW)"},
		{[]int{8, 8}, Preprocessing{Layout: "HW", Std: []float64{0}}, "standard deviation 0"},
		{[]int{8, 8}, Preprocessing{Layout: "HW", Mean: []float64{math.NaN()}}, "mean NaN"},
		{[]int{8}, Preprocessing{Layout: "D", Height: 2, Width: 2}, "have no frames"},
		{[]int{8, 8}, Preprocessing{Layout: "HW", Height: 2}, "want sides of 1"},
		{[]int{8, 8}, Preprocessing{Layout: "HW", Height: 2, Width: 2, Interpolation: "cubic"}, "want bilinear or nearest"},
		{[]int{8, 8}, Preprocessing{Layout: "CHW"}, "which is not CHW"},
		{[]int{8, 8}, Preprocessing{Scale: "unit"}, "needs a pixel range"},
	} {
		_, err := Prepared(ramp(append([]int{1}, c.shape...)...), c.p)
		wantError(t, err, c.want)
	}
	// A size that frames have already changes nothing.
	same, err := newPreprocessor(Preprocessing{Height: 8, Width: 8}, []int{8, 8})
	if err != nil || same.reshapes() {
		t.Errorf("8×8 to 8×8: %v", err)
	}
}

// Equal latents come from the cache only for equal preprocessing.
func TestPreprocessingInCache(t *testing.T) {
	dir := t.TempDir()
	x, shape := array(t, "conv64_input.npy")
	src := &memorySource{values: x, shape: append([]int{shape[0]}, 64, 64)}
	e, err := Open("testdata/conv.pth", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	seen := map[string]bool{}
	for _, p := range []Preprocessing{
		{Height: 32, Width: 32}, {Height: 32, Width: 32, Interpolation: Nearest},
		{Height: 32, Width: 32, Scale: ScaleUnit, High: 255}, {Height: 32, Width: 32, Mean: []float64{1}}, {Height: 32, Width: 32, Std: []float64{2}},
	} {
		for range 2 {
			z, err := Latents(t.Context(), e, src, EncodeOptions{Preprocessing: p, Cache: &Cache{Dir: dir}})
			if err != nil {
				t.Fatal(err)
			}
			seen[hashFloats("", nil, [][]float32{z.F32})] = true
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 5 || len(seen) != 5 {
		t.Errorf("%d entries and %d results for 5 ways to preprocess", len(entries), len(seen))
	}
	_, err = Latents(t.Context(), e, src, EncodeOptions{})
	wantError(t, err, "conv.pth", "64×64")
}
