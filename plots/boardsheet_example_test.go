// A sheet of boards in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Two positions of a game on a board of three by three, and an empty place.
func ExampleBoardSheet() {
	panel := &plots.BoardSheet{
		Kinds:  []string{"first player", "second player"},
		XNames: []string{"a", "b", "c"}, YNames: []string{"1", "2", "3"},
		Boards: [][][]uint8{
			{{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}},
			{{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}, nil},
		},
		RowLabels: []string{"drawn", "won"}, ColumnLabels: []string{"move 2", "move 3"},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 50*vg.Millimeter, filepath.Join(exampleFolder, "boardsheet.png")); err != nil {
		log.Fatal(err)
	}
}
