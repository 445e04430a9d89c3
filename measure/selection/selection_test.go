// Tests of correlations, of the null and of regrets.

package selection

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// reference is testdata/partial.json.
type reference struct {
	X, Y, Z                    []float64
	Run                        []int
	Spearman, Kendall, Partial float64
	Within                     []float64
	MeanX                      []float64 `json:"mean_x"`
	MeanY                      []float64 `json:"mean_y"`
}

func readReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile("testdata/partial.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-12) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestCorrelations(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	g := NewGrouping(r.Run, r.Z)
	near(t, "partial", Partial(r.X, r.Y, r.Z), r.Partial)
	near(t, "spearman", spearman(r.X, r.Y), r.Spearman)
	mean, runs := g.Within(r.X, r.Y)
	near(t, "within", mean, stat.Mean(r.Within))
	for k := range runs {
		near(t, "within a run", runs[k], r.Within[k])
	}
	meanX, meanY := g.RunMeans(r.X, r.Y)
	for k := range meanX {
		near(t, "mean of x", meanX[k], r.MeanX[k])
		near(t, "mean of y", meanY[k], r.MeanY[k])
	}
	if v := Partial(r.X, r.Z, r.Z); !math.IsNaN(v) {
		t.Errorf("partial correlation with the step after the step is %v, want NaN", v)
	}
	if g.Single() || !g.Ordered() || !NewGrouping([]int{4, 2, 9}, nil).Single() {
		t.Error("runs with one row, and with several in order, are taken for others")
	}
}

// Of 5 rows there are 120 orders, which all can be counted.
func TestNull_AllOrders(t *testing.T) {
	t.Parallel()
	x, y := []float64{1, 2, 3, 4, 5}, []float64{1, 3, 2, 5, 4}
	g := NewGrouping([]int{0, 1, 2, 3, 4}, nil)
	n, err := g.NewNull(y)
	if err != nil {
		t.Fatal(err)
	}
	observed, reached, reachedBoth := spearman(x, y), 0, 0
	var visit func(order, left []float64)
	visit = func(order, left []float64) {
		if len(left) == 0 {
			rho := spearman(x, order)
			if rho >= observed-1e-12 {
				reached++
			}
			if math.Abs(rho) >= observed-1e-12 {
				reachedBoth++
			}
			return
		}
		for i := range left {
			rest := slices.Delete(slices.Clone(left), i, i+1)
			visit(append(slices.Clone(order), left[i]), rest)
		}
	}
	visit(nil, y)
	const draws = 20_000
	tested, err := n.MaxT(t.Context(), []Number{{x, 1}, {x, 0}, {x, -1}}, draws, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "statistic", tested[0].Statistic, observed)
	for k, want := range []float64{float64(reached) / 120, float64(reachedBoth) / 120} {
		if d := math.Abs(tested[k].P - want); d > 4*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("p %v, all orders have %v", tested[k].P, want)
		}
	}
	if p := tested[2].P; p < 0.9 {
		t.Errorf("p %v in the wrong direction", p)
	}
}

// drawn are checkpoints of runs in order with a common trend, and nothing else in common.
func drawn(r *rand.Rand, runs, steps int) (g *Grouping, x, y []float64) {
	var run []int
	var step []float64
	var a, b float64
	for k := range runs {
		for t := range steps {
			a, b = 0.7*a+r.NormFloat64(), 0.7*b+r.NormFloat64()
			trend := 5 * (1 - math.Exp(-float64(t)/3))
			run, step = append(run, k), append(step, float64(t))
			x, y = append(x, trend+a), append(y, trend+b)
		}
	}
	return NewGrouping(run, step), x, y
}

func TestNull_Level(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	rejected, any := 0, 0
	const draws = 400
	for draw := range draws {
		g, x, y := drawn(r, 3, 12)
		n, err := g.NewNull(y)
		if err != nil {
			t.Fatal(err)
		}
		_, other, _ := drawn(r, 3, 12)
		tested, err := n.MaxT(t.Context(), []Number{{x, 1}, {other, 0}}, 99, uint64(draw), 1)
		if err != nil {
			t.Fatal(err)
		}
		if tested[0].P <= 0.05 {
			rejected++
		}
		if min(tested[0].PMax, tested[1].PMax) <= 0.05 {
			any++
		}
	}
	if rejected > 36 || any > 36 { // 20 are expected, 4 standard errors are 17
		t.Errorf("%d and %d of %d trends are taken for predictions", rejected, any, draws)
	}
}

func TestNull_FindsPrediction(t *testing.T) {
	t.Parallel()
	g, x, y := drawn(rand.New(rand.NewPCG(3, 4)), 3, 20)
	for i := range x {
		x[i] = y[i] + 0.1*x[i]
	}
	x[5] = math.NaN()
	n, err := g.NewNull(y)
	if err != nil {
		t.Fatal(err)
	}
	one, err := n.MaxT(t.Context(), []Number{{x, 1}}, 199, 5, 1)
	if err != nil || one[0].P > 0.01 || one[0].PMax != one[0].P || !n.Shifts || n.Steps != 20 {
		t.Errorf("%+v, %v", one, err)
	}
	four, err := n.MaxT(t.Context(), []Number{{x, 1}}, 199, 5, 4)
	if err != nil || four[0] != one[0] {
		t.Errorf("other numbers on 4 threads: %+v, %v", four, err)
	}
	drawn := make([]float64, n.length)
	n.Draw(drawn, 5, 1)
	near(t, "squares", matrix.Dot(drawn, drawn), 1)
	for step := range 20 {
		near(t, "mean over runs", drawn[step]+drawn[20+step]+drawn[40+step], 0)
	}
}

func TestNewNull_Lacks(t *testing.T) {
	t.Parallel()
	step := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(i))
		}
		return out
	}
	for name, g := range map[string]*Grouping{
		"few rows":           NewGrouping([]int{0, 1, 2, 3}, nil),
		"one run in order":   NewGrouping(make([]int, 30), step(30)),
		"runs without steps": NewGrouping([]int{0, 0, 0, 1, 1, 1, 2, 2, 2}, step(9)),
		"constant":           NewGrouping([]int{0, 1, 2, 3, 4, 5}, nil),
	} {
		y := make([]float64, g.rows)
		if name != "constant" {
			y = step(g.rows)
		}
		if _, err := g.NewNull(y); err == nil {
			t.Errorf("%s: a null is drawn", name)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	values, outcome := []float64{1, 3, 3, math.NaN(), 0}, []float64{1, 2, 4, 8, 16}
	rows := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		sign float64
		want float64
	}{{1, 3}, {-1, 16}} {
		near(t, "outcome", Choose(rows, values, c.sign).Outcome(outcome), c.want)
	}
	if v := Choose([]int{3}, values, 1).Outcome(outcome); !math.IsNaN(v) {
		t.Errorf("a row without a value is chosen: %v", v)
	}
}

// Ten rows are equally good, so that the best is not better: the maximum of noisy outcomes is, halves are not.
func TestOracle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const draws, rows, s = 2000, 10, 0.3
	var sums [3]float64
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	for draw := range draws {
		var halves [2][]float64
		y, errors := make([]float64, rows), make([]float64, rows)
		for i := range rows {
			a, b := s*math.Sqrt2*r.NormFloat64(), s*math.Sqrt2*r.NormFloat64()
			halves[0], halves[1] = append(halves[0], a), append(halves[1], b)
			y[i], errors[i] = (a+b)/2, s
		}
		for k, o := range []Oracle{{Outcome: y}, {Outcome: y, Halves: &halves},
			{Outcome: y, Errors: errors, Seed: uint64(draw)}} {
			sums[k] += o.Of(all) / draws
		}
	}
	// The expected maximum of 10 normal numbers is 1.5388.
	for k, want := range []float64{1.5388 * s, 0, 0} {
		if math.Abs(sums[k]-want) > 0.02 {
			t.Errorf("oracle %d is %v, want %v", k, sums[k], want)
		}
	}
}

func TestReliability(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	var y, errors []float64
	halves := new([2][]float64)
	for range 20_000 {
		level := r.NormFloat64()
		a, b := level+r.NormFloat64(), level+r.NormFloat64()
		halves[0], halves[1] = append(halves[0], a), append(halves[1], b)
		y, errors = append(y, (a+b)/2), append(errors, math.Sqrt(0.5))
	}
	for _, o := range []Oracle{{Outcome: y, Halves: halves}, {Outcome: y, Errors: errors}} {
		if v := o.Reliability(); math.Abs(v-2.0/3) > 0.02 {
			t.Errorf("reliability %v, want 2/3", v)
		}
	}
	if v := (&Oracle{Outcome: y}).Reliability(); !math.IsNaN(v) {
		t.Errorf("reliability %v without an error", v)
	}
}

// Without skewness the interval is Student's; of skewed values it is where Hall's transformed statistic is ±t.
func TestSkewInterval(t *testing.T) {
	t.Parallel()
	i := SkewInterval([]float64{1, 2, 3}, 4.303)
	near(t, "low", i.Low, 2-4.303/math.Sqrt(3))
	near(t, "high", i.High, 2+4.303/math.Sqrt(3))
	values := []float64{0, 0.1, 0.2, 1.5, 0.3}
	i = SkewInterval(values, 2.776)
	mean, variance := stat.MeanVariance(values)
	skew, n := 0.0, 5.0
	for _, v := range values {
		skew += math.Pow(v-mean, 3) / n / math.Pow(variance*4/5, 1.5)
	}
	for k, end := range []float64{i.Low, i.High} {
		w := (mean - end) / math.Sqrt(variance)
		g := math.Sqrt(n) * (w + skew/3*w*w + skew*skew/27*w*w*w + skew/(6*n))
		near(t, "transformed statistic", g, []float64{2.776, -2.776}[k])
	}
}
