// Candidates are the points that may be neighbors of a point: all but itself and its
// exclusion window. Listed are its neighbors with their ties.

package rows

import (
	"fmt"
)

// Candidates defines which of n points may be neighbors of each other.
type Candidates struct {
	N       int  // points, the length of a row
	Self    bool // queries are the points themselves
	Window  int
	Episode []int // of each point; nil means one episode
	Time    []int // of each point, strictly ascending, which Window counts; nil means positions
}

// Exclusions calls skip for every point that is no candidate of point i.
func (c *Candidates) Exclusions(i int, skip func(j int)) {
	if !c.Self {
		return
	}
	// Times ascend, so that points are at least as far apart in time as in position.
	for j := max(0, i-c.Window); j <= min(c.N-1, i+c.Window); j++ {
		if c.Excludes(i, j) {
			skip(j)
		}
	}
}

// Excludes reports whether point j is no candidate of point i.
func (c *Candidates) Excludes(i, j int) bool {
	if i == j {
		return true
	}
	apart := max(i-j, j-i)
	if c.Time != nil && apart <= c.Window {
		apart = max(c.Time[i]-c.Time[j], c.Time[j]-c.Time[i])
	}
	return apart <= c.Window && (c.Episode == nil || c.Episode[i] == c.Episode[j])
}

// InTime reports whether the window counts times.
func (c *Candidates) InTime() bool { return c.Window > 0 && c.Time != nil }

// Count is the number of candidates of point i.
func (c *Candidates) Count(i int) int {
	if c.Window == 0 {
		return c.N - 1
	}
	m := c.N
	c.Exclusions(i, func(int) { m-- })
	return m
}

// Check reports the first point that has fewer than k candidates.
func (c *Candidates) Check(k int) error {
	for i := range c.N {
		if m := c.Count(i); k < 1 || k > m {
			return fmt.Errorf("k = %d: want 1 ≤ k ≤ %d, the candidates of point %d", k, m, i)
		}
		if c.Window == 0 {
			break
		}
	}
	return nil
}

// Listed are the neighbors of a point, nearest first. Run holds, for each, the first index of its run of equal
// distances; the last run is whole. Run is nil if ties are in some order.
type Listed struct{ Index, Run []int32 }

// RunEnd is the end of the run of equal distances that begins at index lo.
func RunEnd(run []int32, lo int) int {
	hi := lo + 1
	for hi < len(run) && run[hi] == run[lo] {
		hi++
	}
	return hi
}

// Tied reports whether two of the list are equally far.
func (l Listed) Tied() bool {
	for index, lo := range l.Run {
		if int(lo) != index {
			return true
		}
	}
	return false
}

// Cut keeps the first length neighbors and all at the distance of the last of them.
func (l Listed) Cut(length int) Listed {
	if l.Run == nil {
		return Listed{Index: l.Index[:length]}
	}
	length = RunEnd(l.Run, int(l.Run[length-1]))
	return Listed{l.Index[:length], l.Run[:length]}
}
