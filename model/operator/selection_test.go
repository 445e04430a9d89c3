// Selections of known elements against literal loops, and errors for unknown ones.

package operator_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// outputs runs a node on constants and returns all its outputs.
func outputs(t *testing.T, op string, count int, attributes map[string]graph.Attribute, in ...*graph.Tensor) []*graph.Tensor {
	t.Helper()
	n := &graph.Node{Name: "layer", Op: op, Attributes: attributes}
	g := &graph.Graph{Opset: 21, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
	for i, x := range in {
		n.Inputs = append(n.Inputs, string(rune('a'+i)))
		g.Constants[n.Inputs[i]] = x
	}
	for i := range count {
		n.Outputs = append(n.Outputs, string(rune('r'+i)))
		g.Outputs = append(g.Outputs, graph.Port{Name: n.Outputs[i]})
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	out := make([]*graph.Tensor, count)
	for i, name := range n.Outputs {
		if out[i] = g.Constants[name]; out[i] == nil {
			t.Fatalf("%s is not folded", op)
		}
	}
	return out
}

// TestUnique compares with slices written as text and their first occurrences.
func TestUnique(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(23, 29))
	nan := float32(math.NaN())
	for range 200 {
		shape := make([]int, 1+random.IntN(3))
		for i := range shape {
			shape[i] = random.IntN(4)
		}
		x := floats(shape...)
		for i := range x.F32 {
			x.F32[i] = []float32{-1, 0, 2, nan}[random.IntN(4)]
		}
		axis, sorted := random.IntN(len(shape)), random.IntN(2)
		attributes := map[string]graph.Attribute{"sorted": integer(int64(sorted))}
		outer, n, inner := 1, x.Len(), 1
		flat := random.IntN(2) == 0
		if !flat {
			attributes["axis"] = integer(int64(axis))
			outer, n, inner = graph.Around(shape, axis)
		}
		list := make([][]float32, n)
		for i := range list {
			for o := range outer {
				list[i] = append(list[i], x.F32[(o*n+i)*inner:(o*n+i+1)*inner]...)
			}
		}
		same := func(a, b []float32) bool {
			return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
		}
		var firsts []int
		for i := range list {
			if !slices.ContainsFunc(firsts, func(j int) bool { return same(list[i], list[j]) }) {
				firsts = append(firsts, i)
			}
		}
		if sorted == 1 {
			slices.SortFunc(firsts, func(i, j int) int {
				return slices.CompareFunc(list[i], list[j], func(x, y float32) int {
					if x != x || y != y {
						return cmp.Compare(y, x) // NaN is the least there
					}
					return cmp.Compare(x, y)
				})
			})
		}
		got := outputs(t, "Unique", 4, attributes, x)
		for k, first := range firsts {
			count := int64(0)
			for i := range list {
				if same(list[i], list[first]) {
					count++
					if got[2].I64[i] != int64(k) {
						t.Fatalf("%v: slice %d is number %d, want %d", x, i, got[2].I64[i], k)
					}
				}
			}
			var slice []float32
			for o := range outer {
				slice = append(slice, got[0].F32[(o*len(firsts)+k)*inner:(o*len(firsts)+k+1)*inner]...)
			}
			if got[1].I64[k] != int64(first) || got[3].I64[k] != count || !same(slice, list[first]) {
				t.Fatalf("%v: number %d is %v from %d on, %d times, want %v from %d on, %d times", x, k, slice, got[1].I64[k], got[3].I64[k], list[first], first, count)
			}
		}
		if got[0].Len() != len(firsts)*outer*inner || len(got[1].I64) != len(firsts) || flat && len(got[0].Shape) != 1 {
			t.Fatalf("%v: %v different ones, want %d", x, got[0].Shape, len(firsts))
		}
	}
}

// TestSuppression checks the conditions of a correct selection. No two selected boxes overlap too much. Every omitted
// box overlaps a selected box of a higher score, scores too little, or came when there were enough.
func TestSuppression(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 37))
	for range 100 {
		n, limit, overlap, least := random.IntN(12), random.IntN(6), 0.5*random.Float32(), 0.5*random.Float32()
		boxes, scores := floats(1, n, 4), floats(1, 1, n)
		for i := range boxes.F32 {
			boxes.F32[i] = float32(random.IntN(9))
		}
		for i := range scores.F32 {
			scores.F32[i] = random.Float32()
		}
		got := outputs(t, "NonMaxSuppression", 1, nil, boxes, scores, graph.Ints(int64(limit)), graph.Floats([]float32{overlap}, 1), graph.Floats([]float32{least}, 1))[0]
		var selected []int
		for i := 2; i < len(got.I64); i += 3 {
			selected = append(selected, int(got.I64[i]))
		}
		shared := func(a, b int) float64 {
			p, q := boxes.F32[4*a:], boxes.F32[4*b:]
			common, areaP, areaQ := 1.0, 1.0, 1.0
			for i := range 2 {
				common *= float64(max(0, min(max(p[i], p[i+2]), max(q[i], q[i+2]))-max(min(p[i], p[i+2]), min(q[i], q[i+2]))))
				areaP *= math.Abs(float64(p[i+2] - p[i]))
				areaQ *= math.Abs(float64(q[i+2] - q[i]))
			}
			if common == 0 {
				return 0
			}
			return common / (areaP + areaQ - common)
		}
		if len(selected) > limit || !slices.IsSortedFunc(selected, func(a, b int) int { return cmp.Compare(scores.F32[b], scores.F32[a]) }) {
			t.Fatalf("selected %v of scores %v, at most %d", selected, scores.F32, limit)
		}
		for box := range n {
			offset := slices.Index(selected, box)
			before := selected
			if offset >= 0 {
				before = selected[:offset]
			} else {
				before = slices.DeleteFunc(slices.Clone(selected), func(s int) bool { return scores.F32[s] < scores.F32[box] })
			}
			covered := slices.ContainsFunc(before, func(s int) bool { return shared(box, s) > float64(overlap) })
			if out := covered || scores.F32[box] <= least || len(before) >= limit; out != (offset < 0) {
				t.Fatalf("box %d is selected: %t, want %t (boxes %v, scores %v, selected %v)", box, offset >= 0, !out, boxes.F32, scores.F32, selected)
			}
		}
	}
}

// Where elements are of the run the message names node and input and says what to export.
func TestSelectionsOfTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op        string
		in        []graph.DType
		shapes    [][]int
		arguments []string
	}{
		{"Unique", []graph.DType{graph.Float32}, [][]int{{3}}, []string{`input 0 ("a") must be a constant`, "export the values unchanged"}},
		{"Compress", []graph.DType{graph.Float32, graph.Bool}, [][]int{{3}, {3}}, []string{`input 1 ("b") must be a constant`, "export the values and the condition"}},
		{"NonMaxSuppression", []graph.DType{graph.Float32, graph.Float32}, [][]int{{1, 3, 4}, {1, 2, 3}}, []string{`input 0 ("a") must be a constant`, "export the boxes and their scores"}},
		{"RoiAlign", []graph.DType{graph.Float32, graph.Float32, graph.Int64}, [][]int{{1, 2, 4, 4}, {3, 4}, {3}}, []string{`constant boxes (input 1, "b")`, "export with sampling_ratio 2"}},
	} {
		n := &graph.Node{Name: "layer", Op: c.op, Outputs: []string{"y"}}
		g := &graph.Graph{Opset: 21, Outputs: []graph.Port{{Name: "y"}}, Nodes: []*graph.Node{n}}
		var operands []graph.Operand
		for i, kind := range c.in {
			n.Inputs = append(n.Inputs, string(rune('a'+i)))
			g.Inputs = append(g.Inputs, graph.Port{Name: n.Inputs[i], DType: kind})
			operands = append(operands, graph.Operand{Type: graph.Type{DType: kind, Shape: c.shapes[i]}})
		}
		if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatal(err)
		}
		_, err := g.Specialize(operands)
		for _, want := range append(c.arguments, `node "layer" (`+c.op+`)`) {
			if err == nil || !errors.As(err, new(*graph.UnsupportedError)) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", c.op, err, want)
			}
		}
	}
}

func TestSelectionErrors(t *testing.T) {
	t.Parallel()
	yes := &graph.Tensor{DType: graph.Bool, Shape: []int{4}, Bool: make([]bool, 4)}
	for _, c := range []struct {
		op         string
		x          *graph.Tensor
		attributes map[string]graph.Attribute
		constants  []*graph.Tensor
		want       string
	}{
		{"Compress", floats(2, 2), nil, []*graph.Tensor{yes}, ""},
		{"Compress", floats(2, 2), map[string]graph.Attribute{"axis": integer(1)}, []*graph.Tensor{yes}, "condition [4] for 2 elements of [2 2]"},
		{"Compress", floats(2, 2), map[string]graph.Attribute{"axis": integer(2)}, []*graph.Tensor{yes}, "axis 2 is out of range"},
		{"Compress", floats(2), nil, []*graph.Tensor{floats(2)}, "input 1 has type float32, want bool"},
		{"NonMaxSuppression", floats(1, 3, 4), nil, []*graph.Tensor{floats(1, 2, 4)}, "boxes [1 3 4] and scores [1 2 4]"},
	} {
		_, err := bind(c.op, "", c.x, c.attributes, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}
