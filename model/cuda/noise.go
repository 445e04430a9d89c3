//go:build cuda

// Noise on states in device memory, with the same bits as on the processor.

package cuda

import (
	device "repscope/internal/cuda"
	"repscope/model/pixels"
	"repscope/stat"
)

// change is a pixels.Noise as the kernels read it: struct Change of noise.cu.
type change struct {
	kind      pixels.NoiseKind
	clip      pixels.NoiseClip
	low, high float32
	level     float64
}

// changeBytes is the size of a change.
const changeBytes = 24

// newChange checks the noise and prepares it for the kernels.
func newChange(n pixels.Noise) (change, error) {
	if err := n.Check(); err != nil {
		return change{}, err
	}
	c := change{n.Kind, n.Clip, n.Low, n.High, n.Level}
	switch {
	case n.Level == 0: // nothing changes, not even values outside the range
		c.kind, c.clip = pixels.SaltPepper, pixels.ClipNone
	case n.Kind != pixels.SaltPepper:
		c.level = float64(float32(n.Level * (float64(n.High) - float64(n.Low))))
	}
	return c, nil
}

// scalingParameters checks the scaling for states of state elements and prepares it for the kernel scale_f32: Low,
// Span, then Mean and Std of every channel.
func scalingParameters(s pixels.Scaling, state int) ([]float32, error) {
	if err := s.Check(state); err != nil {
		return nil, err
	}
	values := []float32{s.Low, s.Span}
	for c, mean := range s.Mean {
		values = append(values, mean, s.Std[c])
	}
	return values, nil
}

// FillNormal lets a stream of the device write n elements of stat.FillNormal32 from offset on to y.
func FillNormal(s *device.Stream, y device.Pointer, n int, key stat.Key, offset uint64) error {
	return fillRandom(s, y, n, key, offset, false)
}

// FillUniform is FillNormal for stat.FillUniform32.
func FillUniform(s *device.Stream, y device.Pointer, n int, key stat.Key, offset uint64) error {
	return fillRandom(s, y, n, key, offset, true)
}

func fillRandom(s *device.Stream, y device.Pointer, n int, key stat.Key, offset uint64, uniform bool) error {
	_, kind := cell(uniform)
	return launchOver(s, "random_f32", n/4+2, uint64(y), uint64(n), uint64(key.Word[0])|uint64(key.Word[1])<<32,
		uint64(key.Stream[0])|uint64(key.Stream[1])<<32, offset, kind)
}

// launchOver starts a kernel that loops over n items.
func launchOver(s *device.Stream, kernel string, n int, arguments ...uint64) error {
	if n == 0 {
		return nil
	}
	return s.Launch(kernel, blocks(n), line, 0, arguments...)
}
