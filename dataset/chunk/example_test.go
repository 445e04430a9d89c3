// An example of chunks that are expanded.

package chunk_test

import (
	"fmt"

	"repscope/dataset/chunk"
)

// numbered has chunks of 2 × 2 bytes with their number; the last one is not stored.
type numbered struct{}

func (numbered) Plain(int) bool { return true }

func (numbered) Use(number int, use func(raw []byte)) (bool, error) {
	if number == 3 {
		return false, nil
	}
	n := byte(number)
	use([]byte{n, n, n, n})
	return true, nil
}

func ExampleReader_Read() {
	reader := chunk.New([]int{4, 3}, []int{2, 2}, 1, []byte{9}, numbered{})
	raw := make([]byte, 6)
	err := reader.Read(raw, 1, 3)
	fmt.Println(raw, err)
	// Output: [0 0 1 2 2 9] <nil>
}
