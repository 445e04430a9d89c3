// Two ensembles against the truth.

package forecast_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"repscope/analysis/forecast"
)

// array is one in memory, whose first axis are samples.
type array struct {
	name   string
	shape  []int
	values []float64
}

func (a array) Name() string            { return a.name }
func (a array) Shape() []int            { return a.shape }
func (a array) SHA256() (string, error) { return "", nil }

func (a array) ReadFloat64(dst []float64, lo, hi int) error {
	size := len(a.values) / a.shape[0]
	copy(dst, a.values[lo*size:hi*size])
	return nil
}

// The truth is drawn as the members of "calibrated" are. The members of "sharp" keep too close to their mean, for which
// the continuous ranked probability score has a price.
func ExampleAnalyze() {
	const samples, members, side = 40, 10, 4
	r := rand.New(rand.NewPCG(1, 2))
	truth := array{"truth", []int{samples, 1, side, side}, nil} // [N, V, H, W]
	calibrated := array{"calibrated", []int{samples, members, 1, side, side}, nil}
	sharp := array{"sharp", calibrated.shape, nil}
	for range samples * side * side {
		truth.values = append(truth.values, r.NormFloat64())
	}
	for range samples * members * side * side {
		x := r.NormFloat64()
		calibrated.values = append(calibrated.values, x)
		sharp.values = append(sharp.values, 0.2*x)
	}
	result, err := forecast.Analyze(context.Background(), forecast.Input{
		Target:    truth,
		Forecasts: []forecast.Forecast{{Name: "calibrated", Members: calibrated}, {Name: "sharp", Members: sharp}},
	}, forecast.Options{Metrics: []string{"crps", "spread_skill_ratio"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		crps, _ := m.Score("crps")
		ratio, _ := m.Score("spread_skill_ratio")
		fmt.Printf("%s: CRPS %.2f, spread over error %.1f\n", m.Name, crps.Float(), ratio.Float())
	}
	// Output:
	// calibrated: CRPS 0.56, spread over error 1.0
	// sharp: CRPS 0.71, spread over error 0.2
}
