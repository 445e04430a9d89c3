// This file tests the approximate mode against the exact one.

package neighbors

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
	"repscope/points"
	"repscope/stat"
)

// toUint8 maps coordinates linearly to 0 … 255.
func toUint8(p points.Points) points.Points {
	lo, hi := slices.Min(p.F32), slices.Max(p.F32)
	data := make([]uint8, len(p.F32))
	for i, v := range p.F32 {
		data[i] = uint8(255 * (v - lo) / (hi - lo))
	}
	return points.Uint8(data, p.Dim)
}

func toFloat64(p points.Points, offset float64) points.Points {
	data := make([]float64, len(p.F32))
	for i, v := range p.F32 {
		data[i] = offset + float64(v)
	}
	return points.Float64(data, p.Dim)
}

// repeatedPoints has every point several times, in random order.
func repeatedPoints(n, distinct, dim int, seed uint64) points.Points {
	p := clusteredPoints(distinct, 20, dim, seed)
	index, r := make([]int, n), stat.NewRandom(stat.NewKey(seed, 1))
	for i := range index {
		index[i] = r.Intn(distinct)
		if i < n/10 {
			index[i] = 0 // one of them very often
		}
	}
	return p.Select(index)
}

// walk is a random walk in several episodes: neighbors in time are near.
func walk(n, dim int, seed uint64) (points.Points, []int) {
	r := stat.NewRandom(stat.NewKey(seed))
	data, episode := make([]float32, n*dim), make([]int, n)
	for i := range n {
		episode[i] = i * 10 / n
		for d := range dim {
			before := 0.0
			if i > 0 && episode[i] == episode[i-1] {
				before = 0.98 * float64(data[(i-1)*dim+d])
			}
			data[i*dim+d] = float32(before + 0.2*r.Normal())
		}
	}
	return points.Float32(data, dim), episode
}

func TestKNearestApproximateRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n = 3000
	trajectory, episode := walk(n, 6, 5)
	for _, c := range []struct {
		name    string
		points  points.Points
		k       int
		options Options
	}{
		{"clusters", clusteredPoints(n, 50, 24, 1), 10, Options{}},
		{"clusters, many neighbours", clusteredPoints(n, 50, 24, 1), 64, Options{}},
		{"clusters, cosine", clusteredPoints(n, 50, 24, 2), 10, Options{Metric: Cosine}},
		{"clusters, uint8", toUint8(clusteredPoints(n, 50, 40, 3)), 10, Options{}},
		{"clusters, uint8, cosine", toUint8(clusteredPoints(n, 50, 40, 3)), 10, Options{Metric: Cosine}},
		{"clusters, float64 far from the origin", toFloat64(clusteredPoints(n, 50, 16, 4), 1e6), 10, Options{}},
		{"manifold", manifoldPoints(n, 5, 64, 1), 10, Options{}},
		{"manifold, two neighbours", manifoldPoints(n, 5, 64, 2), 2, Options{}},
		{"repeated", repeatedPoints(n, 2000, 16, 1), 10, Options{}},
		{"few distinct", repeatedPoints(n, 40, 16, 2), 10, Options{}},
		{"repeated, window", repeatedPoints(n, 2000, 16, 3), 10, Options{ExcludeWindow: 3}},
		{"walk, window", trajectory, 10, Options{ExcludeWindow: 20, Episode: episode}},
		{"walk, window in time", trajectory, 10, Options{ExcludeWindow: 20, Episode: episode, Time: drawnTimes(8, n)}},
		{"line", manifoldPoints(n, 1, 3, 3), 20, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			matches, err := KNearestApproximate(t.Context(), c.points, c.k, c.options, Approximation{Seed: 42, ExactPoints: 1000})
			if err != nil {
				t.Fatal(err)
			}
			truth, err := KNearest(t.Context(), c.points, c.k, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if matches.Recall.Exact || matches.Recall.Queries != defaultQueries || matches.Recall.K != c.k {
				t.Errorf("recall %+v: want it measured on %d queries", matches.Recall, defaultQueries)
			}
			hits := 0
			for i := range n {
				farthest := truth.Distance[(i+1)*c.k-1]
				for q := i * c.k; q < (i+1)*c.k; q++ {
					if matches.Distance[q] <= farthest {
						hits++
					}
				}
			}
			recall := float64(hits) / float64(n*c.k)
			t.Logf("recall %.4f, measured %.4f ± %.4f, %d of %d cells", recall, matches.Recall.Value, matches.Recall.StandardError, matches.Probes, matches.Cells)
			if recall < 0.95 {
				t.Errorf("recall %.4f, want at least 0.95", recall)
			}
			// Where all queries are perfect, up to about 3 in as many are not.
			if math.Abs(recall-matches.Recall.Value) > 4*matches.Recall.StandardError+3.0/defaultQueries {
				t.Errorf("measured recall %.4f ± %.4f, the recall of all points is %.4f", matches.Recall.Value, matches.Recall.StandardError, recall)
			}
			if matches.Counts.Duplicates != truth.Counts.Duplicates {
				t.Errorf("%d duplicates, want %d", matches.Counts.Duplicates, truth.Counts.Duplicates)
			}
			checkLists(t, c.points, matches, &c.options)
		})
	}
}

// checkLists checks what holds for every list, whatever was found.
func checkLists(t interface{ Fatalf(string, ...any) }, pts points.Points, matches *ApproximateNearest, o *Options) {
	b := rows.Candidates{N: pts.N, Self: true, Window: o.ExcludeWindow, Episode: o.Episode, Time: o.Time}
	d := rows.NewDirect(pts, pts, o.Metric)
	key := make([]float64, matches.K)
	for i := range pts.N {
		index, distance := matches.Index[i*matches.K:(i+1)*matches.K], matches.Distance[i*matches.K:(i+1)*matches.K]
		d.Keys(i, pts.Row(i, nil), index, key)
		for q, j := range index {
			switch {
			case b.Excludes(i, int(j)):
				t.Fatalf("point %d: %d is on its list and no candidate", i, j)
			case distance[q] != o.Metric.Distance(key[q]):
				t.Fatalf("point %d: neighbour %d at %v, want %v", i, j, distance[q], o.Metric.Distance(key[q]))
			case q > 0 && !(scan.Entry[float64]{Key: key[q-1], Index: index[q-1]}).Before(scan.Entry[float64]{Key: key[q], Index: j}):
				t.Fatalf("point %d: neighbours %d and %d are not in order", i, index[q-1], j)
			}
		}
	}
}

func TestKNearestApproximateDeterministic(t *testing.T) {
	trajectory, episode := walk(2500, 8, 1)
	for _, c := range []struct {
		name    string
		points  points.Points
		options Options
	}{
		{"float32", clusteredPoints(2500, 30, 20, 1), Options{}},
		{"float64", toFloat64(manifoldPoints(2000, 4, 12, 1), 0), Options{}},
		{"uint8 cosine", toUint8(clusteredPoints(2000, 30, 20, 1)), Options{Metric: Cosine}},
		{"repeated", repeatedPoints(3000, 1500, 8, 1), Options{}},
		{"window", trajectory, Options{ExcludeWindow: 5, Episode: episode}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "float32" && c.name != "window" {
				t.Skip("left out with -short: the same goroutines, on other points")
			}
			var first *ApproximateNearest
			// With the last memory cells are packed when they are looked into.
			for _, resources := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 1, Memory: 1 << 20}} {
				o := c.options
				o.Threads, o.Memory = resources.Threads, resources.Memory
				matches, err := KNearestApproximate(t.Context(), c.points, 7, o, Approximation{Seed: 9, ExactPoints: 500})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = matches
				} else if !reflect.DeepEqual(first, matches) {
					t.Errorf("%d threads, memory %d: the result differs from that of one thread", o.Threads, o.Memory)
				}
			}
			other, err := KNearestApproximate(t.Context(), c.points, 7, c.options, Approximation{Seed: 10, ExactPoints: 500})
			if err != nil {
				t.Fatal(err)
			}
			if other.Recall.Value == first.Recall.Value && other.Recall.StandardError == first.Recall.StandardError && first.Recall.Value < 1 {
				t.Error("another seed gives the same recall: the seed is not used")
			}
		})
	}
}

// mix is one step of a multiplicative hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// The lists are the same on every machine and by every kernel.
func TestKNearestApproximateBits(t *testing.T) {
	pts := clusteredPoints(1500, 12, 9, 77)
	hash := uint64(1)
	for _, p := range []points.Points{pts, toUint8(pts), toFloat64(pts, 0)} {
		matches, err := KNearestApproximate(t.Context(), p, 6, Options{}, Approximation{Seed: 4, ExactPoints: 100})
		if err != nil {
			t.Fatal(err)
		}
		for q, j := range matches.Index {
			hash = mix(mix(hash, uint64(j)), math.Float64bits(matches.Distance[q]))
		}
	}
	if want := uint64(0xcbc2d132c8bd10c1); hash != want {
		t.Errorf("hash %#x, want %#x", hash, want)
	}
}

func TestKNearestApproximateExactWhenSmall(t *testing.T) {
	for _, n := range []int{2, 3, 30, 500} {
		pts := clusteredPoints(n, 3, 5, uint64(n))
		k := min(n-1, 9)
		matches, err := KNearestApproximate(t.Context(), pts, k, Options{}, Approximation{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := KNearest(t.Context(), pts, k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&matches.Nearest, want) || !matches.Recall.Exact || matches.Recall.Value != 1 || matches.Recall.StandardError != 0 || matches.Probes != 0 {
			t.Errorf("n = %d: %+v, want the exact search", n, matches.Recall)
		}
	}
}

// For all data, lists are complete, in order and without excluded points.
func TestKNearestApproximateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(120, 200).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "dim")
		k := rapid.IntRange(1, 12).Draw(t, "k")
		levels := rapid.IntRange(1, 40).Draw(t, "levels") // few levels: many equal points
		r := stat.NewRandom(stat.NewKey(rapid.Uint64().Draw(t, "data")))
		data := make([]float64, n*dim)
		scale := math.Pow(10, float64(rapid.IntRange(-130, 140).Draw(t, "exponent")))
		for i := range data {
			data[i] = scale * float64(1+r.Intn(levels))
			if r.Intn(200) == 0 {
				data[i] *= 1e3
			}
		}
		pts := points.Float64(data, dim)
		o := Options{ExcludeWindow: rapid.IntRange(0, 5).Draw(t, "window"), Threads: rapid.IntRange(1, 4).Draw(t, "threads")}
		if rapid.Bool().Draw(t, "episodes") {
			o.Episode = make([]int, n)
			for i := range o.Episode {
				o.Episode[i] = i / 50
			}
		}
		matches, err := KNearestApproximate(context.Background(), pts, k, o, Approximation{ExactPoints: 60, Queries: 100})
		if err != nil {
			t.Fatal(err)
		}
		checkLists(t, pts, matches, &o)
		if v := matches.Recall.Value; !(v >= 0 && v <= 1) {
			t.Fatalf("recall %v", v)
		}
	})
}

func TestKNearestApproximateBadInput(t *testing.T) {
	good := clusteredPoints(300, 3, 4, 1)
	nan := clusteredPoints(300, 3, 4, 1)
	nan.F32[17] = float32(math.NaN())
	for _, c := range []struct {
		points points.Points
		k      int
		o      Options
		a      Approximation
		want   string
	}{
		{good, 0, Options{}, Approximation{}, "k = 0"},
		{good, 300, Options{}, Approximation{}, "1 ≤ k ≤ 299"},
		{good, 200, Options{ExcludeWindow: 100}, Approximation{}, "candidates of point"},
		{nan, 5, Options{}, Approximation{}, "point 4, coordinate 1 is NaN"},
		{good, 5, Options{}, Approximation{Queries: -2}, "queries: -2"},
		{good, 5, Options{Memory: 1000}, Approximation{ExactPoints: 10}, "memory:"},
		{good, 5, Options{Episode: make([]int, 7)}, Approximation{}, "7 entries for 300 points"},
		{points.Points{}, 5, Options{}, Approximation{}, "no points"},
	} {
		if _, err := KNearestApproximate(t.Context(), c.points, c.k, c.o, c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := KNearestApproximate(ctx, good, 5, Options{}, Approximation{ExactPoints: 10}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if found, err := KNearestApproximate(t.Context(), good, 5, Options{}, Approximation{ExactPoints: 10, Queries: -1}); err != nil || found.Recall.Queries != 0 || !math.IsNaN(found.Recall.Value) {
		t.Errorf("no queries: %+v, %v", found, err)
	}
}

// samplePair is an original and two embeddings of it, one bad.
func samplePair(n int, kind string) (points.Points, []points.Points, Options) {
	o := Options{Ks: []int{10, 5, 40}}
	original := manifoldPoints(n, 4, 30, 7)
	good := points.Float32(make([]float32, n*3), 3)
	for i := range n {
		copy(good.F32[i*3:(i+1)*3], original.F32[i*30:])
	}
	embedded := []points.Points{good, clusteredPoints(n, 10, 12, 8)}
	switch kind {
	case "uint8":
		original = toUint8(original)
	case "cosine":
		o.Metric = Cosine
	case "float64":
		original = toFloat64(original, 100)
	case "repeated":
		embedded[0] = repeatedPoints(n, n/4, 3, 1)
	case "window", "episodes":
		o.Episode = make([]int, n)
		for i := range o.Episode {
			o.Episode[i] = i * i * 40 / (n * n) // unequal lengths
		}
		if kind == "window" {
			o.ExcludeWindow = 7
		}
	}
	return original, embedded, o
}

// Samples are exact: the penalties of each reference equal the full comparison, the estimates lie around its scores,
// and with all points as references they equal its scores.
func TestCompareSampled(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n = 3000
	for _, kind := range []string{"float32", "uint8", "cosine", "float64", "repeated", "window", "episodes"} {
		t.Run(kind, func(t *testing.T) {
			size := n
			if kind != "float32" {
				size = 900
			}
			original, embedded, o := samplePair(size, kind)
			o.Permutations = permutations(9, size, 2)
			full := o
			full.PerPoint, full.CoRanking = true, CoRankingOff
			want, err := Compare(t.Context(), original, embedded, full)
			if err != nil {
				t.Fatal(err)
			}
			for _, references := range []int{300, size} {
				got, err := compareSampled(blocksOf(70), original, embedded, o, Approximation{Seed: 3, References: references})
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Index) != references {
					t.Fatalf("%d references, want %d", len(got.Index), references)
				}
				for e := range embedded {
					checkSampled(t, got, &got.Spaces[e], &want[e], references == size)
					checkSampledNull(t, &got.Spaces[e], &want[e], references == size)
				}
			}
		})
	}
}

func checkSampled(t *testing.T, sample *Sample, got *SampledPreservation, want *Preservation, all bool) {
	t.Helper()
	if got.N != want.N || got.MinCandidates != want.MinCandidates ||
		got.Original.Duplicates != want.Original.Duplicates || got.Embedded.Duplicates != want.Embedded.Duplicates {
		t.Errorf("%+v, want the counts of %+v", got, want)
	}
	if all && (got.Original.Ties != want.Original.Ties || got.Embedded.Ties != want.Embedded.Ties) {
		t.Errorf("%d and %d ties, want %d and %d", got.Original.Ties, got.Embedded.Ties, want.Original.Ties, want.Embedded.Ties)
	}
	for q := range want.ByK {
		a, b := &got.ByK[q], &want.ByK[q]
		if a.K != b.K || a.Normalizer != b.Normalizer || a.Chance != b.Chance {
			t.Errorf("k = %d: normalizer %d, chance %v, want those of k = %d: %d, %v", a.K, a.Normalizer, a.Chance, b.K, b.Normalizer, b.Chance)
		}
		for r, i := range sample.Index {
			if a.PointTrustPenalty[r] != b.PointTrustPenalty[i] || a.PointContPenalty[r] != b.PointContPenalty[i] || a.PointNormalizer[r] != b.PointNormalizer[i] {
				t.Fatalf("k = %d, point %d: penalties %v, %v of %d, want %v, %v of %d", a.K, i, a.PointTrustPenalty[r], a.PointContPenalty[r], a.PointNormalizer[r],
					b.PointTrustPenalty[i], b.PointContPenalty[i], b.PointNormalizer[i])
			}
		}
		for _, s := range []struct {
			name     string
			estimate Estimate
			want     float64
		}{
			{"T", a.Trustworthiness, b.Trustworthiness}, {"C", a.Continuity, b.Continuity},
			{"Q_NX", a.QNX, b.QNX}, {"R_NX", a.RNX, b.RNX}, {"LCMC", a.LCMC, b.LCMC},
			{"MRRE false", a.MRREFalse, b.MRREFalse}, {"MRRE missing", a.MRREMissing, b.MRREMissing},
		} {
			switch difference := math.Abs(s.estimate.Value - s.want); {
			case all && (difference > 1e-12 || s.estimate.StandardError != 0):
				t.Errorf("k = %d: all points are references: %s = %+v, want %v", a.K, s.name, s.estimate, s.want)
			case !all && !(difference <= 3*s.estimate.StandardError):
				t.Errorf("k = %d: %s = %.5f ± %.5f, exactly %.5f", a.K, s.name, s.estimate.Value, s.estimate.StandardError, s.want)
			case !all && s.estimate.StandardError > 0.02:
				t.Errorf("k = %d: %s has standard error %v", a.K, s.name, s.estimate.StandardError)
			}
		}
	}
}

// Over many draws the estimates are centered on the exact score and spread as the standard errors say. With all points
// as references, their null equals the null of all points, except for the order of equal distances.
func checkSampledNull(t *testing.T, got *SampledPreservation, want *Preservation, all bool) {
	t.Helper()
	ties := got.Original.Ties+got.Embedded.Ties > 0
	for q, a := range got.ByK {
		for p, null := range a.Null {
			exact := want.ByK[q].Null[p]
			for _, s := range []struct {
				got  Estimate
				want float64
			}{{null.Trustworthiness, exact.Trustworthiness}, {null.Continuity, exact.Continuity}} {
				limit := 4 * s.got.StandardError
				switch {
				case ties:
					limit += 0.02
				case all:
					limit = 1e-12
				}
				if !(math.Abs(s.got.Value-s.want) <= limit) {
					t.Errorf("k = %d, permutation %d: %v, want %v ± %v", a.K, p, s.got, s.want, limit)
				}
			}
		}
		if len(a.Null) != len(want.ByK[q].Null) {
			t.Errorf("%d permutations, want %d", len(a.Null), len(want.ByK[q].Null))
		}
	}
}

func TestSampledStandardErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: errors over many draws, of one thread")
	}
	original, embedded, o := samplePair(800, "episodes")
	o.Ks = []int{10}
	exact, err := Compare(t.Context(), original, embedded[:1], o)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 400
	// The draws are taken from one exact sample of all points.
	all, err := compareSampled(t.Context(), original, embedded[:1], o, Approximation{References: 800})
	if err != nil {
		t.Fatal(err)
	}
	penalty := make([]float64, 800)
	for r, i := range all.Index {
		penalty[i] = float64(all.Spaces[0].ByK[0].PointTrustPenalty[r])
	}
	scale := 800 / float64(exact[0].ByK[0].Normalizer)
	var errors, squares, claimed float64
	for seed := range uint64(draws) {
		s, err := drawReferences(800, o.Episode, Approximation{Seed: seed, References: 120})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, len(s.Index))
		for r, i := range s.Index {
			x[r] = penalty[i]
		}
		mean, se := stratifiedMean(s.Strata, x)
		difference := 1 - mean*scale - exact[0].ByK[0].Trustworthiness
		errors += difference
		squares += difference * difference
		claimed += se * scale * se * scale
	}
	sd := math.Sqrt(squares / draws)
	if bias := errors / draws; math.Abs(bias) > 4*sd/math.Sqrt(draws) {
		t.Errorf("bias %v with standard deviation %v", bias, sd)
	}
	if ratio := sd / math.Sqrt(claimed/draws); ratio < 0.85 || ratio > 1.15 {
		t.Errorf("the estimates spread %v times as much as the standard errors say", ratio)
	}
}

func TestCompareSampledDeterministic(t *testing.T) {
	original, embedded, o := samplePair(700, "window")
	var first *Sample
	for _, threads := range []int{1, 3} {
		for _, rows := range []int{0, 1, 13} {
			o.Threads = threads
			got, err := compareSampled(blocksOf(rows), original, embedded, o, Approximation{Seed: 5, References: 90})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(first, got) {
				t.Errorf("%d threads, blocks of %d rows: the result differs", threads, rows)
			}
		}
	}
}

func ExampleKNearestApproximate() {
	pts := points.Float64([]float64{0, 1, 3, 7, 15}, 1)
	matches, err := KNearestApproximate(context.Background(), pts, 2, Options{}, Approximation{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(matches.Index[2*2:3*2], matches.Distance[2*2:3*2], matches.Recall.Value, matches.Recall.Exact)
	// Output: [1 0] [2 3] 1 true
}

func TestDrawReferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 500).Draw(t, "n")
		want := rapid.IntRange(2, 600).Draw(t, "references")
		var episode []int
		if rapid.Bool().Draw(t, "episodes") {
			episode = make([]int, n)
			for i := range episode {
				episode[i] = rapid.IntRange(0, 30).Draw(t, "episode")
			}
		}
		s, err := drawReferences(n, episode, Approximation{Seed: rapid.Uint64().Draw(t, "seed"), References: want})
		if err != nil {
			t.Fatal(err)
		}
		pts, drawn := 0, 0
		for _, h := range s.Strata {
			pts += h.Points
			drawn += h.References
			if h.References > h.Points || h.References < min(2, h.Points) {
				t.Fatalf("stratum %+v", h)
			}
		}
		if pts != n || drawn != min(n, want) || len(s.Index) != drawn {
			t.Fatalf("%d points and %d references, want %d and %d", pts, drawn, n, min(n, want))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(s.Index)))) != drawn {
			t.Fatal("a reference is drawn twice")
		}
	})
	if _, err := drawReferences(10, nil, Approximation{References: 1}); err == nil {
		t.Error("one reference: want an error")
	}
	if _, err := drawReferences(10, nil, Approximation{References: -3}); err == nil {
		t.Error("negative references: want an error")
	}
}

// compareSampled is CompareSampled of a pass without blocks, co-ranking and scores per point.
func compareSampled(ctx context.Context, original points.Points, embedded []points.Points, o Options, a Approximation) (*Sample, error) {
	o.Blocks, o.CoRanking, o.PerPoint = nil, CoRankingOff, false
	p, err := NewPass(original, embedded, o)
	if err != nil {
		return nil, err
	}
	return p.CompareSampled(ctx, a)
}
