// Agreement of two partitions, and of labels with nearest neighbours.

package geometry

import (
	"context"
	"fmt"
	"math"

	"repscope/neighbors"
	"repscope/points"
)

// contingency counts the points in group a of one partition and b of another.
type contingency struct {
	n       int
	cells   []int // [rows × columns]
	rows    []int // row sums
	columns []int
}

// add counts a point of groups a and b so many times; −1 takes it away.
func (c *contingency) add(a, b, times int) {
	c.n += times
	c.cells[a*len(c.columns)+b] += times
	c.rows[a] += times
	c.columns[b] += times
}

func contingencyOf(a, b Partition) (contingency, error) {
	if len(a.Of) != len(b.Of) {
		return contingency{}, fmt.Errorf("partitions of %d and %d points cannot be compared", len(a.Of), len(b.Of))
	}
	c := contingency{cells: make([]int, a.Groups()*b.Groups()), rows: make([]int, a.Groups()), columns: make([]int, b.Groups())}
	for i, g := range a.Of {
		c.add(g, b.Of[i], 1)
	}
	return c, nil
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

func (c contingency) mutualInformation() float64 {
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

func (c contingency) nmi() float64 {
	mean := (entropy(c.rows, c.n) + entropy(c.columns, c.n)) / 2
	if mean == 0 {
		return 1 // both are one group
	}
	return min(1, c.mutualInformation()/mean)
}

func (c contingency) ari() float64 {
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

// ami is the adjusted mutual information; the expectation is over random
// partitions with the same group sizes (hypergeometric).
func (c contingency) ami() float64 {
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

// NMI returns the mutual information of two partitions of the same points over the
// arithmetic mean of their entropies, in [0, 1]; 1 for equal partitions (one group
// each among them). It grows with the number of groups even for random
// ones; AMI and ARI do not.
func NMI(a, b Partition) (float64, error) {
	c, err := contingencyOf(a, b)
	if err != nil {
		return 0, err
	}
	return c.nmi(), nil
}

// AMI returns the mutual information adjusted for chance (Vinh, Epps & Bailey
// 2010) with the arithmetic mean of the entropies: 1 for equal partitions, 0
// expected for random ones, possibly negative.
func AMI(a, b Partition) (float64, error) {
	c, err := contingencyOf(a, b)
	if err != nil {
		return 0, err
	}
	return c.ami(), nil
}

// ARI returns the Rand index adjusted for chance (Hubert & Arabie 1985): 1 for
// equal partitions, 0 expected for random ones, possibly negative.
func ARI(a, b Partition) (float64, error) {
	c, err := contingencyOf(a, b)
	if err != nil {
		return 0, err
	}
	return c.ari(), nil
}

// consistency is how the labels of the k nearest neighbours agree with a point's
// own.
type consistency struct {
	k       int
	correct []float64 // 1 where the majority vote is the point's own label, else 0
	purity  []float64 // share of the neighbours with the point's own label
}

// fewestCandidates is the smallest number of other points that a point can have as
// neighbours where those at most window places apart in its episode are none.
func fewestCandidates(n, window int, episode []int) int {
	places := map[int][]int{} // of the points of each episode
	for i := range n {
		e := 0
		if episode != nil {
			e = episode[i]
		}
		places[e] = append(places[e], i)
	}
	fewest := n - 1
	for _, list := range places {
		lo, hi := 0, 0
		for _, i := range list {
			for list[lo] < i-window {
				lo++
			}
			for hi < len(list) && list[hi] <= i+window {
				hi++
			}
			fewest = min(fewest, n-(hi-lo))
		}
	}
	return fewest
}

// labelConsistency finds the nearest neighbours once for all k, the point itself
// left out. A tied vote goes to the label whose nearest member is nearest.
func labelConsistency(ctx context.Context, pts points.Points, p Partition, ks []int, o neighbors.Options) ([]consistency, error) {
	largest := 0
	for _, k := range ks {
		largest = max(largest, k)
	}
	nearest, err := neighbors.KNearest(ctx, pts, largest, o)
	if err != nil {
		return nil, err
	}
	votes := make([]int, p.Groups())
	out := make([]consistency, len(ks))
	for q, k := range ks {
		c := consistency{k: k, correct: make([]float64, pts.N), purity: make([]float64, pts.N)}
		for i := range pts.N {
			list := nearest.Index[i*nearest.K : i*nearest.K+k]
			for _, j := range list {
				votes[p.Of[j]]++
			}
			winner := p.Of[list[0]]
			for _, j := range list { // nearest first, so that a tie keeps the earlier label
				if votes[p.Of[j]] > votes[winner] {
					winner = p.Of[j]
				}
			}
			if winner == p.Of[i] {
				c.correct[i] = 1
			}
			c.purity[i] = float64(votes[p.Of[i]]) / float64(k)
			for _, j := range list {
				votes[p.Of[j]] = 0
			}
		}
		out[q] = c
	}
	return out, nil
}

// chance is what random neighbours give: the share of the largest group for the
// accuracy of a majority vote, and the probability that another point has the
// same label for the purity.
func (p Partition) chance() (accuracy, purity float64) {
	n := float64(len(p.Of))
	for _, size := range p.Sizes {
		accuracy = max(accuracy, float64(size)/n)
		purity += float64(size) / n * float64(size-1) / (n - 1)
	}
	return accuracy, purity
}
