// Power of fields by radial wavenumber.

package verification

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// TransformKind is how fields are taken apart into waves.
type TransformKind int

const (
	// DCT is the discrete cosine transform (type II), for fields that are not periodic
	// (Denis, Côté and Laprise 2002, "Spectral decomposition of two-dimensional atmospheric
	// fields on limited-area domains using the discrete cosine transform").
	DCT TransformKind = iota
	// FFT is the discrete Fourier transform, for fields that are periodic in both
	// directions.
	FFT
)

// String is "dct" or "fft".
func (k TransformKind) String() string {
	if k == FFT {
		return "fft"
	}
	return "dct"
}

// Bands divide the waves of a grid by their radial wavenumber. Frequency is √((m/H)² +
// (n/W)²) cycles per cell for waves (m, n) of the Fourier transform, and half of that for
// the cosine transform. Band k holds frequencies of k·Δ to (k + 1)·Δ, where Δ is the frequency of the
// longest wave of the shorter side, 1/min(H, W) or half of that. Band 0 holds
// longer waves; the mean of the field is in none.
type Bands struct {
	// Frequency is the mean of the frequencies in each band, in cycles per cell, 0 where
	// there is none; the wavelength in cells is its inverse.
	Frequency []float64
	Modes     []int // number of waves
	// Resolved is the number of bands below the frequency ½ of the shortest wave of a row or
	// column: the rest are diagonal waves alone.
	Resolved int
}

// Transform takes the power of fields of one grid. It is not safe for concurrent use.
type Transform struct {
	Kind          TransformKind
	Height, Width int
	bands         Bands
	band          []int     // of coefficient (m, n), row-major; −1 for the mean
	weight        []float64 // of the squared absolute value
	columns       int       // number of n
	work          []float64
	rows, column  *fourier.QuarterWaveFFT
	row           *fourier.FFT
	complexes     *fourier.CmplxFFT
	coefficients  []complex128
	line          []complex128
	real          []float64
}

// NewTransform prepares the transform of height × width cells.
func NewTransform(kind TransformKind, height, width int) *Transform {
	t := &Transform{Kind: kind, Height: height, Width: width, columns: width}
	t.real = make([]float64, max(height, width))
	if kind == FFT {
		t.columns = width/2 + 1
		t.row, t.complexes = fourier.NewFFT(width), fourier.NewCmplxFFT(height)
		t.coefficients, t.line = make([]complex128, height*t.columns), make([]complex128, height)
	} else {
		t.rows, t.column = fourier.NewQuarterWaveFFT(width), fourier.NewQuarterWaveFFT(height)
		t.work = make([]float64, height*width)
	}
	t.assign()
	return t
}

// Bands are the bands of the grid.
func (t *Transform) Bands() Bands { return t.bands }

// assign gives every coefficient its band and weight.
func (t *Transform) assign() {
	t.band, t.weight = make([]int, t.Height*t.columns), make([]float64, t.Height*t.columns)
	short, long := min(t.Height, t.Width), max(t.Height, t.Width)
	cycles, cells := 0.5, float64(t.Height*t.Width)
	if t.Kind == FFT {
		cycles = 1
	}
	var sums []float64
	for m := range t.Height {
		for n := range t.columns {
			index := m*t.columns + n
			i, multiple := m, 1
			if t.Kind == FFT {
				i = min(m, t.Height-m)
				if n > 0 && 2*n < t.Width {
					multiple = 2 // the conjugate wave
				}
				t.weight[index] = float64(multiple) / (cells * cells)
			} else {
				t.weight[index] = norm(m) * norm(n) / (cells * cells)
			}
			a, b := i, n
			if t.Height > t.Width {
				a, b = n, i
			}
			// k = ⌊√(a² + (b·short/long)²)⌋ without rounding.
			k := root(a*a*long*long+b*b*short*short) / long
			t.band[index] = k
			if m == 0 && n == 0 {
				t.band[index] = -1
				continue
			}
			for len(sums) <= k {
				sums, t.bands.Modes = append(sums, 0), append(t.bands.Modes, 0)
			}
			frequency := cycles * math.Hypot(float64(i)/float64(t.Height), float64(n)/float64(t.Width))
			sums[k] += float64(multiple) * frequency
			t.bands.Modes[k] += multiple
		}
	}
	for k, modes := range t.bands.Modes {
		if modes > 0 {
			sums[k] /= float64(modes)
		}
	}
	t.bands.Frequency, t.bands.Resolved = sums, min(len(sums), short)
	if t.Kind == FFT {
		t.bands.Resolved = min(len(sums), (short+1)/2)
	}
}

// norm makes the squares of cosine coefficients the squares of an orthonormal transform
// times the number of cells, 1 or 2 per dimension, over 16 for gonum's factor of 4.
func norm(index int) float64 {
	if index == 0 {
		return 1.0 / 16
	}
	return 1.0 / 8
}

// root is ⌊√x⌋.
func root(x int) int {
	r := int(math.Sqrt(float64(x)))
	for r*r > x {
		r--
	}
	for (r+1)*(r+1) <= x {
		r++
	}
	return r
}

// AddPower adds to power, one value per band, what the waves of a band contribute to the
// variance of a field (the mean over cells of the squared deviation from the mean of the
// field), in squared units of the field: over all bands it is that variance (Parseval).
func AddPower(t *Transform, power []float64, field []float64) {
	forEach(t, field, func(index int, square float64) {
		if k := t.band[index]; k >= 0 {
			power[k] += t.weight[index] * square
		}
	})
}

// Filled is a field with a number in every cell, for transforms: cells of weight 0 have the mean of
// the others, so that they add no wave and a constant added to the field adds none either. Of
// the power of a field with n of N such cells N/n times as much would be the power of its own cells.
// It is field itself where all cells have a weight (nil: they have), else dst.
func Filled(dst, field, weights []float64) []float64 {
	first, count, sum := firstCell(weights), 0, 0.0
	for c, w := range weights {
		if w != 0 {
			count++
			sum += field[c] - field[first] // a constant field is filled with its constant
		}
	}
	if count == len(weights) {
		return field
	}
	for c, w := range weights {
		if dst[c] = field[c]; w == 0 {
			dst[c] = field[first] + sum/float64(count)
		}
	}
	return dst
}

// forEach transforms a field and hands every coefficient's squared absolute value on.
func forEach(t *Transform, field []float64, use func(index int, square float64)) {
	if t.Kind == FFT {
		transformFFT(t, field)
		for at, c := range t.coefficients {
			use(at, real(c)*real(c)+imag(c)*imag(c))
		}
		return
	}
	transformDCT(t, field)
	for at, c := range t.work {
		use(at, c*c)
	}
}

func transformDCT(t *Transform, field []float64) {
	for i := range t.Height {
		row := t.work[i*t.Width : (i+1)*t.Width]
		copy(row, field[i*t.Width:(i+1)*t.Width])
		t.rows.CosSequence(row, row)
	}
	line := t.real[:t.Height]
	for j := range t.Width {
		for i := range line {
			line[i] = t.work[i*t.Width+j]
		}
		t.column.CosSequence(line, line)
		for i, v := range line {
			t.work[i*t.Width+j] = v
		}
	}
}

func transformFFT(t *Transform, field []float64) {
	line := t.real[:t.Width]
	for i := range t.Height {
		copy(line, field[i*t.Width:(i+1)*t.Width])
		t.row.Coefficients(t.coefficients[i*t.columns:(i+1)*t.columns], line)
	}
	for j := range t.columns {
		for i := range t.line {
			t.line[i] = t.coefficients[i*t.columns+j]
		}
		t.complexes.Coefficients(t.line, t.line)
		for i, v := range t.line {
			t.coefficients[i*t.columns+j] = v
		}
	}
}
