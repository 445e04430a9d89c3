// Placing every value of a row among many thresholds of which only an interval is known.

package scan

// IntervalCounter places every value of a row among many sorted thresholds, of each of which an interval is known. The
// values are counted in equal steps; only those in steps that an interval touches are looked at one by one.
type IntervalCounter[K Key] struct {
	StepTable[K]
	count []uint32 // of the values in each step; the highest bit is set where an interval touches it
	found [Segment]int32
	which [Segment]int32
}

// stepsPerThreshold and maxSteps make the table of steps fine enough for few values to be
// looked at, and small enough for the cache.
const stepsPerThreshold, maxSteps = 16, 1 << 13

// touched marks the count of a step that an interval touches.
const touched = 1 << 31

// Scan adds to hist[p] the number of values whose place is p. That is the number
// of thresholds p with high[p] < v for values v outside all intervals low[p] … high[p]; for the others it is what
// hit returns, who gets the value, its index and the number of thresholds with high[p] < v.
// low and high ascend.
func (c *IntervalCounter[K]) Scan(row, low, high []K, hist []int32, hit func(v K, l int32, p int) int) {
	c.Reset(high, stepsPerThreshold, maxSteps)
	c.count = Zeroed(c.count, len(c.start))
	for p, v := range low {
		for b := c.step(max(v, c.Low)); b <= c.step(high[p]); b++ {
			c.count[b] = touched
		}
	}
	first, count, which, steps := low[0], c.count, &c.which, c.StepTable
	for start := 0; start < len(row); start += Segment {
		part := row[start:min(start+Segment, len(row))]
		few := 0
		for _, l := range c.found[:AtMost(c.found[:], part, c.High)] {
			b := 0
			if v := part[l]; v >= steps.Low {
				b = steps.step(v)
			} else if v < first {
				hist[0]++
				continue
			}
			n := count[b] + 1
			count[b] = n
			which[few&(Segment-1)] = l
			few += int(n / touched)
		}
		for _, l := range which[:few] {
			v, p := part[l], 0
			if v >= c.Low {
				p = c.Below(v)
			}
			if low[p] <= v {
				p = hit(v, int32(start)+l, p)
			}
			hist[p]++
		}
	}
	for b, n := range count {
		if n < touched {
			hist[c.start[b]] += int32(n)
		}
	}
}
