// Counts over all sequences, which add up in any order.

package sequence

import (
	"fmt"

	"repscope/shard"
)

// Counts is a state to embed in metrics: integers over all sequences, which add up to the same in
// any order. It has all of [Metric] but Update and Result.
type Counts struct {
	Values []int64
	// Grows says that parts may have values of different numbers: those that one lacks are 0.
	Grows bool
}

// NewCounts returns a state of n counts.
func NewCounts(n int) Counts { return Counts{Values: make([]int64, n)} }

// Grow makes room for n counts.
func (c *Counts) Grow(n int) {
	if more := n - len(c.Values); more > 0 {
		c.Values = append(c.Values, make([]int64, more)...)
	}
}

// Merge adds the counts of another.
func (c *Counts) Merge(other Metric) error {
	o, ok := other.(interface{ counts() *Counts })
	if !ok {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	return c.Add(o.counts())
}

// Add adds the counts of another.
func (c *Counts) Add(o *Counts) error {
	if !c.Grows && len(o.Values) != len(c.Values) {
		return fmt.Errorf("cannot merge %d counts with %d", len(c.Values), len(o.Values))
	}
	c.Grow(len(o.Values))
	for k, v := range o.Values {
		c.Values[k] += v
	}
	return nil
}

func (c *Counts) counts() *Counts { return c }

// Reset forgets all counts.
func (c *Counts) Reset() {
	if c.Grows {
		c.Values = nil
	}
	clear(c.Values)
}

// MarshalBinary is the state that shards write.
func (c *Counts) MarshalBinary() ([]byte, error) { return shard.Encode(c.Values) }

// UnmarshalBinary reads what MarshalBinary wrote.
func (c *Counts) UnmarshalBinary(data []byte) error {
	var values []int64
	if err := shard.Decode(data, &values); err != nil {
		return err
	}
	if !c.Grows && len(values) != len(c.Values) {
		return fmt.Errorf("the state has %d counts, want %d", len(values), len(c.Values))
	}
	c.Values = values
	return nil
}
