// Corruptions of pixels, whatever their place: noise, salt and pepper, brightness,
// contrast.

package corruption

import (
	"repscope/stat"
)

// addNoise is [Gaussian].
func addNoise(c *Corrupter, dst, state []float32, level float64, key stat.Key) error {
	stat.FillNormal32(dst, key, 0)
	scale := float32(level * c.unit)
	for i, v := range state {
		dst[i] = v + float32(scale*dst[i])
	}
	return nil
}

// replacePixels is [SaltPepper].
func replacePixels(c *Corrupter, dst, state []float32, level float64, key stat.Key) error {
	stat.FillUniform32(dst, key, 0)
	for i, v := range state {
		switch u := float64(dst[i]); {
		case u < level/2:
			dst[i] = c.low
		case u < level:
			dst[i] = c.high
		default:
			dst[i] = v
		}
	}
	return nil
}

// brighten is [Brightness].
func brighten(c *Corrupter, dst, _ []float32, level float64, key stat.Key) error {
	step := float32(level * c.unit)
	if key.Uint32x4(0)[0]&1 == 1 {
		step = -step
	}
	for i := range dst {
		dst[i] += step
	}
	return nil
}

// fade is [Contrast].
func fade(c *Corrupter, dst, _ []float32, level float64, _ stat.Key) error {
	for plane := range c.planes(dst) {
		mean := 0.0
		for _, v := range plane {
			mean += float64(v)
		}
		mean /= float64(len(plane))
		for i, v := range plane {
			plane[i] = float32(mean + float64((1-level)*(float64(v)-mean)))
		}
	}
	return nil
}
