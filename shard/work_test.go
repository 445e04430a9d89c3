// Tests of work in units: splits, orders, and states that do not belong together.

package shard_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
)

// sums is work whose units are numbers; the result is their sum in order.
func sums(data []float64, option string) shard.Work[[]float64, float64] {
	return shard.Work[[]float64, float64]{
		Units: len(data),
		Identity: func() shard.Identity {
			return shard.Identity{
				Analysis: "sum", Definition: 1,
				Inputs:  []shard.Field{{Name: "data", Value: shard.Digest(points.Float64(data, 1))}},
				Options: []shard.Field{shard.Option("rounding", option)},
			}
		},
		Map: func(_ context.Context, r shard.Range) ([]float64, error) {
			return slices.Clone(data[r.Lo:r.Hi]), nil
		},
		Merge: func(_ context.Context, parts [][]float64) (float64, error) {
			sum := 0.0
			for _, part := range parts {
				for _, v := range part {
					sum += v
				}
			}
			return sum, nil
		},
	}
}

func data(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sin(float64(i)) * math.Pow(10, float64(i%17))
	}
	return out
}

func TestWork(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 7, 40} {
		shardtest.Check(t,
			func() shard.Work[[]float64, float64] { return sums(data(n), "none") },
			func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) },
			func() shard.Work[[]float64, float64] { return sums(data(n+1), "none") })
	}
}

func TestDifferenceNamesBothSides(t *testing.T) {
	t.Parallel()
	base := shard.Identity{
		Analysis: "a", Definition: 1, Kernel: "kc=256", Units: 3,
		Inputs:  []shard.Field{{Name: "frames", Value: "00"}},
		Options: []shard.Field{shard.Option("k", []int{5, 10}), shard.Option("metric", "cosine")},
	}
	change := func(f func(*shard.Identity)) shard.Identity {
		other := base
		other.Inputs, other.Options = slices.Clone(base.Inputs), slices.Clone(base.Options)
		f(&other)
		return other
	}
	for want, other := range map[string]shard.Identity{
		"":                               change(func(*shard.Identity) {}),
		"analysis a vs b":                change(func(i *shard.Identity) { i.Analysis = "b" }),
		"definition 1 of a vs 2":         change(func(i *shard.Identity) { i.Definition = 2 }),
		`kernel "kc=256" vs ""`:          change(func(i *shard.Identity) { i.Kernel = "" }),
		"input frames = 00 vs 01":        change(func(i *shard.Identity) { i.Inputs[0].Value = "01" }),
		"option k = [5 10] vs [5 20]":    change(func(i *shard.Identity) { i.Options[0] = shard.Option("k", []int{5, 20}) }),
		"option metric = cosine vs none": change(func(i *shard.Identity) { i.Options = i.Options[:1] }),
		"no option seed vs 42":           change(func(i *shard.Identity) { i.Options = append(i.Options, shard.Option("seed", 42)) }),
		"options k, metric vs metric, k": change(func(i *shard.Identity) { slices.Reverse(i.Options) }),
		"3 units vs 4":                   change(func(i *shard.Identity) { i.Units = 4 }),
	} {
		if got := base.Difference(other); got != want {
			t.Errorf("difference %q, want %q", got, want)
		}
	}
}

func TestMergeNamesStates(t *testing.T) {
	t.Parallel()
	work := sums(data(10), "none")
	state := func(name string, ranges ...shard.Range) *shard.State {
		s, err := work.Compute(context.Background(), ranges...)
		if err != nil {
			t.Fatal(err)
		}
		s.Source = name
		return s
	}
	a, b, c := state("a.shard", shard.Range{Lo: 0, Hi: 4}), state("b.shard", shard.Range{Lo: 4, Hi: 5}), state("c.shard", shard.Range{Lo: 3, Hi: 10})
	for _, test := range []struct {
		want   string
		states []*shard.State
	}{
		{"units 3 to 9 of c.shard overlap units 0 to 3 of a.shard", []*shard.State{c, a}},
		{"units 5 to 9 are missing between unit 4 of b.shard and the end", []*shard.State{b, a}},
		{"units 0 to 2 are missing between the beginning and units 3 to 9 of c.shard", []*shard.State{c}},
		{"unit 4 is missing between units 0 to 3 of a.shard and units 5 to 9 of d.shard", []*shard.State{a, state("d.shard", shard.Range{Lo: 5, Hi: 10})}},
	} {
		if _, err := work.MergeStates(context.Background(), test.states...); err == nil || err.Error() != test.want {
			t.Errorf("error %v\nwant %s", err, test.want)
		}
	}
	other, err := sums(data(10), "up").Compute(context.Background(), shard.Range{Lo: 0, Hi: 10})
	if err != nil {
		t.Fatal(err)
	}
	other.Source = "other.shard"
	want := "other.shard belongs to a different run: option rounding = none vs up"
	if _, err := work.MergeStates(context.Background(), other); err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestComputeRefusesRanges(t *testing.T) {
	t.Parallel()
	work := sums(data(10), "none")
	for _, ranges := range [][]shard.Range{{{Lo: -1, Hi: 2}}, {{Lo: 3, Hi: 3}}, {{Lo: 8, Hi: 11}}, {{Lo: 0, Hi: 5}, {Lo: 4, Hi: 6}}} {
		if _, err := work.Compute(context.Background(), ranges...); err == nil {
			t.Errorf("ranges %v: no error", ranges)
		}
	}
	broken := work
	broken.Map = func(context.Context, shard.Range) ([]float64, error) { return nil, errors.New("no disk") }
	if _, err := broken.Compute(context.Background(), shard.Range{Lo: 0, Hi: 1}); err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("error %v, want Map's", err)
	}
}

func TestTask(t *testing.T) {
	t.Parallel()
	for units := range 20 {
		for n := 1; n < 7; n++ {
			seen := make([]int, units)
			for i := range n {
				for _, r := range shard.Task(i, n, units) {
					for u := r.Lo; u < r.Hi; u++ {
						seen[u]++
					}
				}
			}
			if slices.ContainsFunc(seen, func(v int) bool { return v != 1 }) {
				t.Errorf("%d tasks of %d units do them %v times", n, units, seen)
			}
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, digest := range map[string]string{
		"uint8":       shard.Digest(points.Uint8([]uint8{1, 2}, 2)),
		"other shape": shard.Digest(points.Uint8([]uint8{1, 2}, 1)),
		"float32":     shard.Digest(points.Float32([]float32{1, 2}, 2)),
		"float64":     shard.Digest(points.Float64([]float64{1, 2}, 2)),
		"no list":     shard.Digest(points.Float64([]float64{1, 2}, 2), nil),
		"empty list":  shard.Digest(points.Float64([]float64{1, 2}, 2), []int{}),
		"list":        shard.Digest(points.Float64([]float64{1, 2}, 2), []int{3}),
		"two lists":   shard.Digest(points.Float64([]float64{1, 2}, 2), []int{3}, nil),
	} {
		if other, ok := seen[digest]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[digest] = name
	}
	long := make([]float64, 100_000)
	if shard.Digest(points.Float64(long, 10)) != shard.Digest(points.Float64(slices.Clone(long), 10)) {
		t.Error("equal points have unlike digests")
	}
}

func ExampleWork_Run() {
	work := sums([]float64{1, 2, 3.5}, "none")
	first, _ := work.Compute(context.Background(), shard.Task(0, 2, 3)...)
	second, _ := work.Compute(context.Background(), shard.Task(1, 2, 3)...)
	whole, _ := work.Run(context.Background())
	merged, _ := work.MergeStates(context.Background(), second, first)
	fmt.Println(whole, merged)
	// Output: 6.5 6.5
}
