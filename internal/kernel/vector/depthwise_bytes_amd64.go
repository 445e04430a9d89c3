//go:build amd64 && !noasm

// Depthwise convolutions of bytes with vectors.

package vector

import "golang.org/x/sys/cpu"

// A dotsCall holds the arguments of the assembly, which knows the fields by their offsets.
type dotsCall struct {
	dst           *float32
	src           *uint8
	weights       *uint32
	taps          *Tap
	terms         *int32
	count, groups int // taps, groups of 16 channels
	to, from      int
}

// useVNNI says that AVX-512 multiplies four bytes at a time.
var useVNNI = cpu.X86.HasAVX512VNNI

// interleave is interleaveGeneric, to which it leaves short rows.
func interleave(dst, a, b, c, d []uint8) {
	n, block := len(a), 2*Lanes
	if useAVX512 {
		block = 4 * Lanes
	}
	if !useAVX2 || n < block {
		interleaveGeneric(dst, a, b, c, d)
		return
	}
	part := func(offset, n int) {
		if useAVX512 {
			interleaveAVX512(&dst[Quad*offset], &a[offset], &b[offset], &c[offset], &d[offset], n)
		} else {
			interleaveAVX2(&dst[Quad*offset], &a[offset], &b[offset], &c[offset], &d[offset], n)
		}
	}
	part(0, n/block*block)
	if n%block != 0 {
		part(n-block, block) // some again
	}
}

func (d *ByteDepthwise) line(dst []float32, to int, src []uint8, from, pixels int, taps []Tap) {
	if !useAVX2 || d.Channels < Lanes {
		d.generic(dst, to, src, from, pixels, taps)
		return
	}
	call := dotsCall{taps: &taps[0], count: len(taps), to: to, from: from}
	run := func(channel, groups, pixel, n int) {
		call.groups = groups
		call.dst, call.src = &dst[pixel*to+channel], &src[Quad*(pixel*from+channel)]
		call.weights, call.terms = &d.Weights[channel], &d.Terms[channel]
		call.run(n)
	}
	for done := 0; done < pixels; {
		blocks := (pixels - done + depthwiseMost - 1) / depthwiseMost
		n := (pixels - done + blocks - 1) / blocks // blocks of equal length
		run(0, d.Channels/Lanes, done, n)
		if d.Channels%Lanes != 0 {
			run(d.Channels-Lanes, 1, done, n) // some are computed again
		}
		done += n
	}
}

// run computes a number of pixels. It calls by name, so that the call stays on the stack.
func (c *dotsCall) run(pixels int) {
	if !useAVX512 || !useVNNI {
		c.runAVX2(pixels)
		return
	}
	switch pixels {
	case 1:
		dots1AVX512(c)
	case 2:
		dots2AVX512(c)
	case 3:
		dots3AVX512(c)
	case 4:
		dots4AVX512(c)
	case 5:
		dots5AVX512(c)
	case 6:
		dots6AVX512(c)
	case 7:
		dots7AVX512(c)
	case 8:
		dots8AVX512(c)
	}
}

func (c *dotsCall) runAVX2(pixels int) {
	switch pixels {
	case 1:
		dots1AVX2(c)
	case 2:
		dots2AVX2(c)
	case 3:
		dots3AVX2(c)
	case 4:
		dots4AVX2(c)
	case 5:
		dots5AVX2(c)
	case 6:
		dots6AVX2(c)
	case 7:
		dots7AVX2(c)
	case 8:
		dots8AVX2(c)
	}
}
