// What follows a layer: of every golden encoder, it computes the encoder's output from the values of the layer.

package latent

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
	"repscope/model/graph"
	"repscope/points"
)

func TestRestOfGoldens(t *testing.T) {
	runtest.Long(t, "it encodes many models, one after another")
	followed, families, joined := 0, 0, 0
	for _, g := range goldens(t) {
		if strings.HasSuffix(g.File, "opset11.onnx") || strings.HasSuffix(g.File, "opset13.onnx") {
			continue
		}
		path := filepath.Join("testdata", g.File)
		x, shape := array(t, g.Input)
		want, _ := array(t, g.Expected)
		o := g.options()
		o.Layers, o.StateShape = []string{"*"}, shape[1:]
		e, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		layers, err := e.(LayerEncoder).EncodeLayers(t.Context(), Array{shape, x})
		if err != nil {
			t.Fatal(err)
		}
		before := followed
		for k, l := range e.(LayerEncoder).Layers() {
			if k%(1+len(layers)/8) != 0 && k < len(layers)-3 {
				continue
			}
			rest, err := OpenRest(path, o, l)
			if err != nil {
				reasons := []string{"around", "nothing follows it", "no output follows", "2 outputs", "outputs, choose"}
				if !slices.ContainsFunc(reasons, func(part string) bool { return strings.Contains(err.Error(), part) }) {
					t.Errorf("%s, layer %s: %v", g.File, l.Name, err)
				}
				continue
			}
			state := layers[k].Shape[1:]
			z := points.Float32(layers[k].Values, graph.Count(state))
			in := []HeadInput{{Name: l.Name, Rows: z, Shape: state}}
			got, _, err := rest.Run(t.Context(), in, nil, EncodeOptions{Batch: 2})
			if err != nil || len(got) != len(want) || !(relative(got, want) <= 5e-5) {
				t.Errorf("%s, layer %s %v: %d of %d numbers, %v", g.File, l.Name, l.Shape, len(got), len(want), err)
			}
			followed++
			if l.joined {
				joined++
			}
			_ = rest.Close()
		}
		if followed > before {
			families++
		}
		_ = e.Close()
	}
	t.Logf("%d layers of %d encoders, %d of them joined with the batch", followed, families, joined)
	if followed < 100 || families < 20 || joined < 3 {
		t.Errorf("%d layers of %d encoders, %d joined: too few", followed, families, joined)
	}
}
