// An example of reading a store.

package zarr_test

import (
	"fmt"

	"repscope/dataset/zarr"
)

func ExampleStore_Array() {
	store, err := zarr.Open("testdata/xarray_v3.zarr")
	if err != nil {
		panic(err)
	}
	defer store.Close()
	array, err := store.Array("packed")
	if err != nil {
		panic(err)
	}
	if err := array.Prepare(); err != nil {
		panic(err)
	}
	raw := make([]byte, array.RowBytes())
	err = array.Read(raw, 0, 1)
	fmt.Println(array.Shape, array.Dimensions, array.Type, len(raw), err)
	// Output: [3 2 4] [time latitude longitude] int16 16 <nil>
}
