// The dimension of a plane in space.

package manifold_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"repscope/analysis/manifold"
	"repscope/points"
)

// 500 latents of four dimensions that lie in a plane: linear and intrinsic estimates find two dimensions.
func ExampleAnalyze() {
	r := rand.New(rand.NewPCG(1, 2))
	var z []float64
	for range 500 {
		u, v := r.Float64(), r.Float64()
		z = append(z, u, v, u+v, u-v) // [500, 4]
	}
	result, err := manifold.Analyze(context.Background(), manifold.Input{
		Models: []manifold.Encoded{{Name: "plane", Latents: points.Float64(z, 4)}},
	}, manifold.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := result.Models[0]
	fmt.Printf("participation ratio %.1f of %d\n", m.ParticipationRatio.Float(), m.NominalDimension)
	fmt.Printf("Two-NN %.1f\n", m.TwoNN.MLE.Float())
	// Output:
	// participation ratio 2.0 of 4
	// Two-NN 2.0
}
