// k-means on data with known clusters.

package cluster

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/points"

	"github.com/google/go-cmp/cmp"
)

func TestKMeans(t *testing.T) {
	t.Parallel()
	t.Run("separated", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		x := measuretest.Normal(random, 2000, 3)
		labels := make([]int64, x.N)
		for i := range labels {
			labels[i] = int64(i % 20)
			x.F64[3*i] += 50 * float64(i%20)
		}
		found, err := KMeans(t.Context(), x, 20, KMeansOptions{Seed: 9, Starts: 3})
		if err != nil {
			t.Fatal(err)
		}
		// Groups are numbered by their first points.
		if !found.Converged || !slices.Equal(found.Partition.Of, NewPartition(labels).Of) {
			t.Errorf("separated clusters were not found: converged %v, sizes %v", found.Converged, found.Partition.Sizes)
		}
		inertia := 0.0
		for i, c := range found.Partition.Of {
			inertia += matrix.SquaredDistance(x.F64[3*i:3*i+3], found.Centroids[3*c:3*c+3])
		}
		measuretest.Near(t, "inertia", found.Inertia, inertia, 1e-10)
	})
	t.Run("every distinct point", func(t *testing.T) {
		x := points.Float64([]float64{1, 2, 2, 3, 1, 3, 1}, 1)
		found, err := KMeans(t.Context(), x, 3, KMeansOptions{})
		if err != nil || found.Inertia != 0 || !slices.Equal(found.Partition.Of, []int{0, 1, 1, 2, 0, 2, 0}) {
			t.Errorf("%+v, %v", found, err)
		}
		for k, want := range map[int]string{4: "only 3 distinct points for 4 clusters", 8: "7 points, fewer than 8 clusters", 0: "0 clusters"} {
			if _, err := KMeans(t.Context(), x, k, KMeansOptions{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("k = %d: error %v, want one containing %q", k, err, want)
			}
		}
	})
	t.Run("empty cluster", func(t *testing.T) {
		x := matrix.Matrix{N: 4, Dim: 1, Data: []float64{-4, -3, 3, 9}}
		packed, err := kernel.PackRight(kernel.Rows(x.Data, 1), 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := &lloyd{lloydSpace: lloydSpace{x: x, packed: packed, norms: x.SquaredNorms()}, k: 3, centroids: matrix.Matrix{N: 3, Dim: 1, Data: []float64{-3, 5, 100}}}
		l.begin()
		if _, err := l.assign(); err != nil {
			t.Fatal(err)
		}
		l.fillEmpty()
		if !slices.Equal(l.of, []int{0, 0, 1, 2}) || l.centroids.Data[2] != 9 || l.reseeded != 1 {
			t.Errorf("clusters %v, centroids %v", l.of, l.centroids.Data)
		}
	})
}

// The inertia is at most what scikit-learn finds, whatever the number of threads.
func TestKMeansMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	for k, want := range g.Inertia {
		one, err := KMeans(t.Context(), x, k, KMeansOptions{Seed: 3, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if one.Inertia > want*(1+1e-9) {
			t.Errorf("%d clusters: inertia %v, scikit-learn finds %v", k, one.Inertia, want)
		}
		many, err := KMeans(t.Context(), x, k, KMeansOptions{Seed: 3, Threads: 5})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, many); diff != "" {
			t.Errorf("%d clusters: 1 and 5 threads differ: %s", k, diff)
		}
	}
}
