// Runs of unequal number and of unequal variance: what compare makes of one score of each run.

package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"repscope/stat"
)

// A runDesign has numbers of runs of two models.
type runDesign [2]int

func (d runDesign) String() string { return fmt.Sprintf("%d and %d", d[0], d[1]) }

func runDesigns() []runDesign {
	return []runDesign{{2, 2}, {2, 4}, {2, 10}, {3, 3}, {3, 6}, {3, 10}, {4, 10}, {5, 5}, {5, 10}}
}

// Quotients of the standard deviations of the first and second model.
var runSpreads = []float64{0.1, 1, 3, 10}

// strict is a level that Holm's correction over 25 tests asks for.
const strict = 0.002

// writeRuns writes how often intervals of differences of equal models hold, and how often tests reject them, at the
// levels of one test and of one of 25. Each draw stands for ten.
func writeRuns(ctx context.Context, w io.Writer, designs []runDesign, draws int, seed uint64, threads int) error {
	var tallies []studyTally
	for k, d := range designs {
		t, err := tallyStudies(ctx, d, 10*draws, threads, never, func(rep uint64) (out []observation, err error) {
			for i, spread := range runSpreads {
				r := stat.NewRandom(stat.StreamDesign.Key(seed, 19, uint64(k), uint64(i), rep))
				c, err := stat.CompareRuns(normals(r, d[0], spread), normals(r, d[1], 1), 0, true)
				if err != nil {
					return nil, err
				}
				name := fmt.Sprintf("%g standard deviations", spread)
				out = append(out, observe(name, c.Difference, c.Interval, 0).tested(c.P))
				// Of scaled p values as many are below 0.05 as of p values below the strict level.
				out = append(out, observe(fmt.Sprintf("%s, p < %g", name, strict), math.NaN(), noInterval, 0).
					tested(c.P*0.05/strict))
			}
			return out, nil
		})
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Difference of runs of two equal models, by the standard deviation of runs of the "+
		"first; numbers of runs, %d draws", 10*draws), tallies)
	return nil
}
