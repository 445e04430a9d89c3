// Tests of depthwise convolutions of bytes.

package vector

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestByteDepthwise compares lines of any number of pixels, channels and taps with the literal loop over rows of
// bytes, and nothing else is written.
func TestByteDepthwise(t *testing.T) {
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		rapid.Check(t, func(t *rapid.T) {
			draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
			channels, pixels, count := draw("channels", 1, 70), draw("pixels", 1, 40), draw("taps", 1, 12)
			from, to, seed := draw("from", 0, 2*channels), channels+draw("apart", 0, 5), draw("seed", 1, 1000)
			next := func() uint32 {
				seed = seed * 48271 % 2147483647
				return uint32(seed)
			}
			d := &ByteDepthwise{Channels: channels, Weights: make([]uint32, channels*count+7), Terms: make([]int32, channels)}
			for i := range d.Weights {
				d.Weights[i] = next()<<16 ^ next()
				if next()%4 == 0 {
					d.Weights[i] = 0x7f80807f
				}
			}
			for i := range d.Terms {
				d.Terms[i] = int32(next()%100000) - 50000
			}
			taps := make([]Tap, count)
			for i := range taps {
				if i > 0 {
					taps[i].Source = taps[i-1].Source + draw("step", 0, 2*channels)
				}
				taps[i].Weights = draw("weights", 0, channels*(count-1)+7)
			}
			n := (pixels-1)*from + taps[count-1].Source + channels
			rows := randomRows(n, next)
			src := make([]uint8, Quad*n+1)
			src[Quad*n] = 77
			Interleave(src, &rows)
			if src[Quad*n] != 77 {
				t.Fatal("written behind the quads")
			}
			got := slices.Repeat([]float32{7}, (pixels-1)*to+channels)
			want := slices.Clone(got)
			d.Line(got, to, src[:Quad*n], from, pixels, taps)
			for i := range pixels {
				for c := range channels {
					sum := int64(d.Terms[c])
					for _, tap := range taps {
						for k, row := range rows {
							sum += int64(row[i*from+tap.Source+c]) * int64(int8(d.Weights[tap.Weights+c]>>(8*k)))
						}
					}
					want[i*to+c] = float32(sum)
				}
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("element %d is %g, want %g", i, got[i], want[i])
				}
			}
		})
	}
}

// randomRows are rows of n bytes, many of them 255.
func randomRows(n int, next func() uint32) (rows [Quad][]uint8) {
	for k := range rows {
		rows[k] = make([]uint8, n)
		for i := range rows[k] {
			rows[k][i] = uint8(next())
			if next()%4 == 0 {
				rows[k][i] = 255
			}
		}
	}
	return rows
}

func TestByteDepthwiseAllocatesNothing(t *testing.T) {
	d := &ByteDepthwise{Channels: 24, Weights: make([]uint32, 72), Terms: make([]int32, 24)}
	src, dst, taps := make([]uint8, Quad*24*12), make([]float32, 24*10), []Tap{{0, 0}, {24, 24}, {48, 48}}
	rows := [Quad][]uint8{make([]uint8, 24*12), make([]uint8, 24*12), make([]uint8, 24*12), make([]uint8, 24*12)}
	if n := testing.AllocsPerRun(10, func() {
		Interleave(src, &rows)
		d.Line(dst, 24, src, 24, 10, taps)
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
