// How the values of two layers stand to each other: a map of channels at the same positions, or of all values.

package similarity

import (
	"fmt"
	"slices"

	"repscope/internal/kernel"
	"repscope/points"
)

// joint is the form of a map between two layers: at each of positions from first to second values. Layers with
// channels at the same positions have one map for all of them, as a convolution of size 1 or a layer of tokens; others
// have a map of all values.
type joint struct{ positions, first, second int }

// mostJoined is the largest number of values of layers with different positions that a map joins.
const mostJoined = 2048

// newJoint also returns why layers do not fit; empty where they do.
func newJoint(from, to *Stage) (j joint, reason string) {
	if a, b := from.positions(), to.positions(); a != nil && b != nil && slices.Equal(a, b) {
		positions := points.Size(a)
		return joint{positions, from.size() / positions, to.size() / positions}, ""
	}
	j = joint{1, from.size(), to.size()}
	if max(j.first, j.second) > mostJoined {
		reason = fmt.Sprintf("layers of shapes %v and %v do not fit: their positions differ, and a map of all values takes "+
			"at most %d; want layers with the same positions, or vectors", from.Shape, to.Shape, mostJoined)
	}
	return j, reason
}

func (s *Stage) size() int { return points.Size(s.Shape) }

// positions is the shape of the layer without its channels; nil where these are unknown.
func (s *Stage) positions() []int {
	switch {
	case len(s.Shape) == 1:
		return []int{}
	case s.Channels < 0:
		return nil
	}
	return slices.Delete(slices.Clone(s.Shape), s.Channels, s.Channels+1)
}

// after is the number of values between two channels of a position.
func (s *Stage) after(j joint) int {
	if j.positions == 1 {
		return 1
	}
	return points.Size(s.Shape[s.Channels+1:])
}

// rows are the values of some states, a row for each position.
func (j joint) rows(s *Stage, index []int) points.Points {
	size := s.size()
	picked := make([]float32, 0, len(index)*size)
	for _, i := range index {
		picked = append(picked, s.Values[i*size:(i+1)*size]...)
	}
	channels := size / j.positions
	return points.Float32(swapped(picked, channels, s.after(j)), channels)
}

// values are the values of a layer from rows, as it has them.
func (j joint) values(rows []float32, s *Stage) []float32 {
	return swapped(rows, s.after(j), s.size()/j.positions)
}

// swapped is an array [·, a, b] with its last two axes exchanged.
func swapped(values []float32, a, b int) []float32 {
	if a == 1 || b == 1 {
		return values
	}
	out := make([]float32, len(values))
	for first := 0; first < len(values); first += a * b {
		kernel.Transpose(out[first:first+a*b], a, values[first:first+a*b], b, a, b)
	}
	return out
}

// expanded is an order of states as the order of their rows.
func (j joint) expanded(order []int) []int {
	if order == nil || j.positions == 1 {
		return order
	}
	out := make([]int, 0, len(order)*j.positions)
	for _, i := range order {
		for p := range j.positions {
			out = append(out, i*j.positions+p)
		}
	}
	return out
}
