// Durations of steps.

package cpu

import (
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

func TestFlops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		in   [][]int
		out  []int
		want float64
	}{
		{"Conv", [][]int{{8, 3, 32, 32}, {16, 3, 3, 3}, {16}}, []int{8, 16, 30, 30}, 2 * 8 * 16 * 30 * 30 * 27},
		{"Conv", [][]int{{8, 32, 32, 16}, {16, 1, 3, 3}}, []int{8, 32, 32, 16}, 2 * 8 * 16 * 32 * 32 * 9}, // a group for each channel
		{"ConvTranspose", [][]int{{2, 4, 5, 5}, {4, 6, 2, 2}}, []int{2, 6, 10, 10}, 2 * 2 * 4 * 25 * 6 * 4},
		{"MatMul", [][]int{{5, 7, 9}, {9, 4}}, []int{5, 7, 4}, 2 * 5 * 7 * 9 * 4},
		{"Linear", [][]int{{64, 4096}, {64, 4096}}, []int{64, 64}, 2 * 64 * 64 * 4096},
		{"Add", [][]int{{5}, {5}}, []int{5}, 0},
		{"Conv", [][]int{{1, 1, 2, 2}, nil}, []int{1, 1, 1, 1}, 0},
	} {
		if got := flops(c.op, c.in, c.out); got != c.want {
			t.Errorf("%s %v: %v operations, want %v", c.op, c.in, got, c.want)
		}
	}
}

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
