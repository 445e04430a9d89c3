// Candidates are the points that may be neighbors of a point: all but itself and its
// exclusion window.

package rows

import "fmt"

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
