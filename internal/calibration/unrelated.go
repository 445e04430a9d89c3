// Spaces that share nothing but the memory of their states: how far similarities are from 0, and how often their
// intervals and the null in time say so.

package main

import (
	"context"
	"fmt"
	"io"

	"repscope/analysis/geometry"
	"repscope/analysis/neighborhood"
	"repscope/neighbors"
	"repscope/report"
)

// unrelatedDesigns have models that see independent coordinates.
func unrelatedDesigns() []Design {
	return []Design{
		{Name: "0/10", N: 500, Episodes: 10},
		{Name: "0.6/10", N: 500, Episodes: 10, Rho: 0.6},
		{Name: "0.98/10", N: 500, Episodes: 10, Rho: 0.98},
		{Name: "between 0.7", N: 500, Episodes: 10, Rho: 0.6, Between: 0.7},
		{Name: "uneven", N: 500, Episodes: 12, Rho: 0.6, Between: 0.3, Uneven: 0.8, Redrawn: true},
		{Name: "dominant", N: 500, Episodes: 8, Rho: 0.6, Between: 0.3, Dominant: 0.4},
		{Name: "0.98 uneven", N: 500, Episodes: 12, Rho: 0.98, Uneven: 0.8, Redrawn: true},
		{Name: "0.9/1", N: 500, Episodes: 1, Rho: 0.9},
	}
}

// observeUnrelated is one draw: the similarities of two models, which are 0, and trustworthiness above the mean of its
// null, with the one-sided p values of the null.
func observeUnrelated(ctx context.Context, d Design, seed, rep uint64) ([]observation, error) {
	s := d.draw(seed, rep)
	encoded := s.encoded()[:2]
	result, err := geometry.Analyze(ctx, geometry.Input{Episode: s.Episode, Models: encoded},
		geometry.Options{Clusters: []int{2}, Starts: 1, Neighbors: []int{1}, Lags: 1, Pairs: 20_000, Permutations: 99,
			Settings: settings(rep)})
	if err != nil {
		return nil, err
	}
	var out []observation
	other, _ := result.Models[0].Similarity.Get(name(1))
	row, ok := other.(geometry.SimilarityRow)
	if !ok || row.Null == nil {
		return nil, fmt.Errorf("%s, draw %d: there is no similarity to %s", d, rep, name(1))
	}
	for _, score := range []struct {
		name   string
		value  report.Estimate
		chance geometry.Chance
	}{{"cka_debiased", row.CKADebiased, row.Null.CKADebiased}, {"rsa", row.RSA, row.Null.RSA},
		{"cka_between", row.CKABetween, row.Null.CKABetween}, {"rsa_between", row.RSABetween, row.Null.RSABetween}} {
		out = append(out, observe(score.name, score.value.Float(), interval(score.value.CI), 0).
			tested(score.chance.P.Float()))
	}
	n, err := neighborhood.Analyze(ctx,
		neighborhood.Input{Frames: encoded[0].Latents, Episode: s.Episode, Models: encoded[1:]},
		neighborhood.Options{K: []int{5}, Permutations: 19, CoRanking: neighbors.CoRankingOff, Settings: settings(rep)})
	if err != nil {
		return nil, err
	}
	scores := n.Models[0].ByK[0]
	null := scores.NullInTime
	score := scores.Trustworthiness
	if null.Cut != nil {
		score = null.Cut.Trustworthiness
	}
	above := score.Float() - null.TrustworthinessMean.Float()
	z := above / null.TrustworthinessSD.Float()
	return append(out, observe("trustworthiness@5 less its null", above, noInterval, 0).tested(normal(-z))), nil
}

// writeUnrelated writes the tables of spaces that share nothing.
func writeUnrelated(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d Design, rep uint64) ([]observation, error) {
		return observeUnrelated(ctx, d, seed, rep)
	})
	if err != nil {
		return err
	}
	writeStudyTable(w, fmt.Sprintf("Similarity of spaces that share nothing: intervals that hold 0, coverage in percent "+
		"± Monte-Carlo error (width), %d draws", draws), tallies)
	writeMeans(w, "Mean score in percent", tallies, everyQuantity)
	return nil
}

// everyQuantity says that all means are written.
func everyQuantity(string) bool { return true }

// writeMeans writes the mean of some quantities, in percent.
func writeMeans(w io.Writer, title string, tallies []studyTally, written func(quantity string) bool) {
	fmt.Fprintf(w, "%s:\n\n", title)
	columns := func(first string, cell func(studyTally) string) { studyRow(w, first, tallies, cell) }
	columns("quantity", func(t studyTally) string { return t.Design.String() })
	columns("---", func(studyTally) string { return "---" })
	for _, quantity := range tallies[0].Order {
		if written(quantity) {
			columns(quantity, func(t studyTally) string { return fmt.Sprintf("%.1f", 100*t.Means[quantity]) })
		}
	}
	fmt.Fprintln(w)
}
