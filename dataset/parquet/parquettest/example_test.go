// An example of writing a file.

package parquettest_test

import (
	"fmt"

	"repscope/dataset/parquet/parquettest"
)

func ExampleFile() {
	leaf := parquettest.Leaf{Name: "frames", Kind: parquettest.Float, Shape: []int{5, 3}, Raw: make([]byte, 60)}
	data := parquettest.File(2, leaf)
	fmt.Printf("%s %s\n", data[:4], data[len(data)-4:])
	// Output: PAR1 PAR1
}
