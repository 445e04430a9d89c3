// The panels of a figure, as data. Each is drawn in the file of its name.

package plots

import (
	"image"

	"gonum.org/v1/plot"
)

// Panel is the content of a tile: one of *Scatter, *BoxPlot, *GroupedBars, *Bars, *Curves, *Histogram, *Spectrum,
// *Matrix, *HeatMap, *CriticalDifference, *Table, *ImageGrid, *BoxedImage, *BoardSheet and *Text. Each is also a
// plotter of gonum's, for any plot; see [Add].
type Panel interface {
	plot.Plotter
	// prepare validates the panel's data and returns how to lay it out.
	prepare(prep *preparation) (content, error)
}

// Axis describes one axis of a panel. The zero value is a linear axis over the
// range of the data.
type Axis struct {
	// Label with the unit, e.g. "Noise level σ" or "Distance (pixels)".
	Label string
	// Log makes the axis logarithmic; values ≤ 0 are left out and counted.
	Log bool
	// Min and Max fix the range where Min < Max; otherwise it comes from the
	// data, with a small margin. Data outside a fixed range is clipped.
	Min, Max float64
	// Zero makes a linear axis found from the data start (or end) at zero.
	Zero bool
	// Ticks are the positions of the tick marks with labels; nil: chosen.
	Ticks []float64
	// Integer is for axes of counts: only whole numbers have ticks.
	Integer bool
}

// Reference is a horizontal line across a panel, such as a chance level. Its label is at the right end of the line,
// outside the data rectangle, so it collides with nothing.
type Reference struct {
	Value float64
	Label string
}

// Scatter shows points of several series with an optional fitted line and band
// for each. Points with NaN in either coordinate are left out. More than 20,000
// points become one raster layer at 300 DPI in PDF and SVG. Subsampling is the
// caller's.
type Scatter struct {
	X, Y   Axis
	Series []ScatterSeries
	// Diagonal draws the line y = x.
	Diagonal bool
}

// ScatterSeries is one cloud of points. X and Y have equal lengths. Reason explains why there are none; see the package
// comment.
type ScatterSeries struct {
	Name   string
	X, Y   []float64
	Fit    *Fit
	Other  *Fit // a second curve, drawn dotted and without a band
	Reason string
}

// Fit is a curve with a band, drawn over the points of its series. X increases;
// Low and High are both nil or both as long as X and Y.
type Fit struct {
	X, Y, Low, High []float64
}

// BoxPlot shows one box per entry: quartiles (linear rule, as numpy), median, whiskers to the last value within 1.5
// interquartile ranges, mean as a white diamond, values beyond the whiskers as points (thinned above MaxOutliers, the
// extremes always kept). NaN values are omitted; an entry without values is "n/a".
type BoxPlot struct {
	// X is used for its Label only.
	X, Y  Axis
	Boxes []Box
	// MaxOutliers is the most points drawn per box beyond the whiskers; 0: 100,
	// negative: none.
	MaxOutliers int
	// NamesInLegend moves the names from under the boxes to the legend.
	NamesInLegend bool
	References    []Reference
}

// Box is the sample of one series. Reason explains why no value can be drawn.
type Box struct {
	Name   string
	Values []float64
	Reason string
}

// GroupedBars shows, for each group (say each k), one bar per series, with error
// bars. NaN values are "n/a"; NaN interval ends leave the error bar out.
type GroupedBars struct {
	// X is used for its Label only. Y starts at zero unless it is log or has a
	// fixed range.
	X, Y       Axis
	Groups     []string
	Series     []BarSeries
	References []Reference
}

// BarSeries holds one value per group. Low and High are the ends of the error bars in data units (not lengths), or both
// nil. Reason explains why values are undefined.
type BarSeries struct {
	Name              string
	Values, Low, High []float64
	// Baselines are marked by a dashed line across each bar; nil or NaN: none.
	Baselines []float64
	Reason    string
}

// Bars shows one bar per series with its name below, its interval, and its value
// above the interval's cap.
type Bars struct {
	X, Y Axis
	Bars []Bar
	// Dots draws markers instead of bars; the axis then follows the data, and need not include zero.
	Dots bool
	// NoValues leaves out the printed values.
	NoValues bool
	// NamesInLegend moves the names from under the bars to the legend.
	NamesInLegend bool
	References    []Reference
}

// Bar is one bar. Low and High are the ends of its interval in data units; equal values (such as both zero) or NaN mean
// no interval. Text replaces the printed value (default: three significant digits). A fixed Y.Max is raised if the
// printed values need it. Reason explains why the value is undefined.
type Bar struct {
	Name             string
	Value, Low, High float64
	Baseline         *float64 // marked by a dashed line across the bar; nil or NaN: none
	Text             string
	Reason           string
}

// Curves shows lines with optional bands and markers. A NaN in X or Y is a gap; a
// NaN in Low or High interrupts the band.
type Curves struct {
	X, Y   Axis
	Series []CurveSeries
	// NoMarkers draws lines only. Curves of more than 60 points have none.
	NoMarkers  bool
	References []Reference
}

// CurveSeries is one curve. Low and High are the ends of the band in data units, or both nil. A series without a Name
// is drawn in gray and has no legend entry. Reason explains why no point can be drawn.
type CurveSeries struct {
	Name            string
	X, Y, Low, High []float64
	Reason          string
}

// Histogram shows the heights of adjacent bins over an axis of numbers, in the style of
// one series, with the heights that are expected.
type Histogram struct {
	X Axis
	// Y starts at zero unless it is log or has a fixed range.
	Y Axis
	// Name is the series; empty: gray bars without a legend entry.
	Name string
	// Edges are the ascending edges of the bins: one more than Values.
	Edges, Values []float64
	// Low and High are the ends of a gray band behind the bars, the expected range of heights; both zero or NaN:
	// none.
	Low, High  float64
	References []Reference
	// Reason explains why no value can be drawn.
	Reason string
}

// Spectrum shows values against their index 1, 2, …, on a log axis: eigenvalue
// spectra of any number of models, with whole numbers at the axis. X.Log makes the index logarithmic too. Values
// ≤ 0 cannot be shown and are counted in the footnote.
type Spectrum struct {
	X, Y   Axis // Y is always logarithmic
	Series []SpectrumSeries
	// Decades bounds the automatic range of Y below its largest value, so that
	// rounding noise does not squeeze the spectrum; 0: 12, negative: unbounded.
	Decades float64
}

// SpectrumSeries holds the values in descending order. Reason explains why there are none.
type SpectrumSeries struct {
	Name   string
	Values []float64
	Reason string
}

// Matrix shows a number for each pair of series as a heat map: blue from 0 (white) to 1, orange to −1. Rows and columns
// are labeled with the keys of the series, which the legend explains. Cells that are large enough show their number
// with Decimals decimals. NaN is a gray cell with a dash.
type Matrix struct {
	// Names are the series of the rows, and of the columns.
	Names []string
	// Values has a row for each name, of as many numbers.
	Values [][]float64
	// Decimals of the printed numbers; 0: 2, negative: no numbers.
	Decimals int
	// Tree is a hierarchical clustering of the rows, drawn on the right of the matrix with its first joins next to the
	// rows: one join less than rows, in the order in which they happen. nil: none.
	Tree []Join
}

// Join is a step of a hierarchical clustering: two clusters become one at a height ≥ 0. Clusters 0, 1, … are the rows,
// and the clusters of the joins, in turn, have the numbers after them.
type Join struct {
	First, Second int
	Height        float64
}

// HeatMap shows a number for each row and column as a color of a scale. The color bar is below the map if the scale has
// a label. Cells that are large enough show their numbers. NaN is a gray cell with a dash.
type HeatMap struct {
	// X and Y are used for their labels only.
	X, Y Axis
	// Rows and Columns are the names; nil Rows: no names, next to a map that has them.
	Rows, Columns []string
	// Values has a row of as many numbers as there are columns.
	Values [][]float64
	Scale  ColorScale
	// Decimals of the printed numbers; 0: 2, negative: no numbers.
	Decimals int
	// Ordered says that the names of columns form a sequence, such as positions: if not all fit, every second, third, … is
	// named.
	Ordered bool
}

// CriticalDifference shows models on an axis of average ranks, the best left, and joins models that do not differ by
// bars (Demšar 2006), from decisions about pairs: there is no one critical difference. Each model has its name and rank
// at the side, with a line to its position on the axis. A bar has a dot at every member. If a model lies between
// members but does not belong to the group, the bar is dotted there and a note says so. A model whose rank is NaN is
// omitted.
type CriticalDifference struct {
	// X is used for its Label and its range; the default range is 1 to the number of
	// models.
	X      Axis
	Models []RankedModel
	// Groups are the names of models that do not differ, two or more in each.
	Groups [][]string
	// Decimals of the printed ranks; 0: 2, negative: no ranks.
	Decimals int
}

// RankedModel is a model and its average rank. Reason explains why the rank is undefined.
type RankedModel struct {
	Name   string
	Rank   float64
	Reason string
}

// Align is the alignment of a table column.
type Align int

// Alignments of table columns.
const (
	AlignAuto  Align = iota // first column left, the others right
	AlignLeft               //
	AlignRight              //
	AlignCenter
)

// Table shows text cells under a header rule. Text shrinks to 6 pt and wraps in
// its cells to fit. A row may be shorter than the header; empty cells stay empty.
type Table struct {
	Header []string
	Rows   [][]string
	Align  []Align
	// Keys draws the color key of the series named in the first column.
	Keys bool
}

// ImageGrid is a contact sheet: images in rows, magnified without smoothing. A nil image leaves its cell empty.
type ImageGrid struct {
	// Images are the rows; see GrayImage, ScaledImage and RGBImage.
	Images [][]image.Image
	// RowLabels and ColumnLabels are left of the rows and above the columns; may be nil.
	RowLabels, ColumnLabels []string
	// Bars are color bars under columns of maps; see [ColorScale.Image].
	Bars []ImageBar
}

// ImageBar is the bar of a color scale under columns First ≤ j ≤ Last of an [ImageGrid].
type ImageBar struct {
	First, Last int
	Scale       ColorScale
}

// BoxedImage is an image, magnified without smoothing, with the outlines of boxes upon it. Their kinds are series,
// which the legend explains. Boxes are clipped to the image.
type BoxedImage struct {
	Image image.Image
	// Label is above the image; may be empty.
	Label string
	Boxes []ImageBox // later ones are drawn over earlier ones
}

// ImageBox is a box of a kind, in pixels from the upper left corner of the image.
type ImageBox struct {
	Kind                   string
	MinX, MinY, MaxX, MaxY float64
}

// BoardSheet is a contact sheet of boards: lattices of holds or fields that carry marks of several kinds, such as
// climbing problems or board games. Kinds differ in color and shape, which the legend explains; several marks on one
// hold are drawn inside each other. Row names are left of the first board of each row. Column names are below the last
// boards, every second or third if not all fit.
type BoardSheet struct {
	// Boards are the rows of the sheet. A board is its marks [kind, row, column], 0 for none, the lowest row first; nil
	// leaves its cell empty.
	Boards [][][]uint8
	// RowLabels and ColumnLabels are left of the rows of the sheet and above its columns; may be nil.
	RowLabels, ColumnLabels []string
	// Kinds are the series of the marks.
	Kinds []string
	// XNames and YNames name the columns and, from the lowest, the rows of a board.
	XNames, YNames []string
}

// Text is a note, wrapped to the tile; blank lines separate paragraphs.
type Text struct {
	Body string
}
