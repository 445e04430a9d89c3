// Tests of tables whose columns stand in other orders, or have other names.

package generation

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
)

// named are rows with names, and the same rows with their columns in another order.
func named(s *Samples, columns ...string) *Samples {
	s.Columns = columns
	for k, name := range columns {
		of := Statistic{Name: name, Published: true}
		for i := range s.N() {
			of.Values = append(of.Values, s.Rows.Row(i, nil)[k])
		}
		s.Statistics = append(s.Statistics, of)
	}
	return s
}

func turned(s *Samples) *Samples {
	out, dim := *s, s.Rows.Dim
	out.Columns, out.Statistics = slices.Clone(s.Columns), slices.Clone(s.Statistics)
	slices.Reverse(out.Columns)
	slices.Reverse(out.Statistics)
	data := slices.Clone(s.Rows.F64)
	for row := range slices.Chunk(data, dim) {
		slices.Reverse(row)
	}
	out.Rows = points.Float64(data, dim)
	return &out
}

// The order of columns changes no number of any metric, and what the caller gave is left as it is:
// a ~ N(0, 1) and b ~ N(50, 1) beside themselves have a Fréchet distance near 0, where columns
// joined by place would have 5,000.
func TestColumnsByName(t *testing.T) {
	t.Parallel()
	made := func(name string, seed uint64) *Samples {
		s := normalRows(name, 60, 2, 0, 1, seed)
		for i := 1; i < len(s.Rows.F64); i += 2 {
			s.Rows.F64[i] += 50
		}
		return named(s, "a", "b")
	}
	real, generated, holdout := made("real", 1), made("generated", 2), made("hold-out", 3)
	measure := func(generated, holdout *Samples) Model {
		in := Input{Real: real, HoldOut: holdout, Generators: []Generator{{Name: "g", Generated: generated}}}
		r, err := Analyze(context.Background(), in, Options{Metrics: []string{"fidelity", "similarity"}, Settings: analysis.Settings{Intervals: true, Seed: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Models[0]
	}
	want := measure(generated, holdout)
	if v := want.Fidelity.Distances.Frechet.Value.V; v > 1 {
		t.Errorf("the Fréchet distance is %v", v)
	}
	before := turned(generated)
	for _, got := range []Model{measure(turned(generated), holdout), measure(generated, turned(holdout)),
		measure(turned(generated), turned(holdout))} {
		if !bytes.Equal(written(&Result{Models: []Model{got}}), written(&Result{Models: []Model{want}})) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if again := turned(generated); !reflect.DeepEqual(again, before) || real.Columns[0] != "a" ||
		math.IsNaN(real.Rows.F64[0]) {
		t.Error("the samples that were given are changed")
	}
	other := named(normalRows("other", 60, 2, 0, 1, 4), "a", "c")
	more := named(normalRows("more", 60, 3, 0, 1, 4), "a", "b", "c")
	for want, in := range map[string]Input{
		"g: generated: other does not have the same columns as real: missing b; extra c": {Real: real,
			Generators: []Generator{{Name: "g", Generated: other}}},
		"g: generated: more does not have the same columns as real: extra c": {Real: real,
			Generators: []Generator{{Name: "g", Generated: more}}},
		"hold-out: other does not have the same columns as real: missing b; extra c": {Real: real, HoldOut: other,
			Generators: []Generator{{Name: "g", Generated: generated}}},
		"g: generated: bare does not have the same columns as real: missing a, b": {Real: real,
			Generators: []Generator{{Name: "g", Generated: normalRows("bare", 9, 2, 0, 1, 5)}}},
		"g: generated: short: 1 names for 2 columns": {Real: real,
			Generators: []Generator{{Name: "g", Generated: &Samples{Name: "short", Columns: []string{"a"}, Rows: real.Rows}}}},
		"generated: rows of more have 3 columns, but rows of bare have 2": {Real: normalRows("bare", 9, 2, 0, 1, 5),
			Generators: []Generator{{Name: "g", Generated: normalRows("more", 9, 3, 0, 1, 5)}}},
		"g: generated: generated does not have the same columns as bare: extra a, b": {Real: normalRows("bare", 9, 2, 0, 1, 5),
			Generators: []Generator{{Name: "g", Generated: generated}}},
	} {
		if _, err := Analyze(context.Background(), in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A metric that lacks its input is skipped alone too; what lies in the data is an error.
func TestNothing(t *testing.T) {
	t.Parallel()
	rows := normalRows("rows", 30, 2, 0, 1, 1)
	for _, c := range []struct {
		metrics []string
		reason  string
		lacking bool
	}{
		{[]string{"grade_conditioning"}, "conditioning of g: needs --predictions g=FILE or --classifier FILE.onnx", true},
		{[]string{"conditioning", "reconstruction"}, "reconstruction of g: needs --reconstruction g=FILE", true},
		{[]string{"conditioning", "diversity"}, "diversity of g: rows contains rows of numbers, not grids", false},
		{[]string{"conditioning", "fidelity"}, "", false},
	} {
		r := analyzed(t, Input{Real: rows, Generators: []Generator{{Name: "g", Generated: rows}}},
			Options{Metrics: c.metrics})
		if reason, lacking := r.Nothing(); !strings.HasPrefix(reason, c.reason) || (c.reason == "") != (reason == "") ||
			lacking != c.lacking {
			t.Errorf("%v: %q, %v, want %q, %v", c.metrics, reason, lacking, c.reason, c.lacking)
		}
	}
}
