// An example of reading a column.

package parquet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"repscope/dataset/parquet"
	"repscope/dataset/parquet/parquettest"
)

// source is a file in memory.
type source struct{ *bytes.Reader }

func (source) Path() string { return "latents.parquet" }

func (s source) Use(offset, n int64, fn func(raw []byte) error) error {
	raw := make([]byte, n)
	if _, err := s.ReadAt(raw, offset); err != nil {
		return err
	}
	return fn(raw)
}

func ExampleRead() {
	raw := binary.LittleEndian.AppendUint32(nil, 7)
	raw = binary.LittleEndian.AppendUint32(raw, 9)
	leaf := parquettest.Leaf{Name: "label", Kind: parquettest.Int32, Shape: []int{2}, Raw: raw}
	file, err := parquet.Read(source{bytes.NewReader(parquettest.File(2, leaf))})
	if err != nil {
		panic(err)
	}
	column := file.Columns[0]
	if err := column.Prepare(); err != nil {
		panic(err)
	}
	values := make([]byte, 2*column.RowBytes())
	err = column.Read(values, 0, 2)
	fmt.Println(column.Name, values, err)
	// Output: label [7 0 0 0 9 0 0 0] <nil>
}
