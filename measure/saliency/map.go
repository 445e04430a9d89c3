// Maps: what they hold, how they become distributions, and those that know no picture.

package saliency

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/stat"
)

// Number is what a pixel may be.
type Number interface {
	~uint8 | ~uint16 | ~float32 | ~float64
}

// Map is a saliency map of Width × Height finite values. It is immutable.
type Map struct {
	Width, Height int
	values        []float64 // row-major
	min, max, sum float64
}

// NewMap copies the values of a map, row by row from the top. Undefined for sizes below 1, for
// values that are not width·height many, for NaN and infinities (with their place), and where the
// range or the sum of the values exceeds float64.
func NewMap[T Number](width, height int, values []T) (*Map, error) {
	const quantity = "saliency map"
	if err := fits(quantity, width, height, len(values)); err != nil {
		return nil, err
	}
	m := &Map{Width: width, Height: height, values: make([]float64, len(values)), min: math.Inf(1), max: math.Inf(-1)}
	for i, value := range values {
		v := float64(value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, stat.Undefined(quantity, "%v at x %d, y %d, want a finite number", v, i%width, i/width)
		}
		m.values[i] = v
		m.min, m.max = min(m.min, v), max(m.max, v)
	}
	m.sum = vector.Sum64(m.values)
	if math.IsInf(m.max-m.min, 0) || math.IsInf(m.sum, 0) || math.IsNaN(m.sum) {
		return nil, stat.Undefined(quantity, "values from %v to %v: their range or sum overflows float64", m.min, m.max)
	}
	return m, nil
}

// fits says whether n values are a picture of a size.
func fits(quantity string, width, height, n int) error {
	if width < 1 || height < 1 {
		return stat.Undefined(quantity, "%d × %d pixels, want at least 1 × 1", width, height)
	}
	if n%width != 0 || n/width != height {
		return stat.Undefined(quantity, "%d values for %d × %d pixels", n, width, height)
	}
	return nil
}

// Uniform returns the map that is 1 everywhere: the baseline that knows nothing.
func Uniform(width, height int) (*Map, error) {
	return CenterPrior(width, height, math.Inf(1))
}

// CenterPrior returns exp(−((x−cx)/(σ·width))²/2 − ((y−cy)/(σ·height))²/2) about the center
// (cx, cy) of the picture: the baseline that people look at the middle of whatever they are shown.
// σ is in widths and heights of the picture, such as 0.25; +Inf gives 1 everywhere. Undefined for a
// σ that is not positive.
func CenterPrior(width, height int, sigma float64) (*Map, error) {
	const quantity = "center prior"
	if !(sigma > 0) {
		return nil, stat.Undefined(quantity, "σ %v, want more than 0", sigma)
	}
	if err := fits(quantity, width, height, width*height); err != nil {
		return nil, err
	}
	columns, rows := bell(width, sigma), bell(height, sigma)
	values := make([]float64, 0, width*height)
	for _, row := range rows {
		for _, column := range columns {
			values = append(values, row*column)
		}
	}
	return NewMap(width, height, values)
}

// bell is a Gaussian of n pixels about their middle.
func bell(n int, sigma float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		z := (float64(i) - float64(n-1)/2) / (sigma * float64(n))
		out[i] = math.Exp(-z * z / 2)
	}
	return out
}

// At returns the value of a pixel.
func (m *Map) At(x, y int) float64 { return m.values[y*m.Width+x] }

// Rescaled returns (v − min)/(max − min), in [0, 1]. Undefined for a constant map.
func (m *Map) Rescaled() (*Map, error) {
	if err := m.ordered("rescaled map"); err != nil {
		return nil, err
	}
	out := make([]float64, len(m.values))
	for i, v := range m.values {
		out[i] = m.unit(v)
	}
	return NewMap(m.Width, m.Height, out)
}

// unit is a value in units of the range, above the smallest.
func (m *Map) unit(v float64) float64 { return (v - m.min) / (m.max - m.min) }

// ordered says whether the map tells any two pixels apart.
func (m *Map) ordered(quantity string) error {
	if m.min == m.max {
		return stat.Undefined(quantity, "the map is constant (%v)", m.min)
	}
	return nil
}

// distribution says whether the map is one up to its sum.
func (m *Map) distribution(quantity string) error {
	if m.min < 0 {
		return stat.Undefined(quantity, "a map with the value %v is not a distribution", m.min)
	}
	if m.sum == 0 {
		return stat.Undefined(quantity, "a map of zeros is not a distribution")
	}
	return nil
}

func sameSize(quantity string, aw, ah, bw, bh int) error {
	if aw != bw || ah != bh {
		return stat.Undefined(quantity, "sizes differ: %d × %d and %d × %d pixels", aw, ah, bw, bh)
	}
	return nil
}
