// Examples of the loops.

package parallel_test

import (
	"context"
	"fmt"

	"repscope/internal/parallel"
)

func ExampleFor() {
	squares := make([]int, 5)
	err := parallel.For(context.Background(), 2, len(squares), func(_, i int) { squares[i] = i * i })
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}

func ExampleWith() {
	words := []string{"latent", "state", "frame"}
	reversed := make([]string, len(words))
	err := parallel.With(context.Background(), 0, len(words), func() func(i int) error {
		var scratch []byte // of one goroutine
		return func(i int) error {
			scratch = scratch[:0]
			for k := len(words[i]) - 1; k >= 0; k-- {
				scratch = append(scratch, words[i][k])
			}
			reversed[i] = string(scratch)
			return nil
		}
	})
	fmt.Println(reversed, err)
	// Output: [tnetal etats emarf] <nil>
}
