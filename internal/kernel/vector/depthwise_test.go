// Tests of depthwise convolutions.

package vector

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDepthwise compares lines of any number of pixels, channels and taps, and what follows, with the literal loop.
func TestDepthwise(t *testing.T) {
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		rapid.Check(t, func(t *rapid.T) {
			draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
			each := 1 << draw("each", 0, 3)
			channels, pixels, count := each*draw("groups", 1, 70/each), draw("pixels", 1, 40), draw("taps", 1, 12)
			from, to := draw("from", 0, 2*channels), channels+draw("apart", 0, 5)
			seed := draw("seed", 1, 1000)
			values := func(n int) []float32 {
				x := make([]float32, n)
				for i := range x {
					seed = seed * 48271 % 2147483647
					x[i] = float32(seed%2001-1000) / 512
				}
				return x
			}
			d := &Depthwise{Channels: channels, Each: each, Weights: values(each*channels*count + 7), Cut: rapid.Bool().Draw(t, "cut"), Low: -0.5, High: 1.25}
			if rapid.Bool().Draw(t, "bias") {
				d.Bias = values(channels)
			}
			taps := make([]Tap, count)
			for i := range taps {
				if i > 0 {
					taps[i].Source = taps[i-1].Source + draw("step", 0, 2*channels)
				}
				taps[i].Weights = draw("weights", 0, each*channels*(count-1)+7)
			}
			src := values((pixels-1)*from + taps[count-1].Source + channels)
			if draw("special", 0, 3) == 0 {
				src[draw("place", 0, len(src)-1)] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[draw("what", 0, 2)]
			}
			got := slices.Repeat([]float32{7}, (pixels-1)*to+channels)
			want := slices.Clone(got)
			d.Line(got, to, src, from, pixels, taps)
			d.generic(want, to, src, from, pixels, taps)
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("element %d is %g, want %g", i, got[i], want[i])
				}
			}
		})
	}
}

func TestDepthwiseAllocatesNothing(t *testing.T) {
	d := &Depthwise{Channels: 24, Each: 1, Weights: make([]float32, 72)}
	src, dst, taps := make([]float32, 24*12), make([]float32, 24*10), []Tap{{0, 0}, {24, 24}, {48, 48}}
	if n := testing.AllocsPerRun(10, func() { d.Line(dst, 24, src, 24, 10, taps) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
