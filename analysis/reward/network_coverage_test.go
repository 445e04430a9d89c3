// How often intervals of networks hold.

package reward

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"repscope/internal/runtest"
	"repscope/points"
	"repscope/stat"
)

var networkDraws = flag.Int("network-draws", 30, "draws of the simulation of networks; 200 take 5 minutes")

// networkDesign is a world of episodes with lognormal lengths and a share of the variance between episodes.
type networkDesign struct {
	name                        string
	episodes                    int
	sigma, between, correlation float64
}

// draw returns latents, and a number and a class that follow from them and from what they do not hold.
func (d networkDesign) draw(r *rand.Rand) (x points.Points, y []float64, class []int64, episode []int) {
	const dim = 8
	var data []float64
	for e := range d.episodes {
		mu, z := make([]float64, dim+1), make([]float64, dim+1)
		for k := range mu {
			mu[k], z[k] = math.Sqrt(d.between)*r.NormFloat64(), r.NormFloat64()
		}
		for range max(8, int(50*math.Exp(d.sigma*r.NormFloat64()-d.sigma*d.sigma/2))) {
			s := make([]float64, dim+1)
			for k := range z {
				z[k] = d.correlation*z[k] + math.Sqrt(1-d.correlation*d.correlation)*r.NormFloat64()
				s[k] = mu[k] + math.Sqrt(1-d.between)*z[k]
			}
			level := int64(0)
			if s[0]+.5*s[dim] > .5 {
				level = 1
			}
			if s[1]+.5*s[dim] > 1 {
				level = 2
			}
			y, class, episode = append(y, s[0]+.5*s[1]*s[1]+.7*s[dim]), append(class, level), append(episode, e)
			data = append(data, s[:dim]...)
		}
	}
	return points.Float64(data, dim), y, class, episode
}

// TestNetworkCoverage counts how often intervals of networks hold the mean score over draws: 200 draws gave, in
// percent, accuracy 97–99, balanced accuracy 93–99, F1 92–99, MSE 87–96, R² 89–98.
func TestNetworkCoverage(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	for _, d := range []networkDesign{{"lognormal", 12, 1, .3, .6}, {"slow", 12, 0, 0, .9}} {
		type cell struct{ values, low, high []float64 }
		cells := map[string]*cell{}
		for draw := range *networkDraws {
			x, y, class, episode := d.draw(rand.New(rand.NewPCG(uint64(draw)+1, 77)))
			in := Input{Episode: episode, Models: []Model{{Name: "m", Latents: x}}, Targets: []Target{
				{Name: "number", Values: y}, {Name: "class", Classes: class},
			}}
			o := Options{Probes: []string{MLP}}
			o.Intervals, o.Threads = true, 1
			for _, row := range analyze(t, in, o).Models[0].Probes {
				for _, metric := range []string{"mse", "r2", "accuracy", "balanced_accuracy", "f1"} {
					if s := row.Score(metric); s.Defined() && s.CI.Defined() {
						if cells[metric] == nil {
							cells[metric] = &cell{}
						}
						c := cells[metric]
						c.values, c.low, c.high = append(c.values, s.V), append(c.low, s.CI.Low), append(c.high, s.CI.High)
					}
				}
			}
		}
		for metric, c := range cells {
			mean, held := stat.Mean(c.values), 0.0
			for i := range c.low {
				if c.low[i] <= mean && mean <= c.high[i] {
					held += 100 / float64(len(c.low))
				}
			}
			t.Logf("%s: %s holds %.0f %% of %d", d.name, metric, held, len(c.low))
			if held < 88-250*math.Sqrt(.88*.12/float64(len(c.low))) {
				t.Errorf("%s: intervals of %s hold %.0f %% of %d draws", d.name, metric, held, len(c.low))
			}
		}
	}
}
