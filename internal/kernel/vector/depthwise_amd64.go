//go:build amd64 && !noasm

// Depthwise convolutions with vectors.

package vector

// A depthwiseCall is what the assembly is told; it knows the fields by their offsets.
type depthwiseCall struct {
	dst, src, weights *float32
	taps              *Tap
	bias              *float32
	count, groups     int // taps, groups of 16 channels
	to, from          int
	low, high         float32
	flags             uint64
}

// What a depthwiseCall asks for.
const (
	depthwiseBias = 1 << iota
	depthwiseCut
)

// depthwiseMost is the number of pixels that the assembly takes together.
const depthwiseMost = 8

func (d *Depthwise) line(dst []float32, to int, src []float32, from, pixels int, taps []Tap) {
	if !useAVX2 || d.Channels < Lanes {
		d.generic(dst, to, src, from, pixels, taps)
		return
	}
	for _, t := range taps {
		_ = d.Weights[t.Weights+d.Channels-1]
	}
	call := depthwiseCall{taps: &taps[0], count: len(taps), to: to, from: from, low: d.Low, high: d.High}
	if d.Bias != nil {
		call.flags |= depthwiseBias
	}
	if d.Cut {
		call.flags |= depthwiseCut
	}
	at := func(channel, groups, pixel int) {
		call.groups = groups
		call.dst, call.src, call.weights = &dst[pixel*to+channel], &src[pixel*from+channel], &d.Weights[channel]
		if d.Bias != nil {
			call.bias = &d.Bias[channel]
		}
	}
	// Blocks of equal length.
	for blocks, done := (pixels+depthwiseMost-1)/depthwiseMost, 0; blocks > 0; blocks-- {
		n := (pixels - done + blocks - 1) / blocks
		at(0, d.Channels/Lanes, done)
		call.run(n)
		if d.Channels%Lanes != 0 {
			at(d.Channels-Lanes, 1, done) // some are computed again
			call.run(n)
		}
		done += n
	}
}

// run computes a number of pixels. It calls by name, so that the call stays on the stack.
func (c *depthwiseCall) run(pixels int) {
	if useAVX512 {
		switch pixels {
		case 1:
			depthwise1AVX512(c)
		case 2:
			depthwise2AVX512(c)
		case 3:
			depthwise3AVX512(c)
		case 4:
			depthwise4AVX512(c)
		case 5:
			depthwise5AVX512(c)
		case 6:
			depthwise6AVX512(c)
		case 7:
			depthwise7AVX512(c)
		case 8:
			depthwise8AVX512(c)
		}
		return
	}
	switch pixels {
	case 1:
		depthwise1AVX2(c)
	case 2:
		depthwise2AVX2(c)
	case 3:
		depthwise3AVX2(c)
	case 4:
		depthwise4AVX2(c)
	case 5:
		depthwise5AVX2(c)
	case 6:
		depthwise6AVX2(c)
	case 7:
		depthwise7AVX2(c)
	case 8:
		depthwise8AVX2(c)
	}
}

func prefetch(src []float32) { prefetchAsm(&src[0], (len(src)+15)/16) }
