// Tests of heads: bindings, shapes, batches and errors.

package latent

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/points"
)

// headGolden is testdata/golden_heads.json.
type headGolden struct {
	Latent, Next, Predicted, Steps, Reward, Frame [][]float64
	Action                                        []int64
}

func goldenHeads(t *testing.T) (g headGolden) {
	t.Helper()
	text, err := os.ReadFile("testdata/golden_heads.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func openHead(t *testing.T, name string, o OpenOptions) *Head {
	t.Helper()
	h, err := OpenHead("testdata/"+name+".onnx", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func rows32(rows [][]float64) points.Points {
	var flat []float32
	for _, row := range rows {
		for _, v := range row {
			flat = append(flat, float32(v))
		}
	}
	return points.Float32(flat, len(rows[0]))
}

func rows64(rows [][]float64) points.Points {
	return points.Float64(slices.Concat(rows...), len(rows[0]))
}

func TestHeads(t *testing.T) {
	g := goldenHeads(t)
	latents, next := rows32(g.Latent), rows32(g.Next)
	latent := func(shape ...int) HeadInput { return HeadInput{Name: HeadLatent, Rows: latents, Shape: shape} }
	action := HeadInput{Name: HeadAction, Ints: g.Action}
	for _, c := range []struct {
		head  string
		given []HeadInput
		want  []int
		shape []int
		rows  [][]float64
	}{
		{"head_predictor", []HeadInput{latent(), action}, []int{6}, []int{6}, g.Predicted},
		{"head_predictor", []HeadInput{action, latent(1, 6)}, nil, []int{6}, g.Predicted}, // by name, in any order
		{"head_predictor", []HeadInput{{Name: HeadLatent, Rows: rows64(g.Latent)}, action}, []int{1, 6}, []int{1, 6}, g.Predicted},
		{"head_fixed", []HeadInput{latent(), action}, []int{6}, []int{6}, g.Predicted},
		{"head_onehot", []HeadInput{latent(6), action}, nil, []int{6}, g.Predicted},
		{"head_steps", []HeadInput{latent(), action}, nil, []int{6}, g.Steps}, // by order
		{"head_reward", []HeadInput{latent(), {Name: HeadNext, Rows: next}}, []int{}, []int{}, g.Reward},
		{"head_reward", []HeadInput{{Name: HeadNext, Rows: next}, latent()}, nil, []int{1}, g.Reward},
		{"head_decoder", []HeadInput{latent()}, []int{4, 5}, []int{4, 5}, g.Frame},
		{"head_decoder", []HeadInput{latent(2, 3)}, nil, []int{1, 4, 5}, g.Frame}, // row by row
	} {
		want := rows32(c.rows).F32
		for _, batch := range []int{0, 1, 3, 4, 100} {
			h := openHead(t, c.head, OpenOptions{Threads: 1 + batch%3})
			progress := 0
			got, shape, err := h.Run(context.Background(), c.given, c.want, EncodeOptions{Batch: batch, Progress: func(done, _ int) { progress = done }})
			if err != nil {
				t.Errorf("%s, batch %d: %v", c.head, batch, err)
				continue
			}
			if !slices.Equal(got, want) || !slices.Equal(shape, c.shape) || progress != len(g.Latent) {
				t.Errorf("%s, batch %d: %v of shape %v, progress %d; want %v of %v", c.head, batch, got, shape, progress, want, c.shape)
			}
		}
	}
}

func TestHeadErrors(t *testing.T) {
	g := goldenHeads(t)
	latent := HeadInput{Name: HeadLatent, Rows: rows32(g.Latent)}
	actions := func(a ...int64) HeadInput {
		return HeadInput{Name: HeadAction, Ints: append(slices.Clone(g.Action[:len(g.Action)-len(a)]), a...)}
	}
	wide := rows32(g.Frame)
	for _, c := range []struct {
		head  string
		given []HeadInput
		want  []int
		parts []string
	}{
		{"head_predictor", []HeadInput{latent}, nil, []string{"testdata/head_predictor.onnx", "has 2 inputs (z, a), want 1: latent"}},
		{"head_decoder", []HeadInput{latent, actions()}, nil, []string{"has 1 inputs (latent), want 2: latent, action"}},
		{"head_predictor", []HeadInput{latent, {Name: HeadAction, Ints: g.Action[1:]}}, nil, []string{"10 rows of action for 11 of latent"}},
		{"head_predictor", []HeadInput{latent, actions(4)}, nil, []string{"head testdata/head_predictor.onnx"}},
		{"head_predictor", []HeadInput{latent, actions(-1)}, nil, []string{"action -1 in row 10, want integers from 0"}},
		{"head_onehot", []HeadInput{latent, actions(4)}, nil, []string{`action 4 in row 10, but input "a" takes 4 classes, 0 to 3`}},
		{"head_decoder", []HeadInput{{Name: HeadLatent, Rows: wide}}, nil, []string{`each latent has shape [20], input "latent" wants [6] without the batch`}},
		{"head_decoder", []HeadInput{{Name: HeadLatent, Rows: wide, Shape: []int{5, 5}}}, nil, []string{"rows of latent have 20 numbers, want shape [5 5]"}},
		{"head_decoder", []HeadInput{latent}, []int{5, 4}, []string{"the output has shape [1 4 5] for one row, want [5 4]"}},
		{"head_nan", []HeadInput{latent}, nil, []string{"row 0: output element 2 is -Inf"}},
		{"head_bool", []HeadInput{latent}, nil, []string{"the output is of type bool, want numbers"}},
		{"head_mean", []HeadInput{latent}, nil, []string{"the output has shape [6] for a batch of 1: want the batch as the first axis"}},
		{"head_decoder", []HeadInput{{Name: HeadLatent, Rows: points.Points{Dim: 6}}}, nil, []string{"no rows"}},
	} {
		h := openHead(t, c.head, OpenOptions{})
		_, _, err := h.Run(context.Background(), c.given, c.want, EncodeOptions{})
		wantError(t, err, c.parts...)
	}
	for name, parts := range map[string][]string{
		"conv.pth":             {"head testdata/conv.pth", "is a file of weights (ConvEncoder), want an ONNX file"},
		"conv.safetensors":     {"is a file of weights (ConvEncoder), want an ONNX file"},
		"nosuch.onnx":          {"testdata/nosuch.onnx", "no such file"},
		"dqn_outputs.onnx":     {"has 2 outputs, choose one of"},
		"golden.json":          {"head testdata/golden.json"},
		"conv_checkpoint.pth":  {"want an ONNX file"},
		"../testdata/cell.npy": {"is a NumPy array"},
	} {
		_, err := OpenHead("testdata/"+name, OpenOptions{})
		wantError(t, err, parts...)
	}
	_, err := OpenHead("testdata/conv.pth", OpenOptions{})
	var hinted interface{ Hints() []string }
	if !errors.As(err, &hinted) || !strings.Contains(strings.Join(hinted.Hints(), ""), `"testdata/conv.onnx", opset_version=17`) {
		t.Errorf("%v: no hint says how to export", err)
	}
}

// Of several outputs the first of the preferred ones is taken, else the first.
func TestHeadPrefersOutputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prefer []string
		want   string
	}{
		{[]string{"none", "Z"}, "z"},
		{[]string{"none"}, "/Relu_1_output_0"},
	} {
		h := openHead(t, "dqn_outputs", OpenOptions{Prefer: c.prefer})
		if got := h.Outputs()[0].Name; got != c.want {
			t.Errorf("prefer %v: output %q, want %q", c.prefer, got, c.want)
		}
	}
}

// Check needs no values, and tells what a run would.
func TestHeadCheck(t *testing.T) {
	h := openHead(t, "head_predictor", OpenOptions{})
	if !h.Wants(HeadAction) || !h.Wants(HeadLatent) || h.Wants(HeadNext) {
		t.Error("the predictor wants a latent and an action")
	}
	shape, err := h.Check([]HeadInput{{Name: HeadLatent, Rows: points.Points{Dim: 6}}, {Name: HeadAction, Ints: []int64{}}}, []int{6})
	if err != nil || !slices.Equal(shape, []int{6}) {
		t.Errorf("shape %v, error %v", shape, err)
	}
	_, err = h.Check([]HeadInput{{Name: HeadLatent, Rows: points.Points{Dim: 5}}, {Name: HeadAction, Ints: []int64{}}}, nil)
	wantError(t, err, `each latent has shape [5], input "z" wants [6]`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := goldenHeads(t)
	_, _, err = h.Run(ctx, []HeadInput{{Name: HeadLatent, Rows: rows32(g.Latent)}, {Name: HeadAction, Ints: g.Action}}, nil, EncodeOptions{})
	if err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Latents that float32 cannot hold come out as an error, not as infinity.
func TestHeadOverflow(t *testing.T) {
	g := goldenHeads(t)
	g.Latent[3][2] = math.MaxFloat64
	h := openHead(t, "head_decoder", OpenOptions{})
	_, _, err := h.Run(context.Background(), []HeadInput{{Name: HeadLatent, Rows: rows64(g.Latent)}}, nil, EncodeOptions{})
	wantError(t, err, "row 3: output element", "Inf")
}
