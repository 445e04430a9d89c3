// Depthwise convolutions of bytes, four positions of the kernel at a time.

package vector

// Quad is the number of positions whose bytes lie together.
const Quad = 4

// Interleave sets dst[Quad·i + k] = rows[k][i] for the elements of the first row; the others are as long.
func Interleave(dst []uint8, rows *[Quad][]uint8) {
	if n := len(rows[0]); n > 0 {
		interleave(dst[:Quad*n], rows[0], rows[1][:n], rows[2][:n], rows[3][:n])
	}
}

func interleaveGeneric(dst, a, b, c, d []uint8) {
	for i := range a {
		quad := dst[Quad*i : Quad*i+Quad]
		quad[0], quad[1], quad[2], quad[3] = a[i], b[i], c[i], d[i]
	}
}

// ByteDepthwise is a convolution of one channel per group over images with channels last, whose elements are the
// bytes of Quad positions of the kernel.
type ByteDepthwise struct {
	Channels int
	Weights  []uint32 // Channels of them for each tap: Quad signed bytes, the least significant one first
	Terms    []int32  // of each channel, which are added
}

// Line computes pixels that lie evenly: element c of pixel i, dst[i·to+c], is
//
//	float32(Terms[c] + Σ_t Σ_k src[Quad·(i·from+t.Source+c)+k]·Weights[t.Weights+c](k))
//
// over the taps and the Quad bytes of an element, with sums modulo 2³². At least one tap is needed.
func (d *ByteDepthwise) Line(dst []float32, to int, src []uint8, from, pixels int, taps []Tap) {
	if pixels == 0 || d.Channels == 0 {
		return
	}
	// The last elements that are read and written.
	_, _ = dst[(pixels-1)*to+d.Channels-1], d.Terms[d.Channels-1]
	for _, t := range taps {
		_, _ = src[Quad*((pixels-1)*from+t.Source+d.Channels)-1], d.Weights[t.Weights+d.Channels-1]
	}
	d.line(dst, to, src, from, pixels, taps)
}

// generic is Line without vectors.
func (d *ByteDepthwise) generic(dst []float32, to int, src []uint8, from, pixels int, taps []Tap) {
	for i := range pixels {
		pixel := dst[i*to : i*to+d.Channels]
		for c := range pixel {
			sum := d.Terms[c]
			for _, t := range taps {
				quad, w := src[Quad*(i*from+t.Source+c):][:Quad], d.Weights[t.Weights+c]
				sum += int32(quad[0])*int32(int8(w)) + int32(quad[1])*int32(int8(w>>8)) + int32(quad[2])*int32(int8(w>>16)) + int32(quad[3])*int32(int8(w>>24))
			}
			pixel[c] = float32(sum)
		}
	}
}
