// How few observations hold the variance on which a least-squares fit rests.

package stat

import "slices"

// Leverage measures how much of the sum of squares about a mean comes from a few observations. Such
// observations determine a least-squares fit and its R². Deleting blocks does not reveal them if every
// block contains some.
type Leverage struct {
	// Top is the share that the hundredth of the observations with the largest squares holds, at
	// least one observation: 0.08 of normal and 0.2 of exponential values.
	Top float64
	// Far are the observations whose square is more than ten times the mean square, ascending:
	// more than 3.2 standard deviations from the mean. There are fewer than a tenth of all.
	Far   []int
	Share float64 // what these hold
}

// farSquares is how many mean squares make an observation far.
const farSquares = 10

// Decides reports whether outlying observations have half of the squares or more.
func (l Leverage) Decides() bool { return l.Share >= 0.5 }

// LeverageOf returns the leverage of values about their mean; the zero value if all are equal.
func LeverageOf(values []float64) Leverage {
	if len(values) == 0 {
		return Leverage{}
	}
	scale := 0.0
	mean := Mean(values)
	for _, v := range values {
		scale = max(scale, v-mean, mean-v)
	}
	squares := make([]float64, len(values))
	for i, v := range values {
		if scale > 0 {
			d := (v - mean) / scale
			squares[i] = d * d
		}
	}
	return LeverageOfSquares(squares)
}

// LeverageOfSquares returns the leverage of observations from their squares, such as squared distances
// of points from their mean.
func LeverageOfSquares(squares []float64) Leverage {
	n, total := len(squares), sumOf(0, len(squares), func(i int) float64 { return squares[i] })
	if n == 0 || !(total > 0) {
		return Leverage{}
	}
	sorted := slices.Clone(squares)
	slices.Sort(sorted)
	l := Leverage{Top: sumOf(n-max(n/100, 1), n, func(i int) float64 { return sorted[i] }) / total}
	for i, v := range squares {
		if v*float64(n) > farSquares*total {
			l.Far = append(l.Far, i)
		}
	}
	l.Share = sumOf(0, len(l.Far), func(i int) float64 { return squares[l.Far[i]] }) / total
	return l
}
