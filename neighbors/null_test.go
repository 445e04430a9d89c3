// Tests of the permutation null and of precomputed distances: both must equal the
// long way round.

package neighbors

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/points"
)

// permutations returns count permutations of n points.
func permutations(seed uint64, n, count int) [][]int {
	r := random(seed)
	out := make([][]int, count)
	for p := range out {
		out[p] = r.Perm(n)
	}
	return out
}

func TestNullIsPermutingLiterally(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n = 120
	r := random(31)
	for _, original := range []points.Points{bytes8(r, n, 20, 4), nearlyEqual32(r, n, 20)} {
		t.Run(original.Type(), func(t *testing.T) { testNull(t, original) })
	}
}

func testNull(t *testing.T, original points.Points) {
	n, r := original.N, random(32)
	collapsed := points.Float32(make([]float32, n*12), 12)
	embedded := []points.Points{
		gaussian32(r, n, 16), coarse(gaussian32(r, n, 3)), coarse(gaussian32(r, n, 11)),
		bytes8(r, n, 10, 3), gaussian64(r, n, 9), collapsed,
	}
	episode := make([]int, n)
	for i := range episode {
		episode[i] = i / 50
	}
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 30
	}
	orders := permutations(32, n, 3)
	for _, c := range []struct {
		o       Options
		maxRows int
	}{
		{o: Options{Ks: []int{7, 3}}},
		{o: Options{Ks: []int{4}, ExcludeWindow: 3, Episode: episode}},
		{o: Options{Ks: []int{80, 2}, Blocks: blocks, PerPoint: true, CoRanking: CoRankingOff}},
		{Options{Ks: []int{5}, Memory: 900_000}, 17},
		{o: Options{Ks: []int{7, 3}, Ties: TiesIndex}},
		{o: Options{Ks: []int{4}, ExcludeWindow: 3, Episode: episode, Ties: TiesIndex}},
	} {
		o, ctx := c.o, blocksOf(c.maxRows)
		o.Permutations = orders
		got, err := Compare(ctx, original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		plain := o
		plain.Permutations = nil
		without, err := Compare(ctx, original, embedded, plain)
		if err != nil {
			t.Fatal(err)
		}
		for p, order := range orders {
			var copies []points.Points
			for _, z := range embedded {
				copies = append(copies, z.Select(order))
			}
			want, err := Compare(ctx, original, copies, plain)
			if err != nil {
				t.Fatal(err)
			}
			for e := range embedded {
				for q, k := range o.Ks {
					g, w := got[e].ByK[q].Null[p], want[e].ByK[q].Scores
					if g != (NullScores{w.TrustPenalty, w.ContPenalty, w.Trustworthiness, w.Continuity, w.Common, w.RNX}) {
						t.Errorf("options %+v, space %d, k = %d, permutation %d: %+v, want %+v", plain, e, k, p, g, w)
					}
				}
			}
		}
		// The null leaves everything else as it is, and shards add up.
		pass, err := NewPass(original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		var parts []*Partial
		for _, edge := range [][2]int{{45, n}, {0, 45}} {
			part, err := pass.Map(ctx, edge[0], edge[1])
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
		}
		merged, err := pass.Merge(parts...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(merged, got) {
			t.Error("shards with permutations: another result")
		}
		for e := range got {
			for q := range got[e].ByK {
				got[e].ByK[q].Null = nil
			}
		}
		if !reflect.DeepEqual(got, without) {
			t.Error("permutations changed other results")
		}
	}
}

func TestNullInLittleMemory(t *testing.T) {
	const n = 200
	r := random(33)
	original, embedded := gaussian32(r, n, 300), gaussian32(r, n, 20)
	o := Options{Ks: []int{60}, Permutations: permutations(34, n, 40), CoRanking: CoRankingOff}
	want, err := Compare(context.Background(), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Memory = 1_200_000
	got, err := Compare(blocksOf(30), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("little memory: another null")
	}
	o.Memory = 500_000
	if _, err := Compare(blocksOf(30), original, []points.Points{embedded}, o); err == nil || !strings.Contains(err.Error(), "raise the limit, or turn permutations off") {
		t.Errorf("too little memory: %v", err)
	}
	for _, bad := range [][]int{{0, 1}, make([]int, n), append(permutations(1, n-1, 1)[0], n)} {
		if _, err := NewPass(original, []points.Points{embedded}, Options{Permutations: [][]int{bad}}); err == nil || !strings.Contains(err.Error(), "permutation 0") {
			t.Errorf("a list that is no permutation: %v", err)
		}
	}
}

func TestPrecomputed(t *testing.T) {
	const n = 90
	r := random(35)
	pts, other := bytes8(r, n, 30, 5), bytes8(r, n, 12, 9)
	squares := func(p points.Points) points.Points { // monotone in the distance, exact in float32
		var wide []float64
		for _, row := range naiveKeys(p, p, Euclidean) {
			wide = append(wide, row...)
		}
		return points.Float64(wide, n)
	}
	narrow := func(p points.Points) points.Points {
		data := make([]float32, len(p.F64))
		for i, v := range p.F64 {
			data[i] = float32(v)
		}
		return points.Float32(data, n)
	}
	diagonal := func(p points.Points, v float64) points.Points {
		for i := range n {
			if p.F32 != nil {
				p.F32[i*n+i] = float32(v)
			} else {
				p.F64[i*n+i] = v
			}
		}
		return p
	}
	o := Options{Ks: []int{5, 30}, CoRanking: CoRankingFull, Permutations: permutations(36, n, 2)}
	want, err := Compare(context.Background(), pts, []points.Points{other}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		original, embedded points.Points
		metric             Metric
		embeddedMetrics    []Metric
	}{
		{squares(pts), other, Precomputed, []Metric{Euclidean}},
		{narrow(squares(pts)), squares(other), Precomputed, nil},
		{pts, narrow(squares(other)), Euclidean, []Metric{Precomputed}},
		// A diagonal that is not 0 changes nothing, as of scikit-learn's trustworthiness.
		{diagonal(squares(pts), 1), other, Precomputed, []Metric{Euclidean}},
		{diagonal(narrow(squares(pts)), 1e30), diagonal(squares(other), 1e-9), Precomputed, nil},
	} {
		o.Metric, o.EmbeddedMetrics = c.metric, c.embeddedMetrics
		got, err := Compare(context.Background(), c.original, []points.Points{c.embedded}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got[0].ByK, want[0].ByK) || !reflect.DeepEqual(got[0].Curves, want[0].Curves) {
			t.Errorf("%v, %v: another result than from the points", c.metric, c.embeddedMetrics)
		}
		if got[0].Original.Duplicates != want[0].Original.Duplicates || got[0].Original.Ties != want[0].Original.Ties {
			t.Errorf("counts %+v, want %+v", got[0].Original, want[0].Original)
		}
	}
	nearest, err := KNearest(context.Background(), narrow(squares(pts)), 4, Options{Metric: Precomputed})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := KNearest(context.Background(), pts, 4, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(nearest.Index, direct.Index) {
		t.Error("other neighbours than from the points")
	}
	for i, d := range nearest.Distance {
		if d != float64(float32(d)) || d < direct.Distance[i] {
			t.Fatalf("distance %v: want the value given", d)
		}
	}

	for _, c := range []struct {
		change func(d []float64)
		dim    int
		want   string
	}{
		{func(d []float64) { d[3*n+4] *= 1.5 }, n, "symmetric"},
		{func(d []float64) { d[3*n+4], d[4*n+3] = -1, -1 }, n, "finite numbers ≥ 0"},
		{func(d []float64) { d[2*n+2] = -1 }, n, "itself"},
		{func(d []float64) { d[2*n+2] = math.Inf(1) }, n, "itself"},
		{func([]float64) {}, n / 2, "square"},
	} {
		d := squares(pts).F64
		c.change(d)
		if _, err := NewPass(points.Float64(d, c.dim), []points.Points{other}, Options{Metric: Precomputed, EmbeddedMetrics: []Metric{Euclidean}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error about %q", err, c.want)
		}
	}
	if _, err := NewPass(pts, []points.Points{other}, Options{Metric: Precomputed, EmbeddedMetrics: []Metric{Euclidean}}); err == nil {
		t.Error("points taken for distances")
	}
	if _, err := Cross(context.Background(), squares(pts), squares(pts), 3, Options{Metric: Precomputed}); err == nil {
		t.Error("queries against precomputed distances")
	}
}

// A part reads the rows of the embedded spaces that its points have in some permutation, and few others. Its sums equal
// a pass that reads all of them.
func TestNullOfParts(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n, size = 700, 50
	r := random(91)
	original := bytes8(r, n, 6, 3) // with ties
	embedded := []points.Points{gaussian32(r, n, 3), bytes8(r, n, 2, 4), gaussian32(r, n, 80)}
	turned := func(by int) []int {
		order := make([]int, n)
		for i := range order {
			order[i] = (i + by) % n
		}
		return order
	}
	for name, o := range map[string]Options{
		"turned":   {Ks: []int{5}, Permutations: [][]int{turned(333), turned(41)}, CoRanking: CoRankingOff},
		"index":    {Ks: []int{5, 2}, Ties: TiesIndex, Permutations: [][]int{turned(333), turned(695)}, CoRanking: CoRankingOff},
		"window":   {Ks: []int{3}, ExcludeWindow: 4, Permutations: [][]int{turned(10)}, CoRanking: CoRankingOff},
		"any":      {Ks: []int{5}, Permutations: [][]int{r.Perm(n)}, CoRanking: CoRankingOff},
		"any, two": {Ks: []int{5}, Permutations: [][]int{turned(7), r.Perm(n)}, CoRanking: CoRankingOff},
	} {
		p, err := NewPass(original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var parts []*Partial
		for lo := 0; lo < n; lo += size {
			part, err := p.Map(t.Context(), lo, lo+size)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
		}
		got, err := p.Merge(parts...)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := asJSON(t, got), asJSON(t, whole); a != b {
			t.Errorf("%s: another result:\n%s\nwant\n%s", name, a, b)
		}
		var rows []int
		for lo := 0; lo < n; lo += size {
			count := 0
			for _, run := range p.needed(lo, lo+size) {
				count += run.hi - run.lo
			}
			rows = append(rows, count)
		}
		if name == "turned" && slices.Max(rows) > 2*size+bridged {
			t.Errorf("%s: parts look at %v rows", name, rows)
		}
	}
}
