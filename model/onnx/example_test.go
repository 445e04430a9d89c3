// The example of the package.

package onnx_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/model/internal/onnxtest"
	"repscope/model/onnx"
)

// A file of one node, as an exporter writes it.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	g := onnxtest.Message{}.Text(2, "rectified").Bytes(1, onnxtest.Node("Relu", []string{"x"}, []string{"z"})).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, "batch", 2)).Bytes(12, onnxtest.Port("z", onnxtest.Float, "batch", 2))
	path := filepath.Join(dir, "rectified.onnx")
	if err := os.WriteFile(path, onnxtest.Model(17, g), 0o600); err != nil {
		log.Fatal(err)
	}
	file, err := onnx.Open(path, onnx.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	fmt.Println(file.Graph.Name, file.Graph.Opset, file.Graph.Nodes[0].Op)
	// Output: rectified 17 Relu
}
