// Package faketest is a run of fake files, for tests: metrics of texts in place of designs.
package faketest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

// Kinds are metrics of fake files, which are texts of "quality=0.5 …": quality is 0.5,
// failed fails, and "absent" is not there for cases whose text has no such word.
func Kinds() []canvas.Kind {
	return []canvas.Kind{{
		Name: "quality", About: "what the file says", Needs: canvas.NeedDesigns,
		Keys: []canvas.Key{
			{Name: "quality", Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
			{Name: "size", Unit: "bytes", High: math.Inf(1)},
		},
		Score: func(p *canvas.Pair, row *canvas.Row) error {
			text, err := p.Read(p.Case.Generated.Design)
			if err != nil {
				return err
			}
			var q float64
			if _, err := fmt.Sscanf(string(text), "quality=%g", &q); err != nil {
				return fmt.Errorf("%s: want quality=…", p.Case.Generated.Design)
			}
			row.Set("quality", q)
			row.Set("size", float64(len(text)))
			row.Details["words"] = strings.Fields(string(text))
			if p.Settings.Reports {
				row.Reports["quality.json"] = q
			}
			return nil
		},
	}, {
		Name: "calls", Needs: canvas.NeedTrace,
		Keys: []canvas.Key{{Name: "calls", Unit: "calls", High: math.Inf(1)}},
		Score: func(p *canvas.Pair, row *canvas.Row) error {
			if p.Case.Trace == "" {
				return source.Absentf("no trace is given")
			}
			row.Set("calls", float64(len(p.Case.Trace)))
			return nil
		},
	}, {
		Name: "double", Keys: []canvas.Key{{Name: "double", Direction: report.Higher, High: math.Inf(1),
			Compared: true, Improved: true}},
		Definition: func(*canvas.Setting) string { return "1; of quality" },
		Score: func(_ *canvas.Pair, row *canvas.Row) error {
			q := row.Values["quality"]
			if !q.Defined() {
				return source.Absentf("quality: %s", q.Reason)
			}
			row.Set("double", 2*q.V)
			return nil
		},
	}}
}

// Run is a tree of samples and models with the given qualities by model; NaN: a file that
// cannot be read.
type Run struct {
	canvas.Input
	Files map[string]string
}

// NewRun returns a run without cases.
func NewRun() *Run {
	f := &Run{Files: map[string]string{}}
	f.Read = func(path string) ([]byte, error) {
		text, ok := f.Files[path]
		if !ok {
			return nil, errors.New(path + ": no such file")
		}
		return []byte(text), nil
	}
	return f
}

// Add adds a case; an empty text is a file that is missing.
func (f *Run) Add(sample, model, text string) *source.Case {
	id := sample + "-" + model
	f.Cases = append(f.Cases, source.Case{ID: id, Sample: sample, Model: model, Snapshot: -1,
		Reference: source.Side{Design: sample + ".json"}, Generated: source.Side{Design: id + ".json"}})
	if text != "" {
		f.Files[id+".json"] = text
	}
	return &f.Cases[len(f.Cases)-1]
}

// Tree is a run of several samples and models, with what may be amiss in one.
func Tree() *Run {
	f := NewRun()
	for s := range 9 {
		sample := fmt.Sprintf("gid%d-%d", s, s*s)
		for m, model := range []string{"small", "large", "largest"} {
			c := f.Add(sample, model, fmt.Sprintf("quality=%g of %s", float64((s*7+m*5)%11)/11+0.001*float64(m), model))
			c.Base = source.Side{Design: sample + "-base.json"}
			if s%2 == 0 {
				c.Trace = strings.Repeat("t", s+m)
			}
		}
		f.Files[sample+"-base.json"] = fmt.Sprintf("quality=%g base", float64(s%4)/10)
	}
	delete(f.Files, "gid3-9-large.json")
	f.Files["gid5-25-small.json"] = "nothing"
	return f
}

// TextOf is everything that a result holds, as text.
func TextOf(t *testing.T) func(*canvas.Result) []byte {
	return func(r *canvas.Result) []byte {
		var out bytes.Buffer
		encode := func(value any) {
			if err := report.Encode(&out, value); err != nil {
				t.Error(err)
			}
		}
		for _, row := range r.Rows {
			encode([]any{row.Case.ID, row.Row, row.Base})
		}
		for _, m := range r.Models {
			encode(m.Object)
		}
		encode(r.Comparisons)
		encode(r.Warnings)
		return out.Bytes()
	}
}

// Analyzed is the result of a run of fake cases.
func Analyzed(t *testing.T, f *Run, change ...func(*canvas.Options)) *canvas.Result {
	t.Helper()
	o := canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: 42}, Kinds: Kinds(),
		Settings: analysis.Settings{Intervals: true, Family: "metric"}}
	for _, c := range change {
		c(&o)
	}
	r, err := canvas.Analyze(t.Context(), f.Input, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Number is the number of a key of a model.
func Number(t *testing.T, r *canvas.Result, model, key string) *canvas.Number {
	t.Helper()
	for i := range r.Models {
		for k := range r.Models[i].Numbers {
			if n := &r.Models[i].Numbers[k]; r.Models[i].Name == model && n.Key.Name == key {
				return n
			}
		}
	}
	t.Fatalf("no %s of %s", key, model)
	return nil
}
