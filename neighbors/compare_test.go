// Compare against the literal definitions, on the data that breaks others:
// ties, duplicates, nearly identical frames, constant points.

package neighbors

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"repscope/points"
)

type pair struct {
	name               string
	original, embedded points.Points
}

// cases are pairs of spaces of up to about 100 points.
func cases() []pair {
	r := random(1)
	frames := nearlyEqual32(r, 90, 60)
	outlier := gaussian32(r, 60, 40)
	outlier.F32[17*40+3] = 1e6
	tiny := gaussian32(r, 50, 20)
	for i := range tiny.F32 {
		tiny.F32[i] *= 1e-25
	}
	huge := gaussian32(r, 50, 20)
	for i := range huge.F32 {
		huge.F32[i] *= 1e30
	}
	offset := gaussian32(r, 70, 30)
	for i := range offset.F32 {
		offset.F32[i] = 1000 + 0.01*offset.F32[i]
	}
	huge64 := gaussian64(r, 50, 20)
	for i := range huge64.F64 {
		huge64.F64[i] *= 1e140
	}
	tiny64 := gaussian64(r, 50, 20)
	for i := range tiny64.F64 {
		tiny64.F64[i] *= 1e-130
	}
	return []pair{
		{"gaussian", gaussian32(r, 80, 30), gaussian32(r, 80, 12)},
		{"low dimension", gaussian32(r, 80, 5), gaussian64(r, 80, 2)},
		{"float64", gaussian64(r, 80, 30), gaussian64(r, 80, 12)},
		{"uint8", bytes8(r, 80, 300, 256), gaussian32(r, 80, 12)},
		{"uint8 ties", bytes8(r, 100, 9, 2), bytes8(r, 100, 3, 2)},
		{"float ties", integers32(bytes8(r, 100, 10, 2)), integers32(bytes8(r, 100, 12, 2))},
		{"near frames", frames, gaussian32(r, 90, 16)},
		{"near frames both", frames, nearlyEqual32(r, 90, 300)},
		{"constant embedding", gaussian32(r, 60, 20), constant32(60, 16)},
		{"constant original", constant32(60, 16), gaussian32(r, 60, 20)},
		{"constant both", constant32(40, 16), constant32(40, 9)},
		{"outlier", outlier, gaussian32(r, 60, 12)},
		{"tiny", tiny, huge},
		{"offset", offset, gaussian32(r, 70, 12)},
		{"extreme float64", huge64, tiny64},
		{"wide uint8", bytes8(r, 20, 33100, 256), gaussian32(r, 20, 12)},
		{"three points", gaussian32(r, 3, 10), gaussian32(r, 3, 10)},
	}
}

func someKs(n int) []int {
	ks := []int{1}
	for _, k := range []int{4, 10, n/2 - 1, n / 2, n/2 + 1, n - 2} {
		if k > ks[len(ks)-1] && k <= n-2 {
			ks = append(ks, k)
		}
	}
	return ks
}

func TestCompareAgainstDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	for _, c := range cases() {
		for _, metric := range []Metric{Euclidean, Cosine} {
			original := newNaive(naiveKeys(c.original, c.original, metric), 0, nil)
			embedded := newNaive(naiveKeys(c.embedded, c.embedded, metric), 0, nil)
			for offset, coranking := range []CoRanking{CoRankingOff, CoRankingFull, CoRankingOff, CoRankingFull} {
				ties := []Ties{TiesAverage, TiesAverage, TiesIndex, TiesIndex}[offset]
				t.Run(fmt.Sprintf("%s/%v/%v/%v", c.name, metric, coranking, ties), func(t *testing.T) {
					n := c.original.N
					ks := someKs(n)
					result, err := Compare(context.Background(), c.original, []points.Points{c.embedded}, Options{Ks: ks, Metric: metric, CoRanking: coranking, Ties: ties})
					if metric == Cosine && err != nil {
						if e := Check("", c.original, Cosine); e == nil && Check("", c.embedded, Cosine) == nil {
							t.Fatal(err)
						}
						t.Skip(err)
					}
					if err != nil {
						t.Fatal(err)
					}
					for q, k := range ks {
						compareScores(t, fmt.Sprintf("k=%d", k), result[0].ByK[q].Scores, byDefinition(ties, original, embedded, k))
					}
					kmax := ks[len(ks)-1]
					if got, want := result[0].Original.Ties, naiveTies(original, embedded, kmax); got != want {
						t.Errorf("ties in the original: got %d, want %d", got, want)
					}
					if got, want := result[0].Embedded.Ties, naiveTies(embedded, original, kmax); got != want {
						t.Errorf("ties in the embedded space: got %d, want %d", got, want)
					}
					if coranking == CoRankingFull {
						compareCurves(t, result[0].Curves, ties, original, embedded)
					} else if result[0].Curves != nil {
						t.Error("curves computed though off")
					}
				})
			}
		}
	}
}

func compareCurves(t *testing.T, c *Curves, ties Ties, original, embedded naiveSpace) {
	t.Helper()
	n := len(original.keys)
	least := n
	for i := range n {
		orders, _ := original.orders()
		least = min(least, len(orders[i]))
	}
	last := min(n-2, least-1)
	if len(c.QNX) != last || len(c.RNX) != last {
		t.Fatalf("curves of length %d, %d, want %d", len(c.QNX), len(c.RNX), last)
	}
	var area, weight, best float64
	star := 0
	for k := 1; k <= last; k++ {
		s := coRankingByDefinition(ties, original, embedded, k)
		near(t, fmt.Sprintf("Q_NX(%d)", k), c.QNX[k-1], s.QNX, 1e-13)
		near(t, fmt.Sprintf("R_NX(%d)", k), c.RNX[k-1], s.RNX, 1e-11)
		area += s.RNX / float64(k)
		weight += 1 / float64(k)
		if star == 0 || s.LCMC > best {
			star, best = k, s.LCMC
		}
	}
	near(t, "AUC", c.AUCRNX, area/weight, 1e-12)
	// Where all K score alike, rounding chooses.
	if c.KStar != star && coRankingByDefinition(ties, original, embedded, c.KStar).LCMC < best-1e-12 {
		t.Errorf("K* = %d, want %d", c.KStar, star)
	}
	near(t, "q_local", c.QLocal, mean(c.QNX[:c.KStar]), 1e-15)
	near(t, "q_global", c.QGlobal, mean(c.QNX[c.KStar-1:]), 1e-15)
}

func TestExcludeWindowAgainstDefinitions(t *testing.T) {
	r := random(2)
	n := 90
	straight, mixed := make([]int, n), make([]int, n)
	for i := range n {
		straight[i], mixed[i] = i/30, r.IntN(3)
	}
	spaces := []pair{
		{"near frames", nearlyEqual32(r, n, 40), gaussian32(r, n, 10)},
		{"uint8 ties", bytes8(r, n, 8, 2), gaussian64(r, n, 10)},
	}
	for _, c := range spaces {
		for name, episode := range map[string][]int{"one episode": nil, "straight": straight, "mixed": mixed} {
			for offset, w := range []int{1, 7, 1, 7} {
				ties := []Ties{TiesAverage, TiesAverage, TiesIndex, TiesIndex}[offset]
				t.Run(fmt.Sprintf("%s/%s/w=%d/%v", c.name, name, w, ties), func(t *testing.T) {
					if testing.Short() && (name != "mixed" || w == 1) {
						t.Skip("left out with -short: the same goroutines, with other windows")
					}
					ks := []int{3, 12, 36, 60}
					result, err := Compare(context.Background(), c.original, []points.Points{c.embedded},
						Options{Ks: ks, ExcludeWindow: w, Episode: episode, CoRanking: CoRankingFull, PerPoint: true, Ties: ties})
					if err != nil {
						t.Fatal(err)
					}
					original := newNaive(naiveKeys(c.original, c.original, Euclidean), w, episode)
					embedded := newNaive(naiveKeys(c.embedded, c.embedded, Euclidean), w, episode)
					for q, k := range ks {
						got := result[0].ByK[q]
						compareScores(t, fmt.Sprintf("k=%d", k), got.Scores, byDefinition(ties, original, embedded, k))
						var trust, cont float64
						var worst int64
						for i := range n {
							trust += got.PointTrustPenalty[i]
							cont += got.PointContPenalty[i]
							worst += got.PointNormalizer[i]
						}
						if math.Abs(trust-got.TrustPenalty) > 1e-9 || math.Abs(cont-got.ContPenalty) > 1e-9 || worst != got.Normalizer {
							t.Errorf("k=%d: penalties of points sum to %v, %v, %d, want %v, %v, %d", k, trust, cont, worst, got.TrustPenalty, got.ContPenalty, got.Normalizer)
						}
					}
					compareCurves(t, result[0].Curves, ties, original, embedded)
				})
			}
		}
	}
}

// TestJackknifeIsRecomputation deletes every block literally.
func TestJackknifeIsRecomputation(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	r := random(3)
	n := 96
	episodes, uneven := make([]int, n), make([]int, n)
	for i := range n {
		episodes[i] = 10 * (i / 12)
		uneven[i] = -r.IntN(3) * r.IntN(3)
	}
	// clustered frames: each cluster is spread over two blocks, so that
	// deleting one takes most neighbors of the other.
	clustered := gaussian32(r, n, 20)
	for i := range n {
		for k := range 20 {
			clustered.F32[i*20+k] = 0.01*clustered.F32[i*20+k] + float32((i/24)*(k%5))
		}
	}
	spaces := []pair{
		{"gaussian", gaussian32(r, n, 20), gaussian32(r, n, 10)},
		{"clustered", clustered, gaussian32(r, n, 12)},
		{"clustered uint8", bytes8(r, n, 8, 2), clustered},
		{"near frames", nearlyEqual32(r, n, 40), gaussian64(r, n, 4)},
		{"constant", constant32(n, 12), gaussian64(r, n, 12)},
	}
	ks := []int{2, 9, 20, 40}
	for _, c := range spaces {
		original, embedded := naiveKeys(c.original, c.original, Euclidean), naiveKeys(c.embedded, c.embedded, Euclidean)
		for name, blocks := range map[string][]int{"episodes": episodes, "uneven": uneven} {
			for offset, w := range []int{0, 4, 0, 4} {
				ties := []Ties{TiesAverage, TiesAverage, TiesIndex, TiesIndex}[offset]
				t.Run(fmt.Sprintf("%s/%s/w=%d/%v", c.name, name, w, ties), func(t *testing.T) {
					o := Options{Ks: ks, Blocks: blocks, ExcludeWindow: w, CoRanking: CoRankingOff, Ties: ties}
					if name == "uneven" {
						// One block holds more than half of the points.
						o.Ks = []int{2, 9}
					}
					result, err := Compare(context.Background(), c.original, []points.Points{c.embedded}, o)
					if err != nil {
						t.Fatal(err)
					}
					for q, k := range o.Ks {
						previous := -1 << 30
						for _, rep := range result[0].ByK[q].Replicates {
							if rep.Block <= previous {
								t.Fatalf("blocks out of order: %d after %d", rep.Block, previous)
							}
							previous = rep.Block
							want := naiveWithout(ties, original, embedded, blocks, rep.Block, w, k)
							compareScores(t, fmt.Sprintf("k=%d without block %d", k, rep.Block), rep.Scores, want)
						}
					}
					plain := o
					plain.Blocks = nil
					without, err := Compare(context.Background(), c.original, []points.Points{c.embedded}, plain)
					if err != nil {
						t.Fatal(err)
					}
					for q := range o.Ks {
						if without[0].ByK[q].Scores != result[0].ByK[q].Scores {
							t.Errorf("k=%d: blocks change the score", o.Ks[q])
						}
					}
				})
			}
		}
	}
}

// naiveWithout is naiveScores on the points outside one block. The window is
// in original indices: deleting points does not move the others in time.
func naiveWithout(ties Ties, original, embedded [][]float64, blocks []int, block, w, k int) Scores {
	var kept []int
	for i, b := range blocks {
		if b != block {
			kept = append(kept, i)
		}
	}
	reduce := func(keys [][]float64) markedSpace {
		m := markedSpace{}
		for _, i := range kept {
			var row []float64
			var ok []bool
			for _, j := range kept {
				row = append(row, keys[i][j])
				ok = append(ok, i != j && (i-j > w || j-i > w))
			}
			m.keys = append(m.keys, row)
			m.ok = append(m.ok, ok)
		}
		return m
	}
	if ties == TiesAverage {
		return expectedScores(reduce(original), reduce(embedded), k)
	}
	return markedScores(reduce(original), reduce(embedded), k)
}

func TestSelfComparisonIsPerfect(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	for _, c := range cases() {
		result, err := Compare(context.Background(), c.original, []points.Points{c.original}, Options{Ks: someKs(c.original.N), Ties: TiesIndex})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range result[0].ByK {
			if k.Trustworthiness != 1 || k.Continuity != 1 || k.QNX != 1 || k.RNX != 1 || k.MRREFalse != 1 || k.MRREMissing != 1 {
				t.Errorf("%s, k=%d: %+v", c.name, k.K, k.Scores)
			}
		}
		if result[0].Curves.AUCRNX != 1 {
			t.Errorf("%s: AUC %v", c.name, result[0].Curves.AUCRNX)
		}
	}
}

// TestSplitsAgree runs every way to split the work.
func TestSplitsAgree(t *testing.T) {
	t.Parallel()
	r := random(4)
	n := 150
	blocks := make([]int, n)
	for i := range n {
		blocks[i] = i / 15
	}
	original, a, b := nearlyEqual32(r, n, 70), gaussian32(r, n, 16), gaussian64(r, n, 30)
	o := Options{Ks: []int{10, 3, 75}, Blocks: blocks, PerPoint: true, CoRanking: CoRankingOff, Threads: 1}
	want, err := Compare(context.Background(), original, []points.Points{a, b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if want[0].Original.Redecided == 0 || want[0].Original.Duplicates == 0 {
		t.Error("the data should need direct decisions and hold duplicates")
	}
	for _, threads := range []int{1, 3, 8} {
		for _, rows := range []int{1, 7, 0} {
			o.Threads = threads
			got, err := Compare(blocksOf(rows), original, []points.Points{a, b}, o)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d threads, %d rows: another result", threads, rows)
			}
		}
	}
	o.Memory = 260_000 // too little for more than a few rows
	got, err := Compare(context.Background(), original, []points.Points{a, b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("little memory: another result")
	}
	pass, err := NewPass(original, []points.Points{a, b}, o)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*Partial
	for _, edge := range [][2]int{{100, 150}, {0, 37}, {37, 100}} {
		part, err := pass.Map(context.Background(), edge[0], edge[1])
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	got, err = pass.Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("shards: another result")
	}
	if _, err := pass.Merge(parts[:2]...); err == nil {
		t.Error("a missing part is not noticed")
	}
	if _, err := pass.Merge(parts[0], parts[1], parts[2], parts[1]); err == nil {
		t.Error("a repeated part is not noticed")
	}
	// The precise rows of the curves give the same scores.
	o.CoRanking = CoRankingFull
	full, err := Compare(context.Background(), original, []points.Points{a, b}, o)
	if err != nil {
		t.Fatal(err)
	}
	for e := range full {
		if !reflect.DeepEqual(full[e].ByK, want[e].ByK) {
			t.Error("curves change the scores")
		}
	}
}
