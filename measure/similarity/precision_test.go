// Scores of the null by float32 products against float64.

package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repscope/measure/measuretest"
	"repscope/points"
)

// roundingSpaces are unrelated and related spaces whose units have scales from 1 to 10⁻³, with some that are constant.
func roundingSpaces(r *rand.Rand, n, p, q int, shared float64) (a, b points.Points) {
	hidden := make([]float64, n*q)
	for i := range hidden {
		hidden[i] = r.NormFloat64()
	}
	draw := func(dim int) points.Points {
		out := make([]float64, n*dim)
		for i := range out {
			k := i % dim
			if k == 3 {
				out[i] = 5
				continue
			}
			out[i] = math.Pow(10, -3*float64(k)/float64(dim))*(r.NormFloat64()+shared*hidden[i/dim*q+k%q]) + 2
		}
		return points.Float64(out, dim)
	}
	return draw(p), draw(q)
}

// The scores of orders by float32 products equal the ones by float64 within half of nearValue, so that a score that is
// farther from the value of the points is on the right side of it.
func TestRoundedScores(t *testing.T) {
	t.Parallel()
	const n = 700
	for _, shape := range []struct {
		p, q   int
		shared float64
	}{{40, 60, 0}, {60, 40, 1}, {200, 150, 0.3}} {
		r := rand.New(rand.NewPCG(5, uint64(shape.p)))
		a, b := roundingSpaces(r, n, shape.p, shape.q, shape.shared)
		episode := make([]int, n)
		for i := range episode {
			episode[i] = i / 50
		}
		o := Options{Episode: episode, Orders: [][]int{r.Perm(n), r.Perm(n)}}.withDefaults()
		c := &comparison{a: mustPrepare(t, a), b: mustPrepare(t, b), o: &o, series: map[string]*Series{}}
		for _, name := range crossNames {
			c.series[name] = &Series{}
		}
		w, err := newCrossWork(c)
		if err != nil {
			t.Fatal(err)
		}
		exact, rounded := make([]map[string]float64, 3), make([]map[string]float64, 3)
		rows := []int{0, 1, 2}
		if err := crossRows[float64](t.Context(), w, rows, exact); err != nil {
			t.Fatal(err)
		}
		if err := crossRows[float32](t.Context(), w, rows, rounded); err != nil {
			t.Fatal(err)
		}
		for row := range rows {
			for _, name := range crossNames {
				want, found := exact[row][name], rounded[row][name]
				t.Logf("%d × %d, order %d: %s %v, error %.1e", shape.p, shape.q, row, name, want, found-want)
				if !(math.Abs(found-want) <= nearValue/2*max(1, math.Abs(want))) {
					t.Errorf("%d × %d, order %d: %s by float32 %v, by float64 %v", shape.p, shape.q, row, name, found,
						want)
				}
			}
		}
	}
}

// p values and the null with many points equal the ones by float64: an order that leaves the points as they are scores as
// these do, and others are within the error of float32.
func TestNullOfManyPoints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const n, dim = 1100, 256 // above narrowFrom
	a, b := roundingSpaces(r, n, dim, dim, 0.2)
	identity := make([]int, n)
	for i := range identity {
		identity[i] = i
	}
	o := Options{Measures: []string{"cka", "cka_debiased", "procrustes", "svcca"}, Orders: [][]int{identity, r.Perm(n)}}
	found := scored(t, a, b, o)
	permuted := scored(t, a, b.Select(o.Orders[1]), o)
	for name, s := range found {
		if s.Null[0] != s.Value {
			t.Errorf("%s: %v in the order of the points, %v as they are", name, s.Null[0], s.Value)
		}
		if want := permuted[name].Value; math.Abs(s.Null[1]-want) > nearValue || s.Null[1] == want {
			t.Errorf("%s: %v in an order, %v of points in this order, want a difference of at most nearValue and some", name,
				s.Null[1], want)
		}
	}
}

// Spaces whose components span all points have no canonical correlations.
func TestMoreDimensionsThanPoints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	a, b := randomSpaces(r, 12, 3, 4)
	wide := make([]float64, 12*400)
	for i := range wide {
		wide[i] = r.NormFloat64()
	}
	wider := points.Float64(wide, 400)
	found := scored(t, a, wider, Options{K: []int{3}})
	for name, s := range found {
		lacks := slices.Contains([]string{"svcca", "pwcca"}, name)
		if lacks != math.IsNaN(s.Value) {
			t.Errorf("%s: %v (%s)", name, s.Value, s.Reason)
		}
		const want = "11 components of 12 points: every canonical correlation is 1 in any order of the points; want more " +
			"points than dimensions"
		if lacks && s.Reason != want {
			t.Errorf("%s: %q, want %q", name, s.Reason, want)
		}
	}
	// The nuclear norm is the same in coordinates that are as many as the points.
	order := r.Perm(12)
	o := Options{Measures: []string{"procrustes"}, Orders: [][]int{order}}
	nuclear := func(b points.Points) float64 {
		x, y := mustPrepare(t, wider), mustPrepare(t, b)
		var cross mat.Dense
		cross.Mul(mat.NewDense(12, 400, x.x.Data).T(), mat.NewDense(12, b.Dim, y.x.Data))
		var svd mat.SVD
		if !svd.Factorize(&cross, mat.SVDNone) {
			t.Fatal("no singular values")
		}
		return floats.Sum(svd.Values(nil)) / math.Sqrt(x.total*y.total)
	}
	for _, second := range []points.Points{b, points.Float64(wide[:12*200], 200)} {
		s := scored(t, wider, second, o)["procrustes"]
		measuretest.Near(t, "wide spaces", s.Value, nuclear(second), 1e-12)
		measuretest.Near(t, "wide spaces in an order", s.Null[0], nuclear(second.Select(order)), 1e-12)
	}
	if s := scored(t, a, b, Options{Measures: []string{"svcca"}})["svcca"]; math.IsNaN(s.Value) {
		t.Error("fewer dimensions than points: ", s.Reason)
	}
}

// CKA from inner products of points equals CKA from the cross product, which unit_match needs, in every order.
func TestCKAByPoints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	const n = 30
	for _, dims := range [][2]int{{300, 200}, {20, 900}} {
		a, b := roundingSpaces(r, n, dims[0], dims[1], 0.5)
		o := Options{Measures: []string{"cka", "cka_debiased"}, Orders: [][]int{r.Perm(n), r.Perm(n)}}
		byUnits := o
		byUnits.Measures = append([]string{"unit_match"}, o.Measures...)
		for _, one := range []struct {
			o    Options
			want bool
		}{{o, false}, {byUnits, true}} {
			one.o = one.o.withDefaults()
			c := &comparison{a: mustPrepare(t, a), b: mustPrepare(t, b), o: &one.o, series: map[string]*Series{}}
			for _, name := range one.o.Measures {
				c.series[name] = &Series{}
			}
			if w, err := newCrossWork(c); err != nil || w.byUnits != one.want {
				t.Fatalf("%v: by units %v (%v), want %v", dims, w.byUnits, err, one.want)
			}
		}
		found, want := scored(t, a, b, o), scored(t, a, b, byUnits)
		for _, name := range o.Measures {
			measuretest.Near(t, name, found[name].Value, want[name].Value, 1e-12)
			for p, v := range found[name].Null {
				measuretest.Near(t, name+" in an order", v, want[name].Null[p], 1e-12)
			}
		}
	}
}
