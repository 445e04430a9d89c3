// Graphs divided at a value: the front and what follows compute what the whole graph does; ways around are refused.

package model

import (
	"slices"
	"strings"
	"testing"

	"repscope/model/internal/onnxtest"
)

// dividedFile is a graph of states x [batch, 2, 3] by nodes; w is a matrix [3, 3], and flat the shape [-1, 3].
func dividedFile(batch any, output string, nodes ...onnxtest.Message) []byte {
	g := onnxtest.Message{}.
		Bytes(5, onnxtest.Floats("w", []float32{1, 2, 0, -1, 0.5, 3, 2, -2, 1}, 3, 3)).
		Bytes(5, onnxtest.Ints("flat", []int64{-1, 3}, 2)).Bytes(5, onnxtest.Ints("first", []int64{0}, 1)).
		Bytes(5, onnxtest.Ints("tail", []int64{6}, 1)).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, batch, 2, 3))
	for _, n := range nodes {
		g = g.Bytes(1, n)
	}
	return onnxtest.Model(17, g.Bytes(12, onnxtest.Port(output, onnxtest.Float)))
}

func TestAfter(t *testing.T) {
	t.Parallel()
	node := onnxtest.Node
	multiply := node("MatMul", []string{"x", "w"}, []string{"h"})
	activate := node("Tanh", []string{"h"}, []string{"y"})
	// The size of the states goes around h: y = reshape(tanh(h), [size of x, 6]).
	sizes := []onnxtest.Message{
		multiply, node("Tanh", []string{"h"}, []string{"a"}), node("Shape", []string{"x"}, []string{"all"}),
		node("Gather", []string{"all", "first"}, []string{"n"}),
		node("Concat", []string{"n", "tail"}, []string{"shape"}, onnxtest.Int("axis", 0)),
		node("Reshape", []string{"a", "shape"}, []string{"y"}),
	}
	// h joins the batch with the first axis of a state.
	joined := []onnxtest.Message{
		node("Reshape", []string{"x", "flat"}, []string{"r"}), node("MatMul", []string{"r", "w"}, []string{"h"}),
		node("Tanh", []string{"h"}, []string{"a"}), node("Shape", []string{"x"}, []string{"all"}),
		node("Reshape", []string{"a", "all"}, []string{"y"}),
	}
	around := []onnxtest.Message{multiply, node("Tanh", []string{"h"}, []string{"a"}),
		node("Add", []string{"a", "x"}, []string{"y"})}
	plain := Division{Value: "h", Shape: []int{2, 3}, State: []int{2, 3}}
	byRows := plain
	byRows.Joined = true
	named := func(value string) Division { return Division{Value: value, Shape: []int{2, 3}, State: []int{2, 3}} }
	for what, c := range map[string]struct {
		file []byte
		at   Division
		err  string
	}{
		"a chain":              {dividedFile("n", "y", multiply, activate), plain, ""},
		"a fixed batch":        {dividedFile(1, "y", multiply, activate), plain, ""},
		"sizes around":         {dividedFile("n", "y", sizes...), plain, ""},
		"rows that are joined": {dividedFile("n", "y", joined...), byRows, ""},
		"a way around":         {dividedFile("n", "y", around...), plain, `node "Add_1" (Add) takes the input "x" around "h"`},
		"the output":           {dividedFile("n", "h", multiply), plain, "nothing follows it"},
		"no value":             {dividedFile("n", "y", multiply, activate), named("z"), `has no value "z"`},
		"the input":            {dividedFile("n", "y", multiply, activate), named("x"), `has no value "x"`},
		"two outputs are one value": {dividedFile("n", "y", multiply, activate,
			node("Relu", []string{"h"}, []string{"unused"})), named("unused"), `takes the input "x" around`},
	} {
		path := writeFile(t, c.file)
		f, err := Read(path, ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		err = f.After(c.at)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", what, err, c.err)
			}
			_ = f.Close()
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		back, err := f.Model(Options{Batched: true})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		whole, err := Open(path, Options{Outputs: []string{"h", "y"}, Batched: true})
		if err != nil {
			t.Fatal(err)
		}
		states := make([]float32, 3*6)
		for i := range states {
			states[i] = float32(i%5) - 1.5
		}
		out, err := whole.RunInOrder(t.Context(), must(t, states, 3, 2, 3))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		h, want := slices.Clone(out[0].F32), slices.Clone(out[1].F32)
		got, err := back.RunInOrder(t.Context(), must(t, h, 3, 2, 3))
		if err != nil || !slices.Equal(got[0].F32, want) || !slices.Equal(got[0].Shape, out[1].Shape) {
			t.Errorf("%s: %v, want %v (%v)", what, got, out[1], err)
		}
		_, _ = whole.Close(), back.Close()
	}
}

// Graphs that an If takes its values through are followed: a branch that reads the input goes around the value.
func TestAfter_Branches(t *testing.T) {
	t.Parallel()
	branch := func(reads string) onnxtest.Message {
		return onnxtest.Message{}.Bytes(1, onnxtest.Node("Relu", []string{reads}, []string{"b" + reads})).
			Bytes(12, onnxtest.Port("b"+reads, onnxtest.Float))
	}
	attribute := func(name string, g onnxtest.Message) onnxtest.Message {
		return onnxtest.Message{}.Text(1, name).Bytes(6, g).Varint(20, 5)
	}
	file := func(other string) []byte {
		return dividedFile("n", "y", onnxtest.Node("MatMul", []string{"x", "w"}, []string{"h"}),
			onnxtest.Node("Cast", []string{"first"}, []string{"c"}, onnxtest.Int("to", onnxtest.Bool)),
			onnxtest.Node("If", []string{"c"}, []string{"y"}, attribute("then_branch", branch("h")),
				attribute("else_branch", branch(other))))
	}
	for other, wrong := range map[string]bool{"h": false, "x": true} {
		f, err := Read(writeFile(t, file(other)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.After(Division{Value: "h", Shape: []int{2, 3}, State: []int{2, 3}}); (err != nil) != wrong {
			t.Errorf("a branch that reads %s: %v", other, err)
		}
		_ = f.Close()
	}
}
