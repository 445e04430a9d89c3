// Tests of the groups that intervals delete.

package groups

import (
	"math/rand/v2"
	"testing"
)

// Clusters stay whole, every sequence is of one group, and there are at most as many as wanted.
func TestGroups(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, most := 1+r.IntN(60), 1+r.IntN(12)
		clusters := make([]int, n)
		for i := range clusters {
			clusters[i] = r.IntN(1 + r.IntN(n))
		}
		g := New(clusters, most)
		seen, of := make([]bool, n), map[int]int{}
		for j := range g.Count() {
			members := g.Members(j)
			if len(members) == 0 || len(members) != g.sizes()[j] {
				t.Fatalf("group %d of %v has %d members", j, clusters, len(members))
			}
			for k, i := range members {
				if seen[i] || k > 0 && members[k-1] >= i {
					t.Fatalf("group %d of %v: %v", j, clusters, members)
				}
				seen[i] = true
				if other, ok := of[clusters[i]]; ok && other != j {
					t.Fatalf("cluster %d of %v is in groups %d and %d", clusters[i], clusters, other, j)
				}
				of[clusters[i]] = j
			}
		}
		if len(g.Order) != n || g.Count() > most || g.Clusters <= most && g.Count() != g.Clusters {
			t.Fatalf("%d groups of %v, at most %d", g.Count(), clusters, most)
		}
	}
}

// The names say what is deleted.
func TestGroupNames(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		clusters []int
		most     int
		want     string
	}{
		{[]int{0, 1, 2}, 5, "3 sequences"}, {[]int{4, 4, 2}, 5, "2 clusters"}, {[]int{0, 1, 2, 3}, 2, "2 groups of sequences"}, {[]int{0, 1, 1, 3}, 2, "2 groups of whole clusters"},
	} {
		if got := New(of.clusters, of.most).Name(); got != of.want {
			t.Errorf("%v: %q, want %q", of.clusters, got, of.want)
		}
	}
}

// Too few groups give no intervals, and the run says why.
func TestGroupWarnings(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		1: "intervals are left out: they rest on 1 sequence, want at least 3",
		2: "intervals are left out: they rest on 2 sequences, want at least 3",
		3: "intervals are based on only 3 sequences and are therefore wide; use at least 10",
	} {
		each := make([]int, n)
		for i := range each {
			each[i] = i
		}
		if got := New(each, 5).Warnings(); len(got) != 1 || got[0] != want {
			t.Errorf("%d sequences: %q, want %q", n, got, want)
		}
	}
}
