// Wrapping and place of the shared legend.

package plots

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// The legend wraps into equally full rows, and takes its place from the panels.
func TestLegendPlace(t *testing.T) {
	t.Parallel()
	names := shortNames(7)
	for _, c := range []struct {
		where   LegendPosition
		width   vg.Length
		columns int
	}{{LegendBelow, 500, 7}, {LegendBelow, 200, 4}, {LegendAbove, 120, 3}, {LegendRight, 300, 1}} {
		prep, err := newPreparation(names)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			prep.explain(name, keyLine|keyMarker)
		}
		s := &scene{canvas: &recorder.Canvas{}}
		room := vg.Rectangle{Max: vg.Point{X: c.width, Y: 150}}
		rest := newLegend(&Figure{Legend: c.where}, prep, s, room.Size()).place(s, c.where, room)
		columns := map[vg.Length]bool{}
		var entries []string
		for _, m := range s.marks {
			if m.kind == "key" {
				columns[m.corners[0].X] = true
			} else {
				entries = append(entries, m.text)
			}
			for _, corner := range m.corners {
				if inside := corner.X > rest.Min.X && corner.X < rest.Max.X && corner.Y > rest.Min.Y && corner.Y < rest.Max.Y; inside {
					t.Errorf("%v at %v: %q lies over the panels", c.where, c.width, m.text)
				}
			}
		}
		if len(columns) != c.columns || !slices.Equal(entries, names) {
			t.Errorf("%v at %v: %d columns of %q, want %d", c.where, c.width, len(columns), entries, c.columns)
		}
	}
}
