// Figures: the grid of panels, its size, and rendering into a format.

package plots

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// Widths of a figure in a two-column journal, in millimeters.
const (
	SingleColumnMM = 89.0
	DoubleColumnMM = 183.0
)

// DPI is the resolution of PNG output and of the raster layers inside vector
// formats, in pixels per inch.
const DPI = 300

// pixelsPerMetre is DPI as the PNG pHYs chunk states it.
const pixelsPerMetre = 11811

// LegendPosition is the position of the tile of the shared legend.
type LegendPosition int

// Positions of the legend. It is never drawn over a panel.
const (
	LegendBelow LegendPosition = iota // under the panels, wrapped over the width
	LegendAbove                       // over the panels, wrapped over the width
	LegendRight                       // right of the panels, one column
	LegendNone                        // no legend
)

// Figure is a grid of panels. The zero value of every field but the size and
// Tiles is a usable default.
type Figure struct {
	// WidthMM and HeightMM are the outer size in millimeters, each in (0, 1000].
	WidthMM, HeightMM float64

	// ColumnWidths and RowHeights are the relative sizes of the grid's columns
	// and rows. nil means equal sizes, as many as the tiles need.
	ColumnWidths, RowHeights []float64

	// Tiles are the panels with their positions. Letters a, b, c… follow this order.
	Tiles []Tile

	// Series lists the series (models) in their order. The order fixes the color, marker and dash of each series, and
	// the order of the legend. Series that only panels mention follow in order of appearance. Figures of subsets of
	// the models keep the same styles if they pass the same full list; the legend shows only drawn series.
	Series []string

	// Ordered marks Series as steps of one quantity, such as grades: their colors then run along a sequential ramp, and
	// all have the same marker.
	Ordered bool

	// Legend is the position of the shared legend. It is omitted if there is nothing to distinguish (no named series in
	// the panels that need it).
	Legend LegendPosition

	// LegendTitle precedes the entries; may be empty.
	LegendTitle string

	// Footnote is printed under everything, wrapped.
	Footnote string

	// Notes are printed after the footnote, each once and as a sentence: facts about the intervals, for instance.
	Notes []string

	// NoLetters leaves out the panel letters. A figure of one panel has none.
	NoLetters bool

	// Title is metadata of the PDF and SVG; it is not drawn.
	Title string

	lacking []lacking // see Lack
}

// Tile is one panel with its position in the grid.
type Tile struct {
	Panel Panel
	// Title is drawn next to the panel letter at the upper left corner of the tile.
	Title string
	// Row and Column count from the upper left, from 0.
	Row, Column int
	// RowSpan and ColumnSpan are the cells covered; 0 means 1.
	RowSpan, ColumnSpan int
	// Letter replaces the automatic panel letter; "-" leaves it out.
	Letter string
}

// formats lists the names Render accepts.
func formats() []string { return []string{"png", "pdf", "svg"} }

// Render draws the figure in the named format ("png", "pdf" or "svg") and writes it to w. PNG has DPI pixels per
// inch, recorded in its pHYs chunk. PDF dates come from SOURCE_DATE_EPOCH; default: 1970-01-01. Equal figures give
// equal bytes. Nothing is written when the figure cannot be drawn; errors name the panel and the series. The figure
// is not changed.
func (f *Figure) Render(w io.Writer, format string) error {
	format, err := checkFormat(format)
	if err != nil {
		return err
	}
	if err := f.checkSize(); err != nil {
		return err
	}
	page, err := newPage(format, vg.Length(f.WidthMM)*mm, vg.Length(f.HeightMM)*mm, f.Title)
	if err != nil {
		return err
	}
	if _, err := f.compose(page, format != "png"); err != nil {
		return err
	}
	var buffer bytes.Buffer
	if err := page.encode(&buffer); err != nil {
		return err
	}
	if _, err := w.Write(buffer.Bytes()); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return nil
}

// Warnings computes the layout of the figure without writing a file and returns warnings for its reader: values left
// out (also printed in the footnote), shortened text, and glyphs missing in the font. Errors are the same as for
// Render.
func (f *Figure) Warnings() ([]string, error) {
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		return nil, err
	}
	return s.warnings, nil
}

// checkFormat returns the format in canonical spelling.
func checkFormat(format string) (string, error) {
	name := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(format), "."))
	for _, valid := range formats() {
		if name == valid {
			return name, nil
		}
	}
	return "", fmt.Errorf("plots: format %q: want one of %s", format, strings.Join(formats(), ", "))
}
