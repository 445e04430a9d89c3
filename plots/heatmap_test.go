// Tests of the names of columns of heat maps.

package plots

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Of columns that follow from each other some are named in letters of 6 pt where all have no room, from the first on
// at even steps.
func TestHeatMap_OrderedColumns(t *testing.T) {
	t.Parallel()
	p := &HeatMap{Rows: []string{"a"}, Values: [][]float64{make([]float64, 100)}, Decimals: -1, Scale: ColorScale{High: 1}, Ordered: true}
	for i := range 100 {
		p.Columns = append(p.Columns, fmt.Sprint("R", i+1))
	}
	for _, width := range []vg.Length{60, 200, 300, 600, 1200} {
		l := layoutEvery(p.Columns, width, 100)
		named, step := 0, 0
		for i, b := range l.blocks {
			if len(b.lines) > 0 {
				if named++; named == 2 {
					step = i
				}
				if step > 0 && i%step != 0 {
					t.Errorf("width %v: column %d has a name, of every %d", width, i, step)
				}
			}
		}
		if len(l.blocks) != 100 || len(l.blocks[0].lines) == 0 || named > 50 || l.small && named > 1 {
			t.Errorf("width %v: %d of %d columns have names, small %v", width, named, len(l.blocks), l.small)
		}
	}
	f := &Figure{WidthMM: 89, HeightMM: 60, Tiles: []Tile{{Panel: p}}}
	if warnings, err := f.Warnings(); err != nil || len(warnings) > 0 {
		t.Errorf("%v, %v", warnings, err)
	}
	p.Ordered = false
	if warnings, err := f.Warnings(); err != nil || len(warnings) == 0 {
		t.Errorf("%v, %v; want a warning of names that are too small", warnings, err)
	}
}

// A long title of the rows stays inside its tile, below the title of the panel.
func TestHeatMap_LongTitle(t *testing.T) {
	t.Parallel()
	p := &HeatMap{
		X: Axis{Label: "Layer of run_α_with_a_long_name_01"}, Y: Axis{Label: "Layer of run_α_with_a_long_name_00"},
		Rows: []string{"encoder.blocks.0.mlp", "encoder.blocks.1.mlp"}, Columns: []string{"encoder.blocks.0.mlp", "b"},
		Values: [][]float64{{0, 1}, {1, 0}}, Scale: ColorScale{High: 1, Label: "Error"},
	}
	checkGeometry(t, &Figure{WidthMM: 89, HeightMM: 62, Tiles: []Tile{{Panel: p, Title: "Error of the stitched model"}}})
}
