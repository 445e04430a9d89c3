// The designs: dependent states in episodes, and models that are equal in every
// population quantity although they are different functions of the state.

package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

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

	Memory      float64 // order of fractional integration of a coordinate; Rho is 0 then
	Redrawn     bool    // each repetition draws its own lengths of episodes
	Informative float64 // logarithm of the length of an episode per standard deviation of its level
	Skewed      float64 // standard deviation of the logarithm of a level between episodes; 0: normal levels
	Copies      float64 // noise of models that are copies of one encoder
	Sticky      float64 // probability that a state repeats the one before
	Dominant    float64 // share of the states in the first episode
	Step        float64 // latents are rounded to multiples of this
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

// strained are designs in which an assumption that is easily made does not hold.
func strained() []Design {
	return []Design{
		{Name: "arfima/1", N: 600, Episodes: 1, Memory: 0.3},
		{Name: "arfima/8", N: 600, Episodes: 8, Memory: 0.3},
		{Name: "informative", N: 600, Episodes: 12, Rho: 0.6, Between: 0.3, Informative: 0.6, Redrawn: true},
		{Name: "redrawn", N: 600, Episodes: 12, Rho: 0.8, Between: 0.2, Uneven: 0.7, Redrawn: true},
		{Name: "dominant", N: 600, Episodes: 8, Rho: 0.6, Between: 0.2, Dominant: 0.4},
		{Name: "skewed", N: 600, Episodes: 12, Rho: 0.6, Between: 0.3, Skewed: 1},
		{Name: "copies", N: 600, Episodes: 12, Rho: 0.8, Copies: 0.15},
		{Name: "sticky", N: 600, Episodes: 12, Rho: 0.6, Sticky: 0.6},
		{Name: "coarse", N: 600, Episodes: 10, Rho: 0.6, Step: 0.25},
	}
}

// allDesigns are the columns of the tables, but for the designs in which one model is worse.
func allDesigns() []Design { return slices.Concat(grid(), others(), strained()) }

// worse are the designs in which model 1 is worse.
func worse() []Design {
	return []Design{
		{Name: "power", N: 600, Episodes: 20, Rho: 0.8, Noise: 0.15},
		{Name: "power-copies", N: 600, Episodes: 12, Rho: 0.8, Copies: 0.15, Noise: 0.15},
	}
}

// Sample is one draw of a design.
type Sample struct {
	States  []float32 // [N, features]
	Episode []int
	Labels  []int64
	Latents [models]points.Points
	design  Design
	weights []float64 // of the map, [latent, seen]
	offset  []float64
	noise   [models]stat.Key // of copies
}

// draw returns repetition number rep of a design under a seed.
func (d Design) draw(seed, rep uint64) *Sample {
	s := &Sample{States: make([]float32, d.N*features), Episode: make([]int, d.N), Labels: make([]int64, d.N), design: d}
	fixed := stat.NewRandom(stat.StreamDesign.Key(seed)) // the same in every repetition
	for range latent * seen {
		s.weights = append(s.weights, 0.8*fixed.Normal())
	}
	for range latent {
		s.offset = append(s.offset, 0.3*fixed.Normal())
	}
	r := stat.NewRandom(stat.StreamDesign.Key(seed, rep+1))
	levels := make([]float64, d.Episodes) // that lengths follow
	if d.Informative > 0 {
		for e := range levels {
			levels[e] = r.Normal()
		}
	}
	lengths := fixed
	if d.Redrawn {
		lengths = r
	}
	borders := d.borders(lengths, levels)
	for e := range d.Episodes {
		for c := range features {
			d.episode(s, r, borders[e], borders[e+1], c, levels[e])
		}
		d.repeat(s, r, borders[e], borders[e+1])
		for t := borders[e]; t < borders[e+1]; t++ {
			s.Episode[t] = e
		}
	}
	for m := range s.noise {
		s.noise[m] = stat.StreamDesign.Key(seed, 11, rep, uint64(m))
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
func (d Design) borders(r *stat.Random, levels []float64) []int {
	length, total := make([]float64, d.Episodes), 0.0
	for e := range length {
		length[e] = math.Exp(d.Uneven*r.Normal() + d.Informative*levels[e])
		total += length[e]
	}
	if d.Dominant > 0 {
		length[0], total = 0, total-length[0]
		length[0] = total * d.Dominant / (1 - d.Dominant)
		total += length[0]
	}
	borders, end := []int{0}, 0.0
	for _, l := range length {
		end += l
		borders = append(borders, max(borders[len(borders)-1]+3, int(math.Round(end/total*float64(d.N)))))
	}
	for e := d.Episodes; e > 0; e-- { // the last episodes have three states, too
		borders[e] = min(borders[e], d.N-3*(d.Episodes-e))
	}
	borders[d.Episodes] = d.N
	return borders
}

// level draws the level of an episode in a coordinate, with mean 0 and variance 1; lengths follow half of its variance.
func (d Design) level(r *stat.Random, shared float64) float64 {
	z := r.Normal()
	switch {
	case d.Skewed > 0:
		square := d.Skewed * d.Skewed
		return (math.Exp(d.Skewed*z) - math.Exp(square/2)) / math.Sqrt(math.Exp(square)*math.Expm1(square))
	case d.Informative > 0:
		return math.Sqrt(0.5) * (z + shared)
	}
	return z
}

// episode draws one coordinate of the states lo ≤ t < hi.
func (d Design) episode(s *Sample, r *stat.Random, lo, hi, c int, shared float64) {
	size := []float64{1, 0.7, 0.5}[c%seen]
	level := math.Sqrt(d.Between) * d.level(r, shared)
	if d.Memory > 0 {
		for t, x := range fractional(r, hi-lo, d.Memory) {
			s.States[(lo+t)*features+c] = float32(size * (level + math.Sqrt(1-d.Between)*x))
		}
		return
	}
	x, innovation := r.Normal(), math.Sqrt(1-d.Rho*d.Rho)
	for t := lo; t < hi; t++ {
		if d.Switch > 0 && r.Float64() < d.Switch {
			x = 2 * r.Normal()
		}
		s.States[t*features+c] = float32(size * (level + math.Sqrt(1-d.Between)*x))
		x = d.Rho*x + innovation*d.innovation(r)
	}
}

// repeat makes states of an episode repeat the one before.
func (d Design) repeat(s *Sample, r *stat.Random, lo, hi int) {
	if d.Sticky == 0 {
		return
	}
	for t := lo + 1; t < hi; t++ {
		if r.Float64() < d.Sticky {
			copy(s.States[t*features:(t+1)*features], s.States[(t-1)*features:t*features])
		}
	}
}

// settled is the number of steps after which fractionally integrated noise is used.
const settled = 1000

// fractional is noise that is integrated d times, 0 < d < 1/2, of about unit variance: (1 − B)^d x = e.
func fractional(r *stat.Random, n int, d float64) []float64 {
	e := normals(r, settled+n, 1)
	weights := make([]float64, 2*len(e)) // of (1 − B)^−d, and zeros: the convolution below is circular
	weights[0] = math.Gamma(1-d) / math.Sqrt(math.Gamma(1-2*d))
	for k := 1; k < len(e); k++ {
		weights[k] = weights[k-1] * (float64(k-1) + d) / float64(k)
	}
	transform := fourier.NewFFT(len(weights))
	x := transform.Coefficients(nil, append(e, make([]float64, len(e))...))
	for k, w := range transform.Coefficients(nil, weights) {
		x[k] *= w / complex(float64(len(weights)), 0)
	}
	return transform.Sequence(nil, x)[settled : settled+n]
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

// encode is the map of model m, from states [·, features] to latents. Copies see the coordinates of model 0, and add
// noise that is a function of the state.
func (s *Sample) encode(states []float32, m int) []float64 {
	z := make([]float64, 0, len(states)/features*latent)
	encoder, d := m, s.design
	if d.Copies > 0 {
		encoder = 0
	}
	for lo := 0; lo < len(states); lo += features {
		for k := range latent {
			v := s.offset[k]
			for c := range seen {
				v += s.weights[k*seen+c] * float64(states[lo+encoder*seen+c])
			}
			if d.Relu {
				v = max(v, 0)
			} else {
				v = math.Tanh(v)
			}
			z = append(z, v)
		}
		added := z[len(z)-latent:]
		if d.Copies > 0 {
			first, second := math.Float32bits(states[lo]), math.Float32bits(states[lo+1])
			r := stat.NewRandom(s.noise[m].Derive(uint64(first)<<32 | uint64(second)))
			for k := range added {
				added[k] += d.Copies * r.Normal()
			}
		}
		if d.Step > 0 {
			for k, v := range added {
				added[k] = d.Step * math.Round(v/d.Step)
			}
		}
	}
	return z
}
