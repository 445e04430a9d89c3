// Co-ranking curves without a block, against a comparison of the points that are left.

package neighbors

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/points"
)

func TestCurvesWithoutBlocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n         int
		round     float64 // to this grid, so that distances tie; 0: none
		ties      Ties
		window    int
		tolerance float64
	}{
		"exact":    {60, 0, TiesAverage, 0, 1e-12},
		"ties":     {60, 1, TiesAverage, 0, 1e-12},
		"index":    {60, 0, TiesIndex, 0, 1e-12},
		"window":   {60, 0, TiesAverage, 2, 1e-12},
		"between":  {400, 0, TiesAverage, 0, 3e-4},
		"in grids": {300, 1, TiesAverage, 0, 3e-4},
	} {
		r := rand.New(rand.NewPCG(7, uint64(c.n)))
		const dim = 3
		x, y := make([]float64, c.n*dim), make([]float64, c.n*dim)
		for i := range x {
			x[i] = r.NormFloat64()
			if y[i] = x[i] + r.NormFloat64(); c.round > 0 {
				x[i], y[i] = c.round*math.Round(x[i]), c.round*math.Round(y[i])
			}
		}
		blocks, time := make([]int, c.n), make([]int, c.n)
		for i := range blocks {
			blocks[i], time[i] = i*i%7, i
		}
		a, b := points.Float64(x, dim), points.Float64(y, dim)
		o := Options{Ks: []int{3}, CoRanking: CoRankingFull, Blocks: blocks, Ties: c.ties, ExcludeWindow: c.window, Time: time}
		found, err := Compare(t.Context(), a, []points.Points{b}, o)
		if err != nil {
			t.Fatal(err)
		}
		curves := found[0].Curves
		for g, got := range curves.Without {
			var rest, left []int
			for i, block := range blocks {
				if block != found[0].ByK[0].Replicates[g].Block {
					rest, left = append(rest, i), append(left, time[i])
				}
			}
			alone := o
			alone.Blocks, alone.Time = nil, left
			want, err := Compare(t.Context(), a.Select(rest), []points.Points{b.Select(rest)}, alone)
			if err != nil {
				t.Fatal(err)
			}
			w := want[0].Curves
			if math.Abs(got.AUCRNX-w.AUCRNX) > c.tolerance {
				t.Errorf("%s: without block %d: AUC %v, want %v (all %v)", name, g, got.AUCRNX, w.AUCRNX, curves.AUCRNX)
			}
			star := min(curves.KStar, len(w.QNX))
			for _, q := range []struct {
				name                 string
				got, all, same, anew float64
			}{
				{"local", got.QLocal, curves.QLocal, mean(w.QNX[:star]), w.QLocal},
				{"global", got.QGlobal, curves.QGlobal, mean(w.QNX[star-1:]), w.QGlobal},
			} {
				if want := q.all + farther(q.anew-q.all, q.same-q.all); math.Abs(q.got-want) > 5*c.tolerance {
					t.Errorf("%s: without block %d: Q %s %v, want %v (all %v)", name, g, q.name, q.got, want, q.all)
				}
			}
		}
	}
}

func TestCurveEdges(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 64, 65, 66, 1000, 5000} {
		edges := curveEdges(n)
		for e, at := range edgeOf(edges) {
			if r := e + 1; edges[at] < r || at > 0 && edges[at-1] >= r {
				t.Fatalf("n %d: rank %d belongs to edge %d", n, r, edges[at])
			}
		}
		if edges[len(edges)-1] != n || n <= exactEdges && len(edges) != n {
			t.Errorf("n %d: edges %v", n, edges)
		}
	}
}
