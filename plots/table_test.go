// Fitting tables into their room.

package plots

import (
	"testing"

	"gonum.org/v1/plot/vg"
)

// A table shrinks, then wraps, then says that it does not fit.
func TestTableFit(t *testing.T) {
	t.Parallel()
	prep, err := newPreparation(nil)
	if err != nil {
		t.Fatal(err)
	}
	prep.panel = "panel"
	c, err := (&Table{Header: []string{"Model", "Effective rank"}, Rows: [][]string{{"encoder_decoder", "1.0"}, {"jepa"}}, Keys: true}).prepare(prep)
	if err != nil {
		t.Fatal(err)
	}
	g := c.(*grid)
	large, fits := g.fit(vg.Point{X: 200, Y: 100})
	if !fits || large.size != labelSize || large.cut {
		t.Errorf("much room: size %g, fits %v, cut %v", large.size, fits, large.cut)
	}
	small, fits := g.fit(vg.Point{X: large.width - 1, Y: 100})
	if !fits || small.size >= labelSize || small.cut {
		t.Errorf("less room: size %g, fits %v, cut %v", small.size, fits, small.cut)
	}
	wrapped, fits := g.fit(vg.Point{X: 0.7 * large.width, Y: 100})
	if !fits || len(wrapped.blocks[1][0].lines) < 2 || wrapped.width > 0.7*large.width+0.01 {
		t.Errorf("little room: %d lines, fits %v", len(wrapped.blocks[1][0].lines), fits)
	}
	if _, fits := g.fit(vg.Point{X: 200, Y: 8}); fits {
		t.Error("three rows fit into 8 pt")
	}
	if g.keys[1] == nil || g.keys[0] != nil || len(g.cells[2]) != 2 {
		t.Errorf("keys %v, cells %q", g.keys, g.cells)
	}
}

// The widest columns give way first, none below what it cannot wrap while another can.
func TestNarrow(t *testing.T) {
	t.Parallel()
	widths := []vg.Length{50, 20, 30}
	narrow(widths, []vg.Length{40, 20, 10}, 80)
	if widths[1] != 20 || widths[0] < 40-0.5 || widths[0]+widths[1]+widths[2] > 80.01 {
		t.Errorf("widths %v", widths)
	}
}
