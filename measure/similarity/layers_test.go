// Tests of scores of all pairs of layers: equal to the scores of single pairs, for any number of threads and memory.

package similarity

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// layered are layers of one model: spaces that share a part, one that is constant, one of another scale.
func layered(t *testing.T, r *rand.Rand, n, dim, count int) []*Prepared {
	t.Helper()
	var out []*Prepared
	for k := range count {
		z := make([]float64, n*(dim+k))
		for i := range z {
			z[i] = r.NormFloat64() + 3*math.Sin(float64(i/(dim+k))/9)
			if k == 1 {
				z[i] = 1e6*z[i] + 1e7
			}
			if k == 2 {
				z[i] = 4
			}
		}
		out = append(out, mustPrepare(t, points.Float64(z, dim+k)))
	}
	return out
}

func TestScoreLayers(t *testing.T) {
	t.Parallel()
	const n = 141
	r := rand.New(rand.NewPCG(3, 4))
	a, b := layered(t, r, n, 60, 4), layered(t, r, n, 40, 5)
	o := Options{Measures: []string{"cka", "cka_debiased", "mutual_knn"}, Orders: [][]int{nil, r.Perm(n), r.Perm(n)}}
	for i := range n { // a rotation: runs of points that follow each other
		o.Orders[0] = append(o.Orders[0], (i+30)%n)
	}
	if !faster(a, b, &Options{Memory: 1 << 20}) {
		t.Fatal("inner products of points are not used")
	}
	var first [][][]Series
	for _, memory := range []int64{1 << 30, 2 * 4 * n * n} { // all layers at once, and two
		for _, threads := range []int{1, 3} {
			o.Memory, o.Threads = memory, threads
			got, err := ScoreLayers(t.Context(), a, b, o)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			for i := range a {
				for j := range b {
					sameScores(t, got[i][j], first[i][j], 1e-7)
					want, err := Score(t.Context(), a[i], b[j], o)
					if err != nil {
						t.Fatal(err)
					}
					sameScores(t, got[i][j], want, 1e-6)
				}
			}
		}
	}
	o.Threads, o.Memory = 1, 1<<30
	one, err := ScoreLayers(t.Context(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		for j := range b {
			sameScores(t, one[i][j], first[i][j], 0)
		}
	}
}

func sameScores(t *testing.T, got, want []Series, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d scores, want %d", len(got), len(want))
	}
	for s := range want {
		x, y := got[s], want[s]
		if x.Name != y.Name || x.Reason != y.Reason || len(x.Null) != len(y.Null) {
			t.Fatalf("%s %q, want %s %q", x.Name, x.Reason, y.Name, y.Reason)
		}
		values, wanted := append(slices.Clone(x.Null), x.Value), append(slices.Clone(y.Null), y.Value)
		for p := range values {
			if math.Abs(values[p]-wanted[p]) > tolerance || math.IsNaN(values[p]) != math.IsNaN(wanted[p]) {
				t.Errorf("%s, row %d: %v, want %v", x.Name, p, values[p], wanted[p])
			}
		}
	}
}

// Lists of neighbors give the mutual_knn of ranks in every order; with ties, ranks do.
func TestMutualNeighborsByListsAndRanks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 9))
	const n, k = 90, 7
	for _, ties := range []bool{false, true} {
		draw := func() points.Points {
			z := make([]float64, n*3)
			for i := range z {
				z[i] = r.NormFloat64()
				if ties {
					z[i] = math.Round(z[i])
				}
			}
			return points.Float64(z, 3)
		}
		a, b := draw(), draw()
		orders := [][]int{r.Perm(n), r.Perm(n)}
		lists, err := mustPrepare(t, a).neighborLists(t.Context(), []int{k}, &Options{})
		if err != nil || (lists == nil) != ties {
			t.Fatalf("ties %v: lists %v, %v", ties, lists != nil, err)
		}
		got := scored(t, a, b, Options{Measures: []string{"mutual_knn"}, K: []int{k, 2}, Orders: orders})
		want, err := neighbors.Compare(t.Context(), a, []points.Points{b},
			neighbors.Options{Ks: []int{k}, Permutations: orders})
		if err != nil {
			t.Fatal(err)
		}
		score, ranks := got["mutual_knn@7"], want[0].ByK[0]
		if math.Abs(score.Value-ranks.QNX) > 1e-12 {
			t.Errorf("ties %v: %v, want %v", ties, score.Value, ranks.QNX)
		}
		for p, null := range ranks.Null {
			if want := null.Common / (n * k); math.Abs(score.Null[p]-want) > 1e-12 {
				t.Errorf("ties %v, order %d: %v, want %v", ties, p, score.Null[p], want)
			}
		}
	}
}

// The best pair of layers, its p and its threshold are those of another program for the same orders.
func TestBestLayersMatchReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/layers.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		A, B                      [][][]float64
		Orders                    [][]int
		Best, Gated, P, Threshold float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	prepared := func(layers [][][]float64) []*Prepared {
		var out []*Prepared
		for _, rows := range layers {
			out = append(out, mustPrepare(t, pointsOf(rows)))
		}
		return out
	}
	series, err := ScoreLayers(t.Context(), prepared(want.A), prepared(want.B),
		Options{Measures: []string{"cka"}, Orders: want.Orders})
	if err != nil {
		t.Fatal(err)
	}
	best, under := math.Inf(-1), slices.Repeat([]float64{math.Inf(-1)}, len(want.Orders))
	for _, row := range series {
		for _, scores := range row {
			best = max(best, scores[0].Value)
			for p, v := range scores[0].Null {
				under[p] = max(under[p], v)
			}
		}
	}
	null, err := stat.NewEpisodeNull(len(want.Orders[0]), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	chance := null.ChanceOf(best, under, nil, false)
	gated := max(0, (best-chance.Threshold)/(1-chance.Threshold))
	for _, c := range [][2]float64{
		{best, want.Best}, {chance.P, want.P}, {chance.Threshold, want.Threshold}, {gated, want.Gated},
	} {
		if math.Abs(c[0]-c[1]) > 1e-7 { // the other program keeps scores in float32
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}
