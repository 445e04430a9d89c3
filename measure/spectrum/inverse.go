// Eigenvectors of tridiagonal matrices whose eigenvalues are apart, by inverse iteration.

package spectrum

import (
	"math"
	"slices"

	"repscope/internal/kernel"
)

const (
	// leastApart is the distance of eigenvalues, in the largest of them, from which inverse iteration tells vectors apart.
	leastApart = 1e-7
	// nearby is the distance below which rounding leaves vectors far enough from orthogonal that they are made so.
	nearby = 1e-2
	// solutions is the number of solutions for a vector, one more than it takes from most starts.
	solutions = 3
)

// inverted replaces the basis by the eigenvectors, and the diagonal by the eigenvalues in descending order. done is
// false, and nothing has changed, where eigenvalues are too close or a vector is not found.
func (w *vectorWork) inverted() (done bool, err error) {
	t := tridiagonal{diagonal: w.diagonal, beside: w.beside}
	values, err := t.eigenvalues()
	if err != nil {
		return false, nil
	}
	slices.Reverse(values)
	largest := max(math.Abs(values[0]), math.Abs(values[w.n-1]))
	for k := 1; k < w.n; k++ {
		if !(values[k-1]-values[k] > leastApart*largest) {
			return false, nil
		}
	}
	z := make([]float64, w.n*w.stride)
	s := newShifted(t, largest)
	for k, value := range values {
		row := w.row(z, k)
		if !s.vector(row[:w.n], value) {
			return false, nil
		}
		for j := k - 1; j >= 0 && values[j]-value < nearby*largest; j-- {
			kernel.AddScaled(row, w.row(z, j), -kernel.Dot(row, w.row(z, j)))
		}
		normalize(row)
	}
	vectors := make([]float64, w.n*w.stride)
	product := kernel.Product[float64]{
		M: w.n, N: w.n, K: w.n, A: kernel.Rows(z, w.stride), B: kernel.Columns(w.a, w.stride), C: vectors,
		Stride: w.stride, Threads: w.threads,
	}
	if err := product.Run(); err != nil {
		return false, err
	}
	w.a, w.diagonal = vectors, values
	return true, nil
}

// shifted is a tridiagonal matrix less a shift times the identity, as the product of exchanges of neighboring rows, a
// lower and an upper matrix.
type shifted struct {
	tridiagonal
	largest                   float64 // eigenvalue of the matrix without the shift
	main, above, above2, less []float64
	exchanged                 []bool
}

func newShifted(t tridiagonal, largest float64) *shifted {
	list := func() []float64 { return make([]float64, len(t.diagonal)) }
	return &shifted{t, largest, list(), list(), list(), list(), make([]bool, len(t.diagonal))}
}

// vector finds the eigenvector of an eigenvalue, of length 1; false where its residual is more than rounding.
func (s *shifted) vector(z []float64, value float64) bool {
	s.factor(value)
	const turn = math.Phi - 1
	for i := range z { // without a pattern that an eigenvector could be orthogonal to
		_, z[i] = math.Modf(turn * float64(i+1))
		z[i] += 0.5
	}
	for range solutions {
		normalize(z)
		s.solve(z)
	}
	normalize(z)
	return s.residual(z, value) <= 0x1p-46*s.largest
}

// factor decomposes the matrix for a shift. A pivot of rounding stands for one that is 0.
func (s *shifted) factor(shift float64) {
	for i, v := range s.diagonal {
		s.main[i] = v - shift
	}
	copy(s.above, s.beside)
	clear(s.above2)
	least := 0x1p-53 * s.largest
	for i, below := range s.beside {
		if s.exchanged[i] = math.Abs(s.main[i]) < math.Abs(below); !s.exchanged[i] {
			if math.Abs(s.main[i]) < least {
				s.main[i] = math.Copysign(least, s.main[i])
			}
			s.less[i] = below / s.main[i]
			s.main[i+1] -= float64(s.less[i] * s.above[i])
			continue
		}
		s.less[i] = s.main[i] / below
		old := s.above[i]
		s.main[i], s.above[i] = below, s.main[i+1]
		s.main[i+1] = old - float64(s.less[i]*s.above[i])
		if i+1 < len(s.beside) {
			s.above2[i] = s.beside[i+1]
			s.above[i+1] = -s.less[i] * s.beside[i+1]
		}
	}
	if last := &s.main[len(s.main)-1]; math.Abs(*last) < least {
		*last = math.Copysign(least, *last)
	}
}

// solve replaces z by the solution for the right side z.
func (s *shifted) solve(z []float64) {
	n := len(z)
	for i := range n - 1 {
		if s.exchanged[i] {
			z[i], z[i+1] = z[i+1], z[i]
		}
		z[i+1] -= float64(s.less[i] * z[i])
	}
	var next, second float64 // of the solution
	for i := n - 1; i >= 0; i-- {
		z[i] = (z[i] - float64(s.above[i]*next) - float64(s.above2[i]*second)) / s.main[i]
		next, second = z[i], next
	}
}

// residual is the largest element of T·z − value·z.
func (s *shifted) residual(z []float64, value float64) float64 {
	largest := 0.0
	for i, v := range z {
		r := float64((s.diagonal[i] - value) * v)
		if i > 0 {
			r += float64(s.beside[i-1] * z[i-1])
		}
		if i+1 < len(z) {
			r += float64(s.beside[i] * z[i+1])
		}
		largest = max(largest, math.Abs(r))
	}
	return largest
}

// normalize divides z by its length.
func normalize(z []float64) {
	length := math.Sqrt(dot(z, z))
	for i := range z {
		z[i] /= length
	}
}
