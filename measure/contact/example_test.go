// Contacts of a small structure, ranked by scores.

package contact_test

import (
	"fmt"

	"repscope/measure/contact"
)

// Eight residues of a hairpin, 10 Å apart along two strands with 6 Å between them: residue i touches residue 7 − i.
func ExamplePrecisions() {
	coordinates := make([]float32, 0, 8*3) // [residues, 3], in Å
	for i := range 8 {
		x, y := float32(i), float32(0)
		if i > 3 {
			x, y = float32(7-i), 6
		}
		coordinates = append(coordinates, 10*x, y, 0)
	}
	truth, err := contact.Truth(coordinates, contact.Threshold)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores := make([]float32, 8*8) // a score per pair: high for contacts, and higher for one pair that does not touch
	for i := range 8 {
		scores[i*8+7-i] = 1
	}
	scores[0*8+6], scores[6*8+0] = 2, 2
	s, err := contact.Given(scores, 8, []int{0, 1, 2, 3, 4, 5, 6, 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	ranked, err := contact.Precisions(s, truth, []contact.Range{{Name: "all", Min: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := ranked[0]
	fmt.Printf("%d of %d pairs touch; by chance %.3f\n", p.Contacts, p.Pairs, p.Chance())
	fmt.Printf("P@L/2 = %.2f, P@L = %.2f\n", p.At(5), p.At(10))
	// Output:
	// 4 of 28 pairs touch; by chance 0.143
	// P@L/2 = 0.75, P@L = 0.50
}
