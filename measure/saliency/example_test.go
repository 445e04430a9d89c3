// The worked example of the package comment.

package saliency_test

import (
	"fmt"

	"repscope/measure/saliency"
)

// A map is right about where people look, but for a spot at the left that it takes for another.
func Example() {
	truth, err := saliency.NewMap(4, 2, []uint8{1, 2, 3, 9, 1, 1, 2, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	predicted, err := saliency.NewMap(4, 2, []uint8{4, 2, 3, 8, 1, 1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	looked, err := saliency.FixationsAt(4, 2, []float64{3.2, 3.9, 2.5}, []float64{0.5, 1.1, 0.8})
	if err != nil {
		fmt.Println(err)
		return
	}
	cc, _ := saliency.CC(truth, predicted)
	sim, _ := saliency.SIM(truth, predicted)
	kl, _ := saliency.KL(truth, predicted, saliency.Epsilon)
	nss, _ := saliency.NSS(predicted, looked)
	judd, _ := saliency.AUCJudd(predicted, looked)
	fmt.Printf("CC %.3f, SIM %.3f, KL %.3f, NSS %.3f, AUC-Judd %.3f\n", cc, sim, kl, nss, judd)
	// Output:
	// CC 0.862, SIM 0.875, KL 0.093, NSS 0.786, AUC-Judd 0.933
}
