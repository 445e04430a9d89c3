// Encoders of tokens against the library that published them.

package checkpoint

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// answers runs a graph of several inputs and returns its outputs by name.
func answers(t *testing.T, g *graph.Graph, inputs ...*graph.Tensor) map[string]*graph.Tensor {
	t.Helper()
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	e := cpu.New(g, 2)
	defer e.Close()
	list, err := e.Run(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*graph.Tensor{}
	for i, port := range g.Outputs {
		y := *list[i]
		y.F32 = slices.Clone(y.F32)
		out[port.Name] = &y
	}
	return out
}

// integersOf is a tensor of whole numbers as integers.
func integersOf(x *graph.Tensor) *graph.Tensor {
	y := &graph.Tensor{DType: graph.Int64, Shape: x.Shape}
	for _, v := range x.F32 {
		y.I64 = append(y.I64, int64(v))
	}
	return y
}

// TestTowers: logits, hidden states and attentions of tokens equal those of the library within 1e-5 of the largest.
func TestTowers(t *testing.T) {
	for folder, architecture := range map[string]string{"bert": "BERT", "bert_base": "BERT", "roberta": "RoBERTa",
		"esm2": "ESM-2", "esm2_original": "ESM-2", "esm1b": "ESM-2"} {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join("testdata", "families", folder)
			golden := arraysIn(t, filepath.Join(dir, "tokens.npz"))
			path := dir
			if file := filepath.Join(dir, "esm2.pt"); folder == "esm2_original" {
				path = file
			}
			n, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			if n.Architecture != architecture {
				t.Errorf("architecture %s, want %s", n.Architecture, architecture)
			}
			ids, mask := integersOf(golden["ids"]), integersOf(golden["mask"])
			got := answers(t, n.Graph, ids, mask)
			compare := func(name string, got, want *graph.Tensor, first, width int) {
				if got == nil || !slices.Equal(got.Shape, want.Shape[first:]) {
					t.Fatalf("%s: %v, want %v", name, got, want.Shape[first:])
				}
				worst, largest := 0.0, 0.0
				for i, w := range want.F32 {
					row := i / width
					if width > 1 && mask.I64[row] == 0 { // padding
						continue
					}
					worst, largest = max(worst, math.Abs(float64(got.F32[i])-float64(w))), max(largest, math.Abs(float64(w)))
				}
				t.Logf("%s: largest difference %.1e of %.3g", name, worst, largest)
				if !(worst <= 1e-5*largest) {
					t.Errorf("%s: largest difference %.1e of %.3g", name, worst, largest)
				}
			}
			hidden := golden["hidden"]
			compare("hidden", got["last_hidden_state"], hidden, 0, hidden.Shape[2])
			if logits := golden["logits"]; logits != nil {
				compare("logits", got["logits"], logits, 0, logits.Shape[2])
			} else if got["logits"] != nil {
				t.Error("a model without a head has logits")
			}
			attentions := golden["attentions"]
			size := len(attentions.F32) / attentions.Shape[0]
			for i := range attentions.Shape[0] {
				name := fmt.Sprintf("attentions_%d", i)
				part := graph.Floats(attentions.F32[i*size:(i+1)*size], attentions.Shape[1:]...)
				compare(name, got[name], part, 0, 1)
			}
		})
	}
}
