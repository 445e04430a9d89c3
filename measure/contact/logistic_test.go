// The minimum of the regression by its conditions, and what it refuses.

package contact

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/stat"
)

// made are sequences whose contacts follow from a few of many correlated heads of small
// scores, as those after the correction are.
func made(r *rand.Rand, sequences, n, heads int) []*Pairs {
	var parts []*Pairs
	for range sequences {
		p := &Pairs{Heads: heads, Residues: n, Resolved: n}
		for i := range n {
			for j := i + 3; j < n; j++ {
				common := r.NormFloat64()
				z := -2.0
				for h := range heads {
					x := 1e-3 * (common + r.NormFloat64())
					p.X = append(p.X, float32(x))
					if h%5 == 0 {
						z += 1000 * x
					}
				}
				p.I, p.J, p.Touching = append(p.I, int32(i)), append(p.J, int32(j)), append(p.Touching, r.Float64() < 1/(1+math.Exp(-z)))
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// TestLogisticConditions holds the minimum against its conditions: of the loss with either
// penalty the derivative is 0, or 0 lies between those on both sides of a weight that is 0. More pairs
// than one chunk has; the same bits for any number of threads.
func TestLogisticConditions(t *testing.T) {
	t.Parallel()
	parts := made(rand.New(rand.NewPCG(7, 8)), 3, 50, 12)
	for _, o := range []LogisticOptions{{Penalty: L1, C: 10, Least: 6}, {Penalty: L1, C: 1e3, Least: 6}, {Penalty: L2, C: 1e5, Least: 6}} {
		l, err := FitLogistic(context.Background(), parts, o)
		must(t, err)
		if !l.Converged || l.Pairs != 3*44*45/2 {
			t.Errorf("%+v: converged %v with %d pairs", o, l.Converged, l.Pairs)
		}
		gradient := make([]float64, 13)
		for _, p := range parts {
			for k := range p.I {
				if p.J[k]-p.I[k] < 6 {
					continue
				}
				x := p.X[k*12 : (k+1)*12]
				slope := 1 / (1 + math.Exp(-l.Logit(x)))
				if p.Touching[k] {
					slope--
				}
				gradient[12] += o.C * slope
				for h, v := range x {
					gradient[h] += o.C * slope * float64(v)
				}
			}
		}
		const slack = 1e-6
		if math.Abs(gradient[12]) > slack*o.C {
			t.Errorf("%+v: the derivative by the intercept is %v", o, gradient[12])
		}
		zeros := 0
		for h, w := range l.Coefficients {
			switch {
			case o.Penalty == L2:
				gradient[h] += w
			case w == 0:
				zeros++
				gradient[h] = max(math.Abs(gradient[h])-1, 0)
			default:
				gradient[h] += math.Copysign(1, w)
			}
			if math.Abs(gradient[h]) > slack {
				t.Errorf("%+v: the derivative by weight %d (%v) is %v", o, h, w, gradient[h])
			}
		}
		if o.C == 10 && zeros == 0 {
			t.Error("no weight is 0")
		}
		o.Threads = 1
		again, err := FitLogistic(context.Background(), parts, o)
		must(t, err)
		if !slices.Equal(again.Coefficients, l.Coefficients) || again.Intercept != l.Intercept {
			t.Error("another number of threads, other bits")
		}
	}
}

// TestPairsPrecision: a regression on one head ranks as the head does.
func TestPairsPrecision(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Structures[0]
	truth := g.truth(t)
	square := g.length() * g.length()
	pairs, err := HeadPairs(g.Attention, g.Layers*g.Heads, g.length(), g.keep(), truth, 3)
	must(t, err)
	for h := range pairs.Heads {
		l := &Logistic{Coefficients: make([]float64, pairs.Heads), Intercept: -3}
		l.Coefficients[h] = 2
		got, err := pairs.Precisions(l, Standard(6))
		must(t, err)
		s, err := Heads(g.Attention[h*square:(h+1)*square], 1, g.length(), g.keep())
		must(t, err)
		want, err := Precisions(s, truth, Standard(6))
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("head %d: %+v, want %+v", h, got, want)
		}
	}
	_, err = pairs.Precisions(&Logistic{Coefficients: []float64{1}}, nil)
	if err == nil || !strings.Contains(err.Error(), "pairs have 6 heads, but the regression has 1") {
		t.Error(err)
	}
}

func TestLogisticErrors(t *testing.T) {
	t.Parallel()
	pair := func(heads int, touching ...bool) *Pairs {
		n := len(touching)
		return &Pairs{Heads: heads, X: make([]float32, heads*n), I: make([]int32, n), J: []int32{6, 7, 8}[:n], Touching: touching}
	}
	bad := pair(1, true, false)
	bad.X[1] = float32(math.Inf(-1))
	for _, c := range []struct {
		parts     []*Pairs
		o         LogisticOptions
		want      string
		undefined bool
	}{
		{nil, LogisticOptions{}, "no training sequences", true},
		{[]*Pairs{pair(1, false, false)}, LogisticOptions{}, "no pair of the training sequences is in contact", true},
		{[]*Pairs{pair(1, true)}, LogisticOptions{}, "all pairs of the training sequences are in contact", true},
		{[]*Pairs{pair(1, true, false)}, LogisticOptions{Least: 7},
			"no pair of the training sequences is in contact", true},
		{[]*Pairs{pair(1, true, false), pair(2, true)}, LogisticOptions{}, "sequence 1 has 2 heads, but sequence 0 has 1", false},
		{[]*Pairs{bad}, LogisticOptions{}, "sequence 0, residues 0 and 7: the score of head 0 is -Inf", false},
		{[]*Pairs{pair(1, true, false)}, LogisticOptions{C: -1}, "C -1, want a number above 0", false},
		{[]*Pairs{pair(1, true, false)}, LogisticOptions{Penalty: "l3"}, `penalty "l3", want l1 or l2`, false},
	} {
		_, err := FitLogistic(context.Background(), c.parts, c.o)
		var undefined *stat.UndefinedError
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &undefined) != c.undefined {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitLogistic(ctx, []*Pairs{pair(1, true, false)}, LogisticOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := HeadPairs(make([]float32, 4), 1, 2, []int{0}, &Contacts{N: 2, Pairs: make([]int8, 4)}, 1); err == nil ||
		!strings.Contains(err.Error(), "contacts of 2 residues, want 1 heads of 2 × 2 and 1 residues") {
		t.Error(err)
	}
}

func BenchmarkFitLogistic(b *testing.B) {
	parts := made(rand.New(rand.NewPCG(9, 10)), 8, 200, 48)
	for b.Loop() {
		l, err := FitLogistic(context.Background(), parts, LogisticOptions{Least: 6, C: 10})
		must(b, err)
		b.ReportMetric(float64(l.Pairs), "pairs")
	}
}
