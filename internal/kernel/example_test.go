// Worked examples of the package.

package kernel_test

import (
	"fmt"

	"repscope/internal/kernel"
)

// The Gram matrix of three points, and their exact squared distances as bytes.
func Example() {
	x := []float32{1, 2, 3, 4, 5, 6} // three rows of two
	gram := make([]float32, 9)
	p := kernel.Product[float32]{M: 3, N: 3, K: 2, A: kernel.Rows(x, 2), B: kernel.Rows(x, 2), C: gram, Stride: 3}
	if err := p.Run(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(gram)

	frames := []uint8{0, 0, 255, 255, 3, 4}
	squares := make([]int32, 3)
	for i := range squares {
		squares[i] = int32(kernel.SumSquaresUint8(frames[2*i : 2*i+2]))
	}
	distances := make([]int32, 9)
	q := kernel.Uint8Product[int32]{
		M: 3, N: 3, K: 2,
		A: kernel.Uint8Rows(frames, 2), B: kernel.Uint8Rows(frames, 2),
		C: distances, Stride: 3,
		Squared: true, ASquares: squares, BSquares: squares,
	}
	if err := q.Run(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(distances)
	// Output:
	// [5 11 17 11 25 39 17 39 61]
	// [0 130050 25 130050 0 126505 25 126505 0]
}
