// The Theil–Sen slope: the exact median of all pairwise slopes in O(n log n)
// expected time and O(n) memory.

package stat

import (
	"cmp"
	"math"
	"slices"
)

// TheilSenFit is the robust line y = Intercept + Slope·x.
type TheilSenFit struct {
	N         int
	Slope     float64 // median of the slopes of all pairs with different x
	Intercept float64 // median(y) − Slope·median(x)
	// SlopeInterval is Sen's (1968) distribution-free interval for independent errors:
	// two order statistics of the slopes.
	SlopeInterval Interval
	Pairs         int64 // number of pairs with different x
}

// directPairs is the number of pairs up to which all slopes are simply sorted, and
// at which the search below stops narrowing.
const directPairs = 1 << 16

// TheilSen returns the median of the slopes (y_j − y_i)/(x_j − x_i) over all pairs
// with x_i ≠ x_j (the mean of the two middle ones for an even number) and its
// interval at the level given (0 means 0.95), as scipy.stats.theilslopes does,
// to within a few units in the last place. Slopes are selected by counting the
// pairs whose order changes between two directions (Cole, Salowe, Steiger and
// Szemerédi 1989; Matoušek 1991), never listed: n = 50,000 takes a second or so.
// Errors: different lengths, fewer than 3 observations, NaN or Inf, constant x.
func TheilSen(x, y []float64, level float64) (TheilSenFit, error) {
	s, err := newPairSlopes(x, y)
	if err != nil {
		return TheilSenFit{}, err
	}
	level, err = checkLevel("Theil–Sen slope", level)
	if err != nil {
		return TheilSenFit{}, err
	}
	f := TheilSenFit{N: len(x), Pairs: s.pairs}
	if f.Slope, err = s.median(); err != nil {
		return TheilSenFit{}, err
	}
	f.Intercept = Median(y) - float64(f.Slope*Median(x))

	ty := tiesOf(slices.Sorted(slices.Values(y)))
	z, size := NormalQuantile((1-level)/2), float64(len(x))
	variance := (size*(size-1)*(2*size+5) - s.tiesX.cubic - ty.cubic) / 18
	sigma := math.Sqrt(max(variance, 0))
	upper := min(int64(math.RoundToEven((float64(s.pairs)-z*sigma)/2)), s.pairs-1)
	lower := max(int64(math.RoundToEven((float64(s.pairs)+z*sigma)/2))-1, 0)
	f.SlopeInterval = noInterval(level, "too few distinct values")
	if variance > 0 && lower <= upper {
		f.SlopeInterval = Interval{Low: s.rank(lower), High: s.rank(upper), Level: level}
	}
	return f, nil
}

// pairSlopes are the slopes of all pairs that differ in x, in ascending order: sorted
// where they are few, else found one by one.
type pairSlopes struct {
	pairs    int64
	tiesX    ties
	sorted   []float64
	selector *slopeSelector
}

func newPairSlopes(x, y []float64) (*pairSlopes, error) {
	const quantity = "Theil–Sen slope"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return nil, err
	}
	if isConstant(x) {
		return nil, Undefined(quantity, "x is constant (%v)", x[0])
	}
	if limit := math.MaxFloat64 / 4; slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) > limit }) ||
		slices.ContainsFunc(y, func(v float64) bool { return math.Abs(v) > limit }) {
		return nil, Undefined(quantity, "values are too large; rescale the data")
	}
	n := int64(len(x))
	s := &pairSlopes{tiesX: tiesOf(slices.Sorted(slices.Values(x)))}
	s.pairs = n*(n-1)/2 - s.tiesX.pairs
	if s.pairs > directPairs {
		s.selector = newSlopeSelector(x, y)
		return s, nil
	}
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				s.sorted = append(s.sorted, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	slices.Sort(s.sorted)
	return s, nil
}

// median is the median of the slopes, the mean of the two middle ones for an even number.
func (s *pairSlopes) median() (float64, error) {
	var below, above float64
	if s.selector != nil {
		middle := s.selector.selectRanks((s.pairs-1)/2, s.pairs/2)
		below, above = middle[0], middle[1]
	} else {
		below, above = s.sorted[(s.pairs-1)/2], s.sorted[s.pairs/2]
	}
	if !isFinite(below) || !isFinite(above) {
		return math.NaN(), Undefined("Theil–Sen slope", "the median slope overflows; rescale the data")
	}
	if below == above {
		return below, nil
	}
	if mean := (below + above) / 2; isFinite(mean) {
		return mean, nil
	}
	return below/2 + above/2, nil
}

// rank is the slope of a zero-based rank.
func (s *pairSlopes) rank(r int64) float64 {
	if s.selector != nil {
		return s.selector.selectRanks(r, r)[0]
	}
	return s.sorted[r]
}

// at is the slope below which a share p of the others lies, 0 ≤ p ≤ 1.
func (s *pairSlopes) at(p float64) float64 {
	return s.rank(min(max(int64(math.Round(p*float64(s.pairs-1))), 0), s.pairs-1))
}

// slopeSelector finds order statistics of the pairwise slopes.
//
// Sort the points by y − t·x, for ties by descending x. Seen from the order at
// t = −∞ (ascending x), the pairs out of order are exactly those with slope ≤ t;
// between the orders at t = a and t = b exactly those with a < slope ≤ b. Such
// inversions can be counted, drawn at random and listed by a merge sort. Keys are
// computed in doubled precision: in plain float64 pairs with nearly equal slope
// would be miscounted, while what doubled precision may confuse are slopes that
// agree to the last digit.
type slopeSelector struct {
	x, y    []float64 // sorted by x, then y, scaled by powers of two to at most 1
	unit    float64   // what a slope of the scaled points is to be multiplied by
	order   []int32   // scratch for one order
	high    []float64
	low     []float64
	rankAt  []int32
	values  []int32
	scratch []int32
	random  *Random
}

func newSlopeSelector(x, y []float64) *slopeSelector {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]))
	})
	s := &slopeSelector{x: make([]float64, n), y: make([]float64, n), order: make([]int32, n),
		high: make([]float64, n), low: make([]float64, n), rankAt: make([]int32, n),
		values: make([]int32, n), scratch: make([]int32, n),
		// The draws decide the time taken, not the result: one fixed stream serves.
		random: NewRandom(StreamSelection.Key(0))}
	for k, i := range order {
		s.x[k], s.y[k] = x[i], y[i]
	}
	s.unit = scaleDown(s.y) / scaleDown(s.x)
	return s
}

// scaleDown divides values by a power of two so that none is above 1 in absolute
// value, and returns that power. Products with slopes then stay in range.
func scaleDown(values []float64) float64 {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	for i, v := range values {
		values[i] = math.Ldexp(v, -exponent)
	}
	return math.Ldexp(1, exponent)
}

// orderAt fills order with the points sorted at direction t.
func (s *slopeSelector) orderAt(t float64, order []int32) {
	for i := range order {
		order[i] = int32(i)
	}
	if math.IsInf(t, -1) {
		return // sorted by x and y already
	}
	if math.IsInf(t, 1) {
		slices.SortFunc(order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(s.x[b], s.x[a]), cmp.Compare(a, b))
		})
		return
	}
	t = min(max(t, -0x1p900), 0x1p900) // steeper ones are not told apart
	for i := range s.x {
		product := float64(t * s.x[i]) // rounded: the steps below recover what it lost
		rest := math.FMA(t, s.x[i], -product)
		// Knuth's two-sum of y and −product.
		sum := s.y[i] - product
		back := sum - s.y[i]
		lost := (s.y[i] - (sum - back)) + (-product - back)
		lost -= rest
		s.high[i] = sum + lost
		s.low[i] = lost - (s.high[i] - sum)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case s.high[a] < s.high[b]:
			return -1
		case s.high[a] > s.high[b]:
			return 1
		case s.low[a] < s.low[b]:
			return -1
		case s.low[a] > s.low[b]:
			return 1
		case s.x[a] > s.x[b]:
			return -1
		case s.x[a] < s.x[b]:
			return 1
		}
		return cmp.Compare(a, b) // same x: a and b are in the order of y
	})
}

// inversions counts the pairs with slope in (from, to]. They are reported to visit
// (which may be nil) in runs: the points left, each paired with the point right;
// first is the number of pairs reported before.
func (s *slopeSelector) inversions(from, to float64, visit func(first int64, left []int32, right int32)) int64 {
	s.orderAt(from, s.order)
	for rank, i := range s.order {
		s.rankAt[i] = int32(rank)
	}
	s.orderAt(to, s.order)
	copy(s.values, s.order)
	// Sorting the points from their order at `to` back into the order at `from`
	// meets every pair that changed its order once.
	var count int64
	s.merge(s.values, s.scratch, &count, visit)
	return count
}

func (s *slopeSelector) merge(values, scratch []int32, count *int64, visit func(first int64, left []int32, right int32)) {
	n := len(values)
	if n < 2 {
		return
	}
	half := n / 2
	s.merge(values[:half], scratch[:half], count, visit)
	s.merge(values[half:], scratch[half:], count, visit)
	if s.rankAt[values[half-1]] < s.rankAt[values[half]] {
		return
	}
	copy(scratch, values)
	left, right := scratch[:half], scratch[half:]
	for k := range values {
		if len(right) == 0 || (len(left) > 0 && s.rankAt[left[0]] < s.rankAt[right[0]]) {
			values[k] = left[0]
			left = left[1:]
			continue
		}
		if len(left) > 0 {
			if visit != nil {
				visit(*count, left, right[0])
			}
			*count += int64(len(left))
		}
		values[k] = right[0]
		right = right[1:]
	}
}

// slope returns the slope of two points of different x, rounded as a direct
// computation does.
func (s *slopeSelector) slope(a, b int32) float64 {
	v := (s.y[a] - s.y[b]) / (s.x[a] - s.x[b])
	if math.Abs(v) < flatSlope {
		return 0
	}
	return v
}

// flatSlope is the smallest slope of scaled points that is told apart from 0;
// below it the products of orderAt would underflow.
const flatSlope = 0x1p-900

// stepDown and stepUp return the next slope below and above.
func stepDown(v float64) float64 { return -stepUp(-v) }

func stepUp(v float64) float64 {
	switch {
	case v == -flatSlope:
		return 0
	case v == 0:
		return flatSlope
	}
	return math.Nextafter(v, math.Inf(1))
}

// list returns the slopes of all pairs in (from, to].
func (s *slopeSelector) list(from, to float64, count int64) []float64 {
	slopes := make([]float64, 0, count)
	s.inversions(from, to, func(_ int64, left []int32, right int32) {
		for _, l := range left {
			slopes = append(slopes, s.slope(l, right))
		}
	})
	return slopes
}

// sample returns the slopes of draws random pairs of the count in (from, to].
func (s *slopeSelector) sample(from, to float64, count int64, draws int) []float64 {
	numbers := make([]int64, draws)
	for i := range numbers {
		numbers[i] = int64(s.random.below(uint64(count)))
	}
	slices.Sort(numbers)
	slopes := make([]float64, 0, draws)
	s.inversions(from, to, func(first int64, left []int32, right int32) {
		for len(numbers) > 0 && numbers[0] < first+int64(len(left)) {
			slopes = append(slopes, s.slope(left[numbers[0]-first], right))
			numbers = numbers[1:]
		}
	})
	slices.Sort(slopes)
	return slopes
}

// selectRanks returns the slopes at the zero-based ranks r ≤ q of all slopes, q no
// more than r + 1.
func (s *slopeSelector) selectRanks(r, q int64) []float64 {
	from, to := math.Inf(-1), math.Inf(1)
	below := int64(0)                   // slopes ≤ from
	upTo := s.inversions(from, to, nil) // slopes ≤ to
	draws := max(len(s.x), 1000)
	direct := int64(max(4*len(s.x), directPairs))
	for upTo-below > direct {
		count := upTo - below
		slopes := s.sample(from, to, count, draws)
		// Where the ranks are expected in the sample, four standard deviations wide.
		margin := 2*math.Sqrt(float64(draws)) + 1
		slope := func(rank int64, side float64) float64 {
			k := float64(rank-below)/float64(count)*float64(draws) + side*margin
			return slopes[min(max(int(k), 0), draws-1)]
		}
		low, high := slope(r, -1), slope(q, 1)
		// One step below the lower candidate, so that slopes equal to it stay inside.
		low = stepDown(low)
		narrowed := false
		if low > from && low < to {
			if c := s.inversions(math.Inf(-1), low, nil); c <= r {
				from, below, narrowed = low, c, true
			} else if c > q {
				to, upTo, narrowed = low, c, true
			}
		}
		if high > from && high < to {
			if c := s.inversions(math.Inf(-1), high, nil); c > q {
				to, upTo, narrowed = high, c, true
			} else if c <= r {
				from, below, narrowed = high, c, true
			}
		}
		if narrowed {
			continue
		}
		// Many equal slopes: decide about the value expected at the rank itself.
		pivot := min(max(slope(r, 0), stepUp(from)), to)
		under := stepDown(pivot)
		less, upToPivot := below, s.inversions(math.Inf(-1), pivot, nil)
		if under > from {
			less = s.inversions(math.Inf(-1), under, nil)
		}
		switch {
		case q < less:
			to, upTo = under, less
		case r >= upToPivot:
			from, below = pivot, upToPivot
		case r >= less && q < upToPivot:
			return []float64{pivot * s.unit, pivot * s.unit}
		default: // the two ranks lie on different sides of a border of equal slopes
			return []float64{s.selectRanks(r, r)[0], s.selectRanks(q, q)[0]}
		}
	}
	slopes := s.list(from, to, upTo-below)
	slices.Sort(slopes)
	return []float64{slopes[r-below] * s.unit, slopes[q-below] * s.unit}
}
