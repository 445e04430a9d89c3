// Attention that passes between two chains.

package contact

import (
	"fmt"
	"math"
)

// Interface is the number of residues at the end of the first chain and at the beginning of
// the second between which attention is counted.
const Interface = 5

// Attention summarizes the attention of one head, or of several heads added up, among residues. A mass
// is the sum of the attention of queries (residues) to keys (residues), without special tokens.
type Attention struct {
	// Total is the mass of all pairs, First the mass of queries of the first chain.
	Total, First float64
	// FirstToSecond and SecondToFirst cross the chains.
	FirstToSecond, SecondToFirst float64
	// Joint passes, in either direction, between the last residues of the first chain and
	// the first ones of the second.
	Joint float64
	// Expected and ExpectedJoint are the masses across chains and of the joint if every residue
	// paid what it pays to all residues evenly.
	Expected, ExpectedJoint float64
}

// Cross returns the attention mass between the chains, in both directions: FirstToSecond + SecondToFirst.
func (a *Attention) Cross() float64 { return a.FirstToSecond + a.SecondToFirst }

// Add adds the masses of another.
func (a *Attention) Add(o *Attention) {
	a.Total += o.Total
	a.First += o.First
	a.FirstToSecond += o.FirstToSecond
	a.SecondToFirst += o.SecondToFirst
	a.Joint += o.Joint
	a.Expected += o.Expected
	a.ExpectedJoint += o.ExpectedJoint
}

// Crossing returns the attention between two chains from the attention [length, length] of a head
// (rows: queries, columns: keys). The residues of one chain are the tokens first[0] < first[1] < …,
// the tokens of the other chain are second. The joint consists of the last residues of the first and the first
// residues of the second chain, limited by the length of the chains. Errors: a length that does not
// match, a token out of range, negative or non-finite attention (it must be the output of a softmax).
func Crossing(attention []float32, length int, first, second []int, joint int) (*Attention, error) {
	if len(attention) != length*length {
		return nil, fmt.Errorf("%d attention values, want %d × %d", len(attention), length, length)
	}
	for _, chain := range [][]int{first, second} {
		for _, i := range chain {
			if i < 0 || i >= length {
				return nil, fmt.Errorf("residue at token %d, want one of %d", i, length)
			}
		}
	}
	end, begin := first[max(len(first)-joint, 0):], second[:min(joint, len(second))]
	a := &Attention{}
	n := float64(len(first) + len(second))
	for c, queries := range [][]int{first, second} {
		other, near := second, begin
		if c == 1 {
			other, near = first, end
		}
		for k, i := range queries {
			row := attention[i*length : (i+1)*length]
			across, err := mass(row, i, other)
			if err != nil {
				return nil, err
			}
			within, err := mass(row, i, queries)
			if err != nil {
				return nil, err
			}
			all := across + within
			a.Total += all
			if c == 0 {
				a.First += all
				a.FirstToSecond += across
			} else {
				a.SecondToFirst += across
			}
			a.Expected += all * (float64(len(other)) / n)
			if inside := c == 0 && k >= len(first)-joint || c == 1 && k < joint; inside {
				paid, _ := mass(row, i, near)
				a.Joint += paid
				a.ExpectedJoint += all * (float64(len(near)) / n)
			}
		}
	}
	return a, nil
}

// mass is what a query pays to keys.
func mass(row []float32, query int, keys []int) (float64, error) {
	sum := 0.0
	for _, j := range keys {
		v := float64(row[j])
		if !(v >= 0) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("the attention of token %d to token %d is %v, want a probability", query, j, v)
		}
		sum += v
	}
	return sum, nil
}
