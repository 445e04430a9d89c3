// Tests of the figure: readable with many models, honest about collapsed ones.

package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/geometry"
	"repscope/points"
)

// Twelve models and one leave nothing unreadable: no text below 6 pt, no number left
// out.
func TestFigureOfManyModels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{1, 5, 12} {
		in := geometry.Input{}
		for i := range count {
			in.Models = append(in.Models, geometry.Encoded{Name: fmt.Sprintf("encoder_%02d_decoder", i), Latents: randomPoints(random, 40, 5)})
		}
		result, err := geometry.Analyze(t.Context(), in, geometry.Options{Clusters: []int{3}, Starts: 1, Lags: 5, Neighbors: []int{3}})
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := Figure(result).Warnings()
		if err != nil || len(warnings) > 0 {
			t.Errorf("%d models: warnings %q, %v", count, warnings, err)
		}
	}
}

// A collapsed model is nowhere drawn as a number; the figure says why, alone and
// beside others.
func TestFigureOfCollapsedModels(t *testing.T) {
	t.Parallel()
	flat := geometry.Encoded{Name: "flat", Latents: points.Float64(make([]float64, 40*5), 5)}
	for i := range flat.Latents.F64 {
		flat.Latents.F64[i] = 1
	}
	for _, models := range [][]geometry.Encoded{{flat}, {flat, {Name: "z", Latents: randomPoints(rand.New(rand.NewPCG(3, 4)), 40, 5)}}} {
		result, err := geometry.Analyze(t.Context(), geometry.Input{Models: models}, geometry.Options{Clusters: []int{3}, Starts: 1, Lags: 5})
		if err != nil {
			t.Fatal(err)
		}
		figure := Figure(result)
		var out bytes.Buffer
		if err := figure.Render(&out, "svg"); err != nil {
			t.Fatal(err)
		}
		least := 3 // two slots and the footer, or the middle of five panels and the footer
		if len(models) == 1 {
			least = 6
		}
		if n := strings.Count(out.String(), "collapsed"); n < least {
			t.Errorf("%d models: the reason stands there %d times, want at least %d", len(models), n, least)
		}
		for _, text := range []string{"no data", "×10"} {
			if strings.Contains(out.String(), text) {
				t.Errorf("%d models: the figure says %q", len(models), text)
			}
		}
	}
}

// States of which none follows another have no measures in time, which the figure says.
func TestFigureWithoutTime(t *testing.T) {
	t.Parallel()
	time := make([]int, 30)
	for i := range time {
		time[i] = 2 * i
	}
	z := geometry.Encoded{Name: "a", Latents: randomPoints(rand.New(rand.NewPCG(5, 6)), 30, 3)}
	result, err := geometry.Analyze(t.Context(), geometry.Input{Time: time, Models: []geometry.Encoded{z}}, geometry.Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Figure(result).Render(&out, "svg"); err != nil {
		t.Error(err)
	}
}

// randomPoints are standard normal.
func randomPoints(random *rand.Rand, n, dim int) points.Points {
	values := make([]float64, n*dim)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	return points.Float64(values, dim)
}
