// Tests that deletions are the same measures of the points that are left.

package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// rest is the points that have a group, and their partition.
func rest(x points.Points, of []int) (points.Points, Partition) {
	var index []int
	var labels []int64
	for i, g := range of {
		if g >= 0 {
			index, labels = append(index, i), append(labels, int64(g))
		}
	}
	return x.Select(index), NewPartition(labels)
}

func episodes(t *testing.T, n, count int) *stat.Blocks {
	t.Helper()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i * i * count / (n * n) // of unequal lengths
	}
	blocks, err := stat.NewBlocks(n, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func TestWithout(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	const n, dim, groups = tileSize + 40, 5, 6
	x := measuretest.Normal(random, n, dim)
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(groups * math.Pow(random.Float64(), 2))
		for k := range dim { // groups that are some, and duplicates
			x.F64[i*dim+k] += 2 * float64(labels[i]*int64(k%2))
		}
		if i%9 == 8 {
			copy(x.F64[i*dim:(i+1)*dim], x.F64[(i-3)*dim:(i-2)*dim])
		}
	}
	labels[3] = 77 // a group that a deletion takes away
	p, blocks := NewPartition(labels), episodes(t, n, 7)
	kept, err := p.Without(blocks)
	if err != nil {
		t.Fatal(err)
	}
	found, err := KMeans(t.Context(), x, 4, KMeansOptions{Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	refitted, err := found.Without(t.Context(), x, blocks, KMeansOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for b, of := range refitted {
		for i, g := range of {
			if (g < 0) != (blocks.Labels()[i] == b) {
				t.Fatalf("without block %d: point %d has cluster %d", b, i, g)
			}
			if g >= 0 && g != found.Partition.Of[i] {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no deletion moves a point: the clusters are not found again")
	}
	for name, c := range map[string]struct {
		p    Partition
		left Left
	}{"labels": {p, kept}, "k-means": {found.Partition, refitted}} {
		s, err := NewSilhouettes(t.Context(), x, c.p, 2)
		if err != nil {
			t.Fatal(err)
		}
		one, err := s.Without(t.Context(), c.left, 1)
		if err != nil {
			t.Fatal(err)
		}
		many, byGroup, err := s.WithoutByGroup(t.Context(), c.left, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one, many) {
			t.Errorf("%s: 1 and 3 threads differ", name)
		}
		db, ch, err := DispersionsWithout(t.Context(), x, c.left, 2)
		if err != nil {
			t.Fatal(err)
		}
		for b, of := range c.left {
			z, q := rest(x, of)
			widths := plainSilhouette(z, q)
			measuretest.Near(t, name+": silhouette", one[b], stat.Mean(widths), 1e-10)
			sums, counts, at := make([]float64, c.p.Groups()), make([]float64, c.p.Groups()), 0
			for _, g := range of {
				if g >= 0 {
					sums[g] += widths[at]
					counts[g]++
					at++
				}
			}
			for g := range sums {
				if got, want := byGroup[b][g], sums[g]/counts[g]; counts[g] > 0 || got == got {
					measuretest.Near(t, name+": silhouette of a group", got, want, 1e-10)
				}
			}
			d, err := NewDispersion(z, q)
			if err != nil {
				t.Fatal(err)
			}
			wantDB, errDB := d.DaviesBouldin()
			wantCH, errCH := d.CalinskiHarabasz()
			if errDB != nil || errCH != nil {
				t.Fatal(errDB, errCH)
			}
			measuretest.Near(t, name+": Davies–Bouldin", db[b], wantDB, 1e-10)
			measuretest.Near(t, name+": Calinski–Harabasz", ch[b], wantCH, 1e-10)
		}
	}
}

// Clusters found again are a state in which no point moves: a new start from their
// centroids changes nothing.
func TestRefittedClustersAreMinima(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	const n, k = 120, 5
	x := measuretest.Normal(random, n, 2)
	blocks := episodes(t, n, 5)
	found, err := KMeans(t.Context(), x, k, KMeansOptions{Seed: 1, Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	left, err := found.Without(t.Context(), x, blocks, KMeansOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range left {
		z, p := rest(x, of)
		centroid := make([][2]float64, k)
		for i, g := range p.Of {
			for c, v := range z.Row(i, nil) {
				centroid[g][c] += v / float64(p.Sizes[g])
			}
		}
		for i, g := range p.Of {
			row := z.Row(i, nil)
			square := func(c int) float64 {
				a, b := row[0]-centroid[c][0], row[1]-centroid[c][1]
				return a*a + b*b
			}
			for c := range k {
				if square(c) < square(g)*(1-1e-9) {
					t.Fatalf("point %d of cluster %d is nearer to %d", i, g, c)
				}
			}
		}
	}
}

func TestWithoutLeavesNothing(t *testing.T) {
	t.Parallel()
	x := points.Float64([]float64{0, 1, 5, 6, 9, 10}, 1)
	p := NewPartition([]int64{1, 1, 1, 2, 2, 2})
	blocks, err := stat.NewBlocks(6, []int{0, 0, 0, 1, 1, 1}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	left, err := p.Without(blocks)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSilhouettes(t.Context(), x, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	widths, err := s.Without(t.Context(), left, 1)
	if err != nil {
		t.Fatal(err)
	}
	db, ch, err := DispersionsWithout(t.Context(), x, left, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, err := KMeans(t.Context(), x, 4, KMeansOptions{})
	if err != nil {
		t.Fatal(err)
	}
	few, err := found.Without(t.Context(), x, blocks, KMeansOptions{})
	if err != nil {
		t.Fatal(err)
	}
	none, err := s.Without(t.Context(), few, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slices.Concat(widths, db, ch, none) {
		if !math.IsNaN(v) {
			t.Errorf("%v of one group or fewer points than clusters, want NaN", v)
		}
	}
	if _, err := NewPartition([]int64{1, 2}).Without(blocks); err == nil {
		t.Error("blocks of another number of points are taken")
	}
	if _, err := found.Without(t.Context(), x.Select([]int{0, 1, 2}), blocks, KMeansOptions{}); err == nil {
		t.Error("points of another number are taken")
	}
	if _, err := s.Without(t.Context(), Left{{0, 1}}, 1); err == nil {
		t.Error("groups of another number of points are taken")
	}
	if _, _, err := DispersionsWithout(t.Context(), x, Left{{0, 1}}, 1); err == nil {
		t.Error("groups of another number of points are taken")
	}
}
