// Convolutions of few channels per group.

package vector

import "repscope/internal/kernel"

// Tap is a position of a depthwise convolution's kernel: where a pixel's element for it begins, counted from that for
// the first position, and where the weights of its channels begin.
type Tap struct{ Source, Weights int }

// Depthwise is a convolution of few channels per group, and as many filters, over images with channels last, and its
// epilogue.
type Depthwise struct {
	Channels int
	// Each is the number of channels of a group, 1, 2, 4 or 8, which divides Channels.
	Each    int
	Weights []float32 // Channels of them for each tap and each channel of a group
	// Bias[c] is added to channel c unless Bias is nil; then, if Cut is set, values below Low become Low and values above
	// High become High. A NaN does not change.
	Bias      []float32
	Cut       bool
	Low, High float32
}

// Line computes evenly spaced pixels: element c of pixel i, dst[i·to+c], is
//
//	Σ_t Σ_j src[i·from+t.Source+g(c)+j]·Weights[t.Weights+j·Channels+c]
//
// over the taps in order, and the channels of a group, which begins at g(c), in order, with fused multiply-add, as a
// matrix product of each group's patch would add them. The sources of taps ascend from 0 on; a tap outside the image is
// omitted. At least one tap is needed.
func (d *Depthwise) Line(dst []float32, to int, src []float32, from, pixels int, taps []Tap) {
	if pixels == 0 || d.Channels == 0 {
		return
	}
	// The last elements that are read and written.
	_, _ = src[(pixels-1)*from+taps[len(taps)-1].Source+d.Channels-1], dst[(pixels-1)*to+d.Channels-1]
	if d.Bias != nil {
		_ = d.Bias[d.Channels-1]
	}
	d.line(dst, to, src, from, pixels, taps)
}

// generic is Line without vectors.
func (d *Depthwise) generic(dst []float32, to int, src []float32, from, pixels int, taps []Tap) {
	for i := range pixels {
		pixel := dst[i*to : i*to+d.Channels]
		for c := range pixel {
			var sum float32
			for _, t := range taps {
				group := src[i*from+t.Source+c/d.Each*d.Each:][:d.Each]
				for j, v := range group {
					sum = kernel.FMA(v, d.Weights[t.Weights+j*d.Channels+c], sum)
				}
			}
			if d.Bias != nil {
				sum += d.Bias[c]
			}
			if d.Cut && sum < d.Low {
				sum = d.Low
			}
			if d.Cut && sum > d.High {
				sum = d.High
			}
			pixel[c] = sum
		}
	}
}

// Prefetch prefetches a line of an image, which a kernel reads in an order that the processor cannot predict.
func Prefetch(src []float32) {
	if len(src) > 0 {
		prefetch(src)
	}
}
