// The designs: dependent states in episodes, and models that are equal in every
// population quantity although they are different functions of the state.

package main

import (
	"fmt"
	"math"

	"repscope/points"
	"repscope/stat"
)

// Each model sees coordinates of its own of the state, and encodes them by the same
// map as every other.
const (
	models   = 4
	seen     = 3 // coordinates of the state that a model sees
	latent   = 5 // dimensions of its latents
	features = models * seen

	farAway = 15 // standard deviation of the coordinates of a state that is far from all others
)

// A Design says how states are drawn.
type Design struct {
	Name     string
	N        int     // states
	Episodes int     // of equal length, unless Uneven
	Rho      float64 // autocorrelation of a coordinate at lag 1
	Between  float64 // share of the variance that lies between episodes
	Tail     int     // degrees of freedom of the innovations; 0: normal
	Uneven   float64 // standard deviation of the logarithm of the lengths of episodes
	Switch   float64 // probability that a coordinate jumps to a new regime
	Relu     bool    // the map is a rectified one, with an offset
	Noise    float64 // white noise added to the latents of model 1, for power
	Far      float64 // probability that a state is far from all others, as a blank frame is
}

func (d Design) String() string { return d.Name }

// grid are the designs of the table: the memory of the states by the number of
// episodes.
func grid() []Design {
	var out []Design
	for _, rho := range []float64{0, 0.8, 0.95} {
		for _, episodes := range []int{1, 5, 16, 60} {
			out = append(out, Design{Name: fmt.Sprintf("%g/%d", rho, episodes), N: 600, Episodes: episodes, Rho: rho})
		}
	}
	return out
}

// others are designs of other kinds: episodes that differ, or are of unequal length,
// heavy tails, regimes and another map, fewer and more states.
func others() []Design {
	return []Design{
		{Name: "differ", N: 600, Episodes: 10, Rho: 0.8, Between: 0.3},
		{Name: "uneven", N: 800, Episodes: 20, Rho: 0.8, Between: 0.2, Uneven: 0.7},
		{Name: "tails", N: 600, Episodes: 16, Rho: 0.8, Tail: 3},
		{Name: "regimes", N: 600, Episodes: 12, Rho: 0.6, Switch: 0.05, Relu: true},
	}
}

// power is the design in which one model is worse.
func power() Design {
	return Design{Name: "power", N: 600, Episodes: 20, Rho: 0.8, Noise: 0.15}
}

// Sample is one draw of a design.
type Sample struct {
	States  []float32 // [N, features]
	Episode []int
	Labels  []int64
	Latents [models]points.Points
	weights []float64 // of the map, [latent, seen]
	offset  []float64
	relu    bool
}

// draw returns repetition number rep of a design under a seed.
func (d Design) draw(seed, rep uint64) *Sample {
	s := &Sample{States: make([]float32, d.N*features), Episode: make([]int, d.N), Labels: make([]int64, d.N), relu: d.Relu}
	fixed := stat.NewRandom(stat.StreamDesign.Key(seed)) // the same in every repetition
	for range latent * seen {
		s.weights = append(s.weights, 0.8*fixed.Normal())
	}
	for range latent {
		s.offset = append(s.offset, 0.3*fixed.Normal())
	}
	borders := d.borders(fixed)
	r := stat.NewRandom(stat.StreamDesign.Key(seed, rep+1))
	for e := range d.Episodes {
		for c := range features {
			d.episode(s, r, borders[e], borders[e+1], c)
		}
		for t := borders[e]; t < borders[e+1]; t++ {
			s.Episode[t] = e
		}
	}
	for t := range d.N {
		if d.Far > 0 && r.Float64() < d.Far {
			for c := range features {
				s.States[t*features+c] = float32(farAway * r.Normal())
			}
		}
		sum := float32(0)
		for m := range models {
			sum += s.States[t*features+m*seen]
		}
		if sum > 0 {
			s.Labels[t] = 1
		}
	}
	for m := range models {
		z := s.encode(s.States, m)
		if m == 1 && d.Noise > 0 {
			for i := range z {
				z[i] += d.Noise * r.Normal()
			}
		}
		s.Latents[m] = points.Float64(z, latent)
	}
	return s
}

// borders are the first states of the episodes, and the end.
func (d Design) borders(r *stat.Random) []int {
	length, total := make([]float64, d.Episodes), 0.0
	for e := range length {
		length[e] = math.Exp(d.Uneven * r.Normal())
		total += length[e]
	}
	borders, end := []int{0}, 0.0
	for _, l := range length {
		end += l
		borders = append(borders, max(borders[len(borders)-1]+3, int(math.Round(end/total*float64(d.N)))))
	}
	borders[d.Episodes] = d.N
	return borders
}

// episode draws one coordinate of the states lo ≤ t < hi.
func (d Design) episode(s *Sample, r *stat.Random, lo, hi, c int) {
	size := []float64{1, 0.7, 0.5}[c%seen]
	level := math.Sqrt(d.Between) * r.Normal()
	x, innovation := r.Normal(), math.Sqrt(1-d.Rho*d.Rho)
	for t := lo; t < hi; t++ {
		if d.Switch > 0 && r.Float64() < d.Switch {
			x = 2 * r.Normal()
		}
		s.States[t*features+c] = float32(size * (level + math.Sqrt(1-d.Between)*x))
		x = d.Rho*x + innovation*d.innovation(r)
	}
}

// innovation is normal, or of Student's t with unit variance.
func (d Design) innovation(r *stat.Random) float64 {
	z := r.Normal()
	if d.Tail == 0 {
		return z
	}
	chi := 0.0
	for range d.Tail {
		v := r.Normal()
		chi += v * v
	}
	nu := float64(d.Tail)
	return z / math.Sqrt(chi/nu) / math.Sqrt(nu/(nu-2))
}

// encode is the map of model m, from states [·, features] to latents.
func (s *Sample) encode(states []float32, m int) []float64 {
	z := make([]float64, 0, len(states)/features*latent)
	for lo := 0; lo < len(states); lo += features {
		for k := range latent {
			v := s.offset[k]
			for c := range seen {
				v += s.weights[k*seen+c] * float64(states[lo+m*seen+c])
			}
			if s.relu {
				v = max(v, 0)
			} else {
				v = math.Tanh(v)
			}
			z = append(z, v)
		}
	}
	return z
}
