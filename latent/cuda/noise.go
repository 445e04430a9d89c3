//go:build cuda

// Noise on states in device memory, with the same bits as on the processor.

package cuda

import (
	"fmt"
	"math"

	device "repscope/internal/cuda"
	"repscope/stat"
)

// NoiseKind is how the pixels of a state change; analysis/robustness has the same.
type NoiseKind int

const (
	// Gaussian adds float32(Level·(High − Low)) times the standard normal sequence of the state's stream.
	Gaussian NoiseKind = iota
	// SaltPepper sets pixels whose uniform number is below Level/2 to Low, and below Level to High.
	SaltPepper
	// Brightness adds ±Level·(High − Low) to the whole state; the sign is bit 0 of the stream.
	Brightness
)

// NoiseClip says what happens to changed pixels outside the range.
type NoiseClip int

const (
	ClipNone    NoiseClip = iota // they stay
	ClipRange                    // they become the nearer end
	ClipReflect                  // they are reflected at the ends
)

// Noise is a change of states whose pixels range from Low to High. A state is changed by
// its own stream of random numbers (stat.Key) alone, whatever states are beside it.
type Noise struct {
	Kind      NoiseKind
	Clip      NoiseClip
	Low, High float32
	Level     float64 // of 0 the states stay as they are
}

// Pixels are the types that states may have before the noise.
type Pixels interface{ float32 | uint8 }

// KeyBytes is the size of a state's stream in device memory.
const KeyBytes = 16

// PackKeys writes the states' streams in the form of device memory, KeyBytes each.
func PackKeys(dst []uint32, keys []stat.Key) {
	for i, k := range keys {
		copy(dst[4*i:], []uint32{k.Word[0], k.Word[1], k.Stream[0], k.Stream[1]})
	}
}

// ApplyNoise lets a stream of the device compute y from x: rows states of width pixels of type T
// each, with the streams that lie packed at keys. y is float32 and may be x if x is too.
func ApplyNoise[T Pixels](s *device.Stream, n Noise, x, y, keys device.Pointer, rows, width int) error {
	if !(n.High > n.Low) || !(n.Level >= 0) || n.Kind < Gaussian || n.Kind > Brightness || n.Clip < ClipNone || n.Clip > ClipReflect || rows < 0 || width < 0 {
		return fmt.Errorf("noise %+v for %d states of %d pixels", n, rows, width)
	}
	kernel := "noise_f32"
	if any(*new(T)) == any(uint8(0)) {
		kernel = "noise_u8"
	}
	level, clip := n.Level, n.Clip
	switch {
	case level == 0: // nothing changes, not even what lies outside the range
		n.Kind, clip = SaltPepper, ClipNone
	case n.Kind != SaltPepper:
		level = float64(float32(level * (float64(n.High) - float64(n.Low))))
	}
	return launchOver(s, kernel, rows*((width+3)/4), uint64(x), uint64(y), uint64(rows), uint64(width), uint64(keys), uint64(n.Kind),
		math.Float64bits(level), uint64(math.Float32bits(n.Low)), uint64(math.Float32bits(n.High)), uint64(clip))
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
