// The state of most metrics: a row of sums for every group of sequences, or for every sequence.

package sequence

import (
	"fmt"
	"slices"

	"repscope/shard"
)

// Sums is a state to embed in metrics: a row of sums for every group of sequences (see
// [Item.Group]), in their order, so that it stays small however many sequences there are. It has
// all of [Metric] but Update and Result.
type Sums struct {
	Width int
	Rows  []float64 // [groups or sequences, Width]
	// Each keeps a row for every sequence; see NewSequenceSums.
	Each bool
	// Closed is the number of rows of groups that are complete.
	Closed int
}

// NewSums returns the state of rows of that many sums. The rows that Add appends are added up
// where their group ends, in their order.
func NewSums(width int) Sums { return Sums{Width: width} }

// NewSequenceSums is NewSums for a few sums that are kept for every sequence, such as scores of
// sequences for [Summary.Sequences].
func NewSequenceSums(width int) Sums { return Sums{Width: width, Each: true} }

// Add appends the row of the next sequence.
func (s *Sums) Add(row ...float64) {
	if len(row) != s.Width {
		panic(fmt.Sprintf("sequence: a row of %d sums, want %d", len(row), s.Width))
	}
	s.Rows = append(s.Rows, row...)
}

// EndGroup adds up the rows since the last group.
func (s *Sums) EndGroup() {
	if s.Each {
		return
	}
	first := s.Closed * s.Width
	if rest := s.Rows[first:]; len(rest) > s.Width {
		row := rest[:s.Width]
		for k, v := range rest[s.Width:] {
			row[k%s.Width] += v
		}
		s.Rows = s.Rows[:first+s.Width]
	}
	s.Closed = len(s.Rows) / max(s.Width, 1)
}

// Column returns sum k of every row, for [Summary.Ratio] and its like.
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
	if !ok {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	return s.Append(o.sums())
}

// Append appends the rows of sequences that follow.
func (s *Sums) Append(o *Sums) error {
	if o.Width != s.Width || o.Each != s.Each {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	s.Rows = append(s.Rows, o.Rows...)
	s.Closed += o.Closed
	return nil
}

func (s *Sums) sums() *Sums { return s }

// Reset forgets all rows.
func (s *Sums) Reset() { s.Rows, s.Closed = s.Rows[:0], 0 }

// MarshalBinary is the state that shards write.
func (s *Sums) MarshalBinary() ([]byte, error) {
	return shard.Encode(struct {
		Width, Closed int
		Each          bool
		Rows          []float64
	}{s.Width, s.Closed, s.Each, slices.Clip(s.Rows)})
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sums) UnmarshalBinary(data []byte) error {
	var part struct {
		Width, Closed int
		Each          bool
		Rows          []float64
	}
	if err := shard.Decode(data, &part); err != nil {
		return err
	}
	if part.Width != s.Width && s.Width != 0 || part.Width < 1 || len(part.Rows)%part.Width != 0 || part.Each != s.Each {
		return fmt.Errorf("the state has %d sums in rows of %d, want rows of %d", len(part.Rows), part.Width, s.Width)
	}
	s.Width, s.Closed, s.Each, s.Rows = part.Width, part.Closed, part.Each, part.Rows
	return nil
}
