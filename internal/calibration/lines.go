// Models by slope, Theil–Sen slope and ranks: how often equal ones are called different, and how
// often nothing is called so because these disagree or few pairs decide. Printed intervals of logarithms, where very
// wide ones are null.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"repscope/stat"
)

// lineDesigns are some designs of all analyses, and two in which few pairs of states hold most of the
// variance of the distances.
func lineDesigns() []Design {
	out := grid()
	far := func(name string, share float64, episodes int) Design {
		return Design{Name: name, N: 600, Episodes: episodes, Rho: 0.8, Far: share}
	}
	return []Design{out[6], out[7], others()[2], others()[3], far("far/16", 0.005, 16), far("far/60", 0.005, 60)}
}

// writeLines writes the tables of lines.
func writeLines(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	var tallies []*Tally
	for _, d := range designs {
		t, err := tally(ctx, Analysis{"smoothness", smooth}, d, draws, seed, threads)
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	fmt.Fprintf(w, "p < 0.05 for equal models in percent of all tests ± Monte-Carlo error, and the "+
		"percentage of comparisons with a p value, %d draws:\n\n", draws)
	header(w, "metric", tallies)
	for _, metric := range tallies[0].Tests {
		row(w, metric, tallies, func(t *Tally) string { return t.P[metric].ofAll() })
	}
	fmt.Fprint(w, "\nSlope, R², ρ, Theil–Sen slope or median ratio of any two models differ in percent of "+
		"the draws ± Monte-Carlo error:\n\n")
	header(w, "rule", tallies)
	row(w, "any p < 0.05", tallies, func(t *Tally) string { return t.Any.text(false) })
	row(w, "any p (Holm) < 0.05 in its family", tallies, func(t *Tally) string { return t.AnyHolm.text(false) })
	row(w, "the same, `--family run`", tallies, func(t *Tally) string { return t.AnyRun.text(true) })
	fmt.Fprint(w, "\nCoverage in percent ± Monte-Carlo error (width):\n\n")
	header(w, "metric", tallies)
	var metrics []string
	for _, t := range tallies {
		metrics = union(metrics, t.Order)
	}
	for _, metric := range metrics {
		if !strings.Contains(metric, "raw.") && !strings.Contains(metric, "horizons.") {
			row(w, metric, tallies, func(t *Tally) string { return t.Cells[metric].text() })
		}
	}
	fmt.Fprintln(w)
	return nil
}

// logarithmDesign is a number of blocks.
type logarithmDesign int

func (blocks logarithmDesign) String() string { return fmt.Sprintf("%d blocks", int(blocks)) }

func logarithmDesigns() []logarithmDesign { return []logarithmDesign{2, 3, 5, 8, 16} }

// statesOfBlock are the states of a block of a logarithmDesign.
const statesOfBlock = 20

// spreads are standard deviations of the logarithm of the values, between blocks.
var spreads = []float64{0.3, 1, 2}

// observeLogarithms is one draw: positive numbers whose size differs between blocks by a factor.
func observeLogarithms(blocks logarithmDesign, seed, rep uint64) ([]observation, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 10, uint64(blocks), rep))
	n := int(blocks) * statesOfBlock
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i / statesOfBlock
	}
	partition, err := stat.NewBlocks(n, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, err
	}
	var out []observation
	for _, spread := range spreads {
		size, other := normals(r, int(blocks), spread), normals(r, int(blocks), spread)
		logarithm, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
		for i, b := range labels {
			noise := 0.3 * r.Normal()
			logarithm[i] = size[b] + noise
			z := r.Normal()
			x[i], y[i] = math.Exp(size[b])*z*z, math.Exp(other[b]+0.3*r.Normal())
		}
		for _, quantity := range []struct {
			name      string
			terms     [][]float64
			truth     float64
			statistic func(n float64, sums, dst []float64)
		}{
			{"geometric mean", [][]float64{logarithm}, 1,
				func(n float64, s, dst []float64) { dst[0] = math.Exp(s[0] / n) }},
			{"mean squared error", [][]float64{x}, math.Exp(spread * spread / 2),
				func(n float64, s, dst []float64) { dst[0] = s[0] / n }},
			{"ratio of two means", [][]float64{exponentials(logarithm), y}, 1,
				func(_ float64, s, dst []float64) { dst[0] = s[0] / s[1] }},
		} {
			j, err := stat.JackknifeSums(partition, quantity.terms, 1, quantity.statistic)
			if err != nil {
				return nil, err
			}
			all, err := stat.Combine(func(v []float64) float64 { return math.Log(v[0]) }, j[0])
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%s, spread %g", quantity.name, spread)
			truth := math.Log(quantity.truth)
			out = append(out, observe(name, all.Estimate, inLogarithms(j[0].OnLogScale().Interval), truth),
				observe(name+", printed or not", all.Estimate, all.Interval, truth))
		}
	}
	return out, nil
}

func exponentials(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Exp(v)
	}
	return out
}

// inLogarithms are the ends of an interval of a positive number, NaN where it has none.
func inLogarithms(i stat.Interval) stat.Interval {
	i.Low, i.High = math.Log(i.Low), math.Log(i.High)
	return i
}

// writeLogarithms writes the tables of intervals of logarithms.
func writeLogarithms(ctx context.Context, w io.Writer, designs []logarithmDesign, draws int, seed uint64,
	threads int) error {
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d logarithmDesign, rep uint64) ([]observation, error) {
		return observeLogarithms(d, seed, rep)
	})
	if err != nil {
		return err
	}
	writeStudyTable(w, fmt.Sprintf("Printed intervals of logarithms, and all of them, "+
		"coverage in percent ± Monte-Carlo error (width), %d draws", draws), tallies)
	writeMissing(w, tallies)
	return nil
}
