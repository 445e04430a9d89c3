// Examples for programs that run models.

package model_test

import (
	"context"
	"fmt"
	"log"

	"repscope/model"
	"repscope/model/graph"
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
