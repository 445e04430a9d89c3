// Predicted frames against true ones.

package reconstruction_test

import (
	"context"
	"fmt"

	"repscope/analysis/reconstruction"
	"repscope/measure/image"
)

// read returns frames of 8 × 8 pixels with a bright bar, whose column is a function of the number of the frame.
func read(column func(i int) int) reconstruction.Frames {
	return reconstruction.Frames{Read: func(_ context.Context, dst []float64, index []int) error {
		clear(dst)
		for k, i := range index {
			for y := range 8 {
				dst[k*64+y*8+column(i)] = 1
			}
		}
		return nil
	}}
}

// The bar moves by a column a step. The model predicts it there in three of four frames; copy_last, the baseline, is
// always one column behind.
func ExampleAnalyze() {
	in := reconstruction.Input{
		Shape:   image.Shape{Channels: 1, Height: 8, Width: 8},
		Frames:  read(func(i int) int { return i % 8 }),
		Episode: make([]int, 9),
		Models: []reconstruction.Predictions{{Name: "model", Frames: read(func(i int) int {
			if i%4 == 3 {
				return i % 8 // as it was
			}
			return (i + 1) % 8
		})}},
	}
	for i := range 8 {
		in.Samples = append(in.Samples, reconstruction.Sample{State: i, Next: []int{i + 1}})
	}
	result, err := reconstruction.Analyze(context.Background(), in, reconstruction.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		if mse, ok := m.Score("mse"); ok && m.Name != reconstruction.MeanFrame {
			fmt.Printf("%s: MSE %.4f of %d frames\n", m.Name, mse.Float(), m.Samples)
		}
	}
	// Output:
	// model: MSE 0.0625 of 8 frames
	// copy_last: MSE 0.2500 of 8 frames
}
