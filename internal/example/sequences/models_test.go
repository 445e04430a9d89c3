// The shipped models: what Go computes from them is what PyTorch computed, and padding changes no number.

package sequences_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/internal/example/sequences"
	"repscope/model"
)

func golden(t *testing.T, name string) (values []float32, shape []int) {
	t.Helper()
	a, err := dataset.Open("testdata/golden.npz:" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values = make([]float32, a.Len()*a.RowLen())
	if err := a.ReadFloat32(values, 0, a.Len()); err != nil {
		t.Fatal(err)
	}
	return values, a.Shape()
}

// tokens are the inputs of the golden outputs, for the first tokens of each row.
func tokens(t *testing.T, length int) map[string]*model.Tensor {
	t.Helper()
	out := map[string]*model.Tensor{}
	for _, name := range []string{"token_ids", "chain_ids", "attention_mask"} {
		values, shape := golden(t, name)
		var ids []int64
		for b := range shape[0] {
			for k := range length {
				v := int64(0)
				if k < shape[1] {
					v = int64(values[b*shape[1]+k])
				}
				ids = append(ids, v)
			}
		}
		out[name] = &model.Tensor{DType: model.Int64, Shape: []int{shape[0], length}, I64: ids}
	}
	return out
}

func TestModelsMatchPyTorch(t *testing.T) {
	t.Parallel()
	_, shape := golden(t, "token_ids")
	batch, length := shape[0], shape[1]
	const padded = 160
	for _, m := range sequences.Models() {
		opened, err := model.Open(filepath.Join("weights", m.Name+".onnx"), model.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		run := func(length int) map[string][]float32 {
			out, err := opened.Run(context.Background(), tokens(t, length))
			if err != nil {
				t.Fatal(err)
			}
			kept := map[string][]float32{}
			for name, v := range out {
				kept[name] = slices.Clone(v.F32)
			}
			return kept
		}
		exact, wide := run(length), run(padded)
		want, _ := golden(t, m.Name+"_logits")
		compare(t, m.Name+": logits", every(exact["logits"], batch, length, 32, 8), want)
		valid, _ := golden(t, "attention_mask")
		for b := range batch {
			for k := range length {
				if valid[b*length+k] == 1 {
					compare(t, m.Name+": padded logits", wide["logits"][(b*padded+k)*32:][:32], exact["logits"][(b*length+k)*32:][:32])
				}
			}
		}
		if m.Name == sequences.Trained {
			hidden, _ := golden(t, "trained_hidden_states")
			compare(t, "hidden states", every(exact["hidden_states"], batch, length, 48, 8), hidden)
			attentions, shape := golden(t, "trained_attentions")
			compare(t, "attentions", every(exact["attentions"], batch*shape[1]*shape[2], length, length, 32), attentions)
		}
	}
}

// every takes each step-th row of blocks blocks of rows.
func every(values []float32, blocks, rows, width, step int) (out []float32) {
	for b := range blocks {
		for r := 0; r < rows; r += step {
			out = append(out, values[(b*rows+r)*width:][:width]...)
		}
	}
	return out
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 2e-4*max(1, math.Abs(float64(want[i])))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
