// An example of a file for tests.

package netcdftest_test

import (
	"fmt"

	"repscope/dataset/netcdf/netcdftest"
)

func ExampleFile() {
	x := netcdftest.Variable{Name: "x", Type: netcdftest.Ubyte, Shape: []int{3}, Raw: []byte{1, 2, 3}}
	fmt.Printf("%q\n", netcdftest.File(x)[:4])
	// Output: "CDF\x05"
}
