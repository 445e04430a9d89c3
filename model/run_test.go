// Runs against loops in float64: several inputs and outputs, batches, pieces, executors.

package model

import (
	"context"
	"slices"
	"testing"

	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
	"repscope/model/pixels"
)

// backend is what a test runs on.
type backend struct {
	name      string
	open      func(t testing.TB) *Backend
	tolerance float64
}

// backends are the processor and, in builds for them, GPUs.
var backends = []backend{{"processor", func(testing.TB) *Backend { return nil }, 2e-6}}

func onBackends(t *testing.T, test func(t *testing.T, b *Backend, tolerance float64)) {
	t.Parallel()
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			test(t, b.open(t), b.tolerance)
		})
	}
}

// sequenceInputs are the inputs of the graph of sequences; the mask is int64.
func sequenceInputs(t testing.TB, n, length int) (map[string]*Tensor, []float64) {
	ids, chain, mask := sequences(n, length)
	return map[string]*Tensor{"input_ids": must(t, ids, n, length), "token_type_ids": must(t, chain, n, length),
		"attention_mask": must(t, mask, n, length)}, naiveSequence(ids, chain, mask, n, length)
}

func TestSequencesCUDA(t *testing.T) {
	onBackends(t, func(t *testing.T, b *Backend, tolerance float64) {
		for _, mask := range []int64{onnxtest.Int64, onnxtest.Bool, onnxtest.Float} {
			m := openModel(t, sequenceFile(0, mask), Options{Backend: b})
			for _, shape := range [][2]int{{1, 1}, {3, 7}, {5, 4}, {3, 7}, {2, 9}, {1, 3}, {6, 6}} {
				inputs, want := sequenceInputs(t, shape[0], shape[1])
				out, err := m.Run(context.Background(), inputs)
				if err != nil {
					t.Fatal(err)
				}
				z := out["z"]
				if len(out) != 1 || z.DType != Float32 || !slices.Equal(z.Shape, []int{shape[0], features}) {
					t.Fatalf("got %v", out)
				}
				near(t, "z", z.F32, want, tolerance)
			}
		}
	})
}

// Rows do not depend on the batch that they are in.
func TestSequenceRowsCUDA(t *testing.T) {
	onBackends(t, func(t *testing.T, b *Backend, _ float64) {
		m := openModel(t, sequenceFile(0, onnxtest.Int64), Options{Backend: b})
		inputs, _ := sequenceInputs(t, 5, 6)
		out, err := m.Run(context.Background(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		all := clone(out["z"])
		for i := range 5 {
			row := map[string]*Tensor{}
			for name, x := range inputs {
				row[name] = must(t, x.I64[i*6:(i+1)*6], 1, 6)
			}
			out, err := m.Run(context.Background(), row)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out["z"].F32, all.F32[i*features:(i+1)*features]) {
				t.Errorf("row %d differs alone", i)
			}
		}
	})
}

// A batch size that the file fixes: other sizes go in pieces, if the model is batched.
func TestPiecesCUDA(t *testing.T) {
	onBackends(t, func(t *testing.T, b *Backend, tolerance float64) {
		m := openModel(t, sequenceFile(2, onnxtest.Bool), Options{Backend: b, Batched: true})
		if m.Rows() != 2 {
			t.Fatalf("%d rows", m.Rows())
		}
		for _, n := range []int{5, 1, 2, 4, 7} {
			inputs, want := sequenceInputs(t, n, 4)
			out, err := m.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out["z"].Shape, []int{n, features}) {
				t.Errorf("batch of %d: shape %v", n, out["z"].Shape)
			}
			near(t, "z", out["z"].F32, want, tolerance)
		}
		inputs, _ := sequenceInputs(t, 4, 4)
		inputs["attention_mask"], _ = TensorOf(inputs["attention_mask"].I64[:12], 3, 4)
		_, err := m.Run(context.Background(), inputs)
		wantError(t, "unequal batches", err, `input "attention_mask" has 3 rows, input "input_ids" has 4`)

		whole := openModel(t, sequenceFile(2, onnxtest.Bool), Options{Backend: b})
		inputs, _ = sequenceInputs(t, 3, 4)
		_, err = whole.Run(context.Background(), inputs)
		wantError(t, "another batch", err, `input "input_ids" has shape [3 4]`, "int64 [2 tokens]")
	})
}

// naiveActions is the graph of actions in float64.
func naiveActions(states []float32, actions []uint8) (scores []float64, best []int64) {
	w := weightsFor(12, 5)
	for i, a := range actions {
		top := 0
		for j := range 4 {
			s := float64(a)
			for k := range 3 {
				s += float64(states[i*3+k]) * float64(w[k*4+j])
			}
			scores = append(scores, s)
			if s > scores[i*4+top] {
				top = j
			}
		}
		best = append(best, int64(top))
	}
	return scores, best
}

func TestOutputsCUDA(t *testing.T) {
	onBackends(t, func(t *testing.T, b *Backend, tolerance float64) {
		states, actions := weightsFor(5*3, 9), []uint8{3, 0, 255, 1, 7}
		scores, best := naiveActions(states, actions)
		inputs := map[string]*Tensor{"state": must(t, states, 5, 3), "action": must(t, actions, 5)}
		for _, c := range []struct {
			outputs, want []string
		}{
			{nil, []string{"scores", "best"}}, {[]string{"best"}, []string{"best"}}, {[]string{"best", "product", "scores"}, []string{"best", "product", "scores"}},
		} {
			m := openModel(t, actionFile(), Options{Outputs: c.outputs, Backend: b})
			out, err := m.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			if len(out) != len(c.want) {
				t.Errorf("%d outputs, want %q", len(out), c.want)
			}
			if x := out["best"]; x == nil || x.DType != Int64 || !slices.Equal(x.I64, best) {
				t.Errorf("best %v, want %v", x, best)
			}
			if x := out["scores"]; x != nil {
				near(t, "scores", x.F32, scores, tolerance)
			}
			if x := out["product"]; x != nil && (!slices.Equal(x.Shape, []int{5, 4}) || x.DType != Float32) {
				t.Errorf("product %v %v", x.DType, x.Shape)
			}
			list, err := m.RunInOrder(context.Background(), inputs["state"], inputs["action"])
			if err != nil || len(list) != len(c.want) {
				t.Fatal(len(list), err)
			}
			if k := slices.Index(c.want, "best"); !slices.Equal(list[k].I64, best) {
				t.Errorf("in order: best %v, want %v", list[k].I64, best)
			}
		}
	})
}

// Several batches under way give what each gives alone.
func TestPipelineCUDA(t *testing.T) {
	onBackends(t, func(t *testing.T, b *Backend, tolerance float64) {
		m := openModel(t, sequenceFile(0, onnxtest.Int64), Options{Backend: b})
		for lo := 0; lo < 9; lo += m.Depth() {
			var want [][]float64
			for i := range m.Depth() {
				inputs, z := sequenceInputs(t, lo+i+1, 5)
				if err := m.Submit(context.Background(), []*Tensor{inputs["input_ids"], inputs["token_type_ids"], inputs["attention_mask"]}); err != nil {
					t.Fatal(err)
				}
				want = append(want, z)
			}
			if _, err := m.RunInOrder(context.Background(), nil, nil, nil); err == nil {
				t.Error("a run begins while others are under way")
			}
			for _, z := range want {
				out, err := m.Collect(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				near(t, "z", out[0].F32, z, tolerance)
			}
		}
		if _, err := m.Collect(context.Background()); err == nil {
			t.Error("something was under way")
		}
		inputs, want := sequenceInputs(t, 2, 3)
		if err := m.Submit(context.Background(), []*Tensor{inputs["input_ids"], inputs["token_type_ids"], inputs["attention_mask"]}); err != nil {
			t.Fatal(err)
		}
		m.Drain()
		out, err := m.Run(context.Background(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "after draining", out["z"].F32, want, tolerance)
	})
}

func TestNoPixels(t *testing.T) {
	t.Parallel()
	m := openModel(t, actionFile(), Options{})
	if m.TakesPixels(1) || m.Displacements() != nil {
		t.Error("the processor takes stored states")
	}
	if err := m.SubmitBytes(context.Background(), []uint8{1}, []int{1, 1}, pixels.Levels{}); err == nil {
		t.Error("the processor takes bytes")
	}
	if err := m.SubmitNoisy(context.Background(), pixels.Noisy{}, []int{1, 1}); err == nil {
		t.Error("the processor takes noise")
	}
}

// TestPortions runs batches whose values fill the caches, in pieces, and compares them with the whole, bit for bit.
func TestPortions(t *testing.T) {
	t.Parallel()
	const side, channels = 96, 24
	conv := func(x, w, y string) []byte { return onnxtest.Node("Conv", []string{x, w}, []string{y}) }
	g := onnxtest.Message{}.Text(2, "pictures").
		Bytes(1, conv("x", "first", "a")).Bytes(1, onnxtest.Node("Relu", []string{"a"}, []string{"b"})).
		Bytes(1, conv("b", "second", "c")).Bytes(1, onnxtest.Node("GlobalAveragePool", []string{"c"}, []string{"d"})).
		Bytes(1, onnxtest.Node("Flatten", []string{"d"}, []string{"y"})).
		Bytes(5, onnxtest.Floats("first", weightsFor(channels*3*9, 1), channels, 3, 3, 3)).
		Bytes(5, onnxtest.Floats("second", weightsFor(channels*channels*9, 2), channels, channels, 3, 3)).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, "batch", 3, side, side)).Bytes(12, onnxtest.Port("y", onnxtest.Float))
	file := onnxtest.Model(17, g)
	whole, pieces := openModel(t, file, Options{}), openModel(t, file, Options{Batched: true})
	for _, n := range []int{1, 33, 8, 64} {
		x := must(t, weightsFor(n*3*side*side, n), n, 3, side, side)
		want, err := whole.RunInOrder(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if err := pieces.Submit(t.Context(), []*Tensor{x}); err != nil {
			t.Fatal(err)
		}
		if cut := pieces.queue[0].pieces != nil; cut != (n > 8) {
			t.Errorf("%d rows are cut: %t", n, cut)
		}
		got, err := pieces.Collect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[0].Shape, []int{n, channels}) || !slices.Equal(got[0].F32, want[0].F32) {
			t.Errorf("%d rows in pieces differ from the whole", n)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	m := openModel(t, sequenceFile(0, onnxtest.Int64), Options{})
	inputs, want := sequenceInputs(t, 2, 3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Run(ctx, inputs); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	out, err := m.Run(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "after a cancelled run", out["z"].F32, want, 2e-6)
}

// Runs of shapes that were seen before allocate nothing.
func TestSteadyStateAllocations(t *testing.T) {
	for name, data := range map[string][]byte{"free": sequenceFile(0, onnxtest.Int64), "fixed": sequenceFile(3, onnxtest.Int64)} {
		m := openModel(t, data, Options{Threads: 1, Batched: true})
		inputs, _ := sequenceInputs(t, 3, 8)
		run := func() {
			if _, err := m.Run(context.Background(), inputs); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %g allocations per run", name, n)
		}
	}
}

// clone copies a tensor, so that it stays beyond the next run.
func clone(t *Tensor) *Tensor {
	return &graph.Tensor{DType: t.DType, Bits: t.Bits, Shape: append([]int{}, t.Shape...),
		F32: append([]float32(nil), t.F32...), I64: append([]int64(nil), t.I64...), Bool: append([]bool(nil), t.Bool...)}
}
