// The part of fidelity that looks for copies of the samples that a generator was trained on.

package generation

import (
	"cmp"
	"context"
	"fmt"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/fidelity"
	"repscope/report"
)

// Memorization is how near generated samples come to those that the generator was trained on, next to hold-out
// samples where they are given: always in the space of samples where there are such, which hold-out samples are of.
type Memorization struct {
	Space   string
	Holdout int
	Copies  Estimate // share of generated samples that equal a real one
	// Novelty is the mean distance to the nearest real sample, RealNovelty the one of real samples to the
	// nearest other one, HoldoutNovelty the one of hold-out samples.
	Novelty                     Estimate
	RealNovelty, HoldoutNovelty report.Value
	Authentic                   Estimate // share
	HoldoutCopies               report.Value
	HoldoutAuthentic            report.Value
	DistanceRatio               report.Value
	CloserThanMedian            report.Value
	CloserThanFive              report.Value
	CT, CTP                     report.Value
	Cells                       int
}

// pointsPerCell is the number of samples of each kind that a cell of the data-copying test has on
// average, and mostCells the largest number of cells.
const pointsPerCell, mostCells = 60, 10

// The paths of its numbers with intervals.
const pathCopies, pathAuthentic, pathNovelty = "fidelity.memorization.copies", "fidelity.memorization.authentic",
	"fidelity.novelty"

// memorization fills in f.Memorization.
func (w *fidelityWork) memorization(ctx context.Context, g *Generator, f *Fidelity) error {
	train, generated, holdout := w.real, w.generated, &cloud{}
	m := &f.Memorization
	m.Space = w.space
	if in := &w.a.in; g.Generated != nil && in.Real != nil {
		m.Space = "samples"
		train, generated = validCloud(in.Real), validCloud(g.Generated)
		clouds := []*cloud{generated}
		if in.HoldOut != nil {
			holdout = validCloud(in.HoldOut)
			clouds = append(clouds, holdout)
		}
		scaleColumns(in.Real, train, clouds...)
	}
	if train.points.N < 2 || generated.points.N < 1 {
		m.none(fmt.Sprintf("found %d generated and %d real samples; distances need at least 1 and "+
			"2", generated.points.N, train.points.N))
		return nil
	}
	if m.Holdout = holdout.points.N; m.Holdout > 0 {
		m.Cells = max(1, min(mostCells, m.Holdout/pointsPerCell, generated.points.N/pointsPerCell, train.points.N/pointsPerCell))
	}
	measured, err := fidelity.Memorize(ctx, train.points, holdout.points, generated.points, fidelity.MemorizationOptions{
		Cells: m.Cells, Seed: w.a.o.Seed, Neighbors: w.search(),
	})
	if err != nil {
		return err
	}
	m.take(measured)
	if why := w.dependent(g.Name, generated, holdout); why != "" && m.CTP.Defined() {
		m.CTP = report.Undefined("%s", why)
	}
	return w.memorizationErrors(ctx, m, measured, train, generated)
}

// dependent is why the test of copying, which takes generated and hold-out samples as independent, has no p value;
// empty if they are.
func (w *fidelityWork) dependent(name string, generated, holdout *cloud) string {
	for _, c := range []*cloud{generated, holdout} {
		if c.groups != nil && len(DistinctLabels(c.groups)) < len(c.groups) {
			return cmp.Or(doubted(w.a.related, []string{inGenerated, inLatents}, name),
				"a test takes samples as independent, and they have groups")
		}
	}
	if rho := results.AlikeRows(holdout.points, holdout.labels); rho > 0 && !w.a.o.independent() {
		return text.Alike("neighboring samples of --holdout", rho, "sample")
	}
	return ""
}

// none leaves all of it undefined.
func (m *Memorization) none(reason string) {
	m.Copies, m.Authentic = undefined(pathCopies, reason), undefined(pathAuthentic, reason)
	m.Novelty = undefined(pathNovelty, reason)
	for _, to := range []*report.Value{&m.RealNovelty, &m.HoldoutNovelty, &m.HoldoutCopies, &m.HoldoutAuthentic,
		&m.DistanceRatio, &m.CloserThanMedian, &m.CloserThanFive, &m.CT, &m.CTP} {
		*to = report.Undefined("%s", reason)
	}
}

// memorizationErrors are the numbers with intervals, with the error of both samples.
func (w *fidelityWork) memorizationErrors(ctx context.Context, m *Memorization, all *fidelity.Memorization,
	train, generated *cloud) error {
	b := w.blocking(generated, train, mostHalved)
	b.of = m.Space + " near generated ones"
	without := &fidelity.Deletions{}
	if b.pool != nil && b.why == nil {
		var err error
		if without, err = fidelity.MemorizationWithout(ctx, train.points, generated.points, b.real, b.generated, all,
			w.search()); err != nil {
			return err
		}
	}
	n := generated.points.N
	m.Copies = b.nearest(pathCopies, all.Copies, without.Copies.Without, without.Copies.Changes).asShare(n)
	authentic := 0
	for _, is := range all.Authentic {
		if is {
			authentic++
		}
	}
	share := float64(authentic) / float64(n)
	m.Authentic = b.nearest(pathAuthentic, share, without.Authentic.Without, without.Authentic.Changes).asShare(n)
	m.Novelty = b.nearest(pathNovelty, all.Novelty, without.Novelty.Without, without.Novelty.Changes)
	if m.Novelty.Jackknife != nil {
		m.Novelty.CI = results.IntervalOf(m.Novelty.Jackknife.OnLogScale())
	}
	return nil
}

func (m *Memorization) take(all *fidelity.Memorization) {
	m.RealNovelty = report.Number(all.TrainNovelty)
	value := func(v float64) report.Value { return report.NumberOr(v, all.Reason) }
	m.HoldoutNovelty, m.HoldoutCopies, m.HoldoutAuthentic = value(all.HoldoutNovelty), value(all.HoldoutCopies), value(all.HoldoutAuthPct/100)
	m.DistanceRatio, m.CloserThanMedian, m.CloserThanFive = value(all.DistanceRatio), value(all.CloserThanMedian), value(all.CloserThanFive)
	reason := all.Reason
	if reason == "" {
		reason = all.Copying.Reason
	}
	m.CT, m.CTP = report.NumberOr(all.Copying.CT, reason), report.NumberOr(all.Copying.PValue, reason)
	m.Cells = all.Copying.Cells
}
