// Errors from halves of the blocks: those of the jackknife for means, and those of
// comparisons.

package stat

import (
	"math"
	"testing"
)

func piecesOf(t *testing.T, n, length int) *Blocks {
	t.Helper()
	b, err := NewBlocks(n, nil, BlockSpec{Kind: MovingBlocks, Length: length})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// halvedMean is the mean of values with the error of halves.
func halvedMean(t *testing.T, b *Blocks, seed uint64, f func(float64) float64, values []float64) *Jackknifed {
	t.Helper()
	h, err := b.Halves(seed)
	if err != nil {
		t.Fatal(err)
	}
	labels := h.Blocks().Labels()
	mean := func(first []bool, side bool) float64 {
		sum, count := 0.0, 0.0
		for i, v := range values {
			if first[labels[i]] == side {
				sum, count = sum+v, count+1
			}
		}
		return f(sum / count)
	}
	var one, other []float64
	for _, first := range h.Splits() {
		one, other = append(one, mean(first, true)), append(other, mean(first, false))
	}
	v, err := h.Estimate(f(Mean(values)), one, other)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func identity(v float64) float64 { return v }

// Balanced halves have the error of the delete-block jackknife for means: exactly where
// there is a column for every block, nearly otherwise.
func TestHalvesOfAMeanAreItsJackknife(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(4))
	for _, c := range []struct {
		blocks    int
		tolerance float64
	}{{5, 1e-9}, {6, 1e-9}, {7, 1e-9}, {8, 1e-9}, {12, 1e-9}, {20, 1e-9}, {60, 1e-9}, {9, 0.2}, {16, 0.2}, {37, 0.2}} {
		values := make([]float64, 10*c.blocks)
		for i := range values {
			values[i] = 3 + random.Normal()
		}
		b := piecesOf(t, len(values), 10)
		want, err := JackknifeMean(b, values)
		if err != nil {
			t.Fatal(err)
		}
		got := halvedMean(t, b, 1, identity, values)
		if len(got.BlockSizes) != c.blocks || math.Abs(got.StdError/want.StdError-1) > c.tolerance || math.Abs(got.DF-want.DF) > 1e-9 {
			t.Errorf("%d blocks: standard error %v with %v degrees of freedom, jackknife %v with %v", c.blocks, got.StdError, got.DF, want.StdError, want.DF)
		}
	}
}

// Every pair of blocks is as often together as apart, one pair of orders less one time.
func TestHalvesAreOrthogonal(t *testing.T) {
	t.Parallel()
	for _, g := range []int{12, 17, 32, 60} {
		h, err := piecesOf(t, 4*g, 4).Halves(9)
		if err != nil {
			t.Fatal(err)
		}
		splits := h.Splits()
		for a := range g {
			for b := range a {
				sum := 0
				for _, first := range splits {
					if first[a] == first[b] {
						sum++
					} else {
						sum--
					}
				}
				if sum != -1 {
					t.Fatalf("%d blocks in %d splits: blocks %d and %d have product %d, want -1", g, len(splits), a, b, sum)
				}
			}
		}
		for r, first := range splits {
			count := 0
			for _, in := range first {
				if in {
					count++
				}
			}
			if 4*count < g || 4*count > 3*g {
				t.Errorf("%d blocks: split %d has a half of %d", g, r, count)
			}
		}
	}
}

func TestHalvesOfFewAndMany(t *testing.T) {
	t.Parallel()
	if _, err := piecesOf(t, 40, 10).Halves(1); Reason(err) != "4 blocks are too few to split in halves, want at "+
		"least 5" {
		t.Errorf("4 blocks: %v", err)
	}
	h, err := piecesOf(t, 1000, 1).Halves(1)
	if err != nil || h.Blocks().Count() != maxHalvedBlocks {
		t.Errorf("1000 blocks: %v", err)
	}
	again, err := piecesOf(t, 1000, 1).Halves(2)
	if err != nil || equalSplits(h.Splits(), again.Splits()) {
		t.Errorf("two seeds have the same halves, %v", err)
	}
	if _, err := h.Estimate(1, []float64{1}, []float64{2}); err == nil {
		t.Error("one value for many splits is no error")
	}
}

func equalSplits(a, b [][]bool) bool {
	for r := range a {
		for j := range a[r] {
			if a[r][j] != b[r][j] {
				return false
			}
		}
	}
	return true
}

// Comparisons, functions and scales go half by half.
func TestHalvesCompareAndCombine(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(6))
	const n = 240
	x, y, difference := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 5 + random.Normal()
		y[i] = x[i] + 0.3 + 0.2*random.Normal()
		difference[i] = x[i] - y[i]
	}
	b := piecesOf(t, n, 12)
	a, c := halvedMean(t, b, 1, identity, x), halvedMean(t, b, 1, identity, y)
	want := halvedMean(t, b, 1, identity, difference)
	got, err := Compare(a, c, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Difference-want.Estimate) > 1e-12 || math.Abs(got.Interval.Low-want.Interval.Low) > 1e-12 || !(got.P < 1e-6) || !math.IsNaN(got.SignFlip) || got.Blocks != 20 {
		t.Errorf("comparison %+v, want that of the differences, %+v", got, want)
	}
	logs := halvedMean(t, b, 1, math.Log, x)
	combined, err := Combine(func(v []float64) float64 { return math.Log(v[0]) }, a)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(combined.StdError-logs.StdError) > 1e-12 {
		t.Errorf("standard error of a logarithm %v, want %v", combined.StdError, logs.StdError)
	}
	a.OnLogScale()
	if math.Abs(a.Interval.Low-math.Exp(logs.Interval.Low)) > 1e-9 {
		t.Errorf("interval on a log scale %v, want the exponential of %v", a.Interval, logs.Interval)
	}
	deleted, err := JackknifeMean(b, x)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(a, deleted, CompareOptions{}); err == nil {
		t.Error("halves were compared with deletions")
	}
	a.Halves.First[3] = math.NaN()
	if c, err := Compare(a, c, CompareOptions{}); err != nil || c.Reason == "" || c.Interval.Defined() {
		t.Errorf("an undefined half: %+v, %v", c, err)
	}
}

// Where one block has most of the squares there are few degrees of freedom, and the
// interval of a difference has them too; even shares keep theirs.
func TestDegreesOfFreedomOfTails(t *testing.T) {
	t.Parallel()
	values := make([]float64, 160)
	for i := range values {
		values[i] = float64(i/10%2) * 2
	}
	b := piecesOf(t, len(values), 10)
	even, err := JackknifeMean(b, values)
	if err != nil {
		t.Fatal(err)
	}
	if even.WithTails(); math.Abs(even.DF-15) > 1e-9 {
		t.Errorf("even shares: %v degrees of freedom, want 15", even.DF)
	}
	values[35] = 500
	heavy, err := JackknifeMean(b, values)
	if err != nil {
		t.Fatal(err)
	}
	wide := heavy.Interval.High - heavy.Interval.Low
	if heavy.WithTails(); heavy.DF < 2 || heavy.DF > 3 || heavy.Interval.High-heavy.Interval.Low < 1.5*wide {
		t.Errorf("one block: %v degrees of freedom, interval %v, before %v wide", heavy.DF, heavy.Interval, wide)
	}
	c, err := Compare(heavy, even, CompareOptions{})
	if err != nil || c.DF > 3 {
		t.Errorf("comparison with %v degrees of freedom, %v", c.DF, err)
	}
}
