//go:build amd64 && !noasm

// Depthwise convolutions with vectors.

package vector

// A depthwiseCall holds the arguments of the assembly, which knows the fields by their offsets.
type depthwiseCall struct {
	dst, src, weights *float32
	taps              *Tap
	bias              *float32
	count, groups     int // taps, groups of 16 channels
	to, from          int
	low, high         float32
	flags             uint64
	channels          int // from the weights of a channel of a group to the next channel's
}

// The flags of a depthwiseCall.
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
		_ = d.Weights[t.Weights+d.Each*d.Channels-1]
	}
	call := depthwiseCall{taps: &taps[0], count: len(taps), to: to, from: from, low: d.Low, high: d.High, channels: d.Channels}
	if d.Bias != nil {
		call.flags |= depthwiseBias
	}
	if d.Cut {
		call.flags |= depthwiseCut
	}
	run := func(channel, groups, pixel, n int) {
		call.groups = groups
		call.dst, call.src, call.weights = &dst[pixel*to+channel], &src[pixel*from+channel], &d.Weights[channel]
		if d.Bias != nil {
			call.bias = &d.Bias[channel]
		}
		if d.Each == 1 {
			call.run(n)
		} else {
			call.grouped(d.Each, n)
		}
	}
	for done := 0; done < pixels; {
		first, n := done, 0
		if d.Each == 1 {
			blocks := (pixels - done + depthwiseMost - 1) / depthwiseMost
			n = (pixels - done + blocks - 1) / blocks // blocks of equal length
		} else {
			first, n = groupedBlock(done, pixels)
		}
		run(0, d.Channels/Lanes, first, n)
		if d.Channels%Lanes != 0 {
			run(d.Channels-Lanes, 1, first, n) // some are computed again
		}
		done = first + n
	}
}

// groupedBlock is the next block of pixels, a power of two of them, when done are computed; it may have some of these
// again.
func groupedBlock(done, pixels int) (first, n int) {
	rest := pixels - done
	n = depthwiseMost
	for n > 1 && n/2 >= rest || n > pixels {
		n /= 2
	}
	return min(done, pixels-n), n
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
