// Tests that any split of the states gives the same bytes.

package neighborhood

import (
	"bytes"
	"testing"

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
		open := func(k int) func() shard.Work[*neighbors.Partial, *Result] {
			return func() shard.Work[*neighbors.Partial, *Result] {
				work, err := Work(in, Options{K: []int{k}, Intervals: true, PerPoint: true, Permutations: 1, ExcludeWindow: 2, Seed: 5})
				if err != nil {
					t.Fatal(err)
				}
				return work
			}
		}
		text := func(r *Result) []byte {
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
		t.Run(name, func(t *testing.T) { shardtest.Check(t, open(10), text, open(20)) })
	}
	if _, err := Work(Input{Frames: frames, Models: []Encoded{{Name: "same", Latents: frames}}}, Options{Approximate: true}); err == nil {
		t.Error("a sample divided into units: no error")
	}
}
