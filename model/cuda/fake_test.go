//go:build cuda && fakecuda

// Barriers that the fake driver passes over.

package cuda

import (
	"context"
	"slices"
	"testing"

	"repscope/internal/cuda/fakecuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// execute chooses for one test what executes kernels: mistakes show in other ways.
func execute(t *testing.T, mode fakecuda.Mode) {
	before := fakecuda.Executes()
	fakecuda.Execute(mode)
	t.Cleanup(func() { fakecuda.Execute(before) })
}

// TestBarriers checks that every barrier of kernels with shared memory is needed: without it
// the threads in one order or the other compute something else.
func TestBarriers(t *testing.T) {
	execute(t, fakecuda.Twins)
	testBarriers(t, []int{2, 2, 1, 2})
}

// The PTX has a barrier as often as its function is inlined. Barriers that one run meets only once are all counted;
// without one there is a race.
func TestBarriersOfPTX(t *testing.T) {
	execute(t, fakecuda.PTX)
	testBarriers(t, []int{4, 4, 1, 2})
}

func testBarriers(t *testing.T, counts []int) {
	for i, c := range []struct {
		op       string
		a        map[string]graph.Attribute
		operands []any
	}{
		{"LogSoftmax", nil, []any{scaled(random(1, 2, 3000), 5)}},
		{"LayerNormalization", nil, []any{random(1, 2, 3001), known{random(2, 3001)}}},
		{"ReduceSum", nil, []any{random(1, 2, 3000), ints(1)}},
		{"TopK", nil, []any{random(1, 2, 700), ints(700)}},
	} {
		g, inputs := single(c.op, c.a, 1, c.operands...)
		prepare(t, g)
		run := func(skip int, reverse bool) []byte {
			device := open(t, 1, 1<<28)[0]
			fakecuda.SkipBarrier(skip)
			fakecuda.Reverse(reverse)
			x, err := New(g, device, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			out, err := x.Run(context.Background(), inputs)
			if err != nil {
				return nil
			}
			return slices.Clone(raw(out[0]))
		}
		want := run(-1, false)
		if n := fakecuda.Barriers(); n != counts[i] {
			t.Errorf("%s: %d barriers, want %d", c.op, n, counts[i])
		}
		for skip := range counts[i] {
			if slices.Equal(run(skip, false), want) && slices.Equal(run(skip, true), want) {
				t.Errorf("%s: nobody notices that barrier %d is missing", c.op, skip)
			}
		}
	}
}

// The thread that adds squares waits for those that make them.
func TestBarrierOfDisplacements(t *testing.T) {
	for _, mode := range []fakecuda.Mode{fakecuda.Twins, fakecuda.PTX} {
		execute(t, mode)
		testBarrierOfDisplacements(t)
	}
}

func testBarrierOfDisplacements(t *testing.T) {
	const rows, width = 2, 2050
	g := prepare(t, &graph.Graph{Opset: 20, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "x"}}})
	_, floats, keys := testStates(rows, width)
	batch := pixels.Noisy{Floats: floats, Keys: keys, Noise: pixels.Noise{High: 255, Level: 0.1}}
	run := func(skip int, reverse bool) []float64 {
		gpu := open(t, 1, 1<<24)[0]
		fakecuda.SkipBarrier(skip)
		fakecuda.Reverse(reverse)
		x, err := New(g, gpu, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.SubmitNoisy(context.Background(), batch, []int{rows, width}); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Collect(context.Background()); err != nil {
			return nil
		}
		return x.Displacements()
	}
	want := run(-1, false)
	if n := fakecuda.Barriers(); n != 1 {
		t.Errorf("%d barriers, want 1", n)
	}
	if slices.Equal(run(0, false), want) && slices.Equal(run(0, true), want) {
		t.Error("nobody notices that the barrier is missing")
	}
}
