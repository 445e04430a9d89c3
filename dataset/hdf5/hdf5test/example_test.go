// An example of a file for tests.

package hdf5test_test

import (
	"fmt"

	"repscope/dataset/hdf5/hdf5test"
)

func ExampleBuilder() {
	var b hdf5test.Builder
	values := b.Put([]byte{1, 2, 3})
	x := b.Object(hdf5test.Space(3), hdf5test.Uint8(), hdf5test.Contiguous(values, 3))
	data := b.File(b.Group(hdf5test.Name{Name: "x", Address: x}))
	fmt.Printf("%q\n", data[1:4])
	// Output: "HDF"
}
