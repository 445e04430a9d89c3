// Agreement of two partitions: mutual information and the Rand index, adjusted for
// chance.

package cluster

import (
	"fmt"
	"math"
)

// Contingency counts the points in group a of one partition and group b of another. Measures of
// agreement are computed from it.
type Contingency struct {
	n       int
	cells   []int // [rows × columns]
	rows    []int // row sums
	columns []int
}

// Add adds a multiple of one point in groups a and b; −1 removes one, for the agreement without it.
// Groups are positions in [Partition.Labels].
func (c *Contingency) Add(a, b, times int) {
	c.n += times
	c.cells[a*len(c.columns)+b] += times
	c.rows[a] += times
	c.columns[b] += times
}

// NewContingency counts two partitions of the same points. Partitions of different
// numbers of points are an error.
func NewContingency(a, b Partition) (*Contingency, error) {
	if len(a.Of) != len(b.Of) {
		return nil, fmt.Errorf("partitions have %d and %d points, want the same number", len(a.Of), len(b.Of))
	}
	c := &Contingency{cells: make([]int, a.Groups()*b.Groups()), rows: make([]int, a.Groups()), columns: make([]int, b.Groups())}
	for i, g := range a.Of {
		c.Add(g, b.Of[i], 1)
	}
	return c, nil
}

// Agreeing counts the points that have a group, −1 for none, see [Left], against
// partition b of all points.
func Agreeing(group []int, groups int, b Partition) *Contingency {
	c := &Contingency{cells: make([]int, groups*b.Groups()), rows: make([]int, groups), columns: make([]int, b.Groups())}
	for i, g := range group {
		if g >= 0 {
			c.Add(g, b.Of[i], 1)
		}
	}
	return c
}

func entropy(sizes []int, n int) float64 {
	h := 0.0
	for _, s := range sizes {
		if s > 0 {
			p := float64(s) / float64(n)
			h -= p * math.Log(p)
		}
	}
	return max(0, h)
}

func (c *Contingency) mutualInformation() float64 {
	mi := 0.0
	for a, row := range c.rows {
		for b, column := range c.columns {
			if v := c.cells[a*len(c.columns)+b]; v > 0 {
				mi += float64(v) / float64(c.n) * (math.Log(float64(v)) + math.Log(float64(c.n)) - math.Log(float64(row)) - math.Log(float64(column)))
			}
		}
	}
	return max(0, mi)
}

// NMI returns the mutual information of the partitions divided by the arithmetic mean of their
// entropies, in [0, 1]; 1 for equal partitions, also for one group each. It grows with the number of
// groups even for random partitions; AMI and ARI do not. NaN without points.
func (c *Contingency) NMI() float64 {
	mean := (entropy(c.rows, c.n) + entropy(c.columns, c.n)) / 2
	if mean == 0 {
		return 1 // both are one group
	}
	return min(1, c.mutualInformation()/mean)
}

// ARI returns the Rand index adjusted for chance (Hubert & Arabie 1985): 1 for equal partitions, 0
// expected for random partitions, possibly negative.
func (c *Contingency) ARI() float64 {
	pairs := func(counts []int) float64 {
		s := 0.0
		for _, v := range counts {
			s += float64(v) * float64(v-1) / 2
		}
		return s
	}
	both, rows, columns, all := pairs(c.cells), pairs(c.rows), pairs(c.columns), float64(c.n)*float64(c.n-1)/2
	if both == rows && both == columns {
		return 1 // the same partition, one group and single points among them
	}
	expected := rows * columns / all
	return (both - expected) / ((rows+columns)/2 - expected)
}

// AMI returns the mutual information adjusted for chance (Vinh, Epps & Bailey 2010) with the
// arithmetic mean of the entropies: 1 for equal partitions, 0 expected for random partitions, possibly
// negative. The expectation is over random partitions with the same group sizes (hypergeometric); its
// cost is proportional to n times the number of pairs of groups.
func (c *Contingency) AMI() float64 {
	groups := func(sizes []int) (count int) {
		for _, s := range sizes {
			if s > 0 {
				count++
			}
		}
		return count
	}
	if r, s := groups(c.rows), groups(c.columns); r == s && (r == 1 || r == c.n) {
		return 1
	}
	logFactorial := make([]float64, c.n+1)
	for i := 2; i <= c.n; i++ {
		logFactorial[i] = logFactorial[i-1] + math.Log(float64(i))
	}
	n := float64(c.n)
	expected := 0.0
	for _, a := range c.rows {
		for _, b := range c.columns {
			for v := max(1, a+b-c.n); v <= min(a, b); v++ {
				logP := logFactorial[a] + logFactorial[b] + logFactorial[c.n-a] + logFactorial[c.n-b] -
					logFactorial[c.n] - logFactorial[v] - logFactorial[a-v] - logFactorial[b-v] - logFactorial[c.n-a-b+v]
				expected += float64(v) / n * math.Log(n*float64(v)/(float64(a)*float64(b))) * math.Exp(logP)
			}
		}
	}
	mean := (entropy(c.rows, c.n) + entropy(c.columns, c.n)) / 2
	denominator := mean - expected
	// As the expectation nears the mean entropy the quotient is 0/0; its sign is kept.
	const smallest = 0x1p-52
	if denominator < 0 {
		denominator = min(denominator, -smallest)
	} else {
		denominator = max(denominator, smallest)
	}
	return (c.mutualInformation() - expected) / denominator
}
