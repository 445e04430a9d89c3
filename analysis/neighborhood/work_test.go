// Tests that any split of the states gives the same bytes.

package neighborhood

import (
	"bytes"
	"testing"

	"repscope/analysis"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

func TestWork(t *testing.T) {
	t.Parallel()
	const n = 520
	frames := walk(n, 6, 3)
	pixels := make([]uint8, n*6)
	for i, v := range frames.F64 {
		pixels[i] = uint8(int(v*4) & 0xff)
	}
	for name, original := range map[string]points.Points{"float64": frames, "uint8": points.Uint8(pixels, 6)} {
		episode := make([]int, n)
		for i := range episode {
			episode[i] = i / 60
		}
		in := Input{Frames: original, Episode: episode, Models: []Encoded{
			{Name: "noisy", Latents: noisy(frames, 1, 4)}, {Name: "collapsed", Latents: points.Float32(make([]float32, n), 1)},
		}}
		open := func(k int) func() shard.Work[*Part, *Result] {
			return func() shard.Work[*Part, *Result] {
				work, err := Work(in, Options{K: []int{k}, Settings: analysis.Settings{Intervals: true, Seed: 5}, PerPoint: true, Permutations: 1, ExcludeWindow: 2})
				if err != nil {
					t.Fatal(err)
				}
				return work
			}
		}
		t.Run(name, func(t *testing.T) { shardtest.Check(t, open(10), resultText(t), open(20)) })
	}
	if _, err := Work(Input{Frames: frames, Models: []Encoded{{Name: "same", Latents: frames}}}, Options{Approximate: true}); err == nil {
		t.Error("a sample divided into units: no error")
	}
}

// A study remembers the sums of models by their content: of renamed ones, of those beside a new one and of ranges of
// a task nothing is ranked again. In every field, counts of comparisons and penalties of states too, the result is
// that without a memory.
func TestMemory(t *testing.T) {
	t.Parallel()
	const n = 300
	frames := walk(n, 6, 3)
	pixels := make([]uint8, n*6)
	rounded := make([]float32, n*6)
	episode := make([]int, n)
	for i, v := range frames.F64 {
		pixels[i], rounded[i] = uint8(int(v*4)&0xff), float32(int(v)) // with ties
		episode[i/6] = i / 6 / 30
	}
	collapsed := points.Float32(make([]float32, n), 1)
	for name, c := range map[string]struct {
		frames  points.Points
		options Options
		kept    bool
	}{
		"float64, permutations":  {frames, Options{Permutations: 2, PerPoint: true}, true},
		"uint8, excluded window": {points.Uint8(pixels, 6), Options{Permutations: 1, ExcludeWindow: 2}, true},
		"float32, ties":          {points.Float32(rounded, 6), Options{Permutations: 2, CoRanking: neighbors.CoRankingOff}, true},
		"order of the states":    {points.Float32(rounded, 6), Options{Ties: neighbors.TiesIndex, PerPoint: true}, true},
		"random order":           {points.Float32(rounded, 6), Options{Ties: neighbors.TiesRandom}, false},
	} {
		open := func(k int, models ...Encoded) func() shard.Work[*Part, *Result] {
			return func() shard.Work[*Part, *Result] {
				o := c.options
				o.K, o.Intervals, o.Seed, o.Threads = []int{k}, true, 5, 3
				work, err := Work(Input{Frames: c.frames, Episode: episode, Models: models}, o)
				if err != nil {
					t.Fatal(err)
				}
				return work
			}
		}
		one, two, three := noisy(frames, 1, 4), noisy(frames, 2, 5), noisy(frames, 3, 6)
		before := open(10, Encoded{Name: "one", Latents: one}, Encoded{Name: "collapsed", Latents: collapsed}, Encoded{Name: "two", Latents: two})
		models := []Encoded{{Name: "renamed", Latents: two}, {Name: "new", Latents: three}, {Name: "one", Latents: one}, {Name: "dead", Latents: collapsed}}
		taken, computed := 2, 1
		if !c.kept {
			taken, computed = 0, 0 // nothing is remembered
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shardtest.CheckMemory(t, before, open(10, models...), resultText(t), taken, computed)
			if testing.Short() {
				return // the others run the same goroutines
			}
			shardtest.CheckMemory(t, before, open(11, models...), resultText(t), 0, taken+computed)
			shardtest.CheckMemory(t, before, open(10, models[:1]...), resultText(t), min(taken, 1), 0)
		})
	}
}

// The parts of tasks are remembered by their ranges of states.
func TestMemory_Tasks(t *testing.T) {
	t.Parallel()
	const n = 520
	frames := walk(n, 6, 3)
	open := func(models ...Encoded) shard.Work[*Part, *Result] {
		work, err := Work(Input{Frames: frames, Models: models}, Options{K: []int{5}, Settings: analysis.Settings{Seed: 5}, Permutations: 1})
		if err != nil {
			t.Fatal(err)
		}
		return work
	}
	a, b := Encoded{Name: "a", Latents: noisy(frames, 1, 4)}, Encoded{Name: "b", Latents: noisy(frames, 2, 5)}
	memory := &shard.Memory{Dir: t.TempDir()}
	for _, step := range []struct {
		models          []Encoded
		computed, taken int
	}{{[]Encoded{a}, 2, 0}, {[]Encoded{a, b}, 2, 2}, {[]Encoded{b, a}, 0, 4}} {
		computedBefore, takenBefore := memory.Counts()
		var states []*shard.State
		for _, r := range []shard.Range{{Lo: 1, Hi: 3}, {Lo: 0, Hi: 1}} {
			state, err := open(step.models...).Compute(memory.In(t.Context()), r)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, state)
		}
		got, err := open(step.models...).MergeStates(t.Context(), states...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := open(step.models...).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text := resultText(t); !bytes.Equal(text(got), text(want)) {
			t.Errorf("%d models: another result than without a memory", len(step.models))
		}
		computed, taken := memory.Counts()
		if computed, taken = computed-computedBefore, taken-takenBefore; computed != step.computed || taken != step.taken {
			t.Errorf("%d models: %d parts computed and %d taken, want %d and %d", len(step.models), computed, taken, step.computed, step.taken)
		}
	}
}

// resultText returns the bytes of a result, with the scores of states.
func resultText(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for i := range r.Models {
			for q := range r.Models[i].ByK {
				trust, cont := r.Models[i].PointScores(q)
				if err := report.Encode(&out, []any{trust, cont}); err != nil {
					t.Fatal(err)
				}
			}
		}
		return out.Bytes()
	}
}
