// Poolings of images with channels last.

package vector

import "math"

// MaxWindows writes the greatest elements of windows, channel by channel: channel c of pixel i, dst[i·channels+c], is
//
//	max_p src[i·step+offsets[p]+c]
//
// over the positions p in order; the last NaN wins, and without positions it is −Inf. offsets ascend.
func MaxWindows(dst, src []float32, offsets []int, channels, step, pixels int) {
	maxWindows(dst, src, offsets, channels, step, pixels)
}

// MaxWindowsBytes is [MaxWindows] for bytes and at least one position.
func MaxWindowsBytes(dst, src []uint8, offsets []int, channels, step, pixels int) {
	maxWindowsBytes(dst, src, offsets, channels, step, pixels)
}

func maxWindowsBytesGeneric(dst, src []uint8, offsets []int, channels, step, pixels int) {
	for i := range pixels {
		pixel := dst[i*channels : (i+1)*channels]
		for c := range pixel {
			top := uint8(0)
			for _, at := range offsets {
				top = max(top, src[i*step+at+c])
			}
			pixel[c] = top
		}
	}
}

// MeanWindows writes sums over windows, taken in float64 over the positions in order, divided by count and rounded
// once: channel c of pixel i is Σ_p src[i·step+offsets[p]+c] / count. offsets ascend.
func MeanWindows(dst, src []float32, offsets []int, channels, step, pixels int, count float64) {
	meanWindows(dst, src, offsets, channels, step, pixels, count)
}

func maxWindowsGeneric(dst, src []float32, offsets []int, channels, step, pixels int) {
	for i := range pixels {
		pixel := dst[i*channels : (i+1)*channels]
		for c := range pixel {
			top := float32(math.Inf(-1))
			for _, offset := range offsets {
				if v := src[i*step+offset+c]; v > top || v != v {
					top = v
				}
			}
			pixel[c] = top
		}
	}
}

func meanWindowsGeneric(dst, src []float32, offsets []int, channels, step, pixels int, count float64) {
	for i := range pixels {
		pixel := dst[i*channels : (i+1)*channels]
		for c := range pixel {
			sum := 0.0
			for _, at := range offsets {
				sum += float64(src[i*step+at+c])
			}
			pixel[c] = float32(sum / count)
		}
	}
}
