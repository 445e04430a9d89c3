// What users of other implementations complain of, one test each, and what makes the
// pass cheap: every distance computed once.

package neighbors

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

func compare(t *testing.T, original points.Points, embedded []points.Points, o Options) []Preservation {
	t.Helper()
	return compareIn(context.Background(), t, original, embedded, o)
}

func compareIn(ctx context.Context, t *testing.T, original points.Points, embedded []points.Points, o Options) []Preservation {
	t.Helper()
	result, err := Compare(ctx, original, embedded, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The two ways through a symmetric space, with what later blocks want kept or
// computed again, give the same bytes, for every type of rows.
func TestSymmetryChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n = 460
	r := random(41)
	plain := gaussian32(r, n, 256)
	for i := range 3 { // outliers and a wild point
		plain.F32[(100+50*i)*256] = float32(math.Pow(30, float64(i+1)))
	}
	for _, c := range []struct {
		name   string
		points points.Points
		o      Options
	}{
		{"uint8", bytes8(r, n, 800, 256), Options{}},
		{"uint8 cosine", bytes8(r, n, 800, 256), Options{Metric: Cosine}},
		{"float32", plain, Options{}},
		{"float32 cosine", plain, Options{Metric: Cosine}},
		{"float64", gaussian64(r, n, 256), Options{ExcludeWindow: 2}},
	} {
		o := c.o
		o.Ks, o.CoRanking, o.Threads = []int{5, 20}, CoRankingOff, 2
		other := c.points.Select(random(42).Perm(n))
		want := compare(t, c.points, []points.Points{other}, o) // one block
		for _, height := range []int{1, 50, 200} {
			for _, memory := range []int64{2_000_000, 1 << 30} {
				o.Memory = memory
				if got := compareIn(blocksOf(height), t, c.points, []points.Points{other}, o); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, blocks of %d rows in %d bytes: another result", c.name, height, memory)
				}
			}
		}
	}
}

func TestEveryDistanceOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	const n = 1000
	r := random(43)
	pts := gaussian32(r, n, 200)
	models := []points.Points{gaussian32(r, n, 9), gaussian32(r, n, 10), gaussian32(r, n, 11)}
	count := func(embedded []points.Points, o Options) int64 {
		var computed atomic.Int64
		o.CoRanking = CoRankingOff
		compareIn(rows.WithHooks(t.Context(), rows.Hooks{Computed: &computed, MaxRows: 100}), t, pts, embedded, o)
		return computed.Load()
	}
	once := count(models[:1], Options{Ks: []int{5}})
	if once > n*n*6/10 {
		t.Errorf("%d distances computed for %d pairs", once, n*(n-1)/2)
	}
	if got := count(models, Options{Ks: []int{5, 10, 20, 40}, Permutations: permutations(44, n, 3)}); got != once {
		t.Errorf("three models, four k and three permutations: %d distances of the original, want %d as for one", got, once)
	}
	// Nothing kept: still no more than twice.
	if got := count(models[:1], Options{Ks: []int{5}, Memory: 1_500_000}); got <= once || got > n*n*11/10 {
		t.Errorf("little memory: %d distances computed", got)
	}
}

func TestAllKAtOnce(t *testing.T) {
	r := random(45)
	a, b := gaussian32(r, 150, 30), gaussian32(r, 150, 5)
	ks := []int{1, 2, 5, 10, 74, 75, 76, 100, 148}
	together := compare(t, a, []points.Points{b}, Options{Ks: ks})
	for q, k := range ks {
		alone := compare(t, a, []points.Points{b}, Options{Ks: []int{k}})
		if !reflect.DeepEqual(together[0].ByK[q], alone[0].ByK[0]) {
			t.Errorf("k = %d: another result together with other k", k)
		}
	}
}

// k ≥ n/2: the constant of the definition for k < n/2 would give scores
// outside [0, 1].
func TestLargeK(t *testing.T) {
	const n = 40
	r := random(46)
	a := gaussian64(r, n, 12)
	reversed := gaussian64(r, n, 12)
	for k := n / 2; k <= n-2; k++ {
		for _, embedded := range []points.Points{a, reversed} {
			s := compare(t, a, []points.Points{embedded}, Options{Ks: []int{k}})[0].ByK[0].Scores
			if w := int64(n * (n - k) * (n - k - 1) / 2); s.Normalizer != w {
				t.Errorf("k = %d: normalizer %d, want %d", k, s.Normalizer, w)
			}
			for _, v := range []float64{s.Trustworthiness, s.Continuity} {
				if !(v >= 0 && v <= 1) || &embedded.F64[0] == &a.F64[0] && v != 1 {
					t.Errorf("k = %d: score %v", k, v)
				}
			}
		}
	}
	if _, err := Compare(context.Background(), a, []points.Points{a}, Options{Ks: []int{n - 1}}); err == nil {
		t.Error("k = n−1 is accepted, whose worst penalty is 0")
	}
}

// Seven points and k = 5, where 2/(nk(2n − 3k − 1)) is negative: the worst score is 0 with the
// normalizer of the definition, k ≥ n/2, and none is above 1 (1.0857 was seen elsewhere).
func TestSevenPoints(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := random(100 + seed)
		a, b := gaussian64(r, 7, 3), gaussian64(r, 7, 3)
		s := compare(t, a, []points.Points{b}, Options{Ks: []int{5}})[0].ByK[0].Scores
		if s.Normalizer != 7 || !(s.Trustworthiness >= 0 && s.Trustworthiness <= 1) || !(s.Continuity >= 0 && s.Continuity <= 1) {
			t.Fatalf("normalizer %d, scores %v and %v", s.Normalizer, s.Trustworthiness, s.Continuity)
		}
	}
}

// Iris has one row twice. Its twin is a neighbor at distance 0, the point itself never is,
// and no other distance is 0.
func TestRepeatedRow(t *testing.T) {
	const n, first, twin = 150, 101, 142
	r := random(47)
	for _, dim := range []int{4, 30} {
		pts := gaussian32(r, n, dim)
		for i, v := range pts.F32 {
			pts.F32[i] = float32(math.Round(10*float64(v))) / 10 // a decimal, as measured
		}
		pts.F32 = slices.Concat(pts.F32[:twin*dim], pts.F32[first*dim:(first+1)*dim], pts.F32[(twin+1)*dim:])
		nearest, err := KNearest(context.Background(), pts, 3, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if nearest.Index[3*first] != twin || nearest.Index[3*twin] != first {
			t.Errorf("dim %d: the nearest of the repeated row are %d and %d", dim, nearest.Index[3*first], nearest.Index[3*twin])
		}
		for i := range n {
			for q := range 3 {
				if nearest.Index[3*i+q] == int32(i) {
					t.Errorf("dim %d: point %d is its own neighbour", dim, i)
				}
				zero := nearest.Distance[3*i+q] == 0
				if want := dim > 4 && q == 0 && (i == first || i == twin); dim > 4 && zero != want {
					t.Errorf("dim %d: neighbour %d of point %d at distance %v", dim, q, i, nearest.Distance[3*i+q])
				}
			}
		}
		got := compare(t, pts, []points.Points{pts}, Options{Ties: TiesIndex})
		if s := got[0].ByK[0].Scores; s.Trustworthiness != 1 || s.Continuity != 1 || got[0].Original.Duplicates == 0 {
			t.Errorf("dim %d: %+v, %d duplicates", dim, s, got[0].Original.Duplicates)
		}
	}
}

// ‖x‖² + ‖y‖² − 2x·y in float32 is 0 for points that are close together and far
// from the origin.
func TestNoZeroDistances(t *testing.T) {
	const n, dim = 80, 64
	r := random(48)
	pts := gaussian32(r, n, dim)
	for i, v := range pts.F32 {
		pts.F32[i] = 1000 + v/128
	}
	nearest, err := KNearest(context.Background(), pts, 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		order := newNaive(naiveKeys(pts, pts, Euclidean), 0, nil).order(i)
		for q := range 5 {
			j := int(nearest.Index[5*i+q])
			var sum float64
			for k := range dim {
				d := float64(pts.F32[i*dim+k]) - float64(pts.F32[j*dim+k])
				sum += float64(d * d)
			}
			if j != order[q] || nearest.Distance[5*i+q] != math.Sqrt(sum) || sum == 0 {
				t.Fatalf("point %d, neighbour %d: %d at %v, want %d at %v", i, q, j, nearest.Distance[5*i+q], order[q], math.Sqrt(sum))
			}
		}
	}
}

// No n × n matrix: allocations stay near the budget.
func TestMemoryIsBounded(t *testing.T) {
	const n, budget = 6000, 24 << 20
	r := random(49)
	pts, embedded := bytes8(r, n, 8, 256), gaussian32(r, n, 16)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	compare(t, pts, []points.Points{embedded}, Options{Ks: []int{5}, CoRanking: CoRankingOff, Memory: budget, Threads: 2})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > budget*5/4 || used > 4*n*n/4 {
		t.Errorf("%d MB allocated in all for a budget of %d MB; n² distances take %d MB", used>>20, budget>>20, 4*n*n>>20)
	}
}

// Trustworthiness and continuity come with what an interval is made of.
func TestIntervals(t *testing.T) {
	const n = 200
	r := random(50)
	a, b := gaussian32(r, n, 20), gaussian32(r, n, 3)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 20
	}
	s := compare(t, a, []points.Points{b}, Options{Ks: []int{5}, Blocks: blocks})[0].ByK[0]
	if len(s.Replicates) != 10 {
		t.Fatalf("%d replicates for 10 blocks", len(s.Replicates))
	}
	for _, score := range []func(Scores) float64{
		func(s Scores) float64 { return s.Trustworthiness }, func(s Scores) float64 { return s.Continuity },
	} {
		mean, spread := 0.0, 0.0
		for _, one := range s.Replicates {
			mean += score(one.Scores) / 10
		}
		for _, one := range s.Replicates {
			spread += (score(one.Scores) - mean) * (score(one.Scores) - mean)
		}
		if se := math.Sqrt(spread * 9 / 10); !(se > 0 && se < 0.1) || math.Abs(mean-score(s.Scores)) > 0.02 {
			t.Errorf("jackknife standard error %v around %v, score %v", se, mean, score(s.Scores))
		}
	}
}

// Ranks above 10,000 still count: trustworthiness of unrelated spaces is at chance, not 1.
func TestMoreThanTenThousandRows(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n = 10100
	r := random(51)
	s := compare(t, bytes8(r, n, 4, 256), []points.Points{bytes8(r, n, 3, 256)}, Options{Ks: []int{10}, CoRanking: CoRankingOff})[0].ByK[0].Scores
	for _, v := range []float64{s.Trustworthiness, s.Continuity} {
		if math.Abs(v-0.5) > 0.01 {
			t.Errorf("score %v of unrelated spaces, want about 0.5", v)
		}
	}
}
