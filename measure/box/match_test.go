// Matchings of sparse weights beside assignments of full costs.

package box

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomWeights has the given share of the pairs; steps > 0 makes ties.
func randomWeights(rng *rand.Rand, rows, columns int, share float64, steps int) *Weights {
	w := &Weights{Rows: rows, Columns: columns, Start: []int{0}}
	for range rows {
		for j := range columns {
			if rng.Float64() >= share {
				continue
			}
			v := rng.Float64()
			if steps > 0 {
				v = float64(rng.IntN(steps+1)) / float64(steps)
			}
			w.Column, w.Weight = append(w.Column, int32(j)), append(w.Weight, v)
		}
		w.Start = append(w.Start, len(w.Column))
	}
	return w
}

// costs are 1 − weight of all pairs.
func (w *Weights) costs() []float64 {
	out := make([]float64, w.Rows*w.Columns)
	for i := range out {
		out[i] = 1
	}
	for i := range w.Rows {
		for k := w.Start[i]; k < w.Start[i+1]; k++ {
			out[i*w.Columns+int(w.Column[k])] -= w.Weight[k]
		}
	}
	return out
}

// checkMatch compares a matching with a best assignment of 1 − weight, which pairs what is left
// at the cost 1.
func checkMatch(t *testing.T, w *Weights, want float64) {
	t.Helper()
	match, total, err := Match(w)
	if err != nil || len(match) != w.Rows {
		t.Fatal(match, err)
	}
	if math.Abs(total-want) > 1e-9 {
		t.Fatalf("%d × %d: the weights sum to %v, want %v\n%+v", w.Rows, w.Columns, total, want, w)
	}
	used, sum := make([]bool, w.Columns), 0.0
	for i, j := range match {
		if j < 0 {
			continue
		}
		k, found := slices.BinarySearch(w.Column[w.Start[i]:w.Start[i+1]], int32(j))
		if used[j] || !found || w.Weight[w.Start[i]+k] <= 0 {
			t.Fatalf("row %d has column %d, which is taken or weighs nothing: %v", i, j, match)
		}
		used[j] = true
		sum += w.Weight[w.Start[i]+k]
	}
	if sum != total {
		t.Fatalf("pairs sum to %v, not %v", sum, total)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 11))
	for n := range 3000 {
		w := randomWeights(rng, rng.IntN(7), rng.IntN(7), rng.Float64(), n%3*(1+n%4))
		checkMatch(t, w, float64(min(w.Rows, w.Columns))-leastOf(w.costs(), w.Rows, w.Columns))
	}
	for n := range 60 {
		w := randomWeights(rng, 1+rng.IntN(80), 1+rng.IntN(80), rng.Float64(), n%4*3)
		_, cost, err := Assign(w.costs(), w.Rows, w.Columns)
		if err != nil {
			t.Fatal(err)
		}
		checkMatch(t, w, float64(min(w.Rows, w.Columns))-cost)
	}
}

func TestMatchErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w    Weights
		want string
	}{
		{Weights{}, "matching of 0 × 0 with 0 weights and 0 columns"},
		{Weights{Rows: -1, Columns: 2}, "matching of -1 × 2"},
		{Weights{1, 1, []int{0, 2}, []int32{0}, []float64{1}}, "the start of each row"},
		{Weights{2, 1, []int{0, 1, 0}, nil, nil}, "row 1 starts after row 2"},
		{Weights{1, 1, []int{0, 1}, []int32{1}, []float64{1}}, "row 0 has column 1 after -1: want ascending columns below 1"},
		{Weights{1, 3, []int{0, 2}, []int32{2, 2}, []float64{1, 1}}, "row 0 has column 2 after 2"},
		{Weights{1, 3, []int{0, 1}, []int32{2}, []float64{math.NaN()}}, "the weight in row 0, column 2 is NaN"},
		{Weights{1, 3, []int{0, 1}, []int32{2}, []float64{-1}}, "the weight in row 0, column 2 is -1"},
		{Weights{1, 3, []int{0, 1}, []int32{2}, []float64{math.Inf(1)}}, "the weight in row 0, column 2 is +Inf"},
	} {
		if _, _, err := Match(&c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// design has boxes as a page does: nested frames with children, some of the same box.
func design(rng *rand.Rand, n int) []Box {
	out := []Box{{0, 0, 1, 1}}
	for len(out) < n {
		parent := out[rng.IntN(len(out))]
		w, h := (parent.X1-parent.X0)*(0.05+0.95*rng.Float64()), (parent.Y1-parent.Y0)*(0.05+0.95*rng.Float64())
		switch rng.IntN(8) {
		case 0:
			w, h = parent.X1-parent.X0, parent.Y1-parent.Y0
		case 1:
			h = 0
		}
		x, y := parent.X0+(parent.X1-parent.X0-w)*rng.Float64(), parent.Y0+(parent.Y1-parent.Y0-h)*rng.Float64()
		out = append(out, Box{x, y, x + w, y + h})
	}
	return out
}

// moved is a design of which boxes were shifted, left out, and added.
func moved(rng *rand.Rand, boxes []Box) []Box {
	var out []Box
	for _, b := range boxes {
		switch rng.IntN(10) {
		case 0:
			continue
		case 1:
			x, y := rng.Float64(), rng.Float64()
			b = Box{x, y, x + 0.05, y + 0.02}
		case 2, 3:
			x, y := (b.X1-b.X0)*0.2*rng.NormFloat64(), (b.Y1-b.Y0)*0.2*rng.NormFloat64()
			b = Box{b.X0 + x, b.Y0 + y, b.X1 + x, b.Y1 + y}
		}
		out = append(out, b)
	}
	return out
}
