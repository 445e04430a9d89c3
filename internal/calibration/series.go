// One series: what intervals and tests hold whose blocks are pieces of it, with short and with long memory.

package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"repscope/stat"
)

// seriesDesign has two independent series of the same law: an autoregression of fractionally integrated noise, and
// white noise on top.
type seriesDesign struct {
	N      int
	Rho, D float64
	Noise  bool // white noise of the same variance is added
}

func (d seriesDesign) String() string {
	name := fmt.Sprintf("%d/%g", d.N, d.Rho)
	if d.D > 0 {
		name += fmt.Sprintf(", d = %g", d.D)
	}
	if d.Noise {
		name += " with noise"
	}
	return name
}

func seriesDesigns() []seriesDesign {
	var out []seriesDesign
	for _, n := range []int{600, 2000, 5000} {
		for _, d := range []seriesDesign{{}, {Rho: 0.5}, {Rho: 0.8}, {Rho: 0.95}, {Rho: 0.98}, {Rho: 0.9, Noise: true},
			{D: 0.2}, {D: 0.3}, {D: 0.4}, {Rho: 0.5, D: 0.2}, {Rho: 0.8, D: 0.3}} {
			d.N = n
			out = append(out, d)
		}
	}
	return out
}

// draw is a series after as many steps as it takes to forget how it began.
func (d seriesDesign) draw(r *stat.Random) []float64 {
	var x []float64
	if d.D > 0 {
		x = fractional(r, settled+d.N, d.D)
	} else {
		x = normals(r, settled+d.N, 1)
	}
	for i := 1; i < len(x); i++ {
		x[i] += d.Rho * x[i-1]
	}
	x = x[settled:]
	if d.Noise {
		noise := stat.StandardDeviation(x)
		for i := range x {
			x[i] += noise * r.Normal()
		}
	}
	return x
}

// observeSeries is one draw: the mean of a series, and the difference of the means of two.
func observeSeries(d seriesDesign, seed, rep uint64) ([]observation, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 12, uint64(d.N), math.Float64bits(d.Rho), math.Float64bits(d.D), rep))
	a, b := d.draw(r), d.draw(r)
	blocks, err := stat.NewBlocks(d.N, nil, stat.BlockSpec{}, stat.Differences(a, b)...)
	if err != nil {
		return nil, err
	}
	var means [2]*stat.Jackknifed
	for k, x := range [][]float64{a, b} {
		if means[k], err = stat.JackknifeMean(blocks, x); err != nil {
			return nil, err
		}
	}
	c, err := stat.Compare(means[0], means[1], stat.CompareOptions{Permutations: 99})
	if err != nil {
		return nil, err
	}
	return []observation{
		observe("mean", means[0].Estimate, means[0].Interval, 0),
		observe("difference of two equal series", c.Difference, c.Interval, 0).tested(c.P),
	}, nil
}

// writeSeries writes the tables of one series.
func writeSeries(ctx context.Context, w io.Writer, designs []seriesDesign, draws int, seed uint64, threads int) error {
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d seriesDesign, rep uint64) ([]observation, error) {
		return observeSeries(d, seed, rep)
	})
	if err != nil {
		return err
	}
	const difference = "difference of two equal series"
	fmt.Fprintf(w, "Coverage in percent ± Monte-Carlo error (width) of the mean of one series; "+
		"observations/ρ, %d draws:\n\n", draws)
	columns := func(first string, cell func(studyTally) string) { studyRow(w, first, tallies, cell) }
	heading := func() {
		columns("quantity", func(t studyTally) string { return t.Design.String() })
		columns("---", func(studyTally) string { return "---" })
	}
	heading()
	for _, quantity := range tallies[0].Order {
		columns(quantity, func(t studyTally) string { return t.Cells[quantity].text() })
	}
	fmt.Fprintf(w, "\np < 0.05 for equal series in percent of all tests ± Monte-Carlo error, the percentage of draws "+
		"with a p value, and rejections in percent of all draws:\n\n")
	heading()
	columns(difference, func(t studyTally) string {
		p := t.P[difference]
		return accuracyCell(p.Rejected, p.Tests, draws)
	})
	fmt.Fprintln(w)
	return nil
}
