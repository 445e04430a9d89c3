// The discrete Fourier transform of planes of any size.

package image

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// plane2D transforms planes [height, width].
type plane2D struct {
	rows, columns *line
	height, width int
	block         []complex128 // columns that are transformed together
}

// blockColumns are as many columns as share lines of the cache.
const blockColumns = 8

func newPlane2D(height, width int) *plane2D {
	return &plane2D{newLine(width), newLine(height), height, width, make([]complex128, blockColumns*height)}
}

// forward is Σ x·exp(−2πi·(u·row/height + v·column/width)), in place.
func (p *plane2D) forward(x []complex128) { p.transform(x, (*line).forward) }

// inverse is its inverse, with the factor 1/(height·width).
func (p *plane2D) inverse(x []complex128) {
	p.transform(x, (*line).backward)
	scale := complex(1/float64(len(x)), 0)
	for i, v := range x {
		x[i] = complex(real(v)*real(scale), imag(v)*real(scale))
	}
}

func (p *plane2D) transform(x []complex128, transformLine func(*line, []complex128)) {
	for i := range p.height {
		transformLine(p.rows, x[i*p.width:][:p.width])
	}
	for first := 0; first < p.width; first += blockColumns {
		n := min(blockColumns, p.width-first)
		for i := range p.height {
			for j, v := range x[i*p.width+first:][:n] {
				p.block[j*p.height+i] = v
			}
		}
		for j := range n {
			transformLine(p.columns, p.block[j*p.height:][:p.height])
		}
		for i := range p.height {
			to := x[i*p.width+first:][:n]
			for j := range to {
				to[j] = p.block[j*p.height+i]
			}
		}
	}
}

// line transforms lines of one length: directly if the prime factors of the length are small, else as the convolution
// with a chirp (Bluestein 1970), which has a power of two for its length.
type line struct {
	fft   *fourier.CmplxFFT
	chirp []complex128 // exp(−πi·k²/n); nil if the transform is direct
	other []complex128 // transform of the convolution's other factor, over its length
	work  []complex128
}

// mostDirect is the largest prime factor of a length that is transformed directly.
const mostDirect = 61

func newLine(n int) *line {
	if largestPrime(n) <= mostDirect {
		return &line{fft: fourier.NewCmplxFFT(n)}
	}
	size := 1 << bits.Len(uint(2*n-2))
	l := &line{fft: fourier.NewCmplxFFT(size), chirp: make([]complex128, n), other: make([]complex128, size), work: make([]complex128, size)}
	for k := range n {
		// k² modulo 2n, so that the angle stays small.
		sin, cos := math.Sincos(math.Pi * float64(k*k%(2*n)) / float64(n))
		l.chirp[k] = complex(cos, -sin)
		l.other[k] = complex(cos, sin)
		if k > 0 {
			l.other[size-k] = l.other[k]
		}
	}
	l.fft.Coefficients(l.other, l.other)
	for i, v := range l.other {
		l.other[i] = v / complex(float64(size), 0)
	}
	return l
}

// largestPrime is the largest prime factor of n, 1 of 1.
func largestPrime(n int) int {
	largest := 1
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			largest, n = p, n/p
		}
	}
	return max(largest, n)
}

// forward is Σ x[k]·exp(−2πi·j·k/n), in place.
func (l *line) forward(x []complex128) {
	if l.chirp == nil {
		l.fft.Coefficients(x, x)
		return
	}
	clear(l.work[len(x):])
	for k, v := range x {
		l.work[k] = v * l.chirp[k]
	}
	l.fft.Coefficients(l.work, l.work)
	for k, v := range l.other {
		l.work[k] *= v
	}
	l.fft.Sequence(l.work, l.work)
	for k := range x {
		x[k] = l.work[k] * l.chirp[k]
	}
}

// backward is Σ x[k]·exp(2πi·j·k/n), in place.
func (l *line) backward(x []complex128) {
	if l.chirp == nil {
		l.fft.Sequence(x, x)
		return
	}
	for k, v := range x {
		x[k] = complex(real(v), -imag(v))
	}
	l.forward(x)
	for k, v := range x {
		x[k] = complex(real(v), -imag(v))
	}
}
