//go:build cuda

// Noise on states in device memory, with the same bits as on the processor.

package cuda

import (
	"fmt"
	"math"

	device "repscope/internal/cuda"
	"repscope/stat"
)

// change is a Noise as the kernels read it: struct Change of noise.cu.
type change struct {
	kind      NoiseKind
	clip      NoiseClip
	low, high float32
	level     float64
}

// changeBytes is the size of a change.
const changeBytes = 24

// change checks the noise and prepares it for the kernels.
func (n Noise) change() (change, error) {
	if !(n.High > n.Low) || !(n.Level >= 0) || n.Kind < Gaussian || n.Kind > Brightness || n.Clip < ClipNone || n.Clip > ClipReflect {
		return change{}, fmt.Errorf("noise %+v is not defined", n)
	}
	c := change{n.Kind, n.Clip, n.Low, n.High, n.Level}
	switch {
	case n.Level == 0: // nothing changes, not even what lies outside the range
		c.kind, c.clip = SaltPepper, ClipNone
	case n.Kind != SaltPepper:
		c.level = float64(float32(n.Level * (float64(n.High) - float64(n.Low))))
	}
	return c, nil
}

// parameters checks the scaling for states of so many elements and prepares it for the
// kernel scale_f32: Low, Span, then Mean and Std of every channel.
func (s Scaling) parameters(state int) ([]float32, error) {
	channels := len(s.Mean)
	if len(s.Std) != channels || channels > 0 && (s.Plane <= 0 || s.Plane > math.MaxInt32 || state%(s.Plane*channels) != 0) {
		return nil, fmt.Errorf("means and deviations of %d and %d channels in planes of %d do not fit states of %d elements", channels, len(s.Std), s.Plane, state)
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
