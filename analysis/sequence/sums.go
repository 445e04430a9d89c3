// The state of most metrics: a row of sums for every sequence.

package sequence

import (
	"fmt"

	"repscope/shard"
)

// Sums is a state to embed in metrics: a row of sums for every sequence, in their order.
// It has all of [Metric] but Update and Result.
type Sums struct {
	Width int
	Rows  []float64 // [sequences, Width]
}

// NewSums returns the state of rows of so many sums.
func NewSums(width int) Sums { return Sums{Width: width} }

// Add appends the row of the next sequence.
func (s *Sums) Add(row ...float64) {
	if len(row) != s.Width {
		panic(fmt.Sprintf("sequence: a row of %d sums, want %d", len(row), s.Width))
	}
	s.Rows = append(s.Rows, row...)
}

// Column returns sum k of every sequence.
func (s *Sums) Column(k int) []float64 {
	out := make([]float64, 0, len(s.Rows)/s.Width)
	for i := k; i < len(s.Rows); i += s.Width {
		out = append(out, s.Rows[i])
	}
	return out
}

// Merge appends the rows of another.
func (s *Sums) Merge(other Metric) error {
	o, ok := other.(interface{ sums() *Sums })
	if !ok || o.sums().Width != s.Width {
		return fmt.Errorf("metrics of another kind do not merge")
	}
	s.Rows = append(s.Rows, o.sums().Rows...)
	return nil
}

func (s *Sums) sums() *Sums { return s }

// Reset forgets all rows.
func (s *Sums) Reset() { s.Rows = s.Rows[:0] }

// MarshalBinary is the state that shards write.
func (s *Sums) MarshalBinary() ([]byte, error) { return shard.Encode(*s) }

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sums) UnmarshalBinary(data []byte) error { return shard.Decode(data, s) }
