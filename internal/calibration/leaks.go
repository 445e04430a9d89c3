// Test sets that are independent of their training sets, and test sets with leaks that were planted: how often audit
// calls independent states near, and how often its intervals hold.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"repscope/analysis/audit"
	"repscope/points"
	"repscope/report"
)

// leakDesign has autoregressive states of Dim independent coordinates in training and 20 test episodes of one length.
type leakDesign struct {
	Name                  string
	Episodes, Length, Dim int
	Rho                   float64
}

func (d leakDesign) String() string { return d.Name }

// leakDesigns are named by the correlation of successive states and the number of training episodes.
func leakDesigns() []leakDesign {
	return []leakDesign{
		{"0/60", 60, 20, 16, 0},
		{"0.8/60", 60, 20, 16, 0.8},
		{"0.95/60", 60, 20, 16, 0.95},
		{"0.95/20", 20, 50, 16, 0.95},
		{"0/10", 10, 60, 16, 0},
		{"0.95/10", 10, 60, 16, 0.95},
		{"0.95/5", 5, 100, 16, 0.95},
	}
}

const (
	testEpisodes = 20
	// A test episode leaks with probability leakingEpisodes; half of the states of such an episode are copies of training
	// states, whose score is right with probability leakingScore, others with cleanScore.
	leakingEpisodes, leakingScore, cleanScore = 0.2, 0.9, 0.6
)

// observeLeaks is one draw: the share of independent test states that are called near, the p value of drift, and with
// planted copies the share of leaking states and the difference of scores.
func observeLeaks(ctx context.Context, d leakDesign, seed, rep uint64) ([]observation, error) {
	r := rand.New(rand.NewPCG(seed, rep))
	in := d.draw(r)
	independent, err := audit.Analyze(ctx, in, audit.Options{Settings: settings(rep), Permutations: 99})
	if err != nil {
		return nil, err
	}
	test := independent.Tests[0]
	out := []observation{
		observe("independent states called near", test.Near.Share.V, noInterval, 0),
		observe("expected_false_alarm", test.Near.ExpectedFalseAlarm.V, noInterval, 0),
		observe("drift", test.Drift.Energy.V, noInterval, 0).tested(test.Drift.P.Float()),
	}
	d.plant(r, &in)
	leaking, err := audit.Analyze(ctx, in, audit.Options{Settings: settings(rep)})
	if err != nil {
		return nil, err
	}
	test = leaking.Tests[0]
	hold := func(name string, e report.Estimate, truth float64) {
		interval := noInterval
		if e.CI.Defined() {
			interval.Low, interval.High = e.CI.Low, e.CI.High
		}
		out = append(out, observe(name, e.V, interval, truth))
	}
	copied := leakingEpisodes / 2
	hold("duplicates.share", test.Duplicates.Share, copied)
	hold("scores.all", test.Score("right").All, cleanScore+(leakingScore-cleanScore)*copied)
	hold("scores.clean", test.Score("right").Clean, cleanScore)
	hold("scores.difference", test.Score("right").Difference, (leakingScore-cleanScore)*copied)
	return out, nil
}

// draw draws the states.
func (d leakDesign) draw(r *rand.Rand) audit.Input {
	var in audit.Input
	var z []float32
	x := make([]float64, d.Dim)
	for e := range d.Episodes + testEpisodes {
		part := "train"
		if e >= d.Episodes {
			part = "test"
		}
		for t := range d.Length {
			for k := range x {
				noise := r.NormFloat64()
				if t > 0 {
					noise = d.Rho*x[k] + math.Sqrt(1-d.Rho*d.Rho)*noise
				}
				x[k] = noise
				z = append(z, float32(noise))
			}
			in.Episode, in.Split = append(in.Episode, e), append(in.Split, part)
		}
	}
	in.States = points.Float32(z, d.Dim)
	return in
}

// plant copies training states into test episodes and draws scores.
func (d leakDesign) plant(r *rand.Rand, in *audit.Input) {
	score := audit.Score{Name: "right", Values: make([]float64, in.States.N)}
	training := d.Episodes * d.Length
	for e := range testEpisodes {
		leaks := r.Float64() < leakingEpisodes
		shift := 0.1 * (2*r.Float64() - 1) // of the episode
		for t := range d.Length {
			i, right := training+e*d.Length+t, cleanScore
			if leaks && t%2 == 0 {
				from := r.IntN(training)
				copy(in.States.F32[i*d.Dim:(i+1)*d.Dim], in.States.F32[from*d.Dim:(from+1)*d.Dim])
				right = leakingScore
			}
			if r.Float64() < right+shift {
				score.Values[i] = 1
			}
		}
	}
	in.Scores = []audit.Score{score}
}

// writeLeaks writes the tables of audits.
func writeLeaks(ctx context.Context, w io.Writer, designs []leakDesign, draws int, seed uint64, threads int) error {
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d leakDesign, rep uint64) ([]observation, error) {
		return observeLeaks(ctx, d, seed, rep)
	})
	if err != nil {
		return err
	}
	writeStudyTable(w, fmt.Sprintf("Audits of test sets with planted copies: intervals that hold, coverage in percent "+
		"± Monte-Carlo "+
		"error (width), %d draws", draws), tallies)
	writeMeans(w, "Mean in percent", tallies, everyQuantity)
	return nil
}
