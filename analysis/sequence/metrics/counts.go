// The state of metrics that have sums by group and counts of cells.

package metrics

import (
	"fmt"
	"math"

	"repscope/analysis/sequence"
	"repscope/shard"
)

// Fractions are counted in steps of 2⁻³², so that their sums are integers too: sums of a billion
// numbers below 2 fit.
const fraction = 1 << 32

// steps is a number in steps.
func steps(v float64) int64 { return int64(math.Round(v * fraction)) }

// sumsAndCounts is a state to embed of metrics that have both: sums by group for intervals, and counts of
// what would be too much to keep by group.
type sumsAndCounts struct {
	sequence.Sums
	cells sequence.Counts
}

// Merge adds what another accumulated.
func (m *sumsAndCounts) Merge(other sequence.Metric) error {
	o, ok := other.(interface{ both() *sumsAndCounts })
	if !ok {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	if err := m.Sums.Merge(other); err != nil {
		return err
	}
	return m.cells.Add(&o.both().cells)
}

func (m *sumsAndCounts) both() *sumsAndCounts { return m }

// Reset forgets all sequences.
func (m *sumsAndCounts) Reset() {
	m.Sums.Reset()
	m.cells.Reset()
}

// stateOfBoth is what shards write of sumsAndCounts.
type stateOfBoth struct{ Sums, Cells []byte }

// MarshalBinary is the state that shards write.
func (m *sumsAndCounts) MarshalBinary() ([]byte, error) {
	sums, err := m.Sums.MarshalBinary()
	if err != nil {
		return nil, err
	}
	cells, err := m.cells.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return shard.Encode(stateOfBoth{sums, cells})
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (m *sumsAndCounts) UnmarshalBinary(data []byte) error {
	var state stateOfBoth
	if err := shard.Decode(data, &state); err != nil {
		return err
	}
	if err := m.Sums.UnmarshalBinary(state.Sums); err != nil {
		return err
	}
	return m.cells.UnmarshalBinary(state.Cells)
}
