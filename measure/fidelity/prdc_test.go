// Precision, recall, density and coverage beside their definition.

package fidelity_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/measure/fidelity"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// normals are n points [n, dim] of independent standard normal coordinates plus a shift.
func normals(n, dim int, shift float64, seed uint64) points.Points {
	x := make([]float64, n*dim)
	r := stat.NewRandom(stat.StreamSample.Key(seed))
	for i := range x {
		x[i] = r.Normal() + shift
	}
	return points.Float64(x, dim)
}

// as are the same points in another type: rounded to integers up to a largest one for uint8.
func as(kind string, p points.Points, largest float64) points.Points {
	switch kind {
	case "float32":
		x := make([]float32, len(p.F64))
		for i, v := range p.F64 {
			x[i] = float32(v)
		}
		return points.Float32(x, p.Dim)
	case "uint8":
		x := make([]uint8, len(p.F64))
		for i, v := range p.F64 {
			x[i] = uint8(min(largest, math.Abs(math.Round(2*v))))
		}
		return points.Uint8(x, p.Dim)
	}
	return p
}

// key is the key of the definition, in index order in float64.
func key(metric neighbors.Metric, x, y []float64) float64 {
	var squares, dot, xx, yy float64
	for k := range x {
		d := x[k] - y[k]
		squares += float64(d * d)
		dot += float64(x[k] * y[k])
		xx += float64(x[k] * x[k])
		yy += float64(y[k] * y[k])
	}
	if metric == neighbors.Cosine {
		return max(0, 1-dot/math.Sqrt(xx*yy))
	}
	return squares
}

// naive holds all distances.
func naive(real, generated points.Points, k int, metric neighbors.Metric) fidelity.AtK {
	radii := func(p points.Points) []float64 {
		out := make([]float64, p.N)
		for i := range out {
			var own []float64
			for j := range p.N {
				if j != i {
					own = append(own, key(metric, p.Row(i, nil), p.Row(j, nil)))
				}
			}
			slices.Sort(own)
			out[i] = own[k-1]
		}
		return out
	}
	a := fidelity.AtK{K: k, RealBalls: make([]int32, generated.N), Holding: make([]int32, real.N), GeneratedBalls: make([]int32, real.N)}
	ofReal, ofGenerated := radii(real), radii(generated)
	for i := range real.N {
		for j := range generated.N {
			d := key(metric, real.Row(i, nil), generated.Row(j, nil))
			if d < ofReal[i] || d == 0 {
				a.RealBalls[j]++
				a.Holding[i]++
			}
			if d < ofGenerated[j] || d == 0 {
				a.GeneratedBalls[i]++
			}
		}
	}
	share := func(counts []int32) float64 {
		hits := 0
		for _, c := range counts {
			if c > 0 {
				hits++
			}
		}
		return float64(hits) / float64(len(counts))
	}
	zeros := func(radii []float64) (n int) {
		for _, r := range radii {
			if r == 0 {
				n++
			}
		}
		return n
	}
	a.ZeroReal, a.ZeroGenerated = zeros(ofReal), zeros(ofGenerated)
	sum := 0.0
	for _, c := range a.RealBalls {
		sum += float64(c)
	}
	a.Scores = fidelity.Scores{
		Precision: share(a.RealBalls), Recall: share(a.GeneratedBalls), Density: sum / float64(k) / float64(generated.N), Coverage: share(a.Holding),
	}
	return a
}

// TestPRDC holds outcomes of all points against the definition: points with many ties and duplicates, far outliers, all
// types, spaces in which distances are computed directly and by products.
func TestPRDC(t *testing.T) {
	t.Parallel()
	ks := []int{5, 1, 3}
	for _, kind := range []string{"uint8", "float32", "float64"} {
		for _, dim := range []int{3, 20, 200} {
			for _, metric := range []neighbors.Metric{neighbors.Euclidean, neighbors.Cosine} {
				for _, points := range []string{"normal", "tied", "outliers"} {
					t.Run(fmt.Sprintf("%s_%d_%v_%s", kind, dim, metric, points), func(t *testing.T) {
						t.Parallel()
						checkNaive(t, kind, dim, metric, points, ks)
					})
				}
			}
		}
	}
}

func checkNaive(t *testing.T, kind string, dim int, metric neighbors.Metric, shape string, ks []int) {
	x, y := normals(90, dim, 0.6, 1), normals(70, dim, 0.8, 2)
	switch shape {
	case "tied":
		for _, p := range []points.Points{x, y} {
			for i, v := range p.F64 {
				p.F64[i] = 0
				if v > 1 || i%dim == 0 {
					p.F64[i] = 1
				}
			}
		}
		copy(y.F64[:20*dim], x.F64[:20*dim])
		for i := range 8 {
			copy(x.F64[(40+i)*dim:(41+i)*dim], x.F64[:dim])
		}
	case "outliers":
		for k := range dim {
			x.F64[7*dim+k] *= 1e6
			y.F64[9*dim+k] *= 1e5
			y.F64[11*dim+k] = x.F64[7*dim+k]
		}
	}
	a, b := as(kind, x, 200), as(kind, y, 200)
	found, err := fidelity.PRDC(context.Background(), a, b, fidelity.Options{Ks: ks, Neighbors: neighbors.Options{Metric: metric}})
	if err != nil {
		t.Fatal(err)
	}
	for q, k := range ks {
		if want := naive(a, b, k, metric); !reflect.DeepEqual(found.ByK[q], want) {
			t.Errorf("k = %d: %+v, want %+v", k, found.ByK[q].Scores, want.Scores)
		}
	}
}

// TestSelf: beside themselves, and beside themselves in another order, points score 1.
func TestSelf(t *testing.T) {
	t.Parallel()
	x := normals(60, 5, 0, 1)
	order := make([]int, x.N)
	for i := range order {
		order[i] = (7*i + 3) % x.N
	}
	for _, y := range []points.Points{x, x.Select(order)} {
		found, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range found.ByK {
			if a.Scores != (fidelity.Scores{Precision: 1, Recall: 1, Density: 1, Coverage: 1}) {
				t.Errorf("k = %d: %+v beside itself, want all 1", a.K, a.Scores)
			}
		}
	}
}

// TestCopiesCount: where points have k copies, radii are 0, and copies are inside all the same.
func TestCopiesCount(t *testing.T) {
	t.Parallel()
	one := normals(5, 3, 0, 1)
	index := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4}
	x := one.Select(index)
	found, err := fidelity.PRDC(context.Background(), x, x, fidelity.Options{Ks: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	s := found.ByK[0].Scores
	if s.Precision != 1 || s.Recall != 1 || s.Coverage != 1 || s.Density < 1 {
		t.Errorf("beside itself with duplicates: %+v", s)
	}
}

// TestSwap: precision of the one is recall of the other.
func TestSwap(t *testing.T) {
	t.Parallel()
	x, y := normals(80, 6, 0, 1), normals(50, 6, 0.5, 2)
	ab, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ba, err := fidelity.PRDC(context.Background(), y, x, fidelity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for q := range ab.ByK {
		if a, b := ab.ByK[q], ba.ByK[q]; a.Precision != b.Recall || a.Recall != b.Precision || !reflect.DeepEqual(a.GeneratedBalls, b.RealBalls) {
			t.Errorf("k = %d: %+v and exchanged %+v", a.K, a.Scores, b.Scores)
		}
	}
}

// TestScale: distances have no unit, and turned points the same neighbors.
func TestScale(t *testing.T) {
	t.Parallel()
	x, y := normals(70, 12, 0, 1), normals(60, 12, 0.4, 2)
	scaled := func(p points.Points) points.Points {
		out := slices.Clone(p.F64)
		for i := range out {
			out[i] = out[i] * 0.25
		}
		return points.Float64(out, p.Dim)
	}
	a, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := fidelity.PRDC(context.Background(), scaled(x), scaled(y), fidelity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("other scores in another unit")
	}
}

// TestExpectedCoverage: draws of one distribution have the coverage that the paper derives, whatever the distribution.
func TestExpectedCoverage(t *testing.T) {
	t.Parallel()
	const n, k, draws = 40, 3, 60
	sum := 0.0
	for d := range uint64(draws) {
		found, err := fidelity.PRDC(context.Background(), normals(n, 4, 0, 2*d), normals(n, 4, 0, 2*d+1), fidelity.Options{Ks: []int{k}})
		if err != nil {
			t.Fatal(err)
		}
		sum += found.ByK[0].Coverage / draws
	}
	want := 1.0
	for q := 1.0; q <= k; q++ {
		want *= (n - q) / (2*n - q)
	}
	if want = 1 - want; math.Abs(sum-want) > 0.02 {
		t.Errorf("mean coverage %.4f, want %.4f", sum, want)
	}
}

func TestSameForAnyThreadsAndMemory(t *testing.T) {
	t.Parallel()
	x, y := as("float32", normals(300, 20, 0, 1), 0), as("float32", normals(200, 20, 0.2, 2), 0)
	h := halvesOf(t, x.N, y.N)
	var first *fidelity.Manifolds
	for _, o := range []neighbors.Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 400 << 10}} {
		found, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{Halves: h, Neighbors: o})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = found
		}
		for q := range found.ByK {
			a, b := *first.ByK[q].Error, *found.ByK[q].Error
			for _, v := range [][2]*stat.Jackknifed{{a.Precision, b.Precision}, {a.Recall, b.Recall}, {a.Density, b.Density}, {a.Coverage, b.Coverage}} {
				if !reflect.DeepEqual(v[0].Halves, v[1].Halves) || v[0].Interval != v[1].Interval {
					t.Errorf("other halves with %+v", o)
				}
			}
			x, y := first.ByK[q], found.ByK[q]
			if x.Error, y.Error = nil, nil; !reflect.DeepEqual(x, y) {
				t.Errorf("other scores with %+v", o)
			}
		}
	}
}

func TestPRDCErrors(t *testing.T) {
	t.Parallel()
	x := normals(20, 3, 0, 1)
	bad := normals(20, 3, 0, 1)
	bad.F64[4] = math.NaN()
	for _, c := range []struct {
		real, generated points.Points
		o               fidelity.Options
		want            string
	}{
		{x, normals(20, 4, 0, 1), fidelity.Options{},
			"real points have dimension 3, but generated points have 4: want equal dimensions"},
		{x, as("float32", x, 0), fidelity.Options{},
			"real points are float64, but generated points are float32: want the same type"},
		{x, normals(5, 3, 0, 1), fidelity.Options{Ks: []int{5}}, "k = 5: want at least 1 and less than the 20 real and the 5 generated points"},
		{x, x, fidelity.Options{Ks: []int{0}}, "k = 0: want at least 1"},
		{x, x, fidelity.Options{Ks: []int{2, 2}}, "k = 2 occurs twice"},
		{x, bad, fidelity.Options{}, "generated points: point 1, coordinate 1 is NaN"},
		{bad, x, fidelity.Options{}, "real points: point 1, coordinate 1 is NaN"},
		{x, x, fidelity.Options{Halves: halvesOf(t, 30, 20)}, "halves of 30 real and 20 generated points, want 20 and 20"},
	} {
		if _, err := fidelity.PRDC(context.Background(), c.real, c.generated, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fidelity.PRDC(ctx, x, x, fidelity.Options{}); err == nil {
		t.Error("no error from an ended context")
	}
}
