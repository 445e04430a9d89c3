// Durations of steps.

package cpu

import (
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// A step is measured once a run, from when that is asked for on.
func TestProfile(t *testing.T) {
	t.Parallel()
	g := &graph.Graph{Opset: 17, Constants: map[string]*graph.Tensor{},
		Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Nodes: []*graph.Node{{Op: "Relu", Name: "positive", Inputs: []string{"x"}, Outputs: []string{"y"}}}}
	if err := g.Prepare(fuse.Rules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	x := New(g, 1)
	defer func() { _ = x.Close() }()
	run := func(rows int) {
		if _, err := x.Run(t.Context(), []*graph.Tensor{graph.Floats(make([]float32, rows*3), rows, 3)}); err != nil {
			t.Fatal(err)
		}
	}
	run(2)
	if p := x.Profile(); p != nil {
		t.Errorf("%v without SetProfile", p)
	}
	x.SetProfile(true)
	run(2)
	run(2)
	run(4)
	p := x.Profile()
	if len(p) != 2 || p[0].Calls != 2 || p[1].Calls != 1 || p[0].Node != "positive" || p[0].Operator != "Relu" || p[0].Bytes != 2*2*3*4 || p[1].Output[0] != 4 {
		t.Errorf("%+v", p)
	}
	if p[0].Total < p[0].Median {
		t.Errorf("two calls took %v s, one of them %v", p[0].Total, p[0].Median)
	}
	x.SetProfile(false)
	run(2)
	if p := x.Profile(); p != nil {
		t.Errorf("%v after SetProfile(false)", p)
	}
}
