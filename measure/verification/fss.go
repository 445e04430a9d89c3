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

// FractionsOf are those of three sums in the order of the fields.
func FractionsOf(sums []float64) Fractions { return Fractions{sums[0], sums[1], sums[2]} }

// Sums are the three sums in the order of the fields.
func (f Fractions) Sums() []float64 { return []float64{f.Difference, f.Forecast, f.Observed} }

// Add adds the sums of other windows.
func (f *Fractions) Add(other Fractions) {
	f.Difference += other.Difference
	f.Forecast += other.Forecast
	f.Observed += other.Observed
}

// FSS is the fractions skill score 1 − Difference/(Forecast + Observed): 1 is best, 0
// worst. Undefined where the event neither occurs nor is forecast.
func (f Fractions) FSS() (float64, error) {
	if !(f.Forecast+f.Observed > 0) {
		return math.NaN(), stat.Undefined("FSS", neither)
	}
	return 1 - f.Difference/(f.Forecast+f.Observed), nil
}

// UsefulFSS is the score above which a forecast is called useful, ½ + baseRate/2 (Roberts
// and Lean 2008): half way between that of a random forecast and 1.
func UsefulFSS(baseRate float64) float64 { return 0.5 + baseRate/2 }

// AsymptoticFSS is the score that is reached as windows grow, 2·f·o/(f² + o²) of the shares
// of cells with the event in the forecast and in truth: 1 where the forecast has no bias in
// frequency. NaN where both are 0.
func AsymptoticFSS(forecast, observed float64) float64 {
	return 2 * forecast * observed / (forecast*forecast + observed*observed)
}

// SumsOf is the summed-area table of numbers of members on a grid, (height + 1) × (width +
// 1): its value at (i, j) is the sum over the rows above i and the columns left of j.
func SumsOf(counts []int, height, width int) []int {
	table := make([]int, (height+1)*(width+1))
	for i := range height {
		above, row := table[i*(width+1):], table[(i+1)*(width+1):]
		sum := 0
		for j, k := range counts[i*width : (i+1)*width] {
			sum += k
			row[j+1] = above[j+1] + sum
		}
	}
	return table
}

// NewFractions compares the summed-area tables ([SumsOf]) of how many of the members
// forecast the event (1 for a field, such as the ensemble mean; an ensemble is compared by
// the mean of its members' fractions, which are neighborhood probabilities, Schwartz et al.
// 2010) and of where it occurs, in windows of window × window cells. A window is centered
// on its cell; one of even size reaches one cell further up and left. Cells outside the
// grid are without the event and count, as in Roberts and Lean. weights are those of the
// cells that windows are centered on.
func NewFractions(forecast, observed []int, members, height, width, window int, weights []float64) Fractions {
	var f Fractions
	area := float64(window) * float64(window)
	scale := area * float64(members)
	for i := range height {
		lo, hi := max(0, i-window/2), min(height, i-window/2+window)
		for j := range width {
			left, right := max(0, j-window/2), min(width, j-window/2+window)
			a, b, c, d := hi*(width+1)+right, hi*(width+1)+left, lo*(width+1)+right, lo*(width+1)+left
			p := float64(forecast[a]-forecast[b]-forecast[c]+forecast[d]) / scale
			o := float64(observed[a]-observed[b]-observed[c]+observed[d]) / area
			w := 1.0
			if weights != nil {
				w = weights[i*width+j]
			}
			f.Difference += w * (p - o) * (p - o)
			f.Forecast += w * p * p
			f.Observed += w * o * o
		}
	}
	return f
}
