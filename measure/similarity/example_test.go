// The worked example of the package comment.

package similarity_test

import (
	"context"
	"fmt"

	"repscope/measure/similarity"
	"repscope/points"
)

// A shape and the same shape turned by 90 degrees, twice as large and elsewhere.
func Example() {
	x, err := similarity.NewSpace(points.Float64([]float64{0, 0, 1, 0, 1, 2, 5, 3}, 2), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := similarity.NewSpace(points.Float64([]float64{7, 7, 7, 9, 3, 9, 1, 17}, 2), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := similarity.Compare(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	pairs, err := similarity.DrawPairs(x.Len(), 0, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	ranks, err := similarity.RSA(context.Background(), []*similarity.Space{x, y}, pairs, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("CKA %.3f, Procrustes %.3f, RSA %.3f over %d pairs\n", s.CKA.Value, s.Procrustes.Value, ranks[0].Value, pairs.Len())
	// Output:
	// CKA 1.000, Procrustes 0.000, RSA 1.000 over 6 pairs
}
