// The caption of the figure of dynamics.

package command

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/reward"
	"repscope/points"
	"repscope/stat"
)

// The caption speaks of rollouts where there are some.
func TestDynamicsCaption(t *testing.T) {
	const n, dim = 40, 3
	in := reward.DynamicsInput{Models: []reward.DynamicsModel{{Name: "a"}}}
	random := stat.NewRandom(stat.NewKey(3))
	z := make([]float64, n*dim)
	for i := range z {
		z[i] = random.Normal()
	}
	for i := range n {
		in.Episode, in.Time, in.Next = append(in.Episode, i/5), append(in.Time, i), append(in.Next, i+1)
		if i%5 == 4 {
			in.Next[i] = -1
		}
	}
	in.Models[0].Latents = points.Float64(z, dim)
	in.Models[0].Predicted = points.Float64(slices.Repeat([]float64{0.1}, n*dim), dim)
	r, err := reward.Dynamics(t.Context(), in, reward.DynamicsOptions{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	if note := figureOfDynamics(r, []string{"a"}).Footnote; strings.Contains(note, "Open loop") || strings.Contains(note, "Bands") || !strings.Contains(note, "Error bars") {
		t.Error(note)
	}
}
