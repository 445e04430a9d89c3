// How pairs of columns vary together in two tables.

package twosample

import (
	"fmt"
	"math"

	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// Trend compares the correlation of two columns between two tables.
type Trend struct {
	First, Second int     // the columns
	X, Y          float64 // Pearson's correlation in x and in y
	// Similarity is 1 − |X − Y|/2, from 0 to 1, 1 for the same correlation. NaN where a
	// column is constant in one of the tables.
	Similarity float64
}

// ColumnPairTrends compares the correlations of all pairs of columns of two tables, points
// as rows. Other numbers of columns are an error; tables of less than 2 rows, NaN and Inf
// are a [stat.UndefinedError].
func ColumnPairTrends(x, y points.Points) ([]Trend, error) {
	const quantity = "column-pair trends"
	if x.Dim != y.Dim {
		return nil, fmt.Errorf("%s: tables of %d and of %d columns", quantity, x.Dim, y.Dim)
	}
	if x.N < 2 || y.N < 2 {
		return nil, stat.Undefined(quantity, "tables of %d and %d rows, want at least 2", x.N, y.N)
	}
	tables := [2]matrix.Matrix{}
	for k, p := range []points.Points{x, y} {
		if err := finite(quantity, names[k], p); err != nil {
			return nil, err
		}
		tables[k], _ = matrix.Centered(p)
	}
	var out []Trend
	for a := range x.Dim {
		for b := a + 1; b < x.Dim; b++ {
			t := Trend{First: a, Second: b, X: correlation(tables[0], a, b), Y: correlation(tables[1], a, b)}
			t.Similarity = 1 - math.Abs(t.X-t.Y)/2
			out = append(out, t)
		}
	}
	return out, nil
}

// correlation is the correlation of two columns of centered rows; NaN where one does not vary.
func correlation(x matrix.Matrix, a, b int) float64 {
	var aa, bb, ab float64
	for i := range x.N {
		u, v := x.Row(i)[a], x.Row(i)[b]
		aa += float64(u * u)
		bb += float64(v * v)
		ab += float64(u * v)
	}
	if aa == 0 || bb == 0 {
		return math.NaN()
	}
	return max(-1, min(1, ab/math.Sqrt(aa*bb)))
}
