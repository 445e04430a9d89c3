// What a convolution of one channel per group computes, and what follows a product.

package vector

import "repscope/internal/kernel"

// FinishRows adds bias to rows of cols elements that begin stride apart in c, and, unless it is nil, the same part of
// other; with relu, negative results become 0. A NaN stays.
func FinishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	finishRows(c, bias, other, stride, cols, rows, relu)
}

// finishRowsGeneric adds bias and, if it is not nil, other to rows of a matrix.
func finishRowsGeneric(c, bias, other []float32, stride, cols, rows int, relu bool) {
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		for j, b := range bias[:cols] {
			v := row[j] + b
			if other != nil {
				v += other[i*stride+j]
			}
			if relu && v < 0 {
				v = 0
			}
			row[j] = v
		}
	}
}

// Depthwise writes a convolution of one channel per group: channel c of pixel i, dst[i·channels+c], is
//
//	Σ_p src[bases[i]+offsets[p]+c]·weights[p·channels+c]
//
// over the positions p in order with fused multiply-add, as a matrix product of each channel's patch would
// add them. offsets and bases ascend.
func Depthwise(dst, src, weights []float32, offsets, bases []int, channels int) {
	depthwise(dst, src, weights, offsets, bases, channels)
}

func depthwiseGeneric(dst, src, weights []float32, offsets, bases []int, channels int) {
	for i, base := range bases {
		pixel := dst[i*channels : (i+1)*channels]
		for c := range pixel {
			var sum float32
			for p, at := range offsets {
				sum = kernel.FMA(src[base+at+c], weights[p*channels+c], sum)
			}
			pixel[c] = sum
		}
	}
}
