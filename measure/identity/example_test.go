// The worked example of the package comment.

package identity_test

import (
	"context"
	"fmt"

	"repscope/measure/identity"
)

// The start of an antibody, two test sequences, and the training sequences that are nearest to them.
func Example() {
	train := [][]byte{[]byte("QVQLQQSGAELARPGAS"), []byte("EVQLVESGGGLVQPGGS"), []byte("DIQMTQSPSSLSASVGD")}
	test := [][]byte{[]byte("EVQLLESGGGLVQPGS"), []byte("SYELTQPPSVSVSPGQT")}
	matches, err := identity.Nearest(context.Background(), test, train, identity.Options{Least: 0.7})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, m := range matches {
		fmt.Printf("%s: training sequence %d, identity %.3f, %d edits\n", test[i], m.Reference, m.Identity, m.Edits)
	}
	clusters, err := identity.Clusters(context.Background(), append(train, test...), identity.Options{Least: 0.7})
	fmt.Println("clusters:", clusters, err)
	// Output:
	// EVQLLESGGGLVQPGS: training sequence 1, identity 0.938, 2 edits
	// SYELTQPPSVSVSPGQT: training sequence -1, identity NaN, 0 edits
	// clusters: [0 1 2 1 3] <nil>
}
