// Tests that any split of levels and draws gives the same bytes.

package robustness

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/latent"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

func TestWork(t *testing.T) {
	t.Parallel()
	open := func(levels ...float64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			states := greys(60, []int{4, 4}, 0, 255)
			work, err := Work(Input{
				States: states, PixelRange: dataset.PixelRange{High: 255},
				Models: []Encoder{linear("identity", states, identity(16)), linear("two", states, identity(16)[:32]), linear("collapsed", states, make([]float32, 16))},
			}, Options{Levels: levels, Draws: 3, Settings: analysis.Settings{Intervals: true, Seed: 3}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	if units := open(0, 0.1)().Units; units != 6 {
		t.Fatalf("%d units, want 6", units)
	}
	shardtest.Check(t, open(0, 0.1), asText(t), open(0, 0.2))
}

// asText is everything that a result holds.
func asText(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		t.Helper()
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Models {
			if err := report.Encode(&out, []any{m, m.Distances}); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
}

// A study remembers movements by the content of encoders: renamed ones and those beside a new one are not encoded
// again.
func TestMemory(t *testing.T) {
	t.Parallel()
	states := greys(60, []int{4, 4}, 0, 255)
	encoder := func(name, content string, matrix []float32, forbidden bool) Encoder {
		e := linear(name, states, matrix)
		e.Content = content
		if forbidden {
			inner, calls := e.Encode, 0
			e.Encode = func(ctx context.Context, s latent.Source) (points.Points, error) {
				if calls++; calls > 6 { // those of the run without a memory
					t.Errorf("%s is encoded again", name)
				}
				return inner(ctx, s)
			}
		}
		return e
	}
	open := func(levels []float64, models ...Encoder) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{States: named{states}, PixelRange: dataset.PixelRange{High: 255}, Models: models},
				Options{Levels: levels, Draws: 3, Settings: analysis.Settings{Intervals: true, Seed: 3}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	before := open([]float64{0.1, 0.2}, encoder("a", "1", identity(16), false), encoder("b", "2", identity(16)[:32], false),
		encoder("collapsed", "3", make([]float32, 16), false))
	// Equal clean latents of another encoder are no reason to take its movements, nor is an encoder that is not known.
	after := open([]float64{0.1, 0.2}, encoder("renamed", "2", identity(16)[:32], true), encoder("new", "4", identity(16)[:48], false),
		encoder("a", "1", identity(16), true), encoder("twin", "5", identity(16), false), encoder("unknown", "", identity(16), false))
	shardtest.CheckMemory(t, before, after, asText(t), 2*6, 2*6)
	// Levels are remembered one by one.
	shardtest.CheckMemory(t, before, open([]float64{0.1, 0.3}, encoder("a", "1", identity(16), false)), asText(t), 3, 3)
}

// named are states whose content is known.
type named struct{ *memory }

func (named) Fingerprint() (string, error) { return "greys", nil }

// An encoder that fails on what noise makes of a state is left out with the reason, and the
// other is what it is alone; in any split, too. Where every encoder fails it is an error.
func TestFailingEncoder(t *testing.T) {
	t.Parallel()
	states := greys(60, []int{4, 4}, 0, 255)
	good, bad := linear("good", states, identity(16)), linear("bad", states, identity(16))
	whole := bad.Encode
	bad.Encode = func(ctx context.Context, s latent.Source) (points.Points, error) {
		z, err := whole(ctx, s)
		if err == nil && slices.Max(z.F32) >= 254.9 { // no clean state is so bright
			err = errors.New("state 7: latent element 2 is NaN")
		}
		return z, err
	}
	o := Options{Levels: []float64{0, 0.2, 0.5}, Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Length: 6}}}
	in := Input{States: states, PixelRange: dataset.PixelRange{High: 255}, Models: []Encoder{bad, good}}
	both, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	want := report.Unmeasured{Name: "bad", Reason: "corrupted states at level 0.2: state 7: latent element 2 is NaN"}
	if len(both.Unmeasured) != 1 || both.Unmeasured[0] != want {
		t.Errorf("not measured: %v, want %v", both.Unmeasured, want)
	}
	in.Models = []Encoder{good}
	alone, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	both.Unmeasured = nil
	if !bytes.Equal(asText(t)(both), asText(t)(alone)) {
		t.Error("an encoder that fails changes another")
	}
	in.Models = []Encoder{bad}
	if _, err := Analyze(t.Context(), in, o); err == nil || err.Error() != want.Reason {
		t.Errorf("every encoder fails: %v", err)
	}
	in.Models = []Encoder{bad, good}
	shardtest.Check(t, func() shard.Work[*Part, *Result] {
		work, err := Work(in, o)
		if err != nil {
			t.Fatal(err)
		}
		return work
	}, asText(t), nil)
}
