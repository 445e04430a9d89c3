// Package corruption changes frames: noise, salt and pepper, blur, brightness,
// contrast, occlusion, shift and JPEG, each at a level that is a share of something.
//
//	c, err := corruption.New(corruption.Gaussian, corruption.ClipRange, 0, 255, []int{4, 84, 84}, seed)
//	err = c.Apply(changed, state, number, 0.1, 0)
//
// What becomes of a state depends on its pixels, its number, the level, the draw and
// the seed alone, so that every model sees the same changed states, whatever the
// batch size, the number of threads or the other states.
//
// A new corruption is a row of the table in this file and a function.
package corruption

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"repscope/stat"
)

// Kind is a way of changing frames, by name.
type Kind string

const (
	// Gaussian adds level·R·ε to every pixel, ε ~ N(0, 1), R the pixel range.
	Gaussian Kind = "gaussian"
	// SaltPepper sets a share of level of the pixels to the low or high end of the
	// range, each with probability one half.
	SaltPepper Kind = "salt-pepper"
	// Blur convolves with a Gaussian of standard deviation level/4 of the frame's
	// shorter side, edges repeated.
	Blur Kind = "blur"
	// Brightness adds ±level·R to the whole state, the sign drawn per state.
	Brightness Kind = "brightness"
	// Contrast moves every pixel towards the mean of its plane by a share of level.
	Contrast Kind = "contrast"
	// Occlusion covers a rectangle of level times the frame's area, of the frame's
	// proportions and at a random place, with the middle of the range.
	Occlusion Kind = "occlusion"
	// Shift moves the frame by level times its side along one of the four
	// directions, drawn per state, edges repeated.
	Shift Kind = "shift"
	// JPEG compresses every plane with quality 100·(1 − level).
	JPEG Kind = "jpeg"
)

// row is what there is to know about one corruption.
type row struct {
	kind    Kind
	unit    string  // what a level is a share of, for axis labels
	most    float64 // the largest level
	spatial bool    // it needs frames with height and width
	inside  bool    // its results lie in the pixel range: nothing is clipped
	// apply changes dst, which holds a copy of state.
	apply func(c *Corrupter, dst, state []float32, level float64, key stat.Key) error
}

var table = []row{
	{kind: Gaussian, unit: "Noise level σ (share of the pixel range)", most: math.Inf(1), apply: addNoise},
	{kind: SaltPepper, unit: "Share of pixels replaced", most: 1, apply: replacePixels},
	{kind: Blur, unit: "Blur level (4 SD / frame side)", most: 1, spatial: true, apply: blur},
	{kind: Brightness, unit: "Brightness change (share of the pixel range)", most: math.Inf(1), apply: brighten},
	{kind: Contrast, unit: "Contrast loss (share)", most: 1, apply: fade},
	{kind: Occlusion, unit: "Occluded share of the frame", most: 1, spatial: true, apply: occlude},
	{kind: Shift, unit: "Shift (share of the frame side)", most: 1, spatial: true, apply: shift},
	{kind: JPEG, unit: "JPEG quality loss (share)", most: 1, spatial: true, inside: true, apply: compress},
}

// Kinds lists the corruptions.
func Kinds() []Kind {
	kinds := make([]Kind, len(table))
	for i, r := range table {
		kinds[i] = r.kind
	}
	return kinds
}

// lookup finds the row of a corruption.
func lookup(k Kind) (row, error) {
	if i := slices.IndexFunc(table, func(r row) bool { return r.kind == k }); i >= 0 {
		return table[i], nil
	}
	return row{}, fmt.Errorf("corruption %q: want one of %v", k, Kinds())
}

// Unit returns the unit of a level of the corruption for axis labels; "Level" for an unknown one.
func (k Kind) Unit() string {
	r, err := lookup(k)
	if err != nil {
		return "Level"
	}
	return r.unit
}

// OfRange reports whether levels of the corruption are shares of the pixel range, or of the unit of
// [NewVectors].
func (k Kind) OfRange() bool {
	r, err := lookup(k)
	return err == nil && math.IsInf(r.most, 1)
}

// CheckLevel returns an error unless the level is a number from 0 to the largest
// that the corruption has: 1, or any where it is a share of the pixel range.
func (k Kind) CheckLevel(level float64) error {
	r, err := lookup(k)
	if err != nil {
		return err
	}
	if !(level >= 0 && level <= r.most) || math.IsInf(level, 0) {
		return fmt.Errorf("%s level %v: want a share between 0 and 1", k, level)
	}
	return nil
}

// Clip is the treatment of corrupted pixels outside the pixel range.
type Clip string

const (
	// ClipRange sets them to the nearer end, as an 8-bit camera does. Saturated
	// pixels then change one-sidedly: their mean moves by 0.399σ.
	ClipRange Clip = "range"
	// ClipNone keeps them.
	ClipNone Clip = "none"
	// ClipReflect reflects them at the ends, so that saturated pixels change by as
	// much as others.
	ClipReflect Clip = "reflect"
)

// Clips lists the clippings.
func Clips() []Clip { return []Clip{ClipRange, ClipNone, ClipReflect} }

// Corrupter changes states of one shape. It is safe for concurrent use.
type Corrupter struct {
	row           row
	clip          Clip
	low, high     float32
	unit          float64 // what a level of noise and brightness is a share of
	height, width int     // of a plane; planes follow each other in a state
	seed          uint64
}

// New prepares a corruption of states with pixels from low to high. The last two axes
// of their shape are height and width, or there is one axis of values. Unknown names,
// a range that does not ascend, and a spatial corruption of states without height and
// width are errors.
func New(kind Kind, clip Clip, low, high float64, shape []int, seed uint64) (*Corrupter, error) {
	r, err := lookup(kind)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Clips(), clip) {
		return nil, fmt.Errorf("clip %q: want one of %v", clip, Clips())
	}
	if !(high > low) {
		return nil, fmt.Errorf("pixel range [%v, %v], want an ascending range", low, high)
	}
	c := &Corrupter{row: r, clip: clip, low: float32(low), high: float32(high), seed: seed}
	c.unit = float64(c.high) - float64(c.low)
	return c, c.take(shape)
}

// NewVectors prepares a corruption of vectors, which have no pixel range. A level of noise or
// brightness is a share of unit, such as the standard deviation of the vectors; salt and pepper lie
// two units below and above the mean; nothing is clipped. Errors as for [New], and a unit that is not
// positive.
func NewVectors(kind Kind, mean, unit float64, shape []int, seed uint64) (*Corrupter, error) {
	r, err := lookup(kind)
	if err != nil {
		return nil, err
	}
	if !(unit > 0) || math.IsInf(unit, 0) {
		return nil, fmt.Errorf("levels in units of %v, want a number above 0", unit)
	}
	low, high := VectorRange(mean, unit)
	c := &Corrupter{row: r, clip: ClipNone, low: float32(low), high: float32(high), unit: float64(float32(unit)), seed: seed}
	return c, c.take(shape)
}

// VectorRange are the values of salt and pepper of vectors; see [NewVectors].
func VectorRange(mean, unit float64) (low, high float64) { return mean - 2*unit, mean + 2*unit }

// take takes the shape of states.
func (c *Corrupter) take(shape []int) error {
	switch r := c.row; {
	case len(shape) >= 2:
		c.height, c.width = shape[len(shape)-2], shape[len(shape)-1]
	case r.spatial || len(shape) == 0:
		return fmt.Errorf(
			"corruption %s needs frames with height and width, but the states have shape %v", r.kind, shape)
	default:
		c.height, c.width = 1, shape[0]
	}
	return nil
}

// Key names the random numbers of a state at a level and draw.
func (c *Corrupter) Key(number int, level float64, draw int) stat.Key {
	return stat.StreamCorruption.Key(c.seed, uint64(number), math.Float64bits(level), uint64(draw))
}

// Apply writes the corrupted state to dst, of the same length. Level 0 changes nothing, even outside
// the pixel range; other levels must pass [Kind.CheckLevel]. NaN stays NaN, except under JPEG.
func (c *Corrupter) Apply(dst, state []float32, number int, level float64, draw int) error {
	copy(dst, state)
	if level == 0 {
		return nil
	}
	if err := c.row.apply(c, dst, state, level, c.Key(number, level, draw)); err != nil {
		return err
	}
	if !c.row.inside {
		c.bound(dst)
	}
	return nil
}

// planes are the planes of a state, one after the other.
func (c *Corrupter) planes(state []float32) iter.Seq[[]float32] {
	return slices.Chunk(state, c.height*c.width)
}

// bound applies the clipping.
func (c *Corrupter) bound(dst []float32) {
	switch c.clip {
	case ClipRange:
		for i, v := range dst {
			dst[i] = min(max(v, c.low), c.high)
		}
	case ClipReflect:
		// Reflection is periodic in twice the range.
		span := c.high - c.low
		for i, v := range dst {
			if v >= c.low && v <= c.high {
				continue
			}
			offset := float32(math.Mod(float64(v-c.low), float64(2*span)))
			if offset < 0 {
				offset += 2 * span
			}
			dst[i] = c.low + min(offset, 2*span-offset)
		}
	}
}
