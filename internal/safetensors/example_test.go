// Example of writing and reading a file.

package safetensors_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/safetensors"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "safetensors")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	err = safetensors.Encode(&b, safetensors.Data{Name: "bias", DType: dtype.Float32, Shape: []int{2}, Raw: make([]byte, 8)})
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "a.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		panic(err)
	}
	file, err := mmap.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	list, err := safetensors.Read(file)
	fmt.Println(list[0].Name, list[0].Type, list[0].Shape, list[0].Size, err)
	// Output: bias F32 [2] 8 <nil>
}
