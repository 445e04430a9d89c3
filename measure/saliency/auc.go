// Areas under curves of fixations found against other pixels taken for fixations.

package saliency

import (
	"math"
	"slices"

	"repscope/internal/kernel/vector"
	"repscope/stat"
)

// Step is the distance of the thresholds of [AUCBorji] in published code, in ranges of the map.
const Step = 0.1

// AUCJudd returns the area under the curve of the share of fixations ≥ t over the share of pixels without
// fixation ≥ t, t the values of the map at fixations (Judd et al. 2009), with (0, 0) and (1, 1), by trapezoids. In
// [0, 1]: 0.5 is chance. Equal values of fixations are one threshold (published code adds noise to part them).
// Repeated fixations count as often. Undefined for a constant map, without fixations, where every
// pixel is fixated, and for a picture of another size.
func AUCJudd(m *Map, f *Fixations) (float64, error) {
	const quantity = "AUC-Judd"
	if err := ranked(quantity, m, f); err != nil {
		return math.NaN(), err
	}
	others := len(m.values) - f.Pixels()
	if others == 0 {
		return math.NaN(), stat.Undefined(quantity, "every pixel is fixated")
	}
	fixated := f.of(m)
	slices.Sort(fixated)
	thresholds := slices.Compact(slices.Clone(fixated))
	pixels := levels(m.values, thresholds, m.min, m.max-m.min) // by the highest threshold that they reach
	for i, p := range f.pixels {
		if i > 0 && p == f.pixels[i-1] {
			continue
		}
		k, _ := slices.BinarySearch(thresholds, m.values[p])
		pixels[k+1]--
	}
	return area(levels(fixated, thresholds, m.min, m.max-m.min), pixels, len(fixated), others), nil
}

// AUCBorji returns the expectation of the sampled area of Borji et al. 2013 (see [AUCBorjiSplits]): that under the
// curve of the share of fixations ≥ t over the share of all pixels ≥ t, t from the maximum of the map downward by
// step·(max − min), with (0, 0) and (1, 1), by trapezoids. In [0, 1]: 0.5 is chance; even a perfect map stays below 1,
// as fixated pixels are among all. Repeated fixations count as often. Undefined for a constant map,
// without fixations, for a step that is not in (0, 1], and for a picture of another size.
func AUCBorji(m *Map, f *Fixations, step float64) (float64, error) {
	const quantity = "AUC-Borji"
	if err := ranked(quantity, m, f); err != nil {
		return math.NaN(), err
	}
	thresholds, err := ladder(quantity, step)
	if err != nil {
		return math.NaN(), err
	}
	return area(m.levels(f.of(m), thresholds), m.levels(m.values, thresholds), f.Len(), len(m.values)), nil
}

// Sampled is an area under a curve whose other pixels are drawn.
type Sampled struct {
	Mean   float64
	SE     float64   // standard error of the mean by the drawing alone; NaN for one split
	Splits []float64 // of each draw
}

// AUCBorjiSplits returns [AUCBorji] with as many pixels drawn as there are fixations, of all pixels and with
// replacement, once for every split, from stat.StreamFixations: the form in which the number was published, with 100
// splits. The thresholds are as in AUCBorji, which is the mean over endless splits. Undefined as
// it is, and for less than one split.
func AUCBorjiSplits(m *Map, f *Fixations, step float64, splits int, seed uint64) (Sampled, error) {
	const quantity = "AUC-Borji"
	if err := ranked(quantity, m, f); err != nil {
		return Sampled{Mean: math.NaN(), SE: math.NaN()}, err
	}
	return m.sampled(quantity, f.of(m), m.values, step, splits, stat.StreamFixations.Key(seed, 0))
}

// AUCShuffled returns the shuffled AUC (Tatler et al. 2005; Zhang et al. 2008): the probability that the map is
// higher at a fixation than at a fixation of other pictures, ties counting half, so that looking at the center earns
// nothing. In [0, 1]: 0.5 is chance. It is exact: every fixation against every other. Others are fixations of other
// pictures, brought to this one's size; repeats of both count as often, and others may lie where fixations are.
// Undefined for a constant map, without fixations or others, and for pictures of different sizes.
func AUCShuffled(m *Map, f, others *Fixations) (float64, error) {
	const quantity = "shuffled AUC"
	if err := shuffled(quantity, m, f, others); err != nil {
		return math.NaN(), err
	}
	fixated := f.of(m)
	slices.Sort(fixated)
	// Thresholds between which values are below, at, or above some value at fixations; wins of the fixations in halves.
	var thresholds []float64
	wins := []int{2 * len(fixated)}
	for i := 0; i < len(fixated); {
		v, beyond := fixated[i], i
		for beyond < len(fixated) && fixated[beyond] == v {
			beyond++
		}
		thresholds, wins = append(thresholds, v), append(wins, 2*(len(fixated)-beyond)+beyond-i)
		if v < m.max {
			thresholds, wins = append(thresholds, math.Nextafter(v, m.max)), append(wins, 2*(len(fixated)-beyond))
		}
		i = beyond
	}
	total := 0.0 // exact far beyond any number of pairs
	for k, n := range levels(others.of(m), thresholds, m.min, m.max-m.min) {
		total += float64(n) * float64(wins[k])
	}
	return total / 2 / float64(f.Len()) / float64(others.Len()), nil
}

// ranked says whether a map can be held against fixations by order.
func ranked(quantity string, m *Map, f *Fixations) error {
	if err := locate(quantity, m, f); err != nil {
		return err
	}
	return m.ordered(quantity)
}

func shuffled(quantity string, m *Map, f, others *Fixations) error {
	if err := ranked(quantity, m, f); err != nil {
		return err
	}
	if err := sameSize(quantity, m.Width, m.Height, others.Width, others.Height); err != nil {
		return err
	}
	if others.Len() == 0 {
		return stat.Undefined(quantity, "no fixations of other images")
	}
	return nil
}

// sampled draws len(found) of the values from for each split.
func (m *Map) sampled(quantity string, fixated, from []float64, step float64, splits int,
	key stat.Key) (Sampled, error) {
	out := Sampled{Mean: math.NaN(), SE: math.NaN()}
	thresholds, err := ladder(quantity, step)
	if err != nil {
		return out, err
	}
	if splits < 1 {
		return out, stat.Undefined(quantity, "%d splits, want at least 1", splits)
	}
	positive := m.levels(fixated, thresholds)
	out.Splits = make([]float64, splits)
	drawn := make([]float64, len(fixated))
	for s := range out.Splits {
		random := stat.NewRandom(key.Derive(uint64(s)))
		for i := range drawn {
			drawn[i] = from[random.Intn(len(from))]
		}
		out.Splits[s] = area(positive, m.levels(drawn, thresholds), len(fixated), len(drawn))
	}
	n := float64(splits)
	out.Mean = vector.Sum64(out.Splits) / n
	squares := 0.0
	for _, v := range out.Splits {
		d := v - out.Mean
		squares += float64(d * d)
	}
	if splits > 1 {
		out.SE = math.Sqrt(squares / (n - 1) / n)
	}
	return out, nil
}

// ladder returns the thresholds 1, 1 − step, … that are at least 0, ascending.
func ladder(quantity string, step float64) ([]float64, error) {
	if !(step > 0 && step <= 1) || step < 1e-6 {
		return nil, stat.Undefined(quantity, "step %v, want at least 1e-6 and at most 1", step)
	}
	steps := math.Floor(1/step + 1e-9)
	whole := math.Abs(steps*step-1) < 1e-9 // steps of 1/n are exactly that, so that 0.3 is met by 0.3
	var out []float64
	for k := steps; k >= 0; k-- {
		t := 1 - k*step
		if whole {
			t = (steps - k) / steps
		}
		out = append(out, t)
	}
	return out, nil
}

// levels counts values in units of the map's range by the thresholds that they reach.
func (m *Map) levels(values, thresholds []float64) []int {
	units := make([]float64, len(values))
	for i, v := range values {
		units[i] = m.unit(v)
	}
	return levels(units, thresholds, 0, 1)
}

// levels counts values by how many of the ascending thresholds they reach: out[k] are those that reach k. Values and
// thresholds lie in [origin, origin + width].
func levels(values, thresholds []float64, origin, width float64) []int {
	out := make([]int, len(thresholds)+1)
	if len(values) < 4096 {
		for _, v := range values {
			out[reached(v, thresholds)]++
		}
		return out
	}
	// Many values: the range is cut into cells, and only thresholds of a value's own cell are compared with it.
	cells := float64(max(1024, 4*len(thresholds)))
	below := make([]int, int(cells)+2) // thresholds in cells before this one
	for _, t := range thresholds {
		below[cell(t, origin, width, cells)+1]++
	}
	for i := range below[1:] {
		below[i+1] += below[i]
	}
	for _, v := range values {
		c := cell(v, origin, width, cells)
		k := below[c]
		if below[c+1] > k {
			k += reached(v, thresholds[k:below[c+1]])
		}
		out[k]++
	}
	return out
}

// cell is monotone in v: 0 at the origin, cells at the other end.
func cell(v, origin, width, cells float64) int { return int((v - origin) / width * cells) }

// reached is how many of the ascending thresholds are at most v.
func reached(v float64, thresholds []float64) int {
	low, high := 0, len(thresholds)
	for low < high {
		middle := int(uint(low+high) / 2)
		if thresholds[middle] <= v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// area is that under the curve of positives over negatives, from the highest threshold to (1, 1), by trapezoids.
func area(positive, negative []int, positives, negatives int) float64 {
	total, tp, fp := 0.0, 0, 0
	for k := len(positive) - 1; k >= 0; k-- { // the last step is to those that reach no threshold: (1, 1)
		total += float64(float64(negative[k]) * float64(2*tp+positive[k]))
		tp, fp = tp+positive[k], fp+negative[k]
	}
	return total / 2 / float64(positives) / float64(negatives)
}
