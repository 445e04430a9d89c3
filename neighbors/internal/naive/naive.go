// Package naive writes the definitions down literally, for tests: full matrices of
// distances in float64 and full sorts. It also makes the points that tests use:
//
//	pts := naive.NearlyEqual32(naive.Random(1), 100, 30)
//	keys := naive.Keys(pts, pts, false)
package naive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
)

// Keys is the full matrix of keys.
func Keys(queries, pts points.Points, cosine bool) [][]float64 {
	keys := make([][]float64, queries.N)
	x, y := make([]float64, queries.Dim), make([]float64, pts.Dim)
	for i := range keys {
		keys[i] = make([]float64, pts.N)
		queries.Row(i, x)
		for j := range keys[i] {
			pts.Row(j, y)
			var squares, dot, xx, yy float64
			for k := range x {
				d := x[k] - y[k]
				squares += float64(d * d)
				dot += float64(x[k] * y[k])
				xx += float64(x[k] * x[k])
				yy += float64(y[k] * y[k])
			}
			keys[i][j] = squares
			if cosine {
				keys[i][j] = math.Max(0, 1-dot/math.Sqrt(xx*yy))
			}
		}
	}
	return keys
}

// CheckNearest checks that lists of k neighbors, index and distance, equal full sorts of the keys among the candidates;
// squared means that keys are squared distances.
func CheckNearest(t testing.TB, k int, index []int32, distance []float64, keys [][]float64, squared bool,
	candidate func(i, j int) bool) {
	t.Helper()
	for i := range keys {
		var list []int
		for j := range keys[i] {
			if candidate(i, j) {
				list = append(list, j)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int {
			switch {
			case keys[i][a] < keys[i][b]:
				return -1
			case keys[i][a] > keys[i][b]:
				return 1
			}
			return 0
		})
		for q := range k {
			entry := i*k + q
			want := keys[i][list[q]]
			if squared {
				want = math.Sqrt(want)
			}
			if int(index[entry]) != list[q] || distance[entry] != want {
				t.Fatalf(
					"point %d, neighbor %d: got %d at %v, want %d at %v", i, q, index[entry], distance[entry], list[q], want)
			}
		}
	}
}

// Random is a seeded generator.
func Random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// Gaussian32 returns n points of dimension dim.
func Gaussian32(r *rand.Rand, n, dim int) points.Points {
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	return points.Float32(data, dim)
}

// Gaussian64 is Gaussian32 in float64.
func Gaussian64(r *rand.Rand, n, dim int) points.Points {
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = r.NormFloat64()
	}
	return points.Float64(data, dim)
}

// Bytes8 returns n points with that many different values.
func Bytes8(r *rand.Rand, n, dim, levels int) points.Points {
	data := make([]uint8, n*dim)
	for i := range data {
		data[i] = uint8(r.IntN(levels))
	}
	return points.Uint8(data, dim)
}

// NearlyEqual32 is a random walk of frames that differ in single low bits, with some frames repeated. Matrix products
// lose all digits of their distances.
func NearlyEqual32(r *rand.Rand, n, dim int) points.Points {
	data := make([]float32, n*dim)
	for k := range dim {
		data[k] = 0.3 + 0.5*r.Float32()
	}
	for i := 1; i < n; i++ {
		from := i - 1
		if r.IntN(4) == 0 {
			from = r.IntN(i)
		}
		copy(data[i*dim:(i+1)*dim], data[from*dim:(from+1)*dim])
		if r.IntN(5) > 0 {
			for range 1 + r.IntN(3) {
				at := i*dim + r.IntN(dim)
				data[at] = math.Float32frombits(math.Float32bits(data[at]) + uint32(r.IntN(3)))
			}
		}
	}
	return points.Float32(data, dim)
}

// Constant32 returns n equal points.
func Constant32(n, dim int) points.Points {
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = 0.25
	}
	return points.Float32(data, dim)
}

// Coarse is p with few different values, so that ties abound, and one point repeated.
func Coarse(p points.Points) points.Points {
	data := make([]float32, p.N*p.Dim)
	for i := range p.N {
		for k, v := range p.Row(i%(p.N-7), nil) {
			data[i*p.Dim+k] = float32(int(v))
		}
	}
	return points.Float32(data, p.Dim)
}

// Integers32 is p as float32.
func Integers32(p points.Points) points.Points {
	data := make([]float32, len(p.U8))
	for i, v := range p.U8 {
		data[i] = float32(v)
	}
	return points.Float32(data, p.Dim)
}

// Float64s is p as float64.
func Float64s(p points.Points) points.Points {
	data := make([]float64, len(p.F32))
	for k, v := range p.F32 {
		data[k] = float64(v)
	}
	return points.Float64(data, p.Dim)
}
