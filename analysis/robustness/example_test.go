// How far latents move under noise.

package robustness_test

import (
	"context"
	"fmt"

	"repscope/analysis"
	"repscope/analysis/robustness"
	"repscope/dataset"
	"repscope/latent"
	"repscope/points"
)

// frames are states of two pixels each, 0 to 1.
type frames [][2]float32

func (f frames) Len() int                     { return len(f) }
func (f frames) Shape() []int                 { return []int{2} }
func (f frames) Fingerprint() (string, error) { return "", nil }

func (f frames) Float32(dst []float32, lo, hi int) error {
	for i := lo; i < hi; i++ {
		copy(dst[2*(i-lo):], f[i][:])
	}
	return nil
}

// Two encoders see frames of two pixels; the second pixel hardly varies. One reads the first pixel, the other one
// the second, where noise is as large as what there is to see.
func ExampleAnalyze() {
	states := make(frames, 100)
	for i := range states {
		states[i] = [2]float32{float32(i%20) / 19, 0.5 + 0.02*float32(i%3)}
	}
	encoder := func(name string, pixel int) robustness.Encoder {
		encode := func(_ context.Context, s latent.Source) (points.Points, error) {
			all, z := make([]float32, 2*s.Len()), make([]float32, s.Len())
			err := s.Float32(all, 0, s.Len())
			for i := range z {
				z[i] = all[2*i+pixel]
			}
			return points.Float32(z, 1), err
		}
		clean, _ := encode(context.Background(), states)
		return robustness.Encoder{Name: name, Clean: clean, Encode: encode}
	}
	result, err := robustness.Analyze(context.Background(), robustness.Input{
		States:     states,
		PixelRange: dataset.PixelRange{High: 1},
		Models:     []robustness.Encoder{encoder("first pixel", 0), encoder("second pixel", 1)},
	}, robustness.Options{Levels: []float64{0.05}, Settings: analysis.Settings{Seed: 42}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		fmt.Printf("%s: relative RMS %.1f (1: as far as two random states)\n", m.Name, m.Levels[0].RelativeRMS.Float())
	}
	// Output:
	// first pixel: relative RMS 0.1 (1: as far as two random states)
	// second pixel: relative RMS 2.1 (1: as far as two random states)
}
