// Properties that hold for any data, and inputs that must be refused.

package neighbors

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// pointsGenerator draws points of all types: generic, tied, repeated, nearly equal.
func pointsGenerator(n int) *rapid.Generator[points.Points] {
	return rapid.Custom(func(t *rapid.T) points.Points {
		r := random(rapid.Uint64().Draw(t, "seed"))
		dim := rapid.IntRange(1, 40).Draw(t, "dim")
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return gaussian64(r, n, dim)
		case 1:
			return bytes8(r, n, dim, rapid.SampledFrom([]int{2, 3, 256}).Draw(t, "levels"))
		case 2:
			return nearlyEqual32(r, n, dim)
		case 3:
			return integers32(bytes8(r, n, dim, 2))
		case 4:
			p := gaussian32(r, n, dim)
			for i := range p.F32 {
				p.F32[i] *= float32(math.Ldexp(1, r.IntN(60)-30))
			}
			return p
		}
		return gaussian32(r, n, dim)
	})
}

func TestPropertyAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "n")
		a, b := pointsGenerator(n).Draw(t, "original"), pointsGenerator(n).Draw(t, "embedded")
		k := rapid.IntRange(1, n-2).Draw(t, "k")
		o := Options{
			Ks: []int{k}, Threads: rapid.IntRange(1, 3).Draw(t, "threads"),
			CoRanking: CoRanking(rapid.IntRange(0, 2).Draw(t, "curves")), Ties: rapid.SampledFrom([]Ties{TiesAverage, TiesIndex}).Draw(t, "ties"),
		}
		result, err := Compare(blocksOf(rapid.IntRange(1, n).Draw(t, "rows")), a, []points.Points{b}, o)
		if err != nil {
			t.Fatal(err)
		}
		want := byDefinition(o.Ties, newNaive(naiveKeys(a, a, Euclidean), 0, nil), newNaive(naiveKeys(b, b, Euclidean), 0, nil), k)
		got := result[0].ByK[0].Scores
		far := func(a, b float64) bool { return math.Abs(a-b) > 1e-12*max(1, math.Abs(b)) }
		if far(got.TrustPenalty, want.TrustPenalty) || far(got.ContPenalty, want.ContPenalty) || far(got.Common, want.Common) || got.Normalizer != want.Normalizer ||
			math.Abs(got.MRREFalse-want.MRREFalse) > 1e-12 || math.Abs(got.MRREMissing-want.MRREMissing) > 1e-12 {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for _, v := range []float64{got.Trustworthiness, got.Continuity, got.QNX} {
			if v < 0 || v > 1 {
				t.Fatalf("score %v outside [0, 1]: %+v", v, got)
			}
		}
		back, err := Compare(context.Background(), b, []points.Points{a}, o)
		if err != nil {
			t.Fatal(err)
		}
		if s := back[0].ByK[0].Scores; s.Trustworthiness != got.Continuity || s.MRREFalse != got.MRREMissing || s.Common != got.Common {
			t.Fatalf("exchanged spaces: %+v after %+v", s, got)
		}
	})
}

// TestWorstEmbedding reverses all ranks: nothing scores below 0.
func TestWorstEmbedding(t *testing.T) {
	for _, n := range []int{3, 4, 9, 10, 41} {
		for k := 1; k <= n-2; k++ {
			s := scores(k, 0, &Sums{
				Trust: []Fixed{{Whole: int64(n) * worstPenaltyByEnumeration(k, n-1)}}, Cont: []Fixed{{}}, Common: []Fixed{{}},
				False: make([]Fixed, k), Missing: make([]Fixed, k),
			}, map[int]int64{n - 1: int64(n)})
			if s.Trustworthiness != 0 || s.Continuity != 1 {
				t.Errorf("n=%d, k=%d: worst %v, best %v", n, k, s.Trustworthiness, s.Continuity)
			}
			// The spec's two closed forms.
			factor := 2 / (float64(n*k) * float64(2*n-3*k-1))
			if 2*k >= n {
				factor = 2 / (float64(n) * float64(n-k) * float64(n-k-1))
			}
			near(t, "normaliser", 1/float64(s.Normalizer), factor, 1e-16)
		}
	}
}

func TestInvariances(t *testing.T) {
	r := random(11)
	n, dim := 120, 24
	a, b := gaussian32(r, n, dim), gaussian64(r, n, 12)
	o := Options{Ks: []int{5, 20, 60}, CoRanking: CoRankingFull}
	scoresOf := func(x, y points.Points) ([]Scores, *Curves) {
		t.Helper()
		result, err := Compare(context.Background(), x, []points.Points{y}, o)
		if err != nil {
			t.Fatal(err)
		}
		var s []Scores
		for _, k := range result[0].ByK {
			s = append(s, k.Scores)
		}
		return s, result[0].Curves
	}
	want, wantCurves := scoresOf(a, b)
	check := func(what string, x, y points.Points) {
		t.Helper()
		got, curves := scoresOf(x, y)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(curves, wantCurves) {
			t.Errorf("%s changes the scores", what)
		}
	}
	scaled := points.Float64(append([]float64(nil), b.F64...), b.Dim)
	for i := range scaled.F64 {
		scaled.F64[i] = 3.7*scaled.F64[i] - 100
	}
	check("scale and shift", a, scaled)

	// A product of random reflections is a rotation of general kind.
	rotated := points.Float64(append([]float64(nil), b.F64...), b.Dim)
	for range 6 {
		v := gaussian64(r, 1, b.Dim).F64
		norm := rows.SquaredNorms(points.Float64(v, b.Dim))[0]
		for i := range n {
			x := rotated.F64[i*b.Dim : (i+1)*b.Dim]
			dot := 0.0
			for k := range x {
				dot += x[k] * v[k]
			}
			for k := range x {
				x[k] -= 2 * dot / norm * v[k]
			}
		}
	}
	check("rotation", a, rotated)
	order := r.Perm(n)
	check("permutation of the points", a.Select(order), b.Select(order))
}

func TestChanceIsTheMeanOfShuffles(t *testing.T) {
	r := random(12)
	n := 60
	a, b := gaussian32(r, n, 10), gaussian32(r, n, 10)
	var sum, chance float64
	const repeats = 200
	for range repeats {
		result, err := Compare(context.Background(), a, []points.Points{b.Select(r.Perm(n))}, Options{Ks: []int{7}, CoRanking: CoRankingOff})
		if err != nil {
			t.Fatal(err)
		}
		sum += result[0].ByK[0].Trustworthiness
		chance = result[0].ByK[0].Chance
	}
	near(t, "mean trustworthiness of shuffles", sum/repeats, chance, 0.01)
}

func TestPartialIsJSON(t *testing.T) {
	r := random(13)
	a, b := gaussian32(r, 30, 10), gaussian32(r, 30, 10)
	pass, err := NewPass(a, []points.Points{b}, Options{Ks: []int{3}, PerPoint: true})
	if err != nil {
		t.Fatal(err)
	}
	part, err := pass.Map(context.Background(), 0, 30)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pass.Merge(part)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	var read Partial
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	got, err := pass.Merge(&read)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("a stored part gives another result")
	}
	read.Spaces[0].Best = nil
	if _, err := pass.Merge(&read); err == nil {
		t.Error("a part of another pass is not noticed")
	}
}

func TestBadInput(t *testing.T) {
	r := random(14)
	good := gaussian32(r, 20, 9)
	with := func(offset int, v float64) points.Points {
		p := gaussian64(random(1), 20, 9)
		p.F64[offset] = v
		return p
	}
	with32 := func(offset int, v float64) points.Points {
		p := gaussian32(random(1), 20, 9)
		p.F32[offset] = float32(v)
		return p
	}
	blocks := make([]int, 20)
	for i := range blocks {
		blocks[i] = min(i/16, 1) * 7
	}
	for _, c := range []struct {
		name               string
		original, embedded points.Points
		options            Options
		want               string
	}{
		{"NaN", with(13, math.NaN()), good, Options{}, "original space: point 1, coordinate 4 is NaN"},
		{"Inf", good, with32(179, math.Inf(-1)), Options{}, "embedded space 0: point 19, coordinate 8 is -Inf"},
		{"overflow", with(0, 1e200), good, Options{}, "squared distances overflow"},
		{"unequal n", good, gaussian32(r, 19, 9), Options{}, "19 points, want 20"},
		{"no points", points.Points{}, good, Options{}, "no points"},
		{"no data", points.Points{N: 20, Dim: 9}, good, Options{}, "exactly one"},
		{"wrong length", points.Points{N: 20, Dim: 8, F32: good.F32}, good, Options{}, "180 values for 20 points of dimension 8"},
		{"two points", gaussian32(r, 2, 4), gaussian32(r, 2, 4), Options{Ks: []int{1}}, "2 points, want at least 3"},
		{"k of 0", good, good, Options{Ks: []int{0}}, "k = 0: want 1 ≤ k ≤ n−2 = 18"},
		{"k too large", good, good, Options{Ks: []int{3, 19}}, "k = 19"},
		{"k twice", good, good, Options{Ks: []int{3, 3}}, "twice"},
		{"no k", good, good, Options{Ks: []int{}}, "no neighborhood size"},
		{"default k", gaussian32(r, 20, 9), good, Options{}, "k = 20"},
		{"window", good, good, Options{Ks: []int{5}, ExcludeWindow: 9}, "candidates outside the exclusion window 9"},
		{"negative window", good, good, Options{Ks: []int{5}, ExcludeWindow: -1}, "exclude window: -1"},
		{"times", good, good, Options{Ks: []int{5}, Time: make([]int, 3)}, "times: 3 entries for 20 points"},
		{"equal times", good, good, Options{Ks: []int{5}, Time: make([]int, 20)},
			"times: point 0 has time 0 and point 1 has time 0, want strictly ascending times"},
		{"episodes", good, good, Options{Ks: []int{5}, Episode: make([]int, 3)}, "episodes: 3 entries for 20 points"},
		{"blocks", good, good, Options{Ks: []int{5}, Blocks: make([]int, 21)}, "blocks: 21 entries for 20 points"},
		{"one block", good, good, Options{Ks: []int{5}, Blocks: make([]int, 20)}, "at least two blocks"},
		{"large block", good, good, Options{Ks: []int{5}, Blocks: blocks}, "with block 0 (16 points) deleted"},
		{"zero norm", good, points.Float32(make([]float32, 180), 9), Options{Ks: []int{5}, Metric: Cosine}, "embedded space 0: point 0 has squared norm 0"},
		{"memory", good, good, Options{Ks: []int{5}, Memory: 10}, "memory"},
		{"metric", good, good, Options{Ks: []int{5}, Metric: 9}, "metric"},
		{"co-ranking", good, good, Options{Ks: []int{5}, CoRanking: 9}, "co-ranking"},
		{"threads", good, good, Options{Ks: []int{5}, Threads: -1}, "threads"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compare(context.Background(), c.original, []points.Points{c.embedded}, c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Compare(context.Background(), good, nil, Options{Ks: []int{5}}); err == nil {
		t.Error("no embedded space: no error")
	}
	for _, k := range []int{0, 20} {
		if _, err := KNearest(context.Background(), good, k, Options{}); err == nil {
			t.Errorf("KNearest with k = %d: no error", k)
		}
	}
	if _, err := KNearest(context.Background(), with(3, math.NaN()), 2, Options{}); err == nil {
		t.Error("KNearest with NaN: no error")
	}
	if _, err := Cross(context.Background(), good, gaussian64(r, 5, 9), 2, Options{}); err == nil {
		t.Error("Cross of two types: no error")
	}
	if _, err := Cross(context.Background(), good, gaussian32(r, 5, 8), 2, Options{}); err == nil {
		t.Error("Cross of two dimensions: no error")
	}
	if _, err := Cross(context.Background(), good, good, 21, Options{}); err == nil {
		t.Error("Cross with k > n: no error")
	}
	for _, name := range []string{"euclidean", "cosine"} {
		if m, err := ParseMetric(name); err != nil || m.String() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := ParseMetric("manhattan"); err == nil {
		t.Error("an unknown metric is accepted")
	}
}

func TestCancel(t *testing.T) {
	r := random(15)
	n := 4000
	frames := bytes8(r, n, 2000, 256)
	pts := gaussian32(r, n, 300)
	ctx, cancel := context.WithCancel(context.Background())
	// One report of progress: no further block is begun once ctx has ended.
	calls := 0
	_, err := Compare(ctx, frames, []points.Points{pts, pts, pts}, Options{CoRanking: CoRankingFull, Progress: func(done, total int) {
		calls++
		if total != 3*n || done > total {
			t.Errorf("progress %d of %d", done, total)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("got %v after %d calls, want %v", err, calls, context.Canceled)
	}
	if _, err := KNearest(ctx, pts, 3, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("KNearest: %v", err)
	}
}

func FuzzRanks(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdefghijklmnopqrstuvwxyz0123456789ab"), uint8(2), uint8(1))
	f.Add(make([]byte, 400), uint8(9), uint8(3))
	f.Add(make([]byte, 1000), uint8(0), uint8('6')) // all equal: penalties are sums of many fractions
	f.Fuzz(func(t *testing.T, data []byte, dim, k uint8) {
		d := 1 + int(dim)%24
		values := make([]float32, len(data)/4)
		for i := range values {
			values[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24)
			if values[i]-values[i] != 0 {
				values[i] = 1
			}
		}
		n := min(len(values)/d, 40)
		if n < 3 {
			t.Skip()
		}
		pts := points.Float32(values[:n*d], d)
		other := points.Uint8(data[:n*d], d)
		o := Options{Ks: []int{1 + int(k)%(n-2)}, CoRanking: CoRanking(1 + k%2), Ties: []Ties{TiesAverage, TiesIndex}[dim%2]}
		result, err := Compare(context.Background(), pts, []points.Points{other}, o)
		if err != nil {
			t.Fatal(err)
		}
		want := byDefinition(o.Ties, newNaive(naiveKeys(pts, pts, Euclidean), 0, nil), newNaive(naiveKeys(other, other, Euclidean), 0, nil), o.Ks[0])
		got := result[0].ByK[0].Scores
		far := func(a, b float64) bool { return math.Abs(a-b) > 1e-12*max(1, math.Abs(b)) }
		if far(got.TrustPenalty, want.TrustPenalty) || far(got.ContPenalty, want.ContPenalty) || far(got.Common, want.Common) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}
