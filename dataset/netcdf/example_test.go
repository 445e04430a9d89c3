// An example of reading a file.

package netcdf_test

import (
	"fmt"

	"repscope/dataset/netcdf"
	"repscope/internal/mmap"
)

func ExampleRead() {
	mapped, err := mmap.Open("testdata/single.nc")
	if err != nil {
		panic(err)
	}
	defer mapped.Close()
	file, err := netcdf.Read(mapped)
	if err != nil {
		panic(err)
	}
	v := &file.Variables[0]
	raw := make([]byte, v.RowBytes())
	err = v.Read(raw, 4, 5)
	fmt.Println(v.Name, v.Shape, v.DType, raw, err)
	// Output: b [5 3] int8 [12 13 14] <nil>
}
