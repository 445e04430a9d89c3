// Stitched models: networks of two hidden layers, trained on one task from different weights and on other inputs. The
// hidden layers of two fronts go into the rest of a third network. Both fronts see as much of what it sees, so that
// neither stitches better; a front that sees other states shares nothing with it.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"repscope/analysis/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// stitchDesign has states of autoregressive coordinates, in episodes of one length, or of half to one and a half of it.
type stitchDesign struct {
	rho                     float64
	episodes, length, width int
	uneven                  bool
}

func (d stitchDesign) String() string {
	name := fmt.Sprintf("%g/%d, width %d", d.rho, d.episodes, d.width)
	if d.uneven {
		name += ", uneven"
	}
	return name
}

// stitchDesigns have about 320 states.
func stitchDesigns() []stitchDesign {
	var out []stitchDesign
	for _, rho := range []float64{0, 0.8, 0.95} {
		for _, width := range []int{8, 64} {
			out = append(out, stitchDesign{rho, 16, 20, width, false})
		}
	}
	return append(out, stitchDesign{0.8, 8, 40, 24, false}, stitchDesign{0.95, 40, 8, 24, false},
		stitchDesign{0.8, 16, 20, 24, true})
}

const (
	common  = 4 // coordinates that all networks see
	private = 4 // coordinates of each of two fronts, whose sum the rest sees
	sensed  = common + private
	classes = 4
)

// classOf is the task of all networks: which of four regions, with curved borders, a state is in.
func classOf(x []float64) int {
	out := 0
	if x[0]*x[1]+x[4] > 0 {
		out = 2
	}
	if x[2]+math.Abs(x[5])-0.8+0.5*x[3]*x[6] > 0 {
		out++
	}
	return out
}

// perceptron has two hidden layers of tanh and of rectified units, and a score for each class.
type perceptron struct {
	width   int
	weights [3][][]float64 // of a layer [outputs][inputs + 1], the last one for the bias
}

// layer is one layer for one state.
func (p *perceptron) layer(k int, x []float64) []float64 {
	out := make([]float64, len(p.weights[k]))
	for i, row := range p.weights[k] {
		v := row[len(x)]
		for j, w := range row[:len(x)] {
			v += float64(w * x[j])
		}
		switch k {
		case 0:
			v = math.Tanh(v)
		case 1:
			v = max(v, 0)
		}
		out[i] = v
	}
	return out
}

// trainedNetworks has the two trained networks of a width: of the fronts and of the rest.
var trainedNetworks sync.Map

func networksOf(width int, seed uint64) [2]*perceptron {
	key := [2]uint64{uint64(width), seed}
	if known, ok := trainedNetworks.Load(key); ok {
		return known.([2]*perceptron)
	}
	out := [2]*perceptron{train(width, seed, 0), train(width, seed, 1)}
	trainedNetworks.Store(key, out)
	return out
}

// train fits a network to independent states by Adam, 600 batches of 64 states.
func train(width int, seed, which uint64) *perceptron {
	const batches, batch, rate = 600, 64, 0.01
	random := stat.NewRandom(stat.StreamDesign.Key(seed, 17, uint64(width), which))
	p := &perceptron{width: width}
	sizes := []int{sensed, width, width, classes}
	var moments [3][][][2]float64
	for k := range p.weights {
		for range sizes[k+1] {
			row := make([]float64, sizes[k]+1)
			for j := range sizes[k] {
				row[j] = random.Normal() / math.Sqrt(float64(sizes[k]))
			}
			p.weights[k] = append(p.weights[k], row)
			moments[k] = append(moments[k], make([][2]float64, len(row)))
		}
	}
	for step := 1; step <= batches; step++ {
		var slopes [3][][]float64
		for k := range slopes {
			for _, row := range p.weights[k] {
				slopes[k] = append(slopes[k], make([]float64, len(row)))
			}
		}
		for range batch {
			x := make([]float64, sensed)
			for j := range x {
				x[j] = random.Normal()
			}
			p.addSlopes(&slopes, x, classOf(x))
		}
		first, second := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.999, float64(step))
		for k := range slopes {
			for i, row := range slopes[k] {
				for j, g := range row {
					g /= batch
					m := &moments[k][i][j]
					m[0], m[1] = 0.9*m[0]+0.1*g, 0.999*m[1]+0.001*g*g
					p.weights[k][i][j] -= rate * (m[0] / first) / (math.Sqrt(m[1]/second) + 1e-8)
				}
			}
		}
	}
	return p
}

// addSlopes adds the slopes of the cross entropy of a state.
func (p *perceptron) addSlopes(slopes *[3][][]float64, x []float64, class int) {
	values := [4][]float64{x}
	for k := range p.weights {
		values[k+1] = p.layer(k, values[k])
	}
	scores := values[3]
	highest, total := slices.Max(scores), 0.0
	delta := make([]float64, classes)
	for i, v := range scores {
		delta[i] = math.Exp(v - highest)
		total += delta[i]
	}
	for i := range delta {
		delta[i] /= total
	}
	delta[class]--
	for k := 2; k >= 0; k-- {
		in := values[k]
		before := make([]float64, len(in))
		for i, d := range delta {
			row, slope := p.weights[k][i], slopes[k][i]
			for j, v := range in {
				slope[j] += d * v
				before[j] += d * row[j]
			}
			slope[len(in)] += d
		}
		for j, v := range in {
			switch k {
			case 1:
				before[j] *= 1 - v*v
			case 2:
				if v == 0 {
					before[j] = 0
				}
			}
		}
		delta = before
	}
}

// restOf is what follows the first hidden layer of a network.
type restOf struct{ p *perceptron }

func (r restOf) Outputs(_ context.Context, values []float32, n int) (points.Points, error) {
	out, row := make([]float64, 0, n*classes), make([]float64, r.p.width)
	for i := range n {
		for j, v := range values[i*r.p.width : (i+1)*r.p.width] {
			row[j] = float64(v)
		}
		out = append(out, r.p.layer(2, r.p.layer(1, row))...)
	}
	return points.Float64(out, classes), nil
}

func (r restOf) Size() int     { return classes }
func (r restOf) Classes() bool { return true }
func (r restOf) Close() error  { return nil }

// stitchFronts are the names of the fronts: two that are equally good, and one that shares nothing.
var stitchFronts = []string{"first", "second", "apart"}

// draw are the fronts and the network that they are stitched to.
func (d stitchDesign) draw(seed, rep uint64) similarity.Input {
	key := stat.StreamDesign.Key(seed, 18, uint64(d.episodes), uint64(d.length), math.Float64bits(d.rho), rep)
	random := stat.NewRandom(key)
	var in similarity.Input
	for e := range d.episodes {
		length := d.length
		if d.uneven {
			length = d.length/2 + random.Intn(d.length)
		}
		in.Episode = append(in.Episode, slices.Repeat([]int{e}, length)...)
	}
	n := len(in.Episode)
	const all = common + 2*private + sensed
	z := make([]float64, n*all)
	for i := range z {
		z[i] = random.Normal()
		if state := i / all; state > 0 && in.Episode[state] == in.Episode[state-1] {
			z[i] = d.rho*z[i-all] + math.Sqrt(1-d.rho*d.rho)*z[i]
		}
	}
	networks := networksOf(d.width, seed)
	for m, name := range append(slices.Clone(stitchFronts), "rest") {
		network := networks[0]
		if name == "rest" {
			network = networks[1]
		}
		values := make([]float32, 0, n*d.width)
		for i := range n {
			for _, v := range network.layer(0, seenBy(m, z[i*all:(i+1)*all])) {
				values = append(values, float32(v))
			}
		}
		stage := similarity.Stage{Values: values, Shape: []int{d.width}, Identity: name,
			Open: func() (similarity.Rest, error) { return nil, fmt.Errorf("%s is a front", name) }}
		if name == "rest" {
			stage.Open = func() (similarity.Rest, error) { return restOf{network}, nil }
		}
		encoded := similarity.Encoded{Name: name, Latents: points.Float32(values, d.width)}
		in.Models = append(in.Models, encoded)
		encoded.Name = "hidden"
		in.Layers = append(in.Layers, similarity.Layered{Name: name, Layers: []similarity.Encoded{encoded},
			Stages: []similarity.Stage{stage}})
	}
	return in
}

// seenBy is what model m sees of a state: common coordinates and its private ones, others, or the sum of private ones.
func seenBy(m int, z []float64) []float64 {
	const first, second = common, common + private
	switch m {
	case 0:
		return z[:sensed]
	case 1:
		return slices.Concat(z[:common], z[second:second+private])
	case 2:
		return z[second+private:]
	}
	out := slices.Clone(z[:sensed])
	for k := range private {
		out[common+k] = (z[first+k] + z[second+k]) / math.Sqrt2
	}
	return out
}

// observeStitched is one draw.
func observeStitched(ctx context.Context, d stitchDesign, seed, rep uint64) ([]observation, error) {
	r, err := similarity.Analyze(ctx, d.draw(seed, rep), similarity.Options{Measures: []string{"cka"},
		LayerMeasures: []string{}, Permutations: 39, StitchPermutations: 39, Stitch: true, Reference: "rest",
		Settings: settings(rep)})
	if err != nil {
		return nil, err
	}
	var out []observation
	for _, s := range r.Stitches {
		if s.To != "rest" {
			continue
		}
		for _, one := range []struct {
			name  string
			score similarity.PairScore
		}{{"error", s.Error}, {"agreement", s.Agreement}} {
			if s.From == stitchFronts[2] {
				out = append(out, observe(one.name+", nothing shared", one.score.Value.Float(), noInterval, 0).
					tested(reached(one.score.Null.P)))
				continue
			}
			out = append(out, observe(one.name, one.score.Value.Float(), interval(one.score.Value.CI), 0))
		}
	}
	for _, c := range r.Comparisons {
		name, ok := strings.CutPrefix(c.Metric, "reference.stitch_")
		if ok && c.A == stitchFronts[0] && c.B == stitchFronts[1] {
			out = append(out, observe("difference of "+name, c.Difference.Float(), interval(report.Interval(c.CI)), 0).
				tested(c.P.Float()))
		}
	}
	return out, nil
}

// writeStitched writes the tables of stitched models.
func writeStitched(
	ctx context.Context, w io.Writer, designs []stitchDesign, draws int, seed uint64, threads int,
) error {
	var tallies []studyTally
	for _, d := range designs {
		t, err := tallyStudies(ctx, d, draws, threads,
			func(quantity string) bool { return !strings.HasPrefix(quantity, "difference") },
			func(rep uint64) ([]observation, error) { return observeStitched(ctx, d, seed, rep) })
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Stitched networks: intervals that hold the mean over draws, or the difference 0 of "+
		"fronts that are equally good, coverage in percent ± Monte-Carlo error (width), %d draws; fronts that share "+
		"nothing, and equally good ones, are equal models", draws), tallies)
	writeMeans(w, "Mean score in percent", tallies, func(q string) bool { return !strings.HasPrefix(q, "difference") })
	return nil
}
