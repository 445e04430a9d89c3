// Tests of memory that is used again.

package matrix

import (
	"math"
	"slices"
	"testing"
)

func TestSelectInto(t *testing.T) {
	t.Parallel()
	x := Matrix{N: 3, Dim: 2, Data: []float64{1, 2, 3, 4, 5, 6}}
	var s Scratch
	for _, index := range [][]int{{2, 0, 0, 1, 2}, {1}, {}, {0, 1, 2, 2, 2, 2, 1}} {
		room := s.Take(len(index)*x.Dim + 1)
		if len(*room) != len(index)*x.Dim+1 {
			t.Fatalf("%d numbers for %d", len(*room), len(index)*x.Dim+1)
		}
		got, want := x.SelectInto(*room, index), x.Select(index)
		if got.N != want.N || got.Dim != want.Dim || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%v: %v, want %v", index, got, want)
		}
		for i := range *room {
			(*room)[i] = math.NaN() // for the next one
		}
		s.Give(room)
	}
}
