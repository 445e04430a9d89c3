// Corruptions of frames, by place: blur, occlusion, shift.

package corruption

import (
	"math"

	"repscope/stat"
)

// blur is [Blur].
func blur(c *Corrupter, dst, _ []float32, level float64, _ stat.Key) error {
	kernel := gaussianKernel(level / 4 * float64(min(c.height, c.width)))
	scratch := make([]float32, c.height*c.width)
	for plane := range c.planes(dst) {
		convolve(scratch, plane, kernel, c.height, c.width, c.width, 1)
		convolve(plane, scratch, kernel, c.width, c.height, 1, c.width)
	}
	return nil
}

// occlude is [Occlusion].
func occlude(c *Corrupter, dst, _ []float32, level float64, key stat.Key) error {
	side := math.Sqrt(level)
	h, w := min(c.height, round(side*float64(c.height))), min(c.width, round(side*float64(c.width)))
	random := stat.NewRandom(key)
	top, left := random.Intn(c.height-h+1), random.Intn(c.width-w+1)
	middle := float32(float64(c.low) + (float64(c.high)-float64(c.low))/2)
	for plane := range c.planes(dst) {
		for y := top; y < top+h; y++ {
			for x := left; x < left+w; x++ {
				plane[y*c.width+x] = middle
			}
		}
	}
	return nil
}

// shift is [Shift].
func shift(c *Corrupter, dst, state []float32, level float64, key stat.Key) error {
	dy, dx := 0, 0
	switch key.Uint32x4(0)[0] & 3 {
	case 0:
		dy = round(level * float64(c.height))
	case 1:
		dy = -round(level * float64(c.height))
	case 2:
		dx = round(level * float64(c.width))
	default:
		dx = -round(level * float64(c.width))
	}
	plane := c.height * c.width
	for p := 0; p+plane <= len(dst); p += plane {
		for y := range c.height {
			from := min(max(y-dy, 0), c.height-1)
			for x := range c.width {
				dst[p+y*c.width+x] = state[p+from*c.width+min(max(x-dx, 0), c.width-1)]
			}
		}
	}
	return nil
}

func round(v float64) int { return int(math.Round(v)) }

// gaussianKernel holds half of a symmetric kernel, from the center to 4 standard
// deviations, normalized to sum 1 over both halves.
func gaussianKernel(sd float64) []float64 {
	kernel := make([]float64, int(math.Ceil(4*sd))+1)
	total := 0.0
	for i := range kernel {
		kernel[i] = 1
		if sd > 0 {
			kernel[i] = math.Exp(-float64(i*i) / (2 * sd * sd))
		}
		total += kernel[i]
		if i > 0 {
			total += kernel[i]
		}
	}
	for i := range kernel {
		kernel[i] /= total
	}
	return kernel
}

// convolve filters lines of the given length, edges repeated: element e of line l
// is at l·lineStride + e·step.
func convolve(dst, src []float32, kernel []float64, lines, length, lineStride, step int) {
	for l := range lines {
		value := func(e int) float64 { return float64(src[l*lineStride+min(max(e, 0), length-1)*step]) }
		for e := range length {
			sum := kernel[0] * value(e)
			for k := 1; k < len(kernel); k++ {
				sum += float64(kernel[k] * (value(e-k) + value(e+k)))
			}
			dst[l*lineStride+e*step] = float32(sum)
		}
	}
}
