// An example of a store for tests.

package zarrtest_test

import (
	"fmt"
	"maps"
	"slices"

	"repscope/dataset/zarr/zarrtest"
)

func ExampleFiles() {
	x := zarrtest.Array{Path: "x", Type: "uint8", Shape: []int{3}, Rows: 2, Raw: []byte{1, 2, 3}}
	fmt.Println(slices.Sorted(maps.Keys(zarrtest.Files(x))))
	// Output: [x/c/0 x/c/1 x/zarr.json zarr.json]
}
