// Layers by the names of the original modules, against forward hooks of these.

package latent

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/model/graph"
)

// families is the folder of tiny models of published families, and of the outputs of their modules.
var families = filepath.Join("..", "model", "checkpoint", "testdata")

// familyState is the first state of a model of families.
func familyState(t *testing.T, folder string) Array {
	t.Helper()
	values, shapes := archive(t, filepath.Join("..", families, "families", folder, "golden.npz"))
	shape := slices.Clone(shapes["x0"])
	shape[0] = 1
	return Array{Shape: shape, Values: values["x0"][:graph.Count(shape)]}
}

// openFamily opens the layers of a model of families for such a state.
func openFamily(t *testing.T, folder string, state Array, layers ...string) LayerEncoder {
	t.Helper()
	path := filepath.Join(families, "families", folder)
	o := OpenOptions{Layers: layers, StateShape: state.Shape[1:]}
	if weights := filepath.Join(path, "weights.safetensors"); exists(weights) {
		if path = weights; !strings.Contains(folder, "resne") && !strings.Contains(folder, "convnext") {
			o.Heads = 2
		}
	}
	e, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e.(LayerEncoder)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestModules: the outputs of blocks and stages are those of the original modules within 1e-5 of the largest.
func TestModules(t *testing.T) {
	values, shapes := archive(t, filepath.Join("..", families, "layers.npz"))
	modules := map[string][]string{}
	for key := range values {
		folder, module, _ := strings.Cut(key, "|")
		modules[folder] = append(modules[folder], module)
	}
	if len(modules) < 30 {
		t.Fatalf("modules of %d models", len(modules))
	}
	for _, folder := range slices.Sorted(maps.Keys(modules)) {
		state := familyState(t, folder)
		for _, module := range modules[folder] { // one by one, as two modules may have one output
			e := openFamily(t, folder, state, module)
			if l := e.Layers(); len(l) != 1 || l[0].Label() != module {
				t.Fatalf("%s: %s gives %+v", folder, module, l)
			}
			out, err := e.Encode(t.Context(), state)
			if err != nil {
				t.Fatal(err)
			}
			want := values[folder+"|"+module]
			if r := relative(out.Values, want); !slices.Equal(out.Shape, shapes[folder+"|"+module]) || !(r <= 1e-5) {
				t.Errorf("%s: %s has shape %v, want %v; relative error %.1e", folder, module, out.Shape,
					shapes[folder+"|"+module], r)
			}
		}
	}
}

// TestModulePatterns: a star stands for one part of the path of a module.
func TestModulePatterns(t *testing.T) {
	for _, c := range []struct {
		folder, pattern string
		want            []string
	}{
		{"timm_vit", "blocks.*", []string{"blocks.0", "blocks.1"}},
		{"dinov2", "encoder.layer.*", []string{"encoder.layer.0", "encoder.layer.1"}},
		{"torchvision_vit", "encoder.layers.*", []string{"encoder.layers.encoder_layer_0", "encoder.layers.encoder_layer_1"}},
		{"timm_resnet", "layer*", []string{"layer1", "layer2", "layer3", "layer4"}},
		{"timm_resnet", "layer*.*", []string{"layer1.0", "layer1.1", "layer2.0", "layer3.0", "layer4.0"}},
		{"timm_convnext", "stages.?", []string{"stages.0", "stages.1", "stages.2", "stages.3"}},
		{"timm_vit", "blocks.*.attn", []string{"blocks.0.attn", "blocks.1.attn"}},
	} {
		e := openFamily(t, c.folder, familyState(t, c.folder), c.pattern)
		var got []string
		for _, l := range e.Layers() {
			got = append(got, l.Label())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s gives %v, want %v", c.folder, c.pattern, got, c.want)
		}
	}
}

// TestExportedModules: ONNX files of both exporters of PyTorch name the modules, and their outputs are those of forward
// hooks within 1e-5 of the largest.
func TestExportedModules(t *testing.T) {
	values, shapes := archive(t, "modules.npz")
	count := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		file, module, ok := strings.Cut(key, "|")
		if !ok {
			continue
		}
		count++
		e := openLayers(t, file, module)
		if l := e.Layers(); len(l) != 1 || l[0].Label() != module {
			t.Fatalf("%s gives %+v", key, l)
		}
		name := strings.Split(file, "_")[1]
		out, err := e.Encode(t.Context(), Array{Shape: shapes[name], Values: values[name]})
		if err != nil {
			t.Fatal(err)
		}
		if r := relative(out.Values, values[key]); !slices.Equal(out.Shape, shapes[key]) || !(r <= 1e-5) {
			t.Errorf("%s has shape %v, want %v; relative error %.1e", key, out.Shape, shapes[key], r)
		}
	}
	if count < 30 {
		t.Errorf("%d modules", count)
	}
}

// TestLayerLatents: all layers in one pass have the bits that each has alone, also from the cache; maps have the mean
// over positions, and vectors no pooling.
func TestLayerLatents(t *testing.T) {
	values, shapes := archive(t, "modules.npz")
	src := &memorySource{values: values["resnet"], shape: shapes["resnet"]}
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	o := EncodeOptions{Batch: 1, Pool: PoolMean, Cache: cache, Kept: func() { kept++ }}
	e := openLayers(t, "modules_resnet_script.onnx", "layer*.*", "z")
	layers, err := LayerLatents(t.Context(), e, src, o)
	if err != nil || len(layers) != 6 || kept != 0 {
		t.Fatal(len(layers), kept, err)
	}
	again, err := LayerLatents(t.Context(), e, src, o)
	if err != nil || kept != 1 {
		t.Fatal(kept, err)
	}
	for k, l := range layers {
		name, alone := l.Layer.Label(), o
		if !slices.Equal(again[k].Points.F32, l.Points.F32) {
			t.Errorf("%s differs in the cache", name)
		}
		if alone.Cache = nil; name == "z" {
			if l.Pool != PoolNone {
				t.Errorf("the output has the pooling %s", l.Pool)
			}
			alone.Pool = PoolNone
		}
		one, err := Latents(t.Context(), openLayers(t, "modules_resnet_script.onnx", name), src, alone)
		if err != nil || !slices.Equal(one.F32, l.Points.F32) {
			t.Errorf("%s alone: %v", name, err)
		}
		key := "modules_resnet_script.onnx|" + name
		want, shape := values[key], shapes[key]
		if name == "z" {
			continue
		}
		mean := make([]float32, shape[0]*shape[1])
		positions := shape[2] * shape[3]
		for i := range mean {
			sum := 0.0
			for _, v := range want[i*positions : (i+1)*positions] {
				sum += float64(v)
			}
			mean[i] = float32(sum / float64(positions))
		}
		if r := relative(l.Points.F32, mean); l.Points.N != 2 || l.Pool != PoolMean || !(r <= 1e-5) {
			t.Errorf("%s: %d rows, pooling %s, relative error %.1e", name, l.Points.N, l.Pool, r)
		}
	}
}

// TestChannelAxes: ConvNeXt has its channels last inside blocks; the mean is that over positions all the same.
func TestChannelAxes(t *testing.T) {
	state := familyState(t, "timm_convnext")
	src := &memorySource{values: state.Values, shape: state.Shape}
	e := openFamily(t, "timm_convnext", state, "stages.0.blocks.0.mlp.fc1", "stages.0.blocks.0")
	out, err := e.EncodeLayers(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := LayerLatents(t.Context(), e, src, EncodeOptions{Pool: PoolMean})
	if err != nil {
		t.Fatal(err)
	}
	for k, channels := range []int{3, 1} {
		dim := out[k].Shape[channels]
		stride, inner := dim, 1
		if channels == 1 {
			stride, inner = 1, out[k].Shape[2]*out[k].Shape[3]
		}
		positions := len(out[k].Values) / dim
		for c := range dim {
			sum := 0.0
			for i := range positions {
				sum += float64(out[k].Values[c*inner+i*stride])
			}
			if got := layers[k].Points.F32[c]; got != float32(sum/float64(positions)) {
				t.Errorf("%s, channel %d: %v, want %v", layers[k].Layer.Label(), c, got, sum/float64(positions))
			}
		}
	}
}

// TestNearestModules: an unknown pattern is answered with the patterns of the model that are most like it.
func TestNearestModules(t *testing.T) {
	for _, c := range []struct{ folder, pattern, want string }{
		{"dinov2", "blocks.*", "encoder.layer.*"},
		{"dinov2", "layer.*", "encoder.layer.*"},
		{"timm_vit", "block.3", "blocks.*"},
		{"timm_resnet", "layers.*.*", "layer*.*"},
	} {
		path := filepath.Join(families, "families", c.folder)
		o := OpenOptions{Layers: []string{c.pattern}}
		if weights := filepath.Join(path, "weights.safetensors"); exists(weights) {
			path = weights
		}
		if c.folder == "timm_vit" {
			o.Heads = 2
		}
		_, err := Open(path, o)
		var unknown *UnknownLayerError
		if !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest(3), c.want) {
			t.Errorf("%s: %s: %v", c.folder, c.pattern, err)
			if unknown != nil {
				t.Log(unknown.Nearest(6))
			}
		}
	}
}
