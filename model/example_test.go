// Examples for programs that run models.

package model_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/model"
	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
)

// A predictor of two inputs, built in place of a file: the next latent is the latent plus
// a row of a table for each action.
func ExampleModel_Run() {
	m, err := model.New(&graph.Graph{
		Name: "predictor", Opset: 17,
		Inputs: []model.Port{
			{Name: "latent", DType: model.Float32, Dims: []graph.Dim{{Name: "batch", Size: -1}, {Size: 2}}},
			{Name: "action", DType: model.Int64, Dims: []graph.Dim{{Name: "batch", Size: -1}}},
		},
		Outputs:   []model.Port{{Name: "next", DType: model.Float32}},
		Constants: map[string]*model.Tensor{"moves": graph.Floats([]float32{0, 0, 1, 0, 0, 1}, 3, 2)},
		Nodes: []*graph.Node{
			{Op: "Gather", Inputs: []string{"moves", "action"}, Outputs: []string{"move"}},
			{Op: "Add", Inputs: []string{"latent", "move"}, Outputs: []string{"next"}},
		},
	}, model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	latent, err := model.TensorOf([]float32{0.5, 0.5, 2, 3}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	action, err := model.TensorOf([]uint8{1, 2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Run(context.Background(), map[string]*model.Tensor{"latent": latent, "action": action})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["next"].Shape, out["next"].F32)
	_, err = m.Run(context.Background(), map[string]*model.Tensor{"latent": latent, "actions": action})
	fmt.Println(err)
	// Output:
	// [2 2] [1.5 0.5 2 4]
	// the model has no input "actions" (did you mean "action"?); its inputs are "latent" float32 [batch 2], "action" int64 [batch]
}

// A file of one input and one output, z = x + 1.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	g := onnxtest.Message{}.Text(2, "next").Bytes(5, onnxtest.Floats("one", []float32{1}, 1)).
		Bytes(1, onnxtest.Node("Add", []string{"x", "one"}, []string{"z"})).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, "batch", 2)).Bytes(12, onnxtest.Port("z", onnxtest.Float, "batch", 2))
	path := filepath.Join(dir, "next.onnx")
	if err := os.WriteFile(path, onnxtest.Model(17, g), 0o600); err != nil {
		log.Fatal(err)
	}
	m, err := model.Open(path, model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	x, err := model.TensorOf([]float32{0, 1, 2, 3}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Run(context.Background(), map[string]*model.Tensor{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Inputs()[0].Name, out["z"].Shape, out["z"].F32)
	// Output: x [2 2] [1 2 3 4]
}
