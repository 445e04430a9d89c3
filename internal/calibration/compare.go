// Differences and intervals of the compare binary by their source: simulated scores of two equal models.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"repscope/report"
	"repscope/stat"
	"repscope/tool/compare"
)

// comparisonDesigns have numbers of runs of each model, and of episodes.
func comparisonDesigns() []studyDesign {
	return []studyDesign{{Runs: 1, Tasks: 6}, {Runs: 1, Tasks: 12}, {Runs: 1, Tasks: 30}, {Runs: 3, Tasks: 12}, {Runs: 5, Tasks: 12}}
}

// Standard deviations of the simulated scores: of episodes for all models alike, of how
// models differ in episodes, between runs, and of single samples.
const (
	sharedSpread  = 0.5
	episodeSpread = 0.3
	runSpread     = 0.3
	sampleSpread  = 0.5
	episodeLength = 10
)

// simulatedScores are the scores per sample of one run.
func simulatedScores(model, run string, levels, shared []float64, level float64, r *stat.Random) report.ModelSamples {
	m := report.ModelSamples{Model: model + "@" + run, Scores: make([][]float64, 1)}
	for e := range levels {
		for range episodeLength {
			m.Sample, m.Group = append(m.Sample, fmt.Sprint(len(m.Sample))), append(m.Group, fmt.Sprint(e))
			m.Scores[0] = append(m.Scores[0], level+shared[e]+levels[e]+sampleSpread*r.Normal())
		}
	}
	return m
}

// normals are standard normal numbers times a spread.
func normals(r *stat.Random, n int, spread float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = spread * r.Normal()
	}
	return out
}

// observeComparisons is one draw: two equal models, compared in each way.
func observeComparisons(ctx context.Context, d studyDesign, seed, rep uint64) ([]observation, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 3, uint64(d.Runs), uint64(d.Tasks), rep))
	shared, other := normals(r, d.Tasks, sharedSpread), normals(r, d.Tasks, sharedSpread)
	spread := 0.0
	if d.Runs > 1 {
		spread = runSpread
	}
	var same, apart, runs [2][]report.ModelSamples
	alike := make([]float64, d.Tasks)
	for k, name := range []string{"a", "b"} {
		levels := normals(r, d.Tasks, episodeSpread)
		for run := range d.Runs {
			level := 5 + spread*r.Normal()
			same[k] = append(same[k], simulatedScores(name, fmt.Sprint(run), levels, shared, level, r))
			apart[k] = append(apart[k], simulatedScores(name, fmt.Sprint(run), levels, [][]float64{shared, other}[k], level, r))
			runs[k] = append(runs[k], simulatedScores(name, fmt.Sprint(run), alike, shared, level, r))
		}
	}
	var out []observation
	for _, way := range []struct {
		name   string
		models [2][]report.ModelSamples
		write  func(m report.ModelSamples) ([]byte, error)
	}{
		{"samples in pairs", same, asSamples}, {"two intervals, other episodes", apart, asInterval},
		{"two intervals, the same episodes", same, asInterval}, {"one number of each run, these episodes", runs, asNumber},
	} {
		if d.Runs == 1 && strings.HasPrefix(way.name, "one number") {
			continue
		}
		r, err := comparedBy(ctx, way.models, way.write)
		if err != nil {
			return nil, err
		}
		cell := r.Table[0].Cells[1]
		out = append(out, observe(way.name, cell.Difference.Float(), interval(*cell.DifferenceCI), 0).tested(cell.P.Float()))
		if way.name == "two intervals, other episodes" {
			out = append(out, observe("a model's value", cell.Value.Float(), interval(cell.CI), 5))
		}
	}
	return out, nil
}

// interval is one of the result file.
func interval(i report.Interval) stat.Interval {
	if !i.Defined() {
		return stat.Interval{Low: math.NaN(), High: math.NaN(), Reason: "none"}
	}
	return stat.Interval{Low: i.Low, High: i.High, Level: 1 - level}
}

// comparedBy writes a file for each run and compares them.
func comparedBy(ctx context.Context, models [2][]report.ModelSamples, write func(report.ModelSamples) ([]byte, error)) (*compare.Result, error) {
	return comparedWith(ctx, models, write, compare.Options{Baseline: "a", Lower: []string{"x"}, Threads: 1})
}

func comparedWith(ctx context.Context, models [2][]report.ModelSamples, write func(report.ModelSamples) ([]byte, error), o compare.Options) (*compare.Result, error) {
	g := &compare.Gathered{}
	for _, runs := range models {
		for _, m := range runs {
			data, err := write(m)
			if err != nil {
				return nil, err
			}
			files, err := compare.ReadFrom(m.Model, data)
			if err != nil {
				return nil, err
			}
			g.Files = append(g.Files, files...)
		}
	}
	return compare.Compare(ctx, g, o)
}

// asSamples writes scores per sample.
func asSamples(m report.ModelSamples) ([]byte, error) {
	var b bytes.Buffer
	err := report.WriteSamples(&b, &report.SampleTable{Metrics: []string{"x"}, Models: []report.ModelSamples{m}})
	return b.Bytes(), err
}

// asInterval writes a result file without scores per sample: a mean over states with the
// interval that an analysis gives it.
func asInterval(m report.ModelSamples) ([]byte, error) {
	episode := make([]int, len(m.Group))
	for i := range episode {
		episode[i] = i / episodeLength
	}
	blocks, err := stat.NewBlocks(len(episode), episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, err
	}
	j, err := stat.JackknifeMean(blocks, m.Scores[0])
	if err != nil {
		return nil, err
	}
	return asResult(m.Model, report.Number(j.Estimate), report.Between(j.Interval.Low, j.Interval.High))
}

// asNumber writes a result file with a mean alone.
func asNumber(m report.ModelSamples) ([]byte, error) {
	return asResult(m.Model, report.Number(stat.Mean(m.Scores[0])), report.NoInterval("none"))
}

func asResult(model string, v report.Value, ci report.Interval) ([]byte, error) {
	r := report.NewResult("simulated")
	var part report.Object
	part.Set("x", report.WithInterval(v, ci))
	r.Models.Set(model, &part)
	var b bytes.Buffer
	err := r.Write(&b)
	return b.Bytes(), err
}

// writeComparisons writes the table of what compare makes of two equal models.
func writeComparisons(ctx context.Context, w io.Writer, designs []studyDesign, draws int, seed uint64, threads int) error {
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d studyDesign, rep uint64) ([]observation, error) {
		return observeComparisons(ctx, d, seed, rep)
	})
	if err != nil {
		return err
	}
	// The design with several runs has all rows.
	tallies[0].Order = tallies[len(tallies)-1].Order
	writeStudyTable(w, fmt.Sprintf("Difference of two equal models by its source, and the value of one; "+
		"runs/episodes, %d draws", draws), tallies)
	return nil
}
