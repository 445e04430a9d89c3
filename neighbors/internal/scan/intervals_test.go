// Tests of placing all values of a row among thresholds, and of sorting these, against plain loops.

package scan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// keysOf are n random keys of a kind.
func keysOf[K Key](r *rand.Rand, kind string, n int) []K {
	out := make([]K, n)
	for l := range out {
		switch kind {
		case "normal":
			out[l] = K(1e6 + 1e5*r.NormFloat64())
		case "few":
			out[l] = K(r.IntN(7))
		case "skewed":
			out[l] = K(min(1e8, math.Exp(4*r.NormFloat64()+4)))
		case "equal":
			out[l] = 5
		case "outlier":
			out[l] = K(r.Float64() * 100)
			if l == n/2 {
				out[l] = 1e9
			}
		}
	}
	return out
}

var kinds = []string{"normal", "few", "skewed", "equal", "outlier"}

func TestPlaceSorter(t *testing.T) {
	t.Run("float32", testPlaceSorter[float32])
	t.Run("float64", testPlaceSorter[float64])
	t.Run("int32", testPlaceSorter[int32])
	t.Run("int64", testPlaceSorter[int64])
}

func testPlaceSorter[K Key](t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	var s PlaceSorter[K]
	for _, kind := range append(kinds, "excluded") {
		for _, n := range []int{0, 1, 2, 31, 32, 33, 200, 999} {
			entries := make([]Entry[K], n)
			for q, key := range keysOf[K](r, kind, n) {
				entries[q] = Entry[K]{key, int32(r.IntN(n))}
				if kind == "excluded" {
					entries[q].Key = K(r.IntN(100))
					if q == n/2 {
						entries[q].Key = Excluded[K]()
					}
				}
			}
			sorted := slices.Clone(entries)
			place := s.Sort(sorted)
			if !slices.IsSortedFunc(sorted, CompareEntries[K]) {
				t.Fatalf("%s, %d: not sorted", kind, n)
			}
			seen := make([]bool, n)
			for p, q := range place {
				if sorted[p] != entries[q] || seen[q] {
					t.Fatalf("%s, %d: place %d", kind, n, p)
				}
				seen[q] = true
			}
			if len(place) != n {
				t.Fatalf("%s, %d: %d places", kind, n, len(place))
			}
		}
	}
}

func TestIntervalCounter(t *testing.T) {
	t.Run("float32", testIntervalCounter[float32])
	t.Run("float64", testIntervalCounter[float64])
	t.Run("int32", testIntervalCounter[int32])
	t.Run("int64", testIntervalCounter[int64])
}

func testIntervalCounter[K Key](t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	var c IntervalCounter[K]
	for _, kind := range kinds {
		for _, n := range []int{1, 300, 512, 3000} {
			for _, count := range []int{1, 2, 40, 400} {
				for _, width := range []float64{0, 0.001, 0.3} {
					row := keysOf[K](r, kind, n)
					low, high := intervals(r, row, count, width)
					type call struct{ l, p int }
					var want, got []call
					expected := make([]int32, count+1)
					for l, v := range row {
						p := 0
						for p < count && high[p] < v {
							p++
						}
						if p < count && low[p] <= v {
							want = append(want, call{l, p})
							p = (p + l) % (count + 1)
						}
						expected[p]++
					}
					hist := make([]int32, count+1)
					c.Scan(row, low, high, hist, func(v K, l int32, p int) int {
						if v != row[l] {
							t.Fatalf("value %v for entry %d, %v", v, l, row[l])
						}
						got = append(got, call{int(l), p})
						return (p + int(l)) % (count + 1)
					})
					name := fmt.Sprintf("%s, %d values, %d intervals of %g", kind, n, count, width)
					if !slices.Equal(got, want) {
						t.Fatalf("%s: %d calls, want %d", name, len(got), len(want))
					}
					if hist[count] = expected[count]; !slices.Equal(hist, expected) { // values above all do not count
						t.Fatalf("%s: counts %v, want %v", name, hist, expected)
					}
				}
			}
		}
	}
}

// intervals are sorted intervals around values of a row.
func intervals[K Key](r *rand.Rand, row []K, count int, width float64) (low, high []K) {
	for range count {
		v := row[r.IntN(len(row))]
		d := K(width * float64(slices.Max(row)-slices.Min(row)))
		low, high = append(low, v-d), append(high, v+d)
	}
	slices.Sort(low)
	slices.Sort(high)
	return low, high
}

func BenchmarkIntervals(b *testing.B) {
	b.Run("float32", benchmarkIntervals[float32])
	b.Run("int32", benchmarkIntervals[int32])
}

func benchmarkIntervals[K Key](b *testing.B) {
	r := rand.New(rand.NewPCG(75, 76))
	const count = 200
	rows := make([][]K, 256)
	for i := range rows {
		rows[i] = keysOf[K](r, "normal", 10000)
	}
	var sorter PlaceSorter[K]
	var c IntervalCounter[K]
	thresholds, low, high, hist := make([]Entry[K], count), make([]K, count), make([]K, count), make([]int32, count+1)
	i := 0
	fill := func() {
		i++
		for q := range thresholds {
			thresholds[q] = Entry[K]{rows[i%len(rows)][(q*37+i)%10000], int32(q)}
		}
		sorter.Sort(thresholds)
	}
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			fill()
		}
	})
	fill()
	for p, e := range thresholds {
		low[p], high[p] = e.Key-5, e.Key+5
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			i++
			c.Scan(rows[i%len(rows)], low, high, hist, func(_ K, _ int32, p int) int { return p })
		}
	})
}
