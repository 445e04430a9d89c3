// Comparisons of results of lm-evaluation-harness: means with standard errors of two equal models, without scores per
// sample.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"repscope/stat"
	"repscope/tool/compare"
)

// harnessSize is a number of samples.
type harnessSize int

func (n harnessSize) String() string { return fmt.Sprintf("%d samples", int(n)) }

func harnessSizes() []harnessSize { return []harnessSize{20, 100, 1000} }

// sameSamples is the correlation, on the normal scale, of the scores of two models on the same
// samples.
const sameSamples = 0.7

// A scoreKind is a law of scores, by a standard normal number.
type scoreKind struct {
	name   string
	mean   float64
	score  func(z float64) float64
	silent bool // the file does not state the number of samples
}

// shareKind are scores 0 and 1.
func shareKind(share float64, silent bool) scoreKind {
	limit := stat.NormalQuantile(1 - share)
	name := fmt.Sprintf("share %g", share)
	if silent {
		name += ", number of samples not stated"
	}
	return scoreKind{name, share, func(z float64) float64 {
		if z > limit {
			return 1
		}
		return 0
	}, silent}
}

// overlapKind are scores that are 0 or 1 with some probabilities, and else uniform between.
func overlapKind(zero, one float64) scoreKind {
	name := fmt.Sprintf("overlap: %g %% at 0, %g %% at 1", 100*zero, 100*one)
	return scoreKind{name, one + (1-zero-one)/2, func(z float64) float64 {
		switch u := normal(z); {
		case u < zero:
			return 0
		case u > 1-one:
			return 1
		default:
			return (u - zero) / (1 - zero - one)
		}
	}, false}
}

// factorKind are log-normal scores.
func factorKind(sigma float64) scoreKind {
	name := fmt.Sprintf("log-normal, σ = %g", sigma)
	return scoreKind{name, math.Exp(sigma * sigma / 2), func(z float64) float64 { return math.Exp(sigma * z) }, false}
}

func scoreKinds() []scoreKind {
	var out []scoreKind
	for _, silent := range []bool{false, true} {
		for _, share := range []float64{0.02, 0.5, 0.98} {
			out = append(out, shareKind(share, silent))
		}
	}
	return append(out, overlapKind(0.3, 0.4), overlapKind(0.02, 0.9), factorKind(0.5), factorKind(1))
}

// file is what the harness writes of scores: their mean, and their standard deviation over √n.
func (k scoreKind) file(model string, z []float64) (*compare.File, error) {
	x := make([]float64, len(z))
	for i := range x {
		x[i] = k.score(z[i])
	}
	type object = map[string]any
	stdError := stat.StandardDeviation(x) / math.Sqrt(float64(len(x)))
	o := object{"results": object{"t": object{"x,none": stat.Mean(x), "x_stderr,none": stdError}},
		"config": object{"model": model}, "higher_is_better": object{"t": object{"x": true}}}
	if !k.silent {
		o["n-samples"] = object{"t": object{"original": len(x), "effective": len(x)}}
	}
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	files, err := compare.ReadFrom(model, data)
	if err != nil {
		return nil, err
	}
	return files[0], nil
}

// observeHarness is one draw: scores of every kind of two equal models, on other samples and on
// the same.
func observeHarness(ctx context.Context, n harnessSize, seed, rep uint64) ([]observation, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 9, uint64(n), rep))
	a, b := normals(r, int(n), 1), normals(r, int(n), 1)
	together := make([]float64, n)
	for i := range together {
		together[i] = sameSamples*a[i] + math.Sqrt(1-sameSamples*sameSamples)*b[i]
	}
	var out []observation
	for _, k := range scoreKinds() {
		for _, pair := range []struct {
			name  string
			other []float64
		}{{"other samples", b}, {"the same samples", together}} {
			g := &compare.Gathered{}
			for m, z := range [][]float64{a, pair.other} {
				f, err := k.file(simulatedName(m), z)
				if err != nil {
					return nil, err
				}
				g.Files = append(g.Files, f)
			}
			result, err := compare.Compare(ctx, g, compare.Options{Baseline: simulatedName(0), Threads: 1})
			if err != nil {
				return nil, err
			}
			cells := result.Table[0].Cells
			if pair.name == "other samples" {
				out = append(out, observe(k.name+": mean", cells[0].Value.Float(), interval(cells[0].CI), k.mean))
			}
			name, ci := k.name+": difference, "+pair.name, interval(*cells[1].DifferenceCI)
			out = append(out, observe(name, cells[1].Difference.Float(), ci, 0).tested(cells[1].P.Float()))
		}
	}
	return out, nil
}

// writeHarness writes the tables of results of lm-evaluation-harness.
func writeHarness(ctx context.Context, w io.Writer, sizes []harnessSize, draws int, seed uint64, threads int) error {
	tallies, err := tallyTrue(ctx, sizes, draws, threads, func(n harnessSize, rep uint64) ([]observation, error) {
		return observeHarness(ctx, n, seed, rep)
	})
	if err != nil {
		return err
	}
	writeStudyTable(w, fmt.Sprintf("Means of scores and differences of two equal models, from means and "+
		"standard errors, coverage in percent ± Monte-Carlo error (width), %d draws", draws), tallies)
	writeMissing(w, tallies)
	return nil
}
