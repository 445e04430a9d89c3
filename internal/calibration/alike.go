// Similarities of two models: p values of spaces that share nothing but slow states, with the null in time and with
// independent states, of the best of several pairs of layers, and intervals of spaces that share a part.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"repscope/analysis/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// alikeDesign is two models of autoregressive states in episodes of one length, or of half to one and a half of it.
type alikeDesign struct {
	rho              float64
	episodes, length int
	dim              int
	uneven           bool
	measures         []string
}

func (d alikeDesign) String() string {
	name := fmt.Sprintf("%g/%d, D = %d", d.rho, d.episodes, d.dim)
	if d.uneven {
		name += ", uneven"
	}
	return name
}

// alikeDesigns have about 240 states.
func alikeDesigns() []alikeDesign {
	measures := []string{"all"}
	return []alikeDesign{
		{0, 16, 15, 4, false, measures},
		{0.95, 5, 48, 4, false, measures},
		{0.95, 16, 15, 4, false, measures},
		{0.95, 16, 15, 4, true, measures},
		{0.95, 16, 15, 64, false, measures},
	}
}

// alikeWalks draws spaces of autoregressive states.
type alikeWalks struct {
	d       alikeDesign
	random  *stat.Random
	episode []int
}

func (d alikeDesign) walks(seed, rep uint64) *alikeWalks {
	key := stat.StreamDesign.Key(seed, 13, uint64(d.episodes), math.Float64bits(d.rho), rep)
	w := &alikeWalks{d: d, random: stat.NewRandom(key)}
	for e := range d.episodes {
		length := d.length
		if d.uneven {
			length = d.length/2 + w.random.Intn(d.length)
		}
		w.episode = append(w.episode, slices.Repeat([]int{e}, length)...)
	}
	return w
}

func (w *alikeWalks) next() []float64 {
	rho, dim := w.d.rho, w.d.dim
	z := make([]float64, len(w.episode)*dim)
	for i := range z {
		z[i] = w.random.Normal()
		if state := i / dim; state > 0 && w.episode[state] == w.episode[state-1] {
			z[i] = rho*z[i-dim] + math.Sqrt(1-rho*rho)*z[i]
		}
	}
	return z
}

// models are two models; shared is added to both.
func (w *alikeWalks) models(shared []float64) []similarity.Encoded {
	out := []similarity.Encoded{{Name: "a"}, {Name: "b"}}
	for m := range out {
		z := w.next()
		for i, v := range shared {
			z[i] += v
		}
		out[m].Latents = points.Float64(z, w.d.dim)
	}
	return out
}

// layers are models of three layers, each the one before and as much of something new.
func (w *alikeWalks) layers() []similarity.Layered {
	out := []similarity.Layered{{Name: "a"}, {Name: "b"}}
	for m := range out {
		before := make([]float64, len(w.episode)*w.d.dim)
		for k := range 3 {
			z := w.next()
			for i, v := range before {
				z[i] += v
			}
			before = z
			out[m].Layers = append(out[m].Layers,
				similarity.Encoded{Name: fmt.Sprint(k), Latents: points.Float64(slices.Clone(z), w.d.dim)})
		}
	}
	return out
}

// reached is p a little smaller, so that 0.05, which the orders can give exactly, counts as rejected.
func reached(p report.Value) float64 { return p.Float() - 1e-12 }

// observeAlike is one draw.
func observeAlike(ctx context.Context, d alikeDesign, seed, rep uint64) ([]observation, error) {
	w := d.walks(seed, rep)
	o := similarity.Options{Measures: d.measures, K: []int{5}, Pairs: 5_000, Permutations: 39, Settings: settings(rep)}
	unrelated := similarity.Input{Episode: w.episode, Models: w.models(nil), Layers: w.layers()}
	related := similarity.Input{Episode: w.episode, Models: w.models(w.next())}
	o.Intervals = false
	apart, err := similarity.Analyze(ctx, unrelated, o)
	if err != nil {
		return nil, err
	}
	o.Null, unrelated.Layers = similarity.NullIndependent, nil
	independent, err := similarity.Analyze(ctx, unrelated, o)
	if err != nil {
		return nil, err
	}
	o.Null, o.Intervals = similarity.NullTime, true
	alike, err := similarity.Analyze(ctx, related, o)
	if err != nil {
		return nil, err
	}
	var out []observation
	for _, name := range apart.Scores {
		value := alike.Pairs[0].Score(name).Value
		out = append(out, observe(name, value.Float(), interval(value.CI), 0).
			tested(reached(apart.Pairs[0].Score(name).Null.P)))
	}
	for _, p := range apart.Layers {
		out = append(out, observe(p.Score+", best of 9 pairs of layers", p.Best.Value.Float(), noInterval, 0).
			tested(reached(p.Best.Null.P)))
	}
	for _, name := range independent.Scores {
		s := independent.Pairs[0].Score(name)
		out = append(out, observe(name+", independent null", s.Value.Float(), noInterval, 0).tested(reached(s.Null.P)))
	}
	return out, nil
}

// writeAlike writes the tables of similarities.
func writeAlike(ctx context.Context, w io.Writer, designs []alikeDesign, draws int, seed uint64, threads int) error {
	var tallies []studyTally
	for _, d := range designs {
		t, err := tallyStudies(ctx, d, draws, threads, everyQuantity,
			func(rep uint64) ([]observation, error) { return observeAlike(ctx, d, seed, rep) })
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Similarity of two models that share half of their variance: intervals that hold the "+
		"mean over draws, coverage in percent ± Monte-Carlo error (width), %d draws; models that share nothing are equal "+
		"models", draws), tallies)
	return nil
}
