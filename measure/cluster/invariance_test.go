// What rotation, scale, translation and the order of points leave as it is.

package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestInvariances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(12, 130).Draw(rt, "n"), rapid.IntRange(2, 7).Draw(rt, "dim")
		x := measuretest.Normal(random, n, dim)
		labels := make([]int64, n)
		for i := range labels {
			labels[i] = int64(random.IntN(3))
		}
		labels[0], labels[1] = 0, 1
		moved := measuretest.Times(x, measuretest.Rotation(random, dim), 0.3, 4)
		perm := random.Perm(n)
		permutedLabels := make([]int64, n)
		for i, j := range perm {
			permutedLabels[i] = labels[j]
		}
		check := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
				rt.Fatalf("%s changed from %v to %v", name, want, got)
			}
		}
		silhouette := func(z points.Points, labels []int64, threads int) []float64 {
			widths, err := Silhouette(t.Context(), z, NewPartition(labels), threads)
			if err != nil {
				rt.Fatal(err)
			}
			return widths
		}
		before, after, permuted := silhouette(x, labels, 1), silhouette(moved, labels, 2), silhouette(x.Select(perm), permutedLabels, 2)
		for i := range before {
			check("silhouette", after[i], before[i])
			check("silhouette", permuted[i], before[perm[i]])
		}
		indices := func(z points.Points) (daviesBouldin, calinskiHarabasz float64) {
			d, err := NewDispersion(z, NewPartition(labels))
			if err != nil {
				rt.Fatal(err)
			}
			if daviesBouldin, err = d.DaviesBouldin(); err != nil {
				rt.Fatal(err)
			}
			if calinskiHarabasz, err = d.CalinskiHarabasz(); err != nil {
				rt.Fatal(err)
			}
			return daviesBouldin, calinskiHarabasz
		}
		daviesBouldin, calinskiHarabasz := indices(x)
		movedDB, movedCH := indices(moved)
		check("Davies–Bouldin", movedDB, daviesBouldin)
		check("Calinski–Harabasz", movedCH, calinskiHarabasz)
	})
}
