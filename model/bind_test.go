// Refused and converted inputs.

package model

import (
	"context"
	"maps"
	"slices"
	"testing"

	"repscope/model/internal/onnxtest"
)

func TestWrongInputs(t *testing.T) {
	t.Parallel()
	m := openModel(t, sequenceFile(0, onnxtest.Bool), Options{})
	good, want := sequenceInputs(t, 2, 3)
	floats := must(t, make([]float32, 6), 2, 3)
	for _, c := range []struct {
		what   string
		change func(in map[string]*Tensor)
		parts  []string
	}{
		{"missing", func(in map[string]*Tensor) { delete(in, "attention_mask") },
			[]string{`input "attention_mask" is missing`, `"input_ids" int64 [batch tokens]`}},
		{"nil", func(in map[string]*Tensor) { in["input_ids"] = nil }, []string{`input "input_ids" is missing`}},
		{"unknown", func(in map[string]*Tensor) { in["input_id"] = in["input_ids"]; delete(in, "input_ids") },
			[]string{`no input "input_id"`, `did you mean "input_ids"?`, "attention_mask"}},
		{"too many", func(in map[string]*Tensor) { in["positions"] = in["input_ids"] }, []string{`no input "positions"`}},
		{"floats for ids", func(in map[string]*Tensor) { in["input_ids"] = floats },
			[]string{`input "input_ids"`, "float32", "want int64 [batch tokens]"}},
		{"floats for bool", func(in map[string]*Tensor) { in["attention_mask"] = floats }, []string{`input "attention_mask"`, "float32", "want bool"}},
		{"2 for bool", func(in map[string]*Tensor) { in["attention_mask"] = must(t, []int64{0, 1, 1, 1, 2, 1}, 2, 3) },
			[]string{`input "attention_mask"`, "element 4", "is 2"}},
		{"rank", func(in map[string]*Tensor) { in["input_ids"] = must(t, make([]int64, 6), 6) },
			[]string{`input "input_ids" has shape [6]`, "want 2 axes"}},
		{"unequal axes", func(in map[string]*Tensor) { in["token_type_ids"] = must(t, make([]int64, 8), 2, 4) },
			[]string{"do not broadcast", `axis 1 of input "token_type_ids" has size 4, the axis of input "input_ids" with the same name (tokens) has 3`}},
		{"too few elements", func(in map[string]*Tensor) {
			in["input_ids"] = &Tensor{DType: Int64, Shape: []int{2, 3}, I64: make([]int64, 5)}
		},
			[]string{`input "input_ids"`, "5 elements", "[2 3]"}},
		{"no type", func(in map[string]*Tensor) { in["input_ids"] = &Tensor{Shape: []int{2, 3}} }, []string{`input "input_ids"`}},
		{"negative axis", func(in map[string]*Tensor) { in["input_ids"] = &Tensor{DType: Int64, Shape: []int{-2, 3}} }, []string{`input "input_ids"`, "negative"}},
		{"outside int32", func(in map[string]*Tensor) { in["token_type_ids"] = must(t, []int64{0, 0, 1 << 40, 0, 0, 0}, 2, 3) },
			[]string{`input "token_type_ids"`, "element 2", "declared as int32"}},
		{"outside the table", func(in map[string]*Tensor) { in["input_ids"] = must(t, []int64{0, 0, vocabulary, 0, 0, 0}, 2, 3) }, []string{"Gather"}},
	} {
		in := maps.Clone(good)
		c.change(in)
		_, err := m.Run(context.Background(), in)
		wantError(t, c.what, err, c.parts...)
	}
	_, err := m.RunInOrder(context.Background(), good["input_ids"])
	wantError(t, "one in order", err, "1 inputs given, the model has 3", `"attention_mask" bool`)
	out, err := m.Run(context.Background(), good)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "after errors", out["z"].F32, want, 2e-6)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	m := openModel(t, actionFile(), Options{})
	for _, c := range []struct{ names, want []string }{
		{[]string{"action", "state"}, []string{"action", "state"}},
		{[]string{"latent", "move"}, []string{"state", "action"}},
	} {
		if got, err := m.Match(c.names...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.names, got, err, c.want)
		}
	}
	_, err := m.Match("state", "actoin")
	wantError(t, "one name of two", err, `no input "actoin"`, `did you mean "action"?`)
	_, err = m.Match("state")
	wantError(t, "one of two inputs", err, "1 inputs (state)", "a model with 2")
}

// Exporters give one name, or "?", to axes of unknown size: they may have any sizes.
func TestAxesOfOneName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"?", "", "unk__0", "s"} {
		g := onnxtest.Message{}.Text(2, "g").
			Bytes(1, onnxtest.Node("ReduceSum", []string{"x"}, []string{"a"}, onnxtest.Int("keepdims", 0))).
			Bytes(1, onnxtest.Node("Mul", []string{"y", "a"}, []string{"z"})).
			Bytes(11, onnxtest.Port("x", onnxtest.Float, name, name)).Bytes(11, onnxtest.Port("y", onnxtest.Float, name, name)).
			Bytes(12, onnxtest.Port("z", onnxtest.Float, name, name))
		m := openModel(t, onnxtest.Model(17, g), Options{})
		out, err := m.Run(context.Background(), map[string]*Tensor{
			"x": must(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), "y": must(t, []float32{1, 2, 3, 4}, 4, 1)})
		if err != nil {
			t.Fatalf("axes named %q: %v", name, err)
		}
		near(t, name, out["z"].F32, []float64{21, 42, 63, 84}, 0)
	}
}
