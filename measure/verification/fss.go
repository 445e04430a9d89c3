// The fractions skill score.

package verification

import (
	"math"

	"repscope/stat"
)

// Fractions are the sums of the fractions skill score of Roberts and Lean (2008,
// "Scale-selective verification of rainfall accumulations") over the windows around all
// cells: of the squared difference of the fractions of a window that the event covers in
// the forecast and in truth, and of the squares of both.
type Fractions struct{ Difference, Forecast, Observed float64 }

// FractionsOf are the fractions of three sums in the order of the fields.
func FractionsOf(sums []float64) Fractions { return Fractions{sums[0], sums[1], sums[2]} }

// Sums are the three sums in the order of the fields.
func (f Fractions) Sums() []float64 { return []float64{f.Difference, f.Forecast, f.Observed} }

// FSS is the fractions skill score 1 − Difference/(Forecast + Observed): 1 is best, 0
// worst. Undefined where the event neither occurs nor is forecast.
func (f Fractions) FSS() (float64, error) {
	if !(f.Forecast+f.Observed > 0) {
		return math.NaN(), stat.Undefined("FSS", neither)
	}
	return max(0, 1-f.Difference/(f.Forecast+f.Observed)), nil // rounding alone could make it negative
}

// UsefulFSS is the score above which a forecast is called useful, ½ + baseRate/2 (Roberts
// and Lean 2008): half way between the score of a random forecast and 1.
func UsefulFSS(baseRate float64) float64 { return 0.5 + baseRate/2 }

// AsymptoticFSS is the score that is reached as windows grow, 2·f·o/(f² + o²) of the shares
// of cells with the event in the forecast and in truth: 1 where the forecast has no bias in
// frequency. NaN where both are 0.
func AsymptoticFSS(forecast, observed float64) float64 {
	return 2 * forecast * observed / (forecast*forecast + observed*observed)
}

// Grid is the shape of a field.
type Grid struct {
	Height, Width int
	// Wrap says that the columns go round: the last is next to the first, as the longitudes of a
	// whole circle are.
	Wrap bool
}

// Sums is the summed-area table of numbers of members, (Height + 1) × (Width + 1): its value at
// (i, j) is the sum over the rows above i and the columns left of j. Cells of weight 0 are
// without the event, as those outside the grid.
func (g Grid) Sums(counts []int, weights []float64) []int {
	width := g.Width
	table := make([]int, (g.Height+1)*(width+1))
	for i := range g.Height {
		above, row := table[i*(width+1):], table[(i+1)*(width+1):]
		sum := 0
		for j, k := range counts[i*width : (i+1)*width] {
			if weights == nil || weights[i*width+j] != 0 {
				sum += k
			}
			row[j+1] = above[j+1] + sum
		}
	}
	return table
}

// rows are two rows of a table ([Grid.Sums]), above and below those that are summed.
type rows struct{ upper, lower []int }

// rowsOf are the sums of rows lo … hi−1.
func (g Grid) rowsOf(table []int, lo, hi int) rows {
	return rows{table[lo*(g.Width+1):][:g.Width+1], table[hi*(g.Width+1):][:g.Width+1]}
}

// between is the sum over columns left … right−1.
func (r rows) between(left, right int) int {
	return r.lower[right] - r.lower[left] - r.upper[right] + r.upper[left]
}

// round is the sum over columns left … right−1 of a grid that goes round, which may lie beyond it.
func (r rows) round(left, right int) int {
	width := len(r.lower) - 1
	before := func(column int) int { // from 0 on, negative to the left of it
		rounds := column / width
		if column%width < 0 {
			rounds--
		}
		return rounds*r.between(0, width) + r.between(0, column-rounds*width)
	}
	return before(right) - before(left)
}

// Fractions compares the summed-area tables ([Grid.Sums]) of how many of the members
// forecast the event (1 for a field, such as the ensemble mean; an ensemble is compared by
// the mean of its members' fractions, which are neighborhood probabilities, Schwartz et al.
// 2010) and of where it occurs, in windows of window × window cells. A window is centered
// on its cell; one of even size reaches one cell further up and left. Cells outside the
// grid are without the event and count, as in Roberts and Lean; where the columns go round, a
// window that is wider than the grid has them several times. weights are the weights of the cells
// that windows are centered on.
func (g Grid) Fractions(forecast, observed []int, members, window int, weights []float64) Fractions {
	var f Fractions
	area := float64(window) * float64(window)
	scale := area * float64(members)
	for i := range g.Height {
		lo, hi := max(0, i-window/2), min(g.Height, i-window/2+window)
		predicted, truth := g.rowsOf(forecast, lo, hi), g.rowsOf(observed, lo, hi)
		for j := range g.Width {
			w := 1.0
			if weights != nil {
				w = weights[i*g.Width+j]
			}
			if w == 0 {
				continue
			}
			left, right := j-window/2, j-window/2+window
			var has, is int
			if g.Wrap {
				has, is = predicted.round(left, right), truth.round(left, right)
			} else {
				left, right = max(0, left), min(g.Width, right)
				has, is = predicted.between(left, right), truth.between(left, right)
			}
			p, o := float64(has)/scale, float64(is)/area
			f.Difference += w * (p - o) * (p - o)
			f.Forecast += w * p * p
			f.Observed += w * o * o
		}
	}
	return f
}
