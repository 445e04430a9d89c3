// Package pixels describes the conversions of stored states that an executor may do on their way into a graph: look
// bytes up, add noise, scale. The descriptions are data; an executor that follows them (model/cuda does) gives the same
// bits as the CPU.
//
//	noise := pixels.Noise{Kind: pixels.Gaussian, Clip: pixels.ClipRange, High: 255, Level: 0.1}
//	if err := noise.Check(); err != nil {
//		return err
//	}
package pixels

import (
	"fmt"
	"math"

	"repscope/stat"
)

// Levels are the float32 values of uint8 inputs, per channel: element i of a state becomes Values[(i/Plane mod
// channels)·256 + byte], where channels is len(Values)/256. Any function of a byte, computed once on the host, has the
// same bits on the device.
type Levels struct {
	Values []float32
	Plane  int // elements in a row of the same channel; a state has all channels equally often
}

// Check reports levels that do not fit states of state elements.
func (l Levels) Check(state int) error {
	if len(l.Values) == 0 || len(l.Values)%256 != 0 || l.Plane <= 0 || l.Plane > math.MaxInt32 || state%(l.Plane*(len(l.Values)/256)) != 0 {
		return fmt.Errorf("%d levels, 256 per channel, in planes of %d do not fit states of %d bytes", len(l.Values), l.Plane, state)
	}
	return nil
}

// NoiseKind is how the pixels of a state change.
type NoiseKind int32

const (
	// Gaussian adds float32(Level·(High − Low)) times the standard normal sequence of the state's stream.
	Gaussian NoiseKind = iota
	// SaltPepper sets pixels whose uniform number is below Level/2 to Low, and below Level to High.
	SaltPepper
	// Brightness adds ±Level·(High − Low) to the whole state; the sign is bit 0 of the stream.
	Brightness
)

// NoiseClip is the treatment of changed pixels outside the range.
type NoiseClip int32

const (
	ClipNone    NoiseClip = iota // they stay
	ClipRange                    // they become the nearer end
	ClipReflect                  // they are reflected at the ends
)

// Noise is a change of states whose pixels range from Low to High. A state is changed by its own stream of random
// numbers (stat.Key), independent of the other states.
type Noise struct {
	Kind      NoiseKind
	Clip      NoiseClip
	Low, High float32
	Level     float64 // of 0 the states stay as they are
}

// Check reports noise that is not defined: an unknown kind or clip, an empty range, or a
// level that is negative or NaN.
func (n Noise) Check() error {
	if !(n.High > n.Low) || !(n.Level >= 0) || n.Kind < Gaussian || n.Kind > Brightness || n.Clip < ClipNone || n.Clip > ClipReflect {
		return fmt.Errorf("noise %+v is not defined", n)
	}
	return nil
}

// Scaling is the scaling of pixels after the noise: v of channel c becomes ((v − Low)/Span − Mean[c])/Std[c], each
// operation rounded to float32. Without channels they do not change.
type Scaling struct {
	Low, Span float32
	Mean, Std []float32 // by channel
	Plane     int       // elements in a row of the same channel; a state has all channels equally often
}

// Check reports a scaling that does not fit states of state elements.
func (s Scaling) Check(state int) error {
	channels := len(s.Mean)
	if len(s.Std) != channels || channels > 0 && (s.Plane <= 0 || s.Plane > math.MaxInt32 || state%(s.Plane*channels) != 0) {
		return fmt.Errorf("means and deviations of %d and %d channels in planes of %d do not fit states of %d elements",
			channels, len(s.Std), s.Plane, state)
	}
	return nil
}

// Noisy is a batch of states that noise changes before they are scaled and encoded.
type Noisy struct {
	Bytes   []uint8    // the states, or
	Floats  []float32  // the states, if Bytes is nil
	Keys    []stat.Key // of their streams, one per state
	Noise   Noise
	Scaling Scaling
}
