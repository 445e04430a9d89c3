// A run of fake files, for tests.

package canvas

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repscope/report"
)

// fakeKinds are metrics of fake files, which are texts of "quality=0.5 …": quality is 0.5,
// failed fails, and "absent" is not there for cases whose text has no such word.
func fakeKinds() []Kind {
	return []Kind{{
		Name: "quality", About: "what the file says", Needs: NeedDesigns,
		Keys: []Key{
			{Name: "quality", Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
			{Name: "size", Unit: "bytes", High: math.Inf(1)},
		},
		Score: func(p *Pair, row *Row) error {
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
		Name: "calls", Needs: NeedTrace,
		Keys: []Key{{Name: "calls", Unit: "calls", High: math.Inf(1)}},
		Score: func(p *Pair, row *Row) error {
			if p.Case.Trace == "" {
				return absent("no trace is given")
			}
			row.Set("calls", float64(len(p.Case.Trace)))
			return nil
		},
	}, {
		Name: "double", Keys: []Key{{Name: "double", Direction: report.Higher, High: math.Inf(1), Compared: true, Improved: true}},
		Definition: func(*Settings) string { return "1; of quality" },
		Score: func(_ *Pair, row *Row) error {
			q := row.Values["quality"]
			if !q.Defined() {
				return absent("quality: %s", q.Reason)
			}
			row.Set("double", 2*q.V)
			return nil
		},
	}}
}

// fakeRun is a tree of samples and models with the given qualities by model; NaN: a file that
// cannot be read.
type fakeRun struct {
	Input
	files map[string]string
}

func newFakeRun() *fakeRun {
	f := &fakeRun{files: map[string]string{}}
	f.Read = func(path string) ([]byte, error) {
		text, ok := f.files[path]
		if !ok {
			return nil, errors.New(path + ": no such file")
		}
		return []byte(text), nil
	}
	return f
}

// add adds a case; an empty text is a file that is missing.
func (f *fakeRun) add(sample, model, text string) *Case {
	id := sample + "-" + model
	f.Cases = append(f.Cases, Case{ID: id, Sample: sample, Model: model, Snapshot: -1,
		Reference: Side{Design: sample + ".json"}, Generated: Side{Design: id + ".json"}})
	if text != "" {
		f.files[id+".json"] = text
	}
	return &f.Cases[len(f.Cases)-1]
}

// fakeTree is a run of several samples and models, with what may be amiss in one.
func fakeTree() *fakeRun {
	f := newFakeRun()
	for s := range 9 {
		sample := fmt.Sprintf("gid%d-%d", s, s*s)
		for m, model := range []string{"small", "large", "largest"} {
			c := f.add(sample, model, fmt.Sprintf("quality=%g of %s", float64((s*7+m*5)%11)/11+0.001*float64(m), model))
			c.Base = Side{Design: sample + "-base.json"}
			if s%2 == 0 {
				c.Trace = strings.Repeat("t", s+m)
			}
		}
		f.files[sample+"-base.json"] = fmt.Sprintf("quality=%g base", float64(s%4)/10)
	}
	delete(f.files, "gid3-9-large.json")
	f.files["gid5-25-small.json"] = "nothing"
	return f
}

// textOf is everything that a result holds, as text.
func textOf(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
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

// analyzed is the result of a run of fake cases.
func analyzed(t *testing.T, f *fakeRun, change ...func(*Options)) *Result {
	t.Helper()
	o := Options{Settings: &Settings{Definition: DefinitionDefault, Seed: 42}, Kinds: fakeKinds(), Intervals: true, Family: "metric"}
	for _, c := range change {
		c(&o)
	}
	r, err := Analyze(t.Context(), f.Input, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// numberOf is that of a key of a model.
func numberOf(t *testing.T, r *Result, model, key string) *Number {
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
