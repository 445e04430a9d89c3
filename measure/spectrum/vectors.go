// Eigenvalues of symmetric matrices with their vectors: panels of reflections, then inverse iteration, or rotations of
// rows where eigenvalues are close.

package spectrum

import (
	"math"
	"slices"

	"repscope/internal/kernel"
)

// Eigenvalues are the eigenvalues of the symmetric n × n matrix a, given by its upper triangle, in descending order.
// The matrix is overwritten. threads ≤ 0 means all; results do not depend on it. Errors: the iteration does not end.
func Eigenvalues(a []float64, n, threads int) ([]float64, error) {
	t, err := tridiagonalOf(a, n, bandOf(n), max(threads, 0))
	if err != nil {
		return nil, err
	}
	values, err := t.eigenvalues()
	slices.Reverse(values)
	return values, err
}

// Eigenvectors are the eigenvalues of the symmetric n × n matrix a in descending order, and the eigenvectors, of length
// 1 and either sign, as the rows of an n × n matrix. Vectors of equal eigenvalues are some basis of their space. Both
// have errors of rounding times the largest eigenvalue. Errors as for [Eigenvalues].
func Eigenvectors(a []float64, n, threads int) (values, vectors []float64, err error) {
	if n == 0 {
		return nil, nil, nil
	}
	scale := 0.0
	for _, v := range a[:n*n] {
		scale = max(scale, math.Abs(v))
	}
	_, exponent := math.Frexp(scale) // by a power of two, as in tridiagonalOf
	w := &vectorWork{n: n, stride: roundUp(n, kernel.PairDepth), threads: max(threads, 0)}
	w.a, w.v = make([]float64, n*w.stride), make([]float64, n*w.stride)
	w.pairs = make([]float64, 3*panelRows*w.stride)
	for i := range n {
		for k, v := range a[i*n : (i+1)*n] {
			w.a[i*w.stride+k] = math.Ldexp(v, -exponent)
		}
	}
	for first := 0; first < n-2; first += panelRows {
		if err := w.panel(first); err != nil {
			return nil, nil, err
		}
	}
	for i := max(0, n-2); i < n; i++ {
		w.diagonal = append(w.diagonal, w.row(w.a, i)[i])
		if i+1 < n {
			w.beside = append(w.beside, w.row(w.a, i)[i+1])
		}
	}
	w.turnBack()
	if done, err := w.inverted(); err != nil {
		return nil, nil, err
	} else if !done && !w.rotate() {
		return nil, nil, errNotConverged
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case w.diagonal[i] > w.diagonal[j]:
			return -1
		case w.diagonal[i] < w.diagonal[j]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		values = append(values, math.Ldexp(w.diagonal[i], exponent))
		vectors = append(vectors, w.row(w.a, i)[:n]...)
	}
	return values, vectors, nil
}

// panelRows is the number of reflections after which the rest of the matrix is brought up to date.
const panelRows = 32

// vectorWork is the state of Eigenvectors. Rows are stride elements apart, with zeros behind the n-th.
type vectorWork struct {
	n, stride, threads int
	// a is the matrix, and later the vectors, as rows.
	a []float64
	// v has the vector of reflection k in row k, with zeros up to column k; tau their factors.
	v, tau           []float64
	diagonal, beside []float64
	// pairs are rows N, V and N again of a panel, so that A + Vᵀ·N + Nᵀ·V is the rest of the matrix after it.
	pairs []float64
}

func (w *vectorWork) row(x []float64, i int) []float64 { return x[i*w.stride:][:w.stride] }

// aligned is the first column, at most k, from which on rows may be multiplied.
func aligned(k int) int { return k / kernel.PairDepth * kernel.PairDepth }

// panel makes rows from first on tridiagonal. Reflection k changes A into A + v·nᵀ + n·vᵀ, with v from row k and
// n = (τ/2·(p·v))·v − p for p = τ·A·v.
func (w *vectorWork) panel(first int) error {
	count := min(panelRows, w.n-2-first)
	clear(w.pairs)
	pairN := func(k int) []float64 { return w.row(w.pairs, k-first) }
	for k := first; k < first+count; k++ {
		row, from := w.row(w.a, k), aligned(k)
		for l := first; l < k; l++ {
			v, n := w.row(w.v, l), pairN(l)
			kernel.AddScaled(row[from:], n[from:], v[k])
			kernel.AddScaled(row[from:], v[from:], n[k])
		}
		v, n := w.row(w.v, k), pairN(k)
		copy(v[k+2:], row[k+2:])
		beta, tau := reflect(v, row[k+1], k+1)
		w.diagonal, w.beside, w.tau = append(w.diagonal, row[k]), append(w.beside, beta), append(w.tau, tau)
		if tau == 0 {
			continue
		}
		from = aligned(k + 1)
		for i := k + 1; i < w.n; i++ {
			n[i] = -tau * kernel.Dot(w.row(w.a, i)[from:], v[from:])
		}
		for l := first; l < k; l++ {
			before, beforeN := w.row(w.v, l), pairN(l)
			alongV, alongN := kernel.Dot(before[from:], v[from:]), kernel.Dot(beforeN[from:], v[from:])
			kernel.AddScaled(n[from:], before[from:], -tau*alongN)
			kernel.AddScaled(n[from:], beforeN[from:], -tau*alongV)
		}
		clear(n[:k+1])
		kernel.AddScaled(n[from:], v[from:], -tau/2*kernel.Dot(n[from:], v[from:]))
	}
	copy(w.pairs[panelRows*w.stride:], w.v[first*w.stride:(first+count)*w.stride])
	copy(w.pairs[2*panelRows*w.stride:], w.pairs[:panelRows*w.stride])
	rest := first + count
	product := kernel.Product[float64]{
		M: w.n - rest, N: w.n - rest, K: 2 * panelRows, Threads: w.threads, Accumulate: true, Stride: w.stride,
		A: kernel.Columns(w.pairs[panelRows*w.stride+rest:], w.stride), B: kernel.Columns(w.pairs[rest:], w.stride),
		C: w.a[rest*w.stride+rest:],
	}
	return product.Run()
}

// turnBack replaces the matrix by the basis in which it is tridiagonal, as rows: the product of the reflections.
func (w *vectorWork) turnBack() {
	clear(w.a)
	for i := range w.n {
		w.a[i*w.stride+i] = 1
	}
	for k := len(w.tau) - 1; k >= 0; k-- {
		from := aligned(k + 1)
		v := w.row(w.v, k)[from:]
		for i := k + 1; i < w.n && w.tau[k] != 0; i++ {
			row := w.row(w.a, i)[from:]
			kernel.AddScaled(row, v, -w.tau[k]*kernel.Dot(row, v))
		}
	}
}

// maxSweeps is the number of sweeps of rotations, for each eigenvalue, after which the iteration fails.
const maxSweeps = 60

// rotate makes the tridiagonal matrix diagonal by the implicit QL method with Wilkinson's shifts (Golub & Van Loan
// 2013, section 8.3), and turns the basis along. ok is false where that does not end.
func (w *vectorWork) rotate() (ok bool) {
	d, e := w.diagonal, append(w.beside, 0)
	sign := slices.Repeat([]float64{1}, w.n)
	largest := 0.0
	for i := range d {
		largest = max(largest, math.Abs(d[i]), math.Abs(e[i]))
	}
	for first := range d {
		for sweep := 0; ; sweep++ {
			last, small := first, 0x1p-60*largest
			if sweep >= maxSweeps/2 { // rounding of the largest numbers may fill in what sweeps have removed
				small = 0x1p-52 * largest
			}
			for last+1 < w.n && math.Abs(e[last]) > max(0x1p-53*(math.Abs(d[last])+math.Abs(d[last+1])), small) {
				last++
			}
			if last == first {
				break
			}
			if sweep == maxSweeps {
				return false
			}
			w.sweep(d, e, sign, first, last)
		}
	}
	return true
}

// sweep rotates rows last and last−1, and on down to first.
func (w *vectorWork) sweep(d, e, sign []float64, first, last int) {
	half := (d[first+1] - d[first]) / (2 * e[first])
	shifted := d[last] - d[first] + e[first]/(half+math.Copysign(math.Hypot(half, 1), half))
	sine, cosine, moved := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		bulge, rest := sine*e[i], cosine*e[i]
		length := math.Hypot(bulge, shifted)
		e[i+1] = length
		if length == 0 { // the matrix falls apart here
			d[i+1] -= moved
			e[last] = 0
			return
		}
		sine, cosine = bulge/length, shifted/length
		next := d[i+1] - moved
		step := float64((d[i]-next)*sine) + float64(2*cosine*rest)
		moved = sine * step
		d[i+1] = next + moved
		shifted = float64(cosine*step) - rest
		w.turnRows(i, sine, cosine, sign)
	}
	d[first] -= moved
	e[first], e[last] = shifted, 0
}

// turnRows rotates rows x and y at i and i+1 into cosine·x − sine·y and sine·x + cosine·y, by three shears. Rows stand
// for themselves times their sign, so that the cosine is never negative and no shear is large.
func (w *vectorWork) turnRows(i int, sine, cosine float64, sign []float64) {
	if cosine < 0 {
		sine, cosine = -sine, -cosine
		sign[i], sign[i+1] = -sign[i], -sign[i+1]
	}
	if sine *= sign[i] * sign[i+1]; sine == 0 {
		return
	}
	x, y := w.row(w.a, i), w.row(w.a, i+1)
	shear := sine / (1 + cosine)
	kernel.AddScaled(x, y, -shear)
	kernel.AddScaled(y, x, sine)
	kernel.AddScaled(x, y, -shear)
}
