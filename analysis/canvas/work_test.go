// Tests that any split of the work, and any number of workers, gives the same bytes.

package canvas_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/shard"
	"repscope/shard/shardtest"
)

func TestAnySplit(t *testing.T) {
	t.Parallel()
	open := func(seed uint64) func() shard.Work[*canvas.Part, *canvas.Result] {
		return func() shard.Work[*canvas.Part, *canvas.Result] {
			w, err := canvas.Work(faketest.Tree().Input, canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: seed},
				Kinds: faketest.Kinds(), Settings: analysis.Settings{Intervals: true, Family: "metric"}})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	shardtest.Check(t, open(42), faketest.TextOf(t), open(43))
}

// Workers change no byte, and neither does taking rows of an earlier run.
func TestWorkers(t *testing.T) {
	t.Parallel()
	var want []byte
	stored := map[int]*canvas.CaseRow{}
	for i, workers := range []int{1, 3, 8} {
		o := canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Reports: true}, Kinds: faketest.Kinds(), Workers: workers, Settings: analysis.Settings{Intervals: true}}
		done := map[int]*canvas.CaseRow{}
		o.Done = func(i int, row *canvas.CaseRow) error {
			if row.Row.Values["quality"].Defined() != (row.Row.Reports["quality.json"] != nil) || row.Base != nil && len(row.Base.Reports) > 0 {
				t.Errorf("%s: reports %v", row.Case.ID, row.Row.Reports)
			}
			done[i] = row
			return nil
		}
		if i == 2 {
			o.Kinds = faketest.Kinds()
			o.Kinds[0].Score = func(*canvas.Pair, *canvas.Row) error { return errors.New("what is known is computed again") }
			o.Known = func(i int, base bool) map[string]*canvas.Row {
				row := stored[i].Row
				if base {
					row = stored[i].Base
				}
				of := canvas.NewRow()
				for _, key := range []string{"quality", "size"} {
					of.Values[key] = row.Values[key]
				}
				of.Details, of.Reports, of.Failures = row.Details, row.Reports, row.Failures
				return map[string]*canvas.Row{"quality": of}
			}
		}
		r, err := canvas.Analyze(t.Context(), faketest.Tree().Input, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(done) != len(r.Rows) {
			t.Errorf("%d rows were told, want %d", len(done), len(r.Rows))
		}
		stored = done
		if got := faketest.TextOf(t)(r); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

// A case whose file cannot be read counts as failed, one without an input does not, and the
// others go on.
func TestFailedCases(t *testing.T) {
	t.Parallel()
	r, err := canvas.Analyze(t.Context(), faketest.Tree().Input, canvas.Options{Setting: &canvas.Setting{}, Kinds: faketest.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, row := range r.Rows {
		for _, f := range row.Row.Failures {
			failed = append(failed, row.Case.ID+": "+f)
		}
		if row.Base == nil || !row.Base.Values["quality"].Defined() {
			t.Errorf("%s: the design that it began with has no numbers", row.Case.ID)
		}
		if _, ok := row.Base.Values["calls"]; ok {
			t.Errorf("%s: the design that it began with has a trace", row.Case.ID)
		}
	}
	want := []string{"gid3-9-large: gid3-9-large.json: no such file", "gid5-25-small: gid5-25-small.json: want quality=…"}
	if !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
	if v := r.Rows[10].Row.Values["double"]; v.Reason != "quality: gid3-9-large.json: no such file" {
		t.Errorf("what is made of other numbers: %+v", v)
	}
}

// Cases of a sample whose base cannot be read have their numbers, no improvements, and count as failed.
func TestFailedBase(t *testing.T) {
	t.Parallel()
	f := faketest.Tree()
	delete(f.Files, "gid4-16-base.json")
	r, err := canvas.Analyze(t.Context(), f.Input, canvas.Options{Setting: &canvas.Setting{}, Kinds: faketest.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Case.Sample != "gid4-16" {
			continue
		}
		if !slices.Equal(row.Row.Failures, []string{"gid4-16-base.json: no such file"}) || !row.Row.Values["quality"].Defined() {
			t.Errorf("%s: failures %q", row.Case.ID, row.Row.Failures)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	twice := faketest.Tree()
	twice.Cases[4].ID = twice.Cases[3].ID
	for want, in := range map[string]canvas.Input{
		"no cases to score":             {},
		"two cases are named gid1-1-sm": twice.Input,
	} {
		_, err := canvas.Analyze(t.Context(), in, canvas.Options{Setting: &canvas.Setting{}, Kinds: faketest.Kinds()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	o := canvas.Options{Setting: &canvas.Setting{}, Kinds: faketest.Kinds(), Done: func(int, *canvas.CaseRow) error { return errors.New("the disk is full") }}
	if _, err := canvas.Analyze(t.Context(), faketest.Tree().Input, o); err == nil || err.Error() != "the disk is full" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Done = nil
	if _, err := canvas.Analyze(ctx, faketest.Tree().Input, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	o.Kinds[1].Score = func(_ *canvas.Pair, row *canvas.Row) error { row.Set("other", 1); return nil }
	if _, err := canvas.Analyze(t.Context(), faketest.Tree().Input, o); err == nil || !strings.Contains(err.Error(),
		"no metric describes other") {
		t.Errorf("error %v", err)
	}
}

// A study remembers the rows of cases by the content of their files: beside a new model nothing is scored again but
// what failed and what has other files.
func TestMemory(t *testing.T) {
	t.Parallel()
	open := func(threshold uint64, change func(f *faketest.Run)) func() shard.Work[*canvas.Part, *canvas.Result] {
		return func() shard.Work[*canvas.Part, *canvas.Result] {
			f := faketest.Tree()
			change(f)
			done := 0
			w, err := canvas.Work(f.Input, canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: threshold}, Kinds: faketest.Kinds(), Settings: analysis.Settings{Intervals: true},
				Done: func(int, *canvas.CaseRow) error { done++; return nil }})
			if err != nil {
				t.Fatal(err)
			}
			merge := w.Merge
			w.Merge = func(ctx context.Context, parts []*canvas.Part) (*canvas.Result, error) {
				if done != len(f.Cases) {
					t.Errorf("%d of %d cases were told", done, len(f.Cases))
				}
				return merge(ctx, parts)
			}
			return w
		}
	}
	fewer := func(f *faketest.Run) {
		f.Cases = slices.DeleteFunc(f.Cases, func(c canvas.Case) bool { return c.Model == "largest" })
	}
	// Of 18 cases one has no file and one another text, which cannot be read.
	shardtest.CheckMemory(t, open(1, fewer), open(1, func(*faketest.Run) {}), faketest.TextOf(t), 16, 9)
	shardtest.CheckMemory(t, open(1, fewer), open(2, fewer), faketest.TextOf(t), 0, 16)
	shardtest.CheckMemory(t, open(1, fewer), open(1, func(f *faketest.Run) {
		fewer(f)
		f.Files["gid0-0-small.json"] = "quality=0.5 changed"
	}), faketest.TextOf(t), 15, 1)
}
