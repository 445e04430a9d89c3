//go:build cuda

// Durations of steps.

package cuda

import (
	"context"
	"slices"
	"testing"

	"repscope/model/graph"
)

// The first run of a shape loads kernels; those after it are measured from when that is asked for on.
func TestProfile(t *testing.T) {
	g := &graph.Graph{Opset: 17, Constants: map[string]*graph.Tensor{"w": graph.Floats([]float32{1, 2, 3, 4, 5, 6}, 3, 2)},
		Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "z"}},
		Nodes: []*graph.Node{
			{Op: "MatMul", Name: "product", Inputs: []string{"x", "w"}, Outputs: []string{"y"}},
			{Op: "Softmax", Name: "share", Inputs: []string{"y"}, Outputs: []string{"z"}}}}
	x, err := New(prepare(t, g), open(t, 1, 1<<26)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	run := func(rows int) []float32 {
		out, err := x.Run(context.Background(), []*graph.Tensor{random(1, rows, 3)})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(out[0].F32)
	}
	want := run(5)
	if p := x.Profile(); p != nil {
		t.Errorf("%v without SetProfile", p)
	}
	x.SetProfile(true)
	for range 3 {
		if got := run(5); !slices.Equal(got, want) {
			t.Errorf("measured %v, otherwise %v", got, want)
		}
	}
	run(4)
	run(4)
	p := x.Profile()
	if len(p) != 4 || p[0].Calls != 3 || p[0].Node != "product" || p[0].Flops != 2*5*3*2 || p[1].Operator != "Softmax" || p[2].Calls != 1 || p[2].Output[0] != 4 {
		t.Fatalf("%+v", p)
	}
	for _, s := range p {
		if s.Median < 0 || s.Median > 10 || s.Total < s.Median {
			t.Errorf("%s took %v s, all calls %v", s.Node, s.Median, s.Total)
		}
	}
	x.SetProfile(false)
	run(5)
	x.SetProfile(true)
	if p := x.Profile(); p != nil {
		t.Errorf("%v of runs before", p)
	}
	run(5)
	if p := x.Profile(); len(p) != 2 || p[0].Calls != 1 {
		t.Errorf("%+v", p)
	}
}
