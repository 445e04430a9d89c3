// Example of telling files apart.

package format_test

import (
	"fmt"

	"repscope/internal/format"
)

func ExampleOf() {
	head := []byte("\x93NUMPY\x01\x00v\x00{'descr'")
	fmt.Println(format.Of(head) == format.NPY, format.Describe([]byte("\x89HDF\r\n\x1a\n")))
	// Output: true is an HDF5 file
}
