// The spectra of points less their mean and of the points themselves, from one reduction.

package spectrum

import (
	"math"

	"repscope/internal/kernel"
)

// bothOfCoordinates are the eigenvalues of the products xᵀx of coordinates and of (x + 1·mᵀ)ᵀ(x + 1·mᵀ) = xᵀx +
// count·m·mᵀ, for count points x with the mean 0, in descending order. In a basis whose first vector is along m the
// two differ in one element, and the reduction to tridiagonal form leaves that vector alone. The n × n products,
// read in the upper triangle, are overwritten.
func bothOfCoordinates(products []float64, n int, count float64, mean []float64,
	threads int) (centered, raw []float64, err error) {
	length := turn(products, n, 0, mean)
	t, err := tridiagonalOf(products, n, bandOf(n), threads)
	if err != nil {
		return nil, nil, err
	}
	if centered, err = t.squares(); err != nil {
		return nil, nil, err
	}
	t.diagonal[0] += math.Ldexp(count*length*length, -t.exponent)
	raw, err = t.squares()
	return centered, raw, err
}

// bothOfPoints are the eigenvalues of the products xxᵀ of n points x with the mean 0 and of (x + 1·mᵀ)(x + 1·mᵀ)ᵀ =
// xxᵀ + along·1ᵀ + 1·alongᵀ + square·1·1ᵀ with along = x·m and square = ‖m‖², in descending order. In a basis whose
// first vectors are along 1 and along x·m, which are orthogonal, xxᵀ has nothing in its first row, and the other the
// rest. The products are overwritten, and so is along.
func bothOfPoints(products []float64, n int, along []float64, square float64,
	threads int) (centered, raw []float64, err error) {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	first := turn(products, n, 0, ones, along)
	clear(products[:n])
	second := 0.0
	if n > 1 {
		second = turn(products, n, 1, along)
	}
	t, err := tridiagonalOf(products, n, bandOf(n), threads)
	if err != nil {
		return nil, nil, err
	}
	if centered, err = t.squares(); err != nil {
		return nil, nil, err
	}
	t.diagonal[0] = math.Ldexp(first*(2*along[0]+first*square), -t.exponent)
	if n > 1 {
		t.beside[0] = math.Ldexp(first*second, -t.exponent)
	}
	raw, err = t.squares()
	return centered, raw, err
}

// turn changes the basis of the symmetric n × n matrix a, given by its upper triangle, by the reflection that maps
// the elements of v from from on to (β, 0, …), and returns β. The other vectors are turned too; v is left alone.
func turn(a []float64, n, from int, v []float64, others ...[]float64) float64 {
	m := n - from
	largest := 0.0
	for _, x := range v[from:] {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 0
	}
	u := make([]float64, roundUp(m, kernel.PairDepth))
	for i, x := range v[from:] {
		u[i] = x / largest
	}
	alpha := u[0]
	u[0] = 0
	beta, tau := reflect(u, alpha, 0)
	if tau == 0 {
		return beta * largest
	}
	u = u[:m]
	for _, x := range others {
		kernel.AddScaled(x[from:], u, -tau*dot(u, x[from:]))
	}
	// Rows above the turned ones have but elements that turn; there is one at most.
	for i := range from {
		row := a[i*n+from : (i+1)*n]
		kernel.AddScaled(row, u, -tau*dot(u, row))
	}
	y := make([]float64, m)
	for i := range m {
		row := a[(from+i)*n+from+i : (from+i+1)*n]
		y[i] += float64(row[0]*u[i]) + dot(row[1:], u[i+1:])
		kernel.AddScaled(y[i+1:], row[1:], u[i])
	}
	along := tau / 2 * dot(u, y)
	for i := range y {
		y[i] = tau * (y[i] - float64(along*u[i]))
	}
	for i := range m {
		row := a[(from+i)*n+from+i : (from+i+1)*n]
		kernel.AddScaled(row, y[i:], -u[i])
		kernel.AddScaled(row, u[i:], -y[i])
	}
	return beta * largest
}

// dot is Σ x·y for vectors of any length, at most the length of y.
func dot(x, y []float64) float64 {
	whole := len(x) / kernel.PairDepth * kernel.PairDepth
	sum := kernel.Dot(x[:whole], y[:whole])
	for k := whole; k < len(x); k++ {
		sum = math.FMA(x[k], y[k], sum)
	}
	return sum
}
