// The maps of predictivity against its score, and against regressions that are solved directly.

package similarity

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/measuretest"
	"repscope/points"
)

// predictedShare is 1 − Σ‖y − ŷ‖²/Σ‖y − ȳ‖² of the predictions for points in an order.
func predictedShare(t *testing.T, m *Mapping, to points.Points, order []int) float64 {
	t.Helper()
	got, err := m.Predict(t.Context(), to, order, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := to
	if order != nil {
		want = to.Select(order)
	}
	lost, all := 0.0, 0.0
	mean, row, predicted := make([]float64, to.Dim), make([]float64, to.Dim), make([]float64, to.Dim)
	for i := range to.N {
		for l, v := range want.Row(i, row) {
			mean[l] += v / float64(to.N)
		}
	}
	for i := range to.N {
		want.Row(i, row)
		got.Row(i, predicted)
		for l, v := range row {
			lost += (v - predicted[l]) * (v - predicted[l])
			all += (v - mean[l]) * (v - mean[l])
		}
	}
	return 1 - lost/all
}

// Predictions have the R² that predictivity reports, in any order, also of more units than points and few episodes.
func TestMapping_IsPredictivity(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	for _, d := range []struct{ n, p, q, episodes int }{{60, 4, 3, 12}, {60, 5, 9, 3}, {40, 90, 6, 8}} {
		a, b := randomSpaces(r, d.n, d.p, d.q)
		episode := make([]int, d.n)
		for i := range episode {
			episode[i] = i * d.episodes / d.n
		}
		order := r.Perm(d.n)
		s := scored(t, a, b, Options{Measures: []string{"predictivity"}, Episode: episode, Orders: [][]int{order}})
		m, err := NewMapping(a, episode)
		if err != nil {
			t.Fatal(err)
		}
		want := s["predictivity_ab"]
		measuretest.Near(t, "R² as the points are", predictedShare(t, m, b, nil), want.Value, 1e-6)
		measuretest.Near(t, "R² in an order", predictedShare(t, m, b, order), want.Null[0], 1e-6)
	}
}

// Each prediction comes from a ridge regression solved on the points of the other folds, with one penalty of the list
// for the fold; several points of a state are in one fold.
func TestMapping_Solved(t *testing.T) {
	t.Parallel()
	const states, each, p, q = 15, 2, 3, 2
	r := rand.New(rand.NewPCG(23, 24))
	a, b := randomSpaces(r, states*each, p, q)
	episode := make([]int, states)
	for i := range episode {
		episode[i] = i / 3
	}
	m, err := NewMapping(a, episode)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(t.Context(), b, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for e := range 5 {
		best := math.Inf(1)
		for _, penalty := range penalties {
			best = min(best, worstDifference(a, b, got, penalty, func(i int) bool { return episode[i/each] == e }))
		}
		if !(best < 1e-6) {
			t.Errorf("episode %d: no penalty gives the predictions: %g", e, best)
		}
	}
}

// worstDifference is the largest difference of predictions of the points left out from a regression on the
// others.
func worstDifference(a, b, got points.Points, penalty float64, out func(i int) bool) float64 {
	p, q := a.Dim, b.Dim
	mean := [2][]float64{make([]float64, p), make([]float64, q)}
	x, y := make([]float64, p), make([]float64, q)
	trained := 0.0
	for i := range a.N {
		if !out(i) {
			trained++
			for k, v := range a.Row(i, x) {
				mean[0][k] += v
			}
			for k, v := range b.Row(i, y) {
				mean[1][k] += v
			}
		}
	}
	for _, m := range mean {
		for k := range m {
			m[k] /= trained
		}
	}
	xx, xy := mat.NewDense(p, p, nil), mat.NewDense(p, q, nil)
	for i := range a.N {
		if out(i) {
			continue
		}
		a.Row(i, x)
		b.Row(i, y)
		for k := range p {
			for l := range p {
				xx.Set(k, l, xx.At(k, l)+(x[k]-mean[0][k])*(x[l]-mean[0][l]))
			}
			for l := range q {
				xy.Set(k, l, xy.At(k, l)+(x[k]-mean[0][k])*(y[l]-mean[1][l]))
			}
		}
	}
	trace := mat.Trace(xx) / float64(p)
	for k := range p {
		xx.Set(k, k, xx.At(k, k)+penalty*trace)
	}
	var w mat.Dense
	if err := w.Solve(xx, xy); err != nil {
		return math.Inf(1)
	}
	worst := 0.0
	row := make([]float64, q)
	for i := range a.N {
		if !out(i) {
			continue
		}
		a.Row(i, x)
		got.Row(i, row)
		for l := range q {
			v := mean[1][l]
			for k := range p {
				v += (x[k] - mean[0][k]) * w.At(k, l)
			}
			worst = max(worst, math.Abs(v-row[l]))
		}
	}
	return worst
}

// Constant points predict the mean of the others; wrong numbers are errors.
func TestMapping_Hard(t *testing.T) {
	t.Parallel()
	_, b := randomSpaces(rand.New(rand.NewPCG(25, 26)), 20, 3, 2)
	episode := make([]int, 20)
	m, err := NewMapping(points.Float64(make([]float64, 60), 3), episode)
	if err != nil {
		t.Fatal(err)
	}
	if share := predictedShare(t, m, b, nil); !(share <= 0) || math.IsNaN(share) {
		t.Errorf("constant points explain %g", share)
	}
	if _, err := m.Predict(t.Context(), b.Range(0, 10), nil, 1); err == nil {
		t.Error("another number of points is no error")
	}
	for _, wrong := range [][]int{{0}, make([]int, 7), nil} {
		if _, err := NewMapping(b, wrong); err == nil {
			t.Errorf("%d states of 20 points: no error", len(wrong))
		}
	}
	if _, err := NewMapping(points.Float64([]float64{1, math.NaN(), 2, 3}, 1), episode[:4]); err == nil {
		t.Error("NaN is no error")
	}
}

// Without an episode the other states keep their folds, and with the folds of all states nothing changes.
func TestMapping_Folds(t *testing.T) {
	t.Parallel()
	a, b := randomSpaces(rand.New(rand.NewPCG(27, 28)), 60, 4, 3)
	episode := make([]int, 60)
	for i := range episode {
		episode[i] = i / 6
	}
	folds, err := MappingFolds(episode)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := NewMapping(a, episode)
	if err != nil {
		t.Fatal(err)
	}
	same, err := NewMappingOf(a, folds)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "R² by the folds", predictedShare(t, same, b, nil), predictedShare(t, whole, b, nil), 0)
	var kept []int
	for i, e := range episode {
		if e != 4 {
			kept = append(kept, i)
		}
	}
	fewer, err := NewMappingOf(a.Select(kept), points.Pick(folds, kept))
	if err != nil {
		t.Fatal(err)
	}
	for k, rows := range fewer.rows {
		for _, i := range rows {
			if folds[kept[i]] != k {
				t.Errorf("state %d is in fold %d, before in %d", kept[i], k, folds[kept[i]])
			}
		}
	}
	for _, wrong := range [][]int{make([]int, 60), append(make([]int, 59), 5), append(make([]int, 59), -1)} {
		if _, err := NewMappingOf(a, wrong); err == nil {
			t.Errorf("folds %v: no error", wrong[59])
		}
	}
}
