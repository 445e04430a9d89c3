// An example of arrays that are written.

package dataset_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/dataset"
)

// Two arrays in a file of NumPy's, for a program whose user reads them with numpy.load.
func ExampleWriteNPZ() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fields := []dataset.Field{{Name: "z", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}, {Name: "episode", Shape: []int{2}, Data: []int32{0, 1}}}
	path := filepath.Join(dir, "z.npz")
	if err := dataset.WriteNPZ(path, fields...); err != nil {
		log.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := dataset.EncodeNPZ(&b, fields...); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Equal(b.Bytes(), written))
	// Output: true
}
