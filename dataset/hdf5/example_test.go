// An example of reading a file.

package hdf5_test

import (
	"fmt"

	"repscope/dataset/hdf5"
	"repscope/internal/mmap"
)

func ExampleRead() {
	mapped, err := mmap.Open("testdata/userblock.h5")
	if err != nil {
		panic(err)
	}
	defer mapped.Close()
	file, err := hdf5.Read(mapped)
	if err != nil {
		panic(err)
	}
	d, err := file.Dataset("x")
	if err != nil {
		panic(err)
	}
	if err := d.Prepare(); err != nil {
		panic(err)
	}
	raw := make([]byte, d.RowBytes())
	err = d.Read(raw, 1, 2)
	fmt.Println(d.Shape, &d.Type, d.Compression(), raw, err)
	// Output: [4 3] int32 [gzip] [3 0 0 0 4 0 0 0 5 0 0 0] <nil>
}
