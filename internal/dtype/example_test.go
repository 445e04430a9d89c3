// Examples of element types.

package dtype_test

import (
	"fmt"

	"repscope/internal/dtype"
)

func ExampleArraySize() {
	size, err := dtype.ArraySize([]int{100, 84, 84}, dtype.Float16)
	fmt.Println(size, dtype.Float16, err)
	// Output: 1411200 float16 <nil>
}

func ExampleFloat32s() {
	raw := []byte{0, 60, 0, 192} // two little-endian float16
	values := make([]float32, 2)
	err := dtype.Float32s(values, raw, dtype.Float16, dtype.LittleEndian)
	fmt.Println(values, err)
	// Output: [1 -2] <nil>
}
