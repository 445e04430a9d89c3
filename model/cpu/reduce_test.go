// Reductions over any axes against a loop over their elements.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// reduceNode is a graph of one node.
func reduceNode(t testing.TB, threads int, op string, attributes map[string]graph.Attribute, constants ...*graph.Tensor) *Executor {
	t.Helper()
	n := &network{Graph: &graph.Graph{Opset: 18, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}}}
	in := []string{"x"}
	for _, c := range constants {
		in = append(in, n.tensor(c))
	}
	n.Outputs = []graph.Port{{Name: n.add(op, attributes, in...)}}
	if err := n.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	return New(n.Graph, threads)
}

// Each output is what a plain loop in float64 gives, NaN and infinities included, with the same bits for any number
// of threads.
func TestReductions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	loops := map[string]func(x []float64) float64{
		"ReduceSum": func(x []float64) float64 { return fold(x, 0, func(a, v float64) float64 { return a + v }) },
		"ReduceMean": func(x []float64) float64 {
			return fold(x, 0, func(a, v float64) float64 { return a + v }) / float64(len(x))
		},
		"ReduceMax": func(x []float64) float64 {
			return fold(x, math.Inf(-1), func(a, v float64) float64 { return max(a, v) })
		},
		"ReduceMin": func(x []float64) float64 {
			return fold(x, math.Inf(1), func(a, v float64) float64 { return min(a, v) })
		},
		"ReduceProd":      func(x []float64) float64 { return fold(x, 1, func(a, v float64) float64 { return a * v }) },
		"ReduceL1":        func(x []float64) float64 { return fold(x, 0, func(a, v float64) float64 { return a + math.Abs(v) }) },
		"ReduceSumSquare": func(x []float64) float64 { return fold(x, 0, func(a, v float64) float64 { return a + v*v }) },
		"ReduceL2":        func(x []float64) float64 { return math.Sqrt(fold(x, 0, func(a, v float64) float64 { return a + v*v })) },
		"ReduceLogSum":    func(x []float64) float64 { return math.Log(fold(x, 0, func(a, v float64) float64 { return a + v })) },
		"ReduceLogSumExp": func(x []float64) float64 {
			top := fold(x, math.Inf(-1), func(a, v float64) float64 { return max(a, v) })
			return top + math.Log(fold(x, 0, func(a, v float64) float64 { return a + math.Exp(v-top) }))
		},
	}
	for trial := range 120 {
		shape := []int{1 + r.IntN(4), 1 + r.IntN(90), 1 + r.IntN(5), 1 + r.IntN(70)}
		var axes []int64
		for a := range shape {
			if r.IntN(2) == 0 {
				axes = append(axes, int64(a))
			}
		}
		if len(axes) == 0 {
			axes = []int64{3}
		}
		x := make([]float32, graph.Count(shape))
		for i := range x {
			x[i] = float32(1 + 0.1*r.NormFloat64())
			if trial%10 == 9 && r.IntN(300) == 0 {
				x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(3)]
			}
		}
		groups := map[int][]float64{}
		for i, v := range x {
			to, rest, strides := 0, i, graph.RowMajor(shape)
			for a, d := range shape {
				k := rest / strides[a]
				rest %= strides[a]
				if slices.Contains(axes, int64(a)) {
					k, d = 0, 1
				}
				to = to*d + k
			}
			groups[to] = append(groups[to], float64(v))
		}
		for op, loop := range loops {
			what := fmt.Sprintf("trial %d: %s of %v over %v", trial, op, shape, axes)
			run := func(threads int) []float32 {
				e := reduceNode(t, threads, op, nil, graph.Ints(axes...))
				defer e.Close()
				out, err := e.Run(t.Context(), []*graph.Tensor{graph.Floats(x, shape...)})
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				return slices.Clone(out[0].F32)
			}
			got := run(1)
			if len(got) != len(groups) {
				t.Fatalf("%s: %d elements, want %d", what, len(got), len(groups))
			}
			other := run(3)
			for i, v := range got {
				want := loop(groups[i])
				if math.IsInf(float64(float32(want)), 0) && float32(want) == v || want != want && v != v {
					continue
				}
				if e := math.Abs(float64(v) - want); !(e <= 5e-7*max(1, math.Abs(want))) {
					t.Fatalf("%s: element %d is %g, want %g", what, i, v, want)
				}
				if math.Float32bits(other[i]) != math.Float32bits(v) {
					t.Fatalf("%s: three threads give other bits", what)
				}
			}
		}
	}
}

// Indices of extremes and running sums equal the loops that define them, with ties and NaN.
func TestPlacesAndRunningSums(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(23, 24))
	number := func(v int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"axis": graph.IntAttribute(v)}
	}
	for trial := range 200 {
		outer, n, inner := 1+r.IntN(3), 1+r.IntN([]int{5, 40, 3000}[trial%3]), 1
		if trial%2 == 0 {
			inner = 1 + r.IntN(100)
			n = min(n, 50)
		} else if trial%4 == 1 {
			outer, n = 1+r.IntN(300), min(n, 600)
		}
		x := make([]float32, outer*n*inner)
		for i := range x {
			if x[i] = float32(r.IntN(7) - 3); trial%5 == 0 && r.IntN(20) == 0 {
				x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))}[r.IntN(3)]
			}
		}
		run := func(op string, a map[string]graph.Attribute, c ...*graph.Tensor) *graph.Tensor {
			e := reduceNode(t, 2, op, a, c...)
			defer e.Close()
			out, err := e.Run(t.Context(), []*graph.Tensor{graph.Floats(x, outer, n, inner)})
			if err != nil {
				t.Fatal(err)
			}
			return &graph.Tensor{F32: slices.Clone(out[0].F32), I64: slices.Clone(out[0].I64)}
		}
		last, exclusive, reverse := r.IntN(2), r.IntN(2), r.IntN(2)
		a := number(1)
		a["select_last_index"] = graph.IntAttribute(last)
		largest, smallest := run("ArgMax", a), run("ArgMin", a)
		sums := run("CumSum", map[string]graph.Attribute{"exclusive": graph.IntAttribute(exclusive), "reverse": graph.IntAttribute(reverse)}, graph.Ints(1))
		for k := range outer * inner {
			offset := func(i int) int { return (k/inner*n+i)*inner + k%inner }
			top, least := 0, 0
			var sum float32
			for i := range n {
				if v, w := x[offset(i)], x[offset(top)]; v > w || last == 1 && v == w {
					top = i
				}
				if v, w := x[offset(i)], x[offset(least)]; v < w || last == 1 && v == w {
					least = i
				}
				j := i
				if reverse == 1 {
					j = n - 1 - i
				}
				want := sum
				if sum += x[offset(j)]; exclusive == 0 {
					want = sum
				}
				if got := sums.F32[offset(j)]; got != want && (got == got || want == want) {
					t.Fatalf("trial %d: running sum %d of column %d is %g, want %g", trial, j, k, got, want)
				}
			}
			if largest.I64[k] != int64(top) || least != int(smallest.I64[k]) {
				t.Fatalf("trial %d: extremes of column %d of %d at %d and %d, want %d and %d", trial, k, n, largest.I64[k], smallest.I64[k], top, least)
			}
		}
	}
}

func fold(x []float64, start float64, f func(acc, v float64) float64) float64 {
	for _, v := range x {
		start = f(start, v)
	}
	return start
}

// BenchmarkReduce is the rate at which elements are read.
func BenchmarkReduce(b *testing.B) {
	shape := []int{16, 128, 784}
	x := make([]float32, graph.Count(shape))
	for i := range x {
		x[i] = float32(i%7) + 0.5
	}
	for _, c := range []struct {
		op   string
		axes []int64
	}{{"ReduceSum", []int64{2}}, {"ReduceL2", []int64{2}}, {"ReduceMax", []int64{2}}, {"ReduceLogSumExp", []int64{2}},
		{"ReduceL2", []int64{1}}, {"ReduceMax", []int64{1}}, {"ReduceSum", []int64{0, 2}}} {
		b.Run(fmt.Sprint(c.op, c.axes), func(b *testing.B) {
			e := reduceNode(b, 1, c.op, nil, graph.Ints(c.axes...))
			defer e.Close()
			in := []*graph.Tensor{graph.Floats(x, shape...)}
			for b.Loop() {
				if _, err := e.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(4*len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}
