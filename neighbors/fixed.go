// Sums of fractions that do not depend on the order in which they are added.

package neighbors

import "math/bits"

// Fixed is a number of the grid 2⁻⁶⁴: Whole + Part/2⁶⁴. Where distances tie, an expectation
// over their orders is a sum of fractions whose denominators are products of the sizes of ties.
// Each fraction is rounded to the grid once, by integers alone, and sums on the grid are exact:
// any split of the work adds up to the same bits, and a million fractions are off by less than
// 10⁻¹³. Without ties all fractions are integers and Part is 0.
type Fixed struct {
	Whole int64
	Part  uint64
}

// addRatio adds a·b/den, for 0 ≤ a ≤ den and a quotient b/den below 2⁶³.
func (f *Fixed) addRatio(a, b, den uint64) {
	high, low := bits.Mul64(a, b)
	whole, rest := bits.Div64(high, low, den)
	part, rest := bits.Div64(rest, 0, den)
	if rest > (den-1)/2 { // to the nearest
		if part++; part == 0 {
			whole++
		}
	}
	f.add(Fixed{int64(whole), part})
}

// add adds g.
func (f *Fixed) add(g Fixed) {
	part, carry := bits.Add64(f.Part, g.Part, 0)
	f.Whole, f.Part = f.Whole+g.Whole+int64(carry), part
}

// Float is the number, rounded.
func (f Fixed) Float() float64 { return float64(f.Whole) + float64(f.Part)*0x1p-64 }

func addTo(a, b []Fixed) {
	for i, v := range b {
		a[i].add(v)
	}
}

func floats(x []Fixed) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v.Float()
	}
	return out
}
