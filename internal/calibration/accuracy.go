// Tests of equal accuracy: how often they reject two forecasts whose losses have the same
// mean, next to the comparison by blocks.

package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"repscope/internal/parallel"
	"repscope/stat"
)

// accuracyDesign has two losses that are independent and autoregressive of order 1.
type accuracyDesign struct {
	N   int // initial times
	Rho float64
}

func (d accuracyDesign) String() string { return fmt.Sprintf("%d/%g", d.N, d.Rho) }

func accuracyDesigns() []accuracyDesign {
	var out []accuracyDesign
	for _, n := range []int{50, 100, 200, 400} {
		for _, rho := range []float64{0, 0.5, 0.9} {
			out = append(out, accuracyDesign{n, rho})
		}
	}
	return out
}

// accuracyTests are the rows of the table, in this order.
var accuracyTests = []string{
	"delete-block jackknife, where it tests", "its interval, always", "cosine (EWC), where it tests", "cosine (EWC), always",
	"truncated at lag 0", "stationary bootstrap, automatic length",
}

// rejected is what a test says of one draw.
type rejected struct{ tested, rejects bool }

func byP(p float64) rejected { return rejected{!math.IsNaN(p), p < level} }

func byInterval(i stat.Interval) rejected {
	return rejected{i.Defined(), i.Defined() && (i.Low > 0 || i.High < 0)}
}

// loss is an autoregressive sequence that begins in its stationary distribution.
func (d accuracyDesign) loss(r *stat.Random) []float64 {
	x := make([]float64, d.N)
	x[0] = r.Normal() / math.Sqrt(1-d.Rho*d.Rho)
	for i := 1; i < d.N; i++ {
		x[i] = d.Rho*x[i-1] + r.Normal()
	}
	return x
}

// observeAccuracy is one draw.
func observeAccuracy(ctx context.Context, d accuracyDesign, seed, rep uint64) ([]rejected, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 4, uint64(d.N), math.Float64bits(d.Rho), rep))
	a, b := d.loss(r), d.loss(r)
	blocks, err := stat.NewBlocks(d.N, nil, stat.BlockSpec{}, stat.Differences(a, b)...)
	if err != nil {
		return nil, err
	}
	one, err := stat.JackknifeMean(blocks, a)
	if err != nil {
		return nil, err
	}
	other, err := stat.JackknifeMean(blocks, b)
	if err != nil {
		return nil, err
	}
	house, err := stat.Compare(one, other, stat.CompareOptions{})
	if err != nil {
		return nil, err
	}
	cosine, err := stat.DieboldMariano(a, b, stat.DieboldMarianoOptions{})
	if err != nil {
		return nil, err
	}
	truncated, err := stat.DieboldMariano(a, b, stat.DieboldMarianoOptions{Variance: stat.TruncatedVariance})
	if err != nil {
		return nil, err
	}
	tested := byP(cosine.P)
	tested.tested = tested.tested && cosine.Untestable == ""
	tested.rejects = tested.rejects && tested.tested
	difference := stat.Differences(a, b)[2]
	length, err := stat.StationaryBlockLength(difference, nil)
	if err != nil {
		return nil, err
	}
	resampled, err := stat.BootstrapMean(ctx, blocks.Resamples(400, seed+rep).Stationary(length), difference,
		stat.BootstrapOptions{Method: stat.Percentile, Threads: 1})
	if err != nil {
		return nil, err
	}
	return []rejected{byP(house.P), byInterval(house.Interval), tested, byP(cosine.P), byP(truncated.P),
		byInterval(resampled.Interval)}, nil
}

// writeAccuracy writes the table: rejections in percent of the draws that are tested, and
// in percent of all draws where these are fewer.
func writeAccuracy(ctx context.Context, w io.Writer, designs []accuracyDesign, draws int, seed uint64, threads int) error {
	cells := make([][]string, len(accuracyTests))
	head, rule := "| test |", "| --- |"
	for _, d := range designs {
		head, rule = head+" "+d.String()+" |", rule+" --- |"
		outcomes := make([][]rejected, draws)
		err := parallel.Try(ctx, threads, draws, func(_, i int) (err error) {
			outcomes[i], err = observeAccuracy(ctx, d, seed, uint64(i))
			return err
		})
		if err != nil {
			return err
		}
		for k := range accuracyTests {
			tests, rejections := 0, 0
			for i := range outcomes {
				if outcomes[i][k].tested {
					tests++
				}
				if outcomes[i][k].rejects {
					rejections++
				}
			}
			cells[k] = append(cells[k], accuracyCell(rejections, tests, draws))
		}
	}
	fmt.Fprintf(w, "p < 0.05 for equal forecasts in percent of all tests ± Monte-Carlo error; "+
		"initial times/ρ, %d draws:\n\n%s\n%s\n", draws, head, rule)
	for k, name := range accuracyTests {
		fmt.Fprintf(w, "| %s |", name)
		for _, cell := range cells[k] {
			fmt.Fprintf(w, " %s |", cell)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	return nil
}

// accuracyCell is a rate, and where draws are not tested how many are, and the rate of all.
func accuracyCell(rejections, tests, draws int) string {
	if tests == 0 {
		return "–"
	}
	rate := float64(rejections) / float64(tests)
	text := fmt.Sprintf("%.1f ±%.1f", 100*rate, 100*math.Sqrt(rate*(1-rate)/float64(tests)))
	if tests < draws {
		share := 100 / float64(draws)
		text += fmt.Sprintf(" of %.0f %%; %.1f of all", share*float64(tests), share*float64(rejections))
	}
	return text
}
