// Tests of the dependence of neighboring sequences.

package sequence

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence/internal/groups"
	"repscope/stat"
)

// meansOf are jackknifes of the means of autoregressive values of two models, whose sequences are clusters of their own
// or in clusters of perCluster neighbors.
func meansOf(t *testing.T, seed uint64, rho float64, perCluster int) []*stat.Jackknifed {
	t.Helper()
	const n = 150
	clusters := make([]int, n)
	for i := range clusters {
		clusters[i] = i / perCluster
	}
	g := groups.New(clusters, groups.Most)
	s := summaryOf(g, Key{Name: "loss", Compared: true})
	r := stat.NewRandom(stat.StreamDesign.Key(seed))
	var out []*stat.Jackknifed
	for range 2 {
		x, sum, ones := make([]float64, n), 0.0, make([]float64, n)
		for i := range x {
			x[i] = r.Normal()
			if i > 0 {
				x[i] += rho * x[i-1]
			}
			sum, ones[i] = sum+x[i], 1
		}
		j, err := s.JackknifeSums("loss", func(sums []float64) float64 { return sums[0] / sums[1] }, sum/n,
			[]float64{sum, n}, [][]float64{x, ones})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, j)
	}
	return out
}

// Dependent neighbors have no p value and a warning; independent ones rarely do, nor do clusters that are longer than
// the memory.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	const draws = 100
	for _, c := range []struct {
		rho         float64
		perCluster  int
		least, most int // of 100 comparisons without a p value
	}{{0, 1, 0, 6}, {0.4, 1, 90, 100}, {0.8, 1, 100, 100}, {0.4, 6, 0, 20}} {
		withdrawn, warned := 0, 0
		for seed := range uint64(draws) {
			estimates, names := meansOf(t, seed, c.rho, c.perCluster), []string{"a", "b"}
			rows, err := results.Pairwise(results.Metric{Name: "loss", Family: "loss"}, names, estimates, 1)
			if err != nil || len(rows) != 1 || !rows[0].P.Defined() {
				t.Fatalf("%d rows (%v)", len(rows), err)
			}
			d := DatasetResult{Models: []ModelResult{
				{Name: "a", jackknifes: map[string]*stat.Jackknifed{"loss": estimates[0]}},
				{Name: "b", jackknifes: map[string]*stat.Jackknifed{"loss": estimates[1]}},
			}}
			neighbors := d.neighbors()
			estimate := func(name string) *stat.Jackknifed { return estimates[slices.Index(names, name)] }
			count := neighbors.Withdraw(rows, estimate)
			if rows[0].P.Defined() != (count == 0) || count == 1 && !strings.Contains(rows[0].P.Reason, "alike") {
				t.Fatalf("%d withdrawn: %+v", count, rows[0].P)
			}
			withdrawn += count
			warned += len(neighbors.Warnings(names, count))
		}
		t.Logf("ρ %v, clusters of %d: %d of %d withdrawn, %d warnings", c.rho, c.perCluster, withdrawn, draws, warned)
		if withdrawn < c.least || withdrawn > c.most || warned > 3*c.most || warned < 2*c.least {
			t.Errorf("ρ %v, clusters of %d: %d of %d withdrawn, %d warnings", c.rho, c.perCluster, withdrawn, draws, warned)
		}
	}
}
