// Series that a figure lacks: the footnote, and places in panels that have one for each.

package plots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// svgOf is a figure as SVG.
func svgOf(t *testing.T, f *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Render(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func lackingFigure() *Figure {
	bars, box := &Bars{}, &BoxPlot{}
	table := &Table{Header: []string{"Model", "D"}, Keys: true}
	for i, name := range []string{"a", "b"} {
		bars.Bars = append(bars.Bars, Bar{Name: name, Value: float64(1 + i)})
		box.Boxes = append(box.Boxes, Box{Name: name, Values: []float64{1, 2, 3}})
		table.Rows = append(table.Rows, []string{name, "8"})
	}
	other := &Bars{Bars: []Bar{{Name: "metric", Value: 1}}}
	return &Figure{WidthMM: DoubleColumnMM, HeightMM: 90, Series: []string{"a", "b"}, Tiles: []Tile{
		{Panel: bars, Column: 0}, {Panel: box, Column: 1}, {Panel: table, Column: 2}, {Panel: other, Column: 3}}}
}

func TestLack(t *testing.T) {
	t.Parallel()
	f := lackingFigure()
	f.Lack("lost", "z.npy: NaN in 3 rows; drop such states with --skip-nan")
	got := svgOf(t, f)
	if !strings.Contains(got, "Undefined: lost (not measured: z.npy: NaN in 3 rows).") {
		t.Errorf("the footnote does not say it:\n%s", got)
	}
	if n := strings.Count(got, ">lost<"); n < 3 {
		t.Errorf("%d places with the name, want one in each panel of models", n)
	}
	if len(f.Tiles[0].Panel.(*Bars).Bars) != 2 {
		t.Error("drawing changed a panel")
	}
	if again := svgOf(t, f); again != got {
		t.Error("drawn twice it is another figure")
	}
	// Of many the footnote alone tells, and of many reasons where they stand.
	f = lackingFigure()
	for i := range 12 {
		f.Lack(fmt.Sprintf("lost%d", i), fmt.Sprintf("reason %d", i))
	}
	got = svgOf(t, f)
	if strings.Contains(got, ">lost3<") || strings.Contains(got, "reason 3") || !strings.Contains(got, "lost11 (not measured; see the warnings of the result file)") {
		t.Errorf("twelve lacking series:\n%s", got)
	}
}
