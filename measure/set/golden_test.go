// What scipy and literal NumPy say, in testdata.

package set

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

type golden struct {
	Cells           int
	Sets, Reference [][]int
	Hamming         struct {
		Mean, SD  float64
		Histogram []int64
	}
	Jaccard        struct{ Mean, SD float64 }
	Without        []struct{ Hamming, Jaccard float64 }
	IntDiv1        float64 `json:"int_div_1"`
	IntDiv2        float64 `json:"int_div_2"`
	Unique         int
	Rarefaction    [][2]float64
	NearestJaccard []float64 `json:"nearest_jaccard"`
	NearestHamming []int     `json:"nearest_hamming"`
	SNN            float64
	Cooccurrence   struct {
		TotalVariation float64 `json:"total_variation"`
		MeanAbsolute   float64 `json:"mean_absolute"`
		Correlation    float64
		Pairs          int
	}
}

func readGolden(t *testing.T) (g golden, sets, reference *Sets) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	must(t, err)
	must(t, json.Unmarshal(data, &g))
	sets, err = fromMembers(g.Sets, g.Cells)
	must(t, err)
	reference, err = fromMembers(g.Reference, g.Cells)
	must(t, err)
	return g, sets, reference
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestGoldenPairs(t *testing.T) {
	t.Parallel()
	g, sets, _ := readGolden(t)
	pairs, err := sets.Pairwise(t.Context(), 2)
	must(t, err)
	if !slices.Equal(pairs.Hamming, g.Hamming.Histogram) {
		t.Errorf("histogram %v, want %v", pairs.Hamming, g.Hamming.Histogram)
	}
	measuretest.Near(t, "Hamming", pairs.Hamming.Mean(), g.Hamming.Mean, 1e-14)
	measuretest.Near(t, "sd of Hamming", pairs.Hamming.SD(), g.Hamming.SD, 1e-14)
	measuretest.Near(t, "Jaccard", 1-pairs.MeanJaccard(), g.Jaccard.Mean, 1e-12)
	measuretest.Near(t, "sd of Jaccard", pairs.SDJaccard(), g.Jaccard.SD, 1e-11)
	for order, want := range map[int]float64{1: g.IntDiv1, 2: g.IntDiv2} {
		got, err := pairs.IntDiv(order)
		must(t, err)
		measuretest.Near(t, "IntDiv", got, want, 1e-12)
	}
	labels := make([]int, sets.N)
	for i := range labels {
		labels[i] = i / 7
	}
	blocks, err := stat.NewBlocks(sets.N, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	means, err := sets.Means(t.Context(), pairs, blocks, 1)
	must(t, err)
	for b, want := range g.Without {
		measuretest.Near(t, "Hamming without a block", means.Hamming.Without[b], want.Hamming, 1e-14)
		measuretest.Near(t, "Jaccard without a block", 1-means.Jaccard.Without[b], want.Jaccard, 1e-12)
	}
	measuretest.Near(t, "influence", stat.Mean(means.Jaccard.Influence), 0, 1e-14)
}

func TestGoldenDistinct(t *testing.T) {
	t.Parallel()
	g, sets, _ := readGolden(t)
	d := sets.Distinct()
	if d.Unique() != g.Unique {
		t.Errorf("%d distinct, want %d", d.Unique(), g.Unique)
	}
	for _, point := range g.Rarefaction {
		got, err := d.Curve([]int{int(point[0])})
		must(t, err)
		measuretest.Near(t, "rarefaction", got[0], point[1], 1e-12)
	}
	at, err := d.At(sets.N)
	must(t, err)
	measuretest.Near(t, "unique@N", at, d.Ratio(), 1e-15)
}

func TestGoldenNearest(t *testing.T) {
	t.Parallel()
	g, sets, reference := readGolden(t)
	nearest, err := sets.Nearest(t.Context(), reference, 2)
	must(t, err)
	if !slices.Equal(nearest.Hamming, g.NearestHamming) {
		t.Errorf("nearest Hamming %v, want %v", nearest.Hamming, g.NearestHamming)
	}
	for i, want := range g.NearestJaccard {
		measuretest.Near(t, "nearest Jaccard", nearest.Jaccard[i], want, 1e-14)
	}
	measuretest.Near(t, "SNN", stat.Mean(nearest.Jaccard), g.SNN, 1e-14)
}

func TestGoldenCoOccurrence(t *testing.T) {
	t.Parallel()
	g, sets, reference := readGolden(t)
	c, err := CompareCoOccurrence(t.Context(), sets, reference, 2)
	must(t, err)
	if c.Pairs != g.Cooccurrence.Pairs {
		t.Errorf("%d pairs, want %d", c.Pairs, g.Cooccurrence.Pairs)
	}
	measuretest.Near(t, "total variation", c.TotalVariation, g.Cooccurrence.TotalVariation, 1e-13)
	measuretest.Near(t, "mean difference", c.MeanAbsolute, g.Cooccurrence.MeanAbsolute, 1e-13)
	measuretest.Near(t, "correlation", c.Correlation, g.Cooccurrence.Correlation, 1e-12)
	self, err := CompareCoOccurrence(t.Context(), sets, sets, 1)
	must(t, err)
	if self.TotalVariation != 0 || self.MeanAbsolute != 0 || math.Abs(self.Correlation-1) > 1e-12 {
		t.Errorf("beside itself %+v", self)
	}
}
