// Looking through the values of an array once: extremes, NaN and infinity.

package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/dtype"
	"repscope/internal/parallel"
)

// scan is the result of inspecting an array.
type scan struct {
	low, high float64 // of the finite values; +Inf, -Inf when there are none
	bad       []badRow
}

// badRow is a row that holds NaN or infinity.
type badRow struct {
	row, element int // the first such element of the row
	value        float64
}

// inspect looks at every value, in parallel; the result does not depend on how.
func (a *Array) inspect() (scan, error) {
	step := max(1, (1<<18)/max(1, a.rowLen))
	chunks := 0
	if a.rowLen > 0 {
		chunks = (a.rows + step - 1) / step
	}
	parts := make([]scan, chunks)
	err := parallel.With(context.Background(), 0, chunks, func() func(c int) error {
		var values []float64
		return func(c int) error {
			lo := c * step
			hi := min(lo+step, a.rows)
			values = slices.Grow(values[:0], (hi-lo)*a.rowLen)[:(hi-lo)*a.rowLen]
			err := a.use(len(values), lo, hi, func(raw []byte) error { return dtype.Float64s(values, raw, a.dtype, a.order) })
			if err == nil {
				parts[c] = scanRows(values, lo, a.rowLen)
			}
			return err
		}
	})
	total := scan{low: math.Inf(1), high: math.Inf(-1)}
	if err != nil {
		return total, err
	}
	for _, p := range parts {
		total.low = min(total.low, p.low)
		total.high = max(total.high, p.high)
		total.bad = append(total.bad, p.bad...)
	}
	return total, nil
}

func scanRows(values []float64, first, rowLen int) scan {
	s := scan{low: math.Inf(1), high: math.Inf(-1)}
	for r := 0; r*rowLen < len(values); r++ {
		bad := false
		for k, v := range values[r*rowLen : (r+1)*rowLen] {
			if v-v != 0 { // NaN and infinity only
				if !bad {
					bad = true
					s.bad = append(s.bad, badRow{first + r, k, v})
				}
				continue
			}
			if v < s.low {
				s.low = v
			}
			if v > s.high {
				s.high = v
			}
		}
	}
	return s
}

// Unfilled reports whether the values of the array fill less than this share of a guessed pixel range, and the extremes
// of the values then. It reads integers until they fill the range.
func (s *States) Unfilled(share float64) (low, high float64, yes bool, err error) {
	a := s.array
	need := share * (s.pixels.High - s.pixels.Low)
	if s.pixels.Source == givenRange {
		return 0, 0, false, nil
	}
	if a.dtype.IsFloat() {
		found, err := a.values()
		low, high = found.low, found.high
		return low, high, err == nil && low <= high && high-low < need, err
	}
	low, high = math.Inf(1), math.Inf(-1)
	step := max(1, (1<<18)/max(1, a.rowLen))
	var values []float64
	for lo := 0; lo < a.rows && !(high-low >= need); lo += step {
		hi := min(lo+step, a.rows)
		values = slices.Grow(values[:0], (hi-lo)*a.rowLen)[:(hi-lo)*a.rowLen]
		if err := a.ReadFloat64(values, lo, hi); err != nil {
			return 0, 0, false, err
		}
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high, low <= high && high-low < need, nil
}

// NonFinite is the index of the first NaN or infinity of a row, and that value; nil where all are numbers.
// It looks through the array once.
func (a *Array) NonFinite(row int) (index []int, value float64, err error) {
	values, err := a.values()
	if err != nil {
		return nil, 0, err
	}
	k, ok := slices.BinarySearchFunc(values.bad, row, func(b badRow, row int) int { return b.row - row })
	if !ok {
		return nil, 0, nil
	}
	return a.indexOf(values.bad[k]), values.bad[k].value, nil
}

// Extremes are the smallest and the largest value of an array of floating-point numbers,
// NaN and Inf left out; low > high where there is none.
func (s *States) Extremes() (low, high float64, err error) {
	found, err := s.array.values()
	return found.low, found.high, err
}

// errorAt describes a value that is no number, with its index in the array.
func (a *Array) errorAt(b badRow) error {
	return fmt.Errorf("%s: the value at index %v is %v, want finite numbers (--skip-nan drops such states)", a.name,
		a.indexOf(b), b.value)
}

// indexOf is the index of the element in the array.
func (a *Array) indexOf(b badRow) []int {
	index := make([]int, len(a.shape))
	rest := b.element
	for i := len(a.shape) - 1; i > 0; i-- {
		index[i] = rest % a.shape[i]
		rest /= a.shape[i]
	}
	if len(index) > 0 {
		index[0] = b.row
	}
	return index
}
