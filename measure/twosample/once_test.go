// Tests of pairs of blocks, which count once.

package twosample_test

import (
	"math"
	"testing"

	"repscope/measure/twosample"
	"repscope/stat"
)

// each are blocks of one point each.
func each(t *testing.T, labels []int) *stat.Blocks {
	t.Helper()
	b, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func numbered(n, size int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i / size
	}
	return out
}

// nearestMean is the mean distance of the points x to the nearest points y, the share of them that is nearer than the
// nearest two points y are to each other, and the deletions of both.
type nearestMean struct {
	value   float64
	without []float64
	changes [][]float64
}

func nearestIn(x, y [][2]float64, blockX, blockY *stat.Blocks) nearestMean {
	distance := func(i, block int) float64 {
		best := math.Inf(1)
		for j, q := range y {
			if blockY.Labels()[j] != block {
				best = min(best, math.Hypot(x[i][0]-q[0], x[i][1]-q[1]))
			}
		}
		return best
	}
	n := float64(len(x))
	values, m := make([]float64, len(x)), nearestMean{}
	for i := range x {
		values[i] = distance(i, -1)
		m.value += values[i] / n
	}
	for b := range blockX.Count() {
		sum, count := 0.0, 0.0
		for i, v := range values {
			if blockX.Labels()[i] != b {
				sum, count = sum+v, count+1
			}
		}
		m.without = append(m.without, sum/count)
	}
	for b := range blockY.Count() {
		row, without := make([]float64, blockX.Count()), m.value
		for i, v := range values {
			change := (distance(i, b) - v) / n
			row[blockX.Labels()[i]] += change
			without += change
		}
		m.without, m.changes = append(m.without, without), append(m.changes, row)
	}
	return m
}

// The variance of mean distances to the nearest point is the variance over draws. Both jackknives have half as much
// again.
func TestCountOnce_Variance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many draws, one after another")
	}
	const n, draws = 30, 200
	var values, plain, once []float64
	blocks := each(t, numbered(n, 1))
	for draw := range uint64(draws) {
		r := stat.NewRandom(stat.NewKey(4, draw))
		sample := func() [][2]float64 {
			out := make([][2]float64, n)
			for i := range out {
				out[i] = [2]float64{r.Normal(), r.Normal()}
			}
			return out
		}
		m := nearestIn(sample(), sample(), blocks, blocks)
		counted, err := twosample.CountOnce(m.value, m.without, m.changes, blocks, blocks)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, m.value)
		for _, c := range []struct {
			without []float64
			to      *[]float64
		}{{m.without, &plain}, {counted, &once}} {
			j, err := twosample.JackknifeBlocks(m.value, c.without, blocks, blocks)
			if err != nil {
				t.Fatal(err)
			}
			*c.to = append(*c.to, j.StdError*j.StdError)
		}
	}
	variance := math.Pow(stat.StandardDeviation(values), 2)
	if ratio := stat.Mean(plain) / variance; ratio < 1.3 {
		t.Errorf("both jackknives have %v of the variance", ratio)
	}
	if ratio := stat.Mean(once) / variance; ratio < 0.8 || ratio > 1.25 {
		t.Errorf("pairs once have %v of the variance", ratio)
	}
}

// Changes that all blocks of the first sample share leave the deletions as they are; changes that none share take the
// variance of the second sample away.
func TestCountOnce_Shared(t *testing.T) {
	t.Parallel()
	first, second := each(t, numbered(12, 3)), each(t, numbered(10, 2))
	r := stat.NewRandom(stat.NewKey(5))
	without := make([]float64, 9)
	for i := range without[:4] {
		without[i] = 1 + 0.1*r.Normal()
	}
	shared, alone := make([][]float64, 5), make([][]float64, 5)
	changed := append([]float64(nil), without...)
	for b := range shared {
		d := r.Normal()
		for range 4 {
			shared[b] = append(shared[b], d/4)
		}
		without[4+b] = 1 + d
		sum := 0.0
		for range 4 {
			v := r.Normal()
			alone[b] = append(alone[b], v)
			sum += v
		}
		for j := range alone[b] { // no sum but that of rounding
			alone[b][j] -= sum / 4
		}
		changed[4+b] = 1 + 1e-6*float64(b)
	}
	got, err := twosample.CountOnce(1, without, shared, first, second)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if math.Abs(v-without[i]) > 1e-12 {
			t.Errorf("deletion %d: %v, want %v", i, v, without[i])
		}
	}
	if got, err = twosample.CountOnce(1, changed, alone, first, second); err != nil {
		t.Fatal(err)
	}
	for b, v := range got[4:] {
		if math.Abs(v-1) > 1e-9 {
			t.Errorf("deletion %d of the second sample: %v, want 1", b, v)
		}
	}
	for name, c := range map[string]struct {
		without []float64
		changes [][]float64
	}{
		"values": {without[1:], shared}, "rows": {without, shared[1:]},
		"columns": {without, [][]float64{{1}, {1}, {1}, {1}, {1}}},
	} {
		if _, err := twosample.CountOnce(1, c.without, c.changes, first, second); err == nil {
			t.Errorf("%s of another number are no error", name)
		}
	}
}
