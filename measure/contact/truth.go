// Which residues touch, by their coordinates.

package contact

import (
	"fmt"
	"math"
)

// Knowledge about a pair of residues.
const (
	Unknown int8 = iota - 1 // one of them has no coordinates
	apart
	Touching
)

// Threshold is the distance in ångström below which two residues touch, as CASP has it.
const Threshold = 8.0

// Contacts says of every pair of n residues whether they touch.
type Contacts struct {
	N     int
	Pairs []int8 // [N, N], symmetric: Unknown, Apart or Touching
	// Chains is the chain of each residue; nil: all are of one.
	Chains []int8
	// Resolved is the number of residues with coordinates.
	Resolved int
}

// Truth finds the pairs of residues at coordinates [n, 3] that are nearer to each other than
// a threshold, in the unit of the coordinates. Of a residue with a NaN among its coordinates
// nothing is known. Errors: a length that is no multiple of 3, an infinite coordinate, a
// threshold that is not above 0.
func Truth(coordinates []float32, threshold float64) (*Contacts, error) {
	if len(coordinates)%3 != 0 {
		return nil, fmt.Errorf("%d coordinates, want 3 for each residue", len(coordinates))
	}
	if !(threshold > 0) {
		return nil, fmt.Errorf("contact distance %v, want a number above 0", threshold)
	}
	n := len(coordinates) / 3
	position := make([]float64, len(coordinates))
	resolved := make([]bool, n)
	c := &Contacts{N: n, Pairs: make([]int8, n*n)}
	for i := range n {
		resolved[i] = true
		for k, v := range coordinates[3*i : 3*i+3] {
			if math.IsInf(float64(v), 0) {
				return nil, fmt.Errorf("coordinate %d of residue %d is %v", k, i, v)
			}
			resolved[i] = resolved[i] && v == v
			position[3*i+k] = float64(v)
		}
		if resolved[i] {
			c.Resolved++
		}
	}
	for i := range n {
		for j := range i + 1 {
			state := apart
			switch {
			case !resolved[i] || !resolved[j]:
				state = Unknown
			case squaredDistance(position[3*i:], position[3*j:]) < threshold*threshold:
				state = Touching
			}
			c.Pairs[i*n+j], c.Pairs[j*n+i] = state, state
		}
	}
	return c, nil
}

func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for k := range 3 {
		d := a[k] - b[k]
		sum += float64(d * d)
	}
	return sum
}

// chain is the chain of a residue.
func (c *Contacts) chain(i int) int8 {
	if c.Chains == nil {
		return 0
	}
	return c.Chains[i]
}
