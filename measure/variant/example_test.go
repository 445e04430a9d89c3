// Scores of substitutions against measurements.

package variant_test

import (
	"fmt"

	"repscope/measure/variant"
)

// A variant with two substitutions, by their positions from 1.
func ExampleApply() {
	mutations, err := variant.Parse("C2S:W4F")
	if err != nil {
		fmt.Println(err)
		return
	}
	sequence, err := variant.Apply("ACDWK", mutations)
	fmt.Println(sequence, err)
	// Output:
	// ASDFK <nil>
}

// Ten variants. The scores exchange two neighbors in rank.
func ExampleNewAgreement() {
	measured := []float64{-2, -1.5, -1, -0.8, -0.5, -0.2, 0, 0.1, 0.4, 0.7}
	scores := []float64{-9, -8, -7, -5, -6, -4, -3, -2, -1, 0}
	fit := []bool{false, false, false, false, false, true, true, true, true, true} // by the assay's own threshold
	agreement, err := variant.NewAgreement(measured, scores, fit, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []variant.Measure{variant.Spearman, variant.AUC} {
		value, err := agreement.Value(m)
		fmt.Printf("%v %.3f %v\n", m, value, err)
	}
	// Output:
	// spearman 0.988 <nil>
	// auc 1.000 <nil>
}
