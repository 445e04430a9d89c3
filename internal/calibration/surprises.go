// Surprise on errors of known distribution: intervals of the numbers of violations, and comparisons of equal
// models.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/analysis/surprise"
	"repscope/report"
	"repscope/stat"
)

// surpriseDesign has errors as errorDesign, of two models that share half of the variance. Transitions of violated
// episodes are drawn around the level of the untouched episode, and are larger by the size in units of the
// standard deviation within an episode.
type surpriseDesign struct{ errorDesign }

// Sizes of the violation shift.
var shiftSizes = []float64{0, 1, 2}

func surpriseDesigns() []surpriseDesign {
	var out []surpriseDesign
	for _, episodes := range []int{5, 10, 20, 40} {
		for _, rho := range []float64{0, 0.8, 0.95} {
			out = append(out, surpriseDesign{errorDesign{episodes, 60, rho, ""}})
		}
		out = append(out, surpriseDesign{errorDesign{episodes, 60, 0.8, errorKinds[1]}})
	}
	return out
}

// errors draws the errors of two models. Violated episodes follow the untouched ones, one of each size.
func (d surpriseDesign) errors(seed, rep uint64) *surprise.Errors {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, append([]uint64{17, rep}, d.numbers()...)...))
	e := &surprise.Errors{Names: []string{name(0), name(1)}, Values: make([][]float64, 2)}
	levels := make([][2]float64, d.Episodes)
	for pair := range levels {
		shared := d.level(r)
		for m := range levels[pair] {
			levels[pair][m] = (shared + d.level(r)) / math.Sqrt2
		}
	}
	add := func(pair int, kind string, size float64) {
		label, shared := len(e.Episode)/d.Length, d.walk(r)
		for m := range e.Values {
			for t, one := range d.walk(r) {
				x := levels[pair][m] + (shared[t]+one)/math.Sqrt2
				if t >= d.Length/2 {
					x += size
				}
				e.Values[m] = append(e.Values[m], math.Exp(x/2))
			}
		}
		for t := range d.Length {
			e.Episode, e.Pair, e.Step = append(e.Episode, label), append(e.Pair, pair), append(e.Step, t-d.Length/2)
			e.Violation, e.Size = append(e.Violation, kind), append(e.Size, size)
		}
	}
	for pair := range d.Episodes {
		add(pair, "", 0)
	}
	for _, size := range shiftSizes {
		for pair := range d.Episodes {
			add(pair, "shift", size)
		}
	}
	return e
}

// analyze is the printed result of one draw.
func (d surpriseDesign) analyze(ctx context.Context, seed, rep uint64) (*surprise.Result, error) {
	return surprise.Analyze(ctx, surprise.Input{Errors: d.errors(seed, rep)}, surprise.Options{Settings: settings(rep)})
}

// aboutDraws are the numbers whose truth is the mean over all draws: numbers of p values, which depend on the number of
// episodes, and of the largest error.
func aboutDraws(quantity string) bool {
	return !strings.HasPrefix(quantity, "AUROC") && !strings.HasPrefix(quantity, ofMany) && quantity != "error"
}

// ofMany is the name of the number whose truth is the share of violated transitions with p ≤ 0.01 of very many
// episodes.
const ofMany = "detected, 1 in 100, of very many episodes"

// trueAUROC is the probability that a violated transition has a larger error.
func trueAUROC(size float64) float64 { return normal(size / math.Sqrt2) }

// observeSurprise is one draw.
func observeSurprise(ctx context.Context, d surpriseDesign, seed, rep uint64) ([]observation, error) {
	result, err := d.analyze(ctx, seed, rep)
	if err != nil {
		return nil, err
	}
	p := map[string]float64{}
	for _, c := range result.Comparisons {
		p[c.Metric] = c.P.Float()
	}
	var out []observation
	add := func(quantity string, e report.Estimate, truth float64, metric string) {
		if !e.Defined() {
			return
		}
		o := observe(quantity, e.Float(), interval(e.CI), truth)
		if v, compared := p[metric]; compared {
			o = o.tested(v)
		}
		out = append(out, o)
	}
	m, mean := &result.Models[0], 0.0
	for _, size := range shiftSizes {
		row := m.Row("shift", size)
		mean += trueAUROC(size) / float64(len(shiftSizes))
		metric := ""
		if size == slices.Max(shiftSizes) {
			metric = fmt.Sprintf("auroc of shift at %g", size)
		}
		add(fmt.Sprintf("AUROC, shift %g", size), row.AUROC, trueAUROC(size), metric)
		add(fmt.Sprintf("%s, shift %g", ofMany, size), row.Detected100, d.detectedByMany(size), "")
		for _, n := range []struct {
			name     string
			estimate report.Estimate
		}{
			{"detected, 1 in 100", row.Detected100}, {"noticed", row.Noticed}, {"untouched noticed", row.Untouched},
			{"delay", row.Delay}, {"place", row.Place}, {"alarmed", row.Alarmed},
		} {
			add(fmt.Sprintf("%s, shift %g", n.name, size), n.estimate, 0, "")
		}
	}
	variance := 1.0
	if d.Kind != "" {
		variance = 2
	}
	add("AUROC, mean", m.AUROC, mean, "auroc")
	add("detected, 1 in 100, mean", m.Detected100, 0, "detected_1in100")
	add("error", m.Error, math.Exp(variance/8), "")
	add("false alarms", m.Alarm.False, 0, "")
	return out, nil
}

// detectedByMany is the share of violated transitions with p ≤ 0.01 with very many episodes.
func (d surpriseDesign) detectedByMany(size float64) float64 {
	spread := 1.0
	if d.Kind != "" {
		spread = math.Sqrt2
	}
	return normal(size/spread - stat.NormalQuantile(0.99))
}

// writeSurprise writes the tables of violations.
func writeSurprise(ctx context.Context, w io.Writer, designs []surpriseDesign, draws int, seed uint64,
	threads int) error {
	var tallies []studyTally
	for _, d := range designs {
		t, err := tallyStudies(ctx, d, draws, threads, aboutDraws, func(rep uint64) ([]observation, error) {
			return observeSurprise(ctx, d, seed, rep)
		})
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Errors of violated episodes, larger by 0, 1 and 2 SD: intervals that hold the true "+
		"AUROC, error and detection by many episodes, and the mean over draws of other numbers, coverage in percent ± "+
		"Monte-Carlo error (width), "+
		"%d draws", draws), tallies)
	writeMissing(w, tallies)
	writeMeans(w, "Mean in percent", tallies, func(quantity string) bool {
		return strings.HasPrefix(quantity, "AUROC") || strings.HasPrefix(quantity, "detected, 1 in 100, shift") ||
			strings.Contains(quantity, "noticed")
	})
	return nil
}
