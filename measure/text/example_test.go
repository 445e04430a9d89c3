// The worked example of the package comment.

package text_test

import (
	"fmt"

	"repscope/measure/text"
)

// A text of a design, and how three others differ from it.
func Example() {
	for _, other := range []string{"Sign up", "Sing in", "In: sign!"} {
		fmt.Printf("%s: similarity %.2f, error rate %.2f, blocks %.2f, words %.2f\n", other, text.Similarity("Sign in", other),
			text.CER("Sign in", other), text.Ratio("Sign in", other), text.WordF1("Sign in", other))
	}
	// Output:
	// Sign up: similarity 0.71, error rate 0.29, blocks 0.71, words 0.50
	// Sing in: similarity 0.71, error rate 0.29, blocks 0.86, words 0.50
	// In: sign!: similarity 0.22, error rate 1.00, blocks 0.38, words 1.00
}
