// Positions of all entries of a row among many thresholds that are known only up to an interval.

package scan

import (
	"math"

	"repscope/internal/kernel"
)

// IntervalCounter finds the position of every value of a row among many sorted thresholds, each known up to an
// interval. The values are counted in equal steps; only values in steps that an interval touches are examined one by
// one.
type IntervalCounter[K Key] struct {
	first K                 // values below it, in step 0, are below all intervals
	scale float64           // steps per unit
	last  int               // the step of the values above all intervals
	count [mostSteps]uint32 // of the values in each step; the highest bit is set where an interval touches it
	below [mostSteps]int32  // of each step that an interval touches: the intervals that end in steps before
	where [Segment]uint16
	which [Segment]uint16
	at    [Segment]int32
	ends  [2][]uint16 // steps of the ends of the intervals
	// The intervals, and after them the key of excluded entries.
	low, high []K
}

// Between stepsPerThreshold steps for each threshold and maxSteps, for few values to be looked at and the
// table to stay in the cache; mostSteps holds maxSteps and the two at the ends.
const stepsPerThreshold, leastSteps, maxSteps, mostSteps = 16, 64, 1 << 12, 1 << 13

// touched marks the count of a step that an interval touches.
const touched = 1 << 31

// Scan adds to hist[p] the number of values at position p. For values v outside all intervals low[p] … high[p], that is
// the number of thresholds p with high[p] < v. For the others it is the result of hit, called with the value, its index
// and the number of thresholds with high[p] < v. low and high ascend, and hist is one longer.
func (c *IntervalCounter[K]) Scan(row, low, high []K, hist []int32, hit func(v K, l int32, p int) int) {
	c.reset(low, high)
	for start := 0; start < len(row); start += Segment {
		part := row[start:min(start+Segment, len(row))]
		count := c.look(part, c.countSteps(part), hist)
		for q, l := range c.which[:count] {
			p := int(c.at[q])
			if p < len(low) {
				p = hit(part[l], int32(start)+int32(l), p)
			}
			hist[p]++
		}
	}
	b := 0
	for p := range high {
		sum := uint32(0)
		for end := int(c.ends[1][p]); b < end; b++ {
			n := c.count[b&(mostSteps-1)]
			sum += n &^ uint32(int32(n)>>31)
		}
		hist[p] += int32(sum)
	}
}

// look counts, of the few values of part that must be examined, the values outside all intervals. It writes the indices
// of the others and the number of intervals that end below them. Mostly one interval touches a step; the side of a
// value is unpredictable, so the code has no branch for it.
func (c *IntervalCounter[K]) look(part []K, count int, hist []int32) (inside int) {
	low, high := c.low, c.high
	for _, l := range c.which[:count] {
		v, p := part[l], int(c.below[c.where[l&(Segment-1)]&(mostSteps-1)])
		p += less(high[p], v)
		for high[p] < v {
			p++
		}
		within := 1 - less(v, low[p])
		c.which[inside&(Segment-1)], c.at[inside&(Segment-1)] = l, int32(p)
		inside += within
		hist[p] += int32(1 - within)
	}
	return inside
}

// less is 1 where a < b, else 0; compiled without a branch.
func less[K Key](a, b K) int {
	n := 0
	if a < b {
		n = 1
	}
	return n
}

// countSteps counts the values of part by step, and writes the indices of the values that must be examined.
func (c *IntervalCounter[K]) countSteps(part []K) (count int) {
	c.place(c.where[:], part)
	for l, b := range c.where[:len(part)] {
		n := c.count[b&(mostSteps-1)] + 1
		c.count[b&(mostSteps-1)] = n
		c.which[count&(Segment-1)] = uint16(l)
		count += int(n / touched)
	}
	return count
}

// reset divides the values between the first and the last end of an interval into steps.
func (c *IntervalCounter[K]) reset(low, high []K) {
	bins := leastSteps
	for bins < min(stepsPerThreshold*len(high), maxSteps) {
		bins *= 2
	}
	c.first, c.last = low[0], bins+1
	// Not 0 for the largest range: excluded values, infinitely far, lie in the last step.
	c.scale = min(float64(bins-1)/(float64(high[len(high)-1])-float64(c.first)), math.MaxFloat64)
	clear(c.count[:c.last+1])
	for e, values := range [2][]K{low, high} {
		c.ends[e] = Grown(c.ends[e], len(values))
		c.place(c.ends[e], values)
	}
	c.low, c.high = append(append(c.low[:0], low...), Excluded[K]()), append(append(c.high[:0], high...), Excluded[K]())
	next, q := 0, 0
	for p := range low {
		for b := max(next, int(c.ends[0][p])); b <= int(c.ends[1][p]); b++ {
			for q < len(high) && int(c.ends[1][q]) < b {
				q++
			}
			c.count[b], c.below[b] = touched, int32(q)
			next = b + 1
		}
	}
}

// place sets where[l] to the step of each value: 1 + (v − first)·scale, rounded down, between 0 and the last. Every
// operation is monotone, and so is the step.
func (c *IntervalCounter[K]) place(where []uint16, values []K) {
	switch values := any(values).(type) {
	case []float32:
		kernel.StepsFloat32(where, values, any(c.first).(float32), float32(min(c.scale, math.MaxFloat32)), c.last)
	case []int32:
		kernel.StepsInt32(where, values, any(c.first).(int32), float32(min(c.scale, math.MaxFloat32)), c.last)
	default:
		last := float64(c.last)
		for l, v := range any(values).([]K) {
			where[l] = uint16(max(0, min(float64(float64(v-c.first)*c.scale)+1, last)))
		}
	}
}
