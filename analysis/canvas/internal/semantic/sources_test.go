// Cosines.

package semantic

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The cosine is that of its definition, does not depend on length, and is 1 of equal vectors.
func TestCosine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-10, 10), 3, 3)
		a, b := v.Draw(t, "a"), v.Draw(t, "b")
		a[0], b[0] = a[0]+20, b[0]+20
		scale := rapid.SampledFrom([]float64{1, 1e-200, 1e200}).Draw(t, "scale")
		var scaled, tripled []float64
		var ab, aa, bb float64
		for i := range a {
			ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
			scaled, tripled = append(scaled, a[i]*scale), append(tripled, -b[i])
		}
		want := ab / math.Sqrt(aa) / math.Sqrt(bb)
		got, err := cosine(scaled, b)
		if err != nil || math.Abs(got-want) > 1e-14 {
			t.Fatalf("cosine(%v, %v) = %v (%v), want %v", scaled, b, got, err, want)
		}
		if same, _ := cosine(scaled, scaled); same != 1 {
			t.Fatalf("of equal vectors it is %v", same)
		}
		if opposite, _ := cosine(b, tripled); opposite != -1 {
			t.Fatalf("of opposite vectors it is %v", opposite)
		}
	})
}
