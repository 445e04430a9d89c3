// Silhouettes against the definition.

package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"

	"github.com/google/go-cmp/cmp"
)

// Every point, and their mean, by scikit-learn.
func TestSilhouetteMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	widths, err := Silhouette(t.Context(), x, NewPartition(g.Labels), 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range g.Silhouettes {
		measuretest.Near(t, "silhouette of a point", widths[i], want, 1e-10)
	}
	measuretest.Near(t, "silhouette", stat.Mean(widths), g.Silhouette, 1e-10)
}

func TestSilhouetteOfSpecialGroups(t *testing.T) {
	t.Parallel()
	// Two duplicates, a point alone, and another group.
	x := points.Float64([]float64{0, 0, 5, 9, 10}, 1)
	s, err := Silhouette(t.Context(), x, NewPartition([]int64{4, 4, -1, 8, 8}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, 0, 0.75, 0.8}, s); diff != "" {
		t.Error(diff)
	}
	// Equal points in two groups: a = b = 0.
	if s, err = Silhouette(t.Context(), points.Float64([]float64{3, 3, 3, 3}, 1), NewPartition([]int64{0, 0, 1, 1}), 1); err != nil || slices.Max(s) != 0 || slices.Min(s) != 0 {
		t.Errorf("duplicates in two groups: %v, %v", s, err)
	}
	// A point alone in its group has 0, not 1, which its distance 0 to itself would give.
	s, err = Silhouette(t.Context(), points.Float64([]float64{0, 0.1, 1}, 1), NewPartition([]int64{0, 0, 1}), 1)
	if err != nil || s[2] != 0 || math.Abs(s[0]-0.9) > 1e-15 || math.Abs(s[1]-8./9) > 1e-15 {
		t.Errorf("a point alone: %v, %v", s, err)
	}
	// A label that nobody has is no group: labels 0 and 7, and 7 gone from all but one.
	gap, err := Silhouette(t.Context(), x, NewPartition([]int64{0, 0, 7, 9, 9}), 1)
	dense, _ := Silhouette(t.Context(), x, NewPartition([]int64{0, 0, 1, 2, 2}), 1)
	if err != nil || !slices.Equal(gap, dense) {
		t.Errorf("labels with gaps: %v, %v, %v", gap, dense, err)
	}
	for name, labels := range map[string][]int64{"in one group": {1, 1, 1, 1, 1}, "its own group": {1, 2, 3, 4, 5}, "2 labels for 5": {1, 2}} {
		if _, err := Silhouette(t.Context(), x, NewPartition(labels), 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one containing %q", err, name)
		}
	}
}

// The block pass equals the plain double loop where products cancel: clusters far
// from the origin and close together.
func TestSilhouetteFarFromTheOrigin(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	n, dim := 300, 3
	x := measuretest.Normal(random, n, dim)
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % 3)
		for k := range dim {
			x.F64[i*dim+k] = 1e6*float64(1+i%3/2) + 1e-3*float64(i%3) + 1e-4*x.F64[i*dim+k]
		}
	}
	p := NewPartition(labels)
	got, err := Silhouette(t.Context(), x, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	// Moving the points to their mean rounds their coordinates, by 1e-10 of 1e-4.
	for i, want := range plainSilhouette(x, p) {
		if math.Abs(got[i]-want) > 1e-5 {
			t.Fatalf("point %d: %v, want %v", i, got[i], want)
		}
	}
}

// plainSilhouette is the definition, distance by distance.
func plainSilhouette(x points.Points, p Partition) []float64 {
	out := make([]float64, x.N)
	for i := range x.N {
		mean := make([]float64, p.Groups())
		for j := range x.N {
			size := p.Sizes[p.Of[j]]
			if p.Of[j] == p.Of[i] {
				size--
			}
			if i != j {
				mean[p.Of[j]] += math.Sqrt(matrix.SquaredDistance(x.F64[i*x.Dim:(i+1)*x.Dim], x.F64[j*x.Dim:(j+1)*x.Dim])) / float64(size)
			}
		}
		b := math.Inf(1)
		for g, m := range mean {
			if g != p.Of[i] {
				b = min(b, m)
			}
		}
		if a := mean[p.Of[i]]; p.Sizes[p.Of[i]] > 1 && max(a, b) > 0 {
			out[i] = (b - a) / max(a, b)
		}
	}
	return out
}
