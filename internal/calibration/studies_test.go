// The short form of the tables of studies: exact counts of few draws.

package main

import (
	"context"
	"io"
	"math"
	"testing"

	"repscope/measure/study"
)

// Counts of studies change only with -update, and do not depend on the number of threads.
func TestStudiesShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	holdShort(t, "studies.md", func(w io.Writer, threads int) error {
		return writeStudies(context.Background(), w, []studyDesign{{3, 5, false}, {5, 6, true}}, 8, 42, threads)
	})
}

// The true values of the tables agree with very many runs.
func TestStudyTruth(t *testing.T) {
	t.Parallel()
	for _, d := range []studyDesign{{2000, 4, false}, {2000, 4, true}} {
		s, err := drawStudy(d, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		iqm, err := s.matrix.Estimate(ctx, "a", study.IQM, study.Options{Tasks: true})
		if err != nil {
			t.Fatal(err)
		}
		if truth := s.interquartile(0, d.Runs); math.Abs(iqm.Value-truth) > 0.01 {
			t.Errorf("%v: IQM %v, in truth %v", d, iqm.Value, truth)
		}
		better, err := s.matrix.Improvement(ctx, "c", "a", study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if truth := s.over(func(t int) float64 { return d.wins((s.mean[2][t] - s.mean[0][t]) / s.sd[0][t]) }); math.Abs(better.Value-truth) > 0.01 {
			t.Errorf("%v: probability of improvement %v, in truth %v", d, better.Value, truth)
		}
		profile, err := s.matrix.RunProfile(ctx, "a", []float64{0.5}, study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if truth := s.over(func(t int) float64 { return d.above((0.5 - s.mean[0][t]) / s.sd[0][t]) }); math.Abs(profile[0].Value-truth) > 0.02 {
			t.Errorf("%v: share %v, in truth %v", d, profile[0].Value, truth)
		}
	}
}
