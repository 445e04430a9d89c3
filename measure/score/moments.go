// Means and squares about the mean that can be joined, so that the rest without a
// block is added up and never subtracted.

package score

import (
	"math"

	"repscope/stat"
)

// moments are the moments of a set of values. Sets are joined as by Chan, Golub and LeVeque (1983).
type moments struct {
	n, mean, squares float64 // Σ (x − mean)²
	low, high        float64
}

func noMoments() moments { return moments{low: math.Inf(1), high: math.Inf(-1)} }

// momentsOf takes two passes.
func momentsOf(n int, value func(i int) float64) moments {
	m := noMoments()
	if n == 0 {
		return m
	}
	values, squares := make([]float64, n), make([]float64, n)
	for i := range values {
		values[i] = value(i)
		m.low, m.high = min(m.low, values[i]), max(m.high, values[i])
	}
	m.n, m.mean = float64(n), stat.Mean(values)
	for i, v := range values {
		d := v - m.mean
		squares[i] = d * d
	}
	m.squares = stat.Sum(squares)
	return m
}

func (a moments) join(b moments) moments {
	switch {
	case a.n == 0:
		return b
	case b.n == 0:
		return a
	}
	n, d := a.n+b.n, b.mean-a.mean
	return moments{
		n: n, mean: a.mean + float64(d*(b.n/n)), squares: a.squares + b.squares + float64(float64(d*d)*(a.n*(b.n/n))),
		low: min(a.low, b.low), high: max(a.high, b.high),
	}
}

// constant says that there are no two different values.
func (a moments) constant() bool { return !(a.low < a.high) }

func (a moments) variance() float64 { return a.squares / a.n }

// meanSquare is Σ x²/n.
func (a moments) meanSquare() float64 { return a.variance() + float64(a.mean*a.mean) }

// withoutEach joins all but each part, in order, and all of them.
func withoutEach[T any](parts []T, none T, join func(a, b T) T) (all T, without []T) {
	after := make([]T, len(parts)+1)
	after[len(parts)] = none
	for j := len(parts) - 1; j >= 0; j-- {
		after[j] = join(parts[j], after[j+1])
	}
	without = make([]T, len(parts))
	before := none
	for j, part := range parts {
		without[j] = join(before, after[j+1])
		before = join(before, part)
	}
	return before, without
}
