// The epilogue of products in quantized models: scales, bounds and roundings, in one pass.

package vector

import (
	"math"
	"slices"
)

// Steps is the set of steps of a [Requantize].
type Steps uint64

// The steps in their order; each rounds to float32. A NaN stays through all bounds.
const (
	Factored Steps = 1 << iota // times a factor of the column
	Termed                     // plus a term of the column
	Raised                     // to Low at least
	Lowered                    // to High at most
	Divided                    // by Divisor
	reciprocal
	Rounded  // to integers, halves to even ones
	Shifted  // plus Zero
	Raised2  // to Least at least
	Lowered2 // to Most at most
	Looked   // the element of Table for an integer; the table begins at First
	Centered // less Less
	Scaled   // times Scale
)

// Requantize is a list of steps and their operands; Factors and Terms are of all columns. Values looked up in Table lie
// within First … First + 255, or are NaN.
type Requantize struct {
	Steps                                              Steps
	Factors, Terms                                     []float32
	Low, High, Divisor, Zero, Least, Most, Less, Scale float32
	First                                              float32
	Table                                              *[256]float32
}

// Requantizer does the steps of a [Requantize] to rows.
type Requantizer struct {
	columns, together int // of a row, and how many rows are one
	wide              Requantize
	arguments         requantization
}

// requantization is a Requantize as the assembly reads it; it knows the fields by their offsets.
type requantization struct {
	steps                          Steps
	factors, terms                 *float32
	low, high, divisor             float32
	reciprocal, bound, minusBound  float32
	zero, least, most, less, scale float32
	first                          float32
	table                          *[256]float32

	// For quick steps: the factors and terms of the sums, the greatest rest, and the bounds of a byte.
	quickFactors, quickTerms *float32
	rest                     float32
	least8, most8            uint8
}

// NewRequantizer prepares rows of columns elements, which have their own operands with Factors or Terms.
func NewRequantizer(q Requantize, columns int) *Requantizer {
	if q.Steps&(Factored|Termed) == 0 {
		columns = 1
	}
	r := &Requantizer{columns: columns, together: 1, wide: q}
	for r.together*columns%Lanes != 0 || r.together*columns%(4*Lanes) != 0 && r.together*columns < 1<<12 {
		r.together *= 2
	}
	r.wide.Factors, r.wide.Terms = slices.Repeat(q.Factors, r.together), slices.Repeat(q.Terms, r.together)
	a := &r.arguments
	*a = requantization{steps: q.Steps, low: q.Low, high: q.High, divisor: q.Divisor, zero: q.Zero, least: q.Least, most: q.Most, less: q.Less, scale: q.Scale,
		first: q.First, table: q.Table}
	if q.Steps&Factored != 0 {
		a.factors = &r.wide.Factors[0]
	}
	if q.Steps&Termed != 0 {
		a.terms = &r.wide.Terms[0]
	}
	if q.invertible() {
		a.steps = a.steps&^Divided | reciprocal
		a.reciprocal, a.bound, a.minusBound = 1/q.Divisor, farQuotient*q.Divisor, -farQuotient*q.Divisor
	}
	return r
}

// farQuotient is where quotients may be cut: bounds do it afterwards.
const farQuotient = 1 << 24

// invertible reports whether quotients may be products with the reciprocal that are corrected twice. The first
// correction leaves less than a unit in the last place, and then the second one gives the nearest float unless all bits
// of the divisor are set (Markstein 1990). Numbers so small that a correction is not exact are rounded to the same
// result.
func (q *Requantize) invertible() bool {
	const steps, all = Divided | Rounded | Raised2 | Lowered2, 1<<23 - 1
	small := func(x float32) bool { return x >= -1<<16 && x <= 1<<16 }
	return q.Steps&steps == steps && q.Divisor > 1e-30 && q.Divisor < 1e20 && math.Float32bits(q.Divisor)&all != all &&
		small(q.Least) && small(q.Most) && (q.Steps&Shifted == 0 || small(q.Zero))
}

// Rows does the steps to c, whole rows.
func (r *Requantizer) Rows(c []float32) {
	n := r.together * r.columns
	rows := len(c) / n
	if rows > 0 {
		requantize(c, n, rows, r)
	}
	rest := c[rows*n:]
	part := len(rest) &^ (Lanes - 1)
	if part > 0 {
		requantize(rest, part, 1, r)
	}
	r.wide.generic(rest[part:], part)
}

// generic applies the steps to elements; the operands begin at index first.
func (q *Requantize) generic(c []float32, first int) {
	for i, x := range c {
		if q.Steps&Factored != 0 {
			x = float32(x * q.Factors[first+i])
		}
		if q.Steps&Termed != 0 {
			x = float32(x + q.Terms[first+i])
		}
		if q.Steps&Raised != 0 && x < q.Low {
			x = q.Low
		}
		if q.Steps&Lowered != 0 && x > q.High {
			x = q.High
		}
		if q.Steps&Divided != 0 {
			x = float32(x / q.Divisor)
		}
		if q.Steps&Rounded != 0 {
			x = float32(math.RoundToEven(float64(x)))
		}
		if q.Steps&Shifted != 0 {
			x = float32(x + q.Zero)
		}
		if q.Steps&Raised2 != 0 && x < q.Least {
			x = q.Least
		}
		if q.Steps&Lowered2 != 0 && x > q.Most {
			x = q.Most
		}
		if q.Steps&Looked != 0 && x == x {
			x = q.Table[uint8(int32(x-q.First))]
		}
		if q.Steps&Centered != 0 {
			x = float32(x - q.Less)
		}
		if q.Steps&Scaled != 0 {
			x = float32(x * q.Scale)
		}
		c[i] = x
	}
}

func requantizeGeneric(c []float32, n, rows int, r *Requantizer) {
	for i := range rows {
		r.wide.generic(c[i*n:][:n], 0)
	}
}
