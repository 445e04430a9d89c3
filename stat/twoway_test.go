// Tests of crossed groupings, against variances known in closed form, and a simulation.

package stat

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var twoWayDraws = flag.Int("twoway-draws", 0, "draws of the simulation of crossed groupings; 0: few")

func crossed(t *testing.T, rows, columns int, of func(b *Blocks) *Jackknifed) (row, column, cell *Jackknifed) {
	t.Helper()
	label := func(f func(i int) int) *Jackknifed {
		labels := make([]int, rows*columns)
		for i := range labels {
			labels[i] = f(i)
		}
		b, err := NewBlocks(len(labels), labels, BlockSpec{Kind: EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		return of(b)
	}
	return label(func(i int) int { return i / columns }), label(func(i int) int { return i % columns }), label(func(i int) int { return i })
}

// spearmanRejections is how often the interval of the correlation of two crossed measures that have nothing in common
// leaves 0 out, in percent, with samples deleted alone and with both.
func spearmanRejections(t *testing.T, samples, models, draws int, effect float64) (one, two, half float64) {
	for d := range draws {
		r := rand.New(rand.NewPCG(uint64(d), 5))
		n := samples * models
		x, y := make([]float64, n), make([]float64, n)
		for m := range models {
			u, v := effect*r.NormFloat64(), effect*r.NormFloat64()
			for s := range samples {
				x[s*models+m], y[s*models+m] = u+.7*r.NormFloat64(), v+.7*r.NormFloat64()
			}
		}
		of := func(b *Blocks) *Jackknifed {
			j, err := JackknifeSpearman(t.Context(), b, x, y, 1)
			if err != nil {
				t.Fatal(err)
			}
			j, err = Combine(func(v []float64) float64 { return math.Atanh(v[0]) }, j)
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		row, column, cell := crossed(t, samples, models, of)
		out := func(v *Jackknifed) float64 {
			if v.Interval.Low > 0 || v.Interval.High < 0 {
				return 100 / float64(draws)
			}
			return 0
		}
		one += out(row)
		both := TwoWay(row, column, cell)
		two += out(both)
		half += (both.Interval.High - both.Interval.Low) / (row.Interval.High - row.Interval.Low) / float64(draws)
	}
	return one, two, half
}

func TestTwoWay(t *testing.T) {
	// A mean of cells without effects of rows and columns has the variance of the mean of cells; one of rows alone theirs.
	r := rand.New(rand.NewPCG(1, 2))
	const rows, columns = 6, 4
	values, byRow := make([]float64, rows*columns), make([]float64, rows*columns)
	for i := range values {
		values[i] = r.NormFloat64()
		if byRow[i] = r.NormFloat64(); i%columns > 0 {
			byRow[i] = byRow[i-1]
		}
	}
	mean := func(values []float64) func(*Blocks) *Jackknifed {
		return func(b *Blocks) *Jackknifed {
			j, err := JackknifeMean(b, values)
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
	}
	row, column, cell := crossed(t, rows, columns, mean(byRow))
	if both := TwoWay(row, column, cell); math.Abs(both.StdError-row.StdError) > 1e-12 || both.DF < column.DF || both.DF > row.DF {
		t.Errorf("rows alone vary: %v with %v degrees of freedom, want %v with up to %v", both.StdError, both.DF, row.StdError, row.DF)
	}
	row, column, cell = crossed(t, rows, columns, mean(values))
	want := math.Sqrt(max(row.StdError*row.StdError+column.StdError*column.StdError-cell.StdError*cell.StdError,
		row.StdError*row.StdError, column.StdError*column.StdError))
	if both := TwoWay(row, column, cell); math.Abs(both.StdError-want) > 1e-15 || both.Estimate != row.Estimate {
		t.Errorf("standard error %v, want %v", both.StdError, want)
	}
	row.Reason = "undefined"
	if both := TwoWay(row, column, cell); both.Interval.Defined() || both.Reason != "undefined" {
		t.Errorf("an undefined part: %+v", both)
	}
}

// Correlations over models that differ for unrelated reasons keep their level only with models deleted, too.
func TestTwoWayLevel(t *testing.T) {
	draws := max(*twoWayDraws, 60)
	for _, models := range []int{3, 5, 10, 20} {
		for _, effect := range []float64{0, .5, 1} {
			one, two, half := spearmanRejections(t, 12, models, draws, effect)
			t.Logf("%2d models, effect %.1f: 0 left out in %4.1f %% by samples, %4.1f %% by both, %.2f as wide", models, effect, one, two, half)
			if two > 8+250*math.Sqrt(.05*.95/float64(draws)) {
				t.Errorf("%d models with effects of %v: 0 left out in %v %% of %d draws", models, effect, two, draws)
			}
		}
	}
}
