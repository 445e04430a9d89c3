// Figures: what they refuse, what they say, and that no data breaks them.

package plots

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// one wraps a panel into a figure.
func one(p Panel) Figure {
	return Figure{WidthMM: 80, HeightMM: 60, Tiles: []Tile{{Panel: p}}}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	curve := &Curves{Series: []CurveSeries{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}}}}
	many := &Table{Header: []string{"x"}}
	for range 500 {
		many.Rows = append(many.Rows, []string{"y"})
	}
	for _, c := range []struct {
		name   string
		figure Figure
		want   string
	}{
		{"no size", Figure{Tiles: []Tile{{Panel: curve}}}, "each side must be in (0, 1000]"},
		{"NaN size", Figure{WidthMM: math.NaN(), HeightMM: 10, Tiles: []Tile{{Panel: curve}}}, "each side"},
		{"huge", Figure{WidthMM: 1e6, HeightMM: 10, Tiles: []Tile{{Panel: curve}}}, "each side"},
		{"no panels", Figure{WidthMM: 80, HeightMM: 60}, "at least one panel"},
		{"nil panel", one(nil), "panel a: no panel given"},
		{"nil pointer", one((*Bars)(nil)), "panel a: no panel given"},
		{"too small", Figure{WidthMM: 9, HeightMM: 60, Tiles: []Tile{{Panel: curve}}}, "no room"},
		{"too low", Figure{WidthMM: 80, HeightMM: 18, Tiles: []Tile{{Title: "t", Panel: curve}}}, "are left for the data"},
		{"overlap", Figure{WidthMM: 80, HeightMM: 60, Tiles: []Tile{{Panel: curve}, {Panel: curve}}}, "panel b: row 0, column 0 already contains panel a"},
		{"outside", Figure{WidthMM: 80, HeightMM: 60, Tiles: []Tile{{Row: -1, Panel: curve}}}, "outside the grid"},
		{"widths", Figure{WidthMM: 80, HeightMM: 60, ColumnWidths: []float64{1}, Tiles: []Tile{{Column: 1, Panel: curve}}}, "ColumnWidths has 1 entries, the tiles need 2"},
		{"negative height", Figure{WidthMM: 80, HeightMM: 60, RowHeights: []float64{-1}, Tiles: []Tile{{Panel: curve}}}, "RowHeights"},
		{"series twice", Figure{WidthMM: 80, HeightMM: 60, Series: []string{"a", "a"}, Tiles: []Tile{{Panel: curve}}}, `series "a" is listed twice`},
		{"empty scatter", one(&Scatter{}), "panel a: a scatter needs"},
		{"scatter lengths", one(&Scatter{Series: []ScatterSeries{{Name: "a", X: []float64{1}}}}), `series "a": 1 x values but 0 y values`},
		{"scatter fit", one(&Scatter{Series: []ScatterSeries{{Name: "a", Fit: &Fit{X: []float64{1}}}}}), `fit of series "a"`},
		{"names twice", one(&Scatter{Series: []ScatterSeries{{Name: "a"}, {Name: "a"}}}), `series "a" appears twice`},
		{"empty boxes", one(&BoxPlot{}), "at least one box"},
		{"empty bars", one(&Bars{}), "want at least one"},
		{"no models", one(&CriticalDifference{}), "at least one model"},
		{"short tree", one(&Matrix{Names: []string{"a", "b"}, Values: [][]float64{{1, 0}, {0, 1}}, Tree: []Join{}}),
			"the tree of 2 rows has 0 joins, want 1"},
		{"tree of one row", one(&Matrix{Names: []string{"a", "b"}, Values: [][]float64{{1, 0}, {0, 1}},
			Tree: []Join{{First: 1, Second: 1}}}), "join 1 of the tree has cluster 1, want two that exist and are not joined yet"},
		{"tree without a height", one(&Matrix{Names: []string{"a", "b"}, Values: [][]float64{{1, 0}, {0, 1}},
			Tree: []Join{{Second: 1, Height: math.NaN()}}}), "has the height NaN"},
		{"nameless model", one(&CriticalDifference{Models: []RankedModel{{Rank: 1}}}), "has no name"},
		{"group of one", one(&CriticalDifference{Models: []RankedModel{{Name: "a", Rank: 1}}, Groups: [][]string{{"a"}}}), "group 1 of the critical-difference diagram has 1 members"},
		{"stranger", one(&CriticalDifference{Models: []RankedModel{{Name: "a", Rank: 1}}, Groups: [][]string{{"a", "b"}}}), `has "b", which is not one of its models`},
		{"rank off the axis", one(&CriticalDifference{X: Axis{Min: 1, Max: 2}, Models: []RankedModel{{Name: "a", Rank: 3}}}), `the rank 3 of "a" is outside the range 1 to 2`},
		{"endless ranks", one(&CriticalDifference{Models: []RankedModel{{Name: "a", Rank: 1e9}}}), "want at most 1000 ranks"},
		{"reversed", one(&Bars{Bars: []Bar{{Name: "a", Value: 1, Low: 2, High: 1}}}), `bar "a": interval [2, 1] is reversed`},
		{"no groups", one(&GroupedBars{Series: []BarSeries{{Name: "a"}}}), "at least one group"},
		{"group lengths", one(&GroupedBars{Groups: []string{"5", "10"}, Series: []BarSeries{{Name: "a", Values: []float64{1}}}}), `series "a": 1 values for 2 groups`},
		{"half interval", one(&GroupedBars{Groups: []string{"5"}, Series: []BarSeries{{Name: "a", Values: []float64{1}, Low: []float64{1}}}}), "both be given"},
		{"reversed group", one(&GroupedBars{Groups: []string{"5"}, Series: []BarSeries{{Name: "a", Values: []float64{1}, Low: []float64{2}, High: []float64{1}}}}), `group "5"`},
		{"reference", one(&GroupedBars{Y: Axis{Log: true}, Groups: []string{"5"}, Series: []BarSeries{{Name: "a", Values: []float64{1}}}, References: []Reference{{Value: 0, Label: "chance"}}}), `reference line 1 ("chance"): 0 cannot be shown`},
		{"empty curves", one(&Curves{}), "at least one series"},
		{"curve lengths", one(&Curves{Series: []CurveSeries{{Name: "a", X: []float64{1}}}}), "1 x values but 0 y values"},
		{"band lengths", one(&Curves{Series: []CurveSeries{{Name: "a", X: []float64{1}, Y: []float64{1}, Low: []float64{}, High: []float64{}}}}), "0 low and 0 high"},
		{"log range", one(&Curves{Y: Axis{Label: "E", Log: true, Min: -1, Max: 1}, Series: curve.Series}), `axis "E": a log axis cannot reach down to -1`},
		{"empty spectrum", one(&Spectrum{}), "at least one series"},
		{"no bins", one(&Histogram{Edges: []float64{1}}), "a histogram of 0 bins with 1 edges"},
		{"edges", one(&Histogram{Edges: []float64{1, 2, 2}, Values: []float64{1, 1}}), "edge 2 of the histogram is 2: want ascending"},
		{"log edges", one(&Histogram{X: Axis{Log: true}, Edges: []float64{0, 1}, Values: []float64{1}}), "edge 0 of the histogram is 0"},
		{"empty map", one(&HeatMap{Rows: []string{"a"}}), "a heat map of 0 rows and 0 columns for the names of 1 rows"},
		{"ragged map", one(&HeatMap{Columns: []string{"x"}, Values: [][]float64{{1}, {1, 2}}, Scale: ColorScale{High: 1}}), "row 1 of the heat map has 2 values for 1 columns"},
		{"flat scale", one(&HeatMap{Columns: []string{"x"}, Values: [][]float64{{1}}, Scale: ColorScale{Label: "mae"}}), `color scale "mae": want finite low < high, got [0, 0]`},
		{"ramp", one(&HeatMap{Columns: []string{"x"}, Values: [][]float64{{1}}, Scale: ColorScale{Ramp: 9, High: 1}}), "there is no ramp 9"},
		{"long map", one(&HeatMap{Columns: []string{"x"}, Values: make([][]float64, 0, 1), Scale: ColorScale{High: 1}}), "0 rows and 1 columns"},
		{"image bars", one(&ImageGrid{Images: [][]image.Image{{image.NewGray(image.Rect(0, 0, 1, 1))}}, Bars: []ImageBar{{Last: 1, Scale: ColorScale{High: 1}}}}), "a color bar under columns 0 to 1 of 1"},
		{"image scale", one(&ImageGrid{Images: [][]image.Image{{image.NewGray(image.Rect(0, 0, 1, 1))}}, Bars: []ImageBar{{}}}), "want finite low < high"},
		{"no header", one(&Table{}), "needs a header"},
		{"wide row", one(&Table{Header: []string{"x"}, Rows: [][]string{{"1", "2"}}}), "table row 1 has 2 cells, the header 1"},
		{"long table", one(many), "does not fit its tile"},
		{"no images", one(&ImageGrid{Images: [][]image.Image{{nil}}}), "at least one image"},
		{"empty image", one(&ImageGrid{Images: [][]image.Image{{image.NewGray(image.Rect(0, 0, 0, 0))}}}), "has no pixels"},
		{"no image", one(&BoxedImage{Image: image.NewGray(image.Rectangle{})}), "needs an image with pixels"},
		{"a box of an image", one(&BoxedImage{Image: image.NewGray(image.Rect(0, 0, 1, 1)), Boxes: []ImageBox{{Kind: "a", MaxX: math.NaN()}}}), "box 0 of an image runs from 0, 0 to NaN, 0"},
		{"no boards", one(&BoardSheet{Kinds: []string{"a"}, XNames: []string{"A"}, YNames: []string{"1"}, Boards: [][][]uint8{{nil}}}), "at least one board"},
		{"no kinds", one(&BoardSheet{XNames: []string{"A"}, YNames: []string{"1"}}), "1 × 1 holds and 0 kinds of marks"},
		{"marks of a board", one(&BoardSheet{Kinds: []string{"a"}, XNames: []string{"A", "B"}, YNames: []string{"1"}, Boards: [][][]uint8{{nil, {1}}}}),
			"the board in row 0, column 1 has 1 marks, want 2: 1 kinds on 1 × 2 holds"},
		{"titles of boards", one(&BoardSheet{Kinds: []string{"a"}, XNames: []string{"A"}, YNames: []string{"1"}, Boards: [][][]uint8{{{1}}}, ColumnLabels: []string{"a", "b"}}),
			"2 column labels for 1 columns"},
		{"row labels", one(&ImageGrid{Images: [][]image.Image{{image.NewGray(image.Rect(0, 0, 1, 1))}}, RowLabels: []string{"a", "b"}}), "2 row labels for 1 rows"},
	} {
		var b bytes.Buffer
		err := c.figure.Render(&b, "svg")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes were written beside an error", c.name, b.Len())
		}
	}
	f := one(curve)
	if err := f.Render(&bytes.Buffer{}, "eps"); err == nil || !strings.Contains(err.Error(), "png, pdf, svg") {
		t.Errorf("format eps: error %v", err)
	}
}

var (
	svgWords  = regexp.MustCompile(`>[^<]*<`) // the words of an SVG file
	notNumber = regexp.MustCompile(`NaN|Inf`)
)

// Any data gives a drawing or a meaningful error; never the message of a caught panic.
func TestNothingPanics(t *testing.T) {
	t.Parallel()
	value := rapid.Custom(func(t *rapid.T) float64 {
		return rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Float64(),
			rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-320, -1e308, 1e308, 1e-12, 1e12, 1e6, 1e6 + 1e-9})).Draw(t, "v")
	})
	values := func(n int) *rapid.Generator[[]float64] { return rapid.SliceOfN(value, n, n) }
	axis := rapid.Custom(func(t *rapid.T) Axis {
		a := Axis{Label: rapid.SampledFrom([]string{"", "x", "A long label of an axis with (units)", "σ_{0}"}).Draw(t, "label"),
			Log: rapid.Bool().Draw(t, "log"), Zero: rapid.Bool().Draw(t, "zero")}
		if rapid.Bool().Draw(t, "fixed") {
			a.Min, a.Max = value.Draw(t, "min"), value.Draw(t, "max")
		}
		return a
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		count := rapid.IntRange(1, 5).Draw(t, "series")
		x, y := axis.Draw(t, "x"), axis.Draw(t, "y")
		var scatter []ScatterSeries
		var curves []CurveSeries
		var spectra []SpectrumSeries
		var bars []Bar
		var groups []BarSeries
		var boxes []Box
		var ranked []RankedModel
		labels := []string{"5", "10", "20", "40", "80", "160"}[:n]
		for i := range count {
			name := longNames[i]
			v, w, low, high := values(n).Draw(t, "v"), values(n).Draw(t, "w"), values(n).Draw(t, "low"), values(n).Draw(t, "high")
			scatter = append(scatter, ScatterSeries{Name: name, X: v, Y: w, Fit: linearFit(value.Draw(t, "slope"), value.Draw(t, "intercept"), -1, 1, nil)})
			curves = append(curves, CurveSeries{Name: name, X: v, Y: w, Low: low, High: high})
			spectra = append(spectra, SpectrumSeries{Name: name, Values: v})
			boxes = append(boxes, Box{Name: name, Values: w})
			b := Bar{Name: name, Value: value.Draw(t, "bar"), Low: value.Draw(t, "l"), High: value.Draw(t, "h")}
			if b.Low > b.High {
				b.Low, b.High = b.High, b.Low
			}
			bars = append(bars, b)
			groups = append(groups, BarSeries{Name: name, Values: v})
			ranked = append(ranked, RankedModel{Name: name, Rank: value.Draw(t, "rank")})
		}
		lines := []Reference{{Value: rapid.Float64Range(0.1, 5).Draw(t, "line"), Label: "chance level"}}
		for _, p := range []Panel{&Scatter{X: x, Y: y, Series: scatter, Diagonal: true}, &Curves{X: x, Y: y, Series: curves, References: lines},
			&Spectrum{X: x, Y: y, Series: spectra}, &Bars{X: x, Y: y, Bars: bars, References: lines},
			&Histogram{X: x, Y: y, Edges: []float64{0.1, 1, 2, 5, 7, 8, 20}[:n+1], Values: bars[0].of(n), Low: bars[0].Low, High: bars[0].High, References: lines},
			&HeatMap{X: x, Y: y, Columns: labels, Values: rowsOf(curves), Scale: ColorScale{Ramp: Ramp(n % 3), Low: x.Min, High: x.Max, Label: y.Label}},
			&GroupedBars{X: x, Y: y, Groups: labels, Series: groups}, &BoxPlot{X: x, Y: y, Boxes: boxes, References: lines},
			&CriticalDifference{X: x, Models: ranked, Groups: [][]string{longNames[:min(2, count)], longNames[:count]}[:min(2, count-1)]}} {
			f := one(p)
			var b bytes.Buffer
			if err := f.Render(&b, "svg"); err != nil {
				if strings.Contains(err.Error(), "could not be drawn") {
					t.Fatalf("%T: %v", p, err)
				}
				continue
			}
			drawing := svgWords.ReplaceAllString(b.String(), "><")
			if at := notNumber.FindStringIndex(drawing); at != nil {
				t.Fatalf("%T: a coordinate is not a number: …%s…", p, drawing[max(0, at[0]-60):min(len(drawing), at[1]+60)])
			}
		}
	})
}

// of are the ends of a bar, over and over.
func (b Bar) of(n int) []float64 {
	var out []float64
	for i := range n {
		out = append(out, []float64{b.Value, b.Low, b.High}[i%3])
	}
	return out
}

// rowsOf are the values of curves, a row each.
func rowsOf(curves []CurveSeries) [][]float64 {
	var rows [][]float64
	for _, c := range curves {
		rows = append(rows, c.Y)
	}
	return rows
}

var update = flag.Bool("update", false, "write the golden images anew")

func goldenFigures() map[string]Figure {
	sigma := []float64{0.01, 0.05, 0.1, 0.2}
	return map[string]Figure{
		"bars": {WidthMM: 42, HeightMM: 34, Tiles: []Tile{{Title: "Bars", Panel: &Bars{Y: Axis{Label: "PR"}, References: []Reference{{Value: 5, Label: "null"}},
			Bars: []Bar{{Name: "jepa", Value: 8, Low: 7, High: 9.5}, {Name: "encoder_decoder", Value: 14, Low: 12, High: 15}, {Name: "pca", Value: math.NaN()}}}}}},
		"curves": {WidthMM: 42, HeightMM: 36, Tiles: []Tile{{Panel: &Curves{X: Axis{Label: "σ"}, Y: Axis{Label: "d_{z}", Log: true}, Series: []CurveSeries{
			{Name: "jepa", X: sigma, Y: []float64{0.01, 0.1, 0.5, 2}, Low: []float64{0.005, 0.06, 0.4, 1.5}, High: []float64{0.02, 0.15, 0.7, 3}},
			{Name: "pca", X: sigma, Y: []float64{0.1, math.NaN(), 1, 8}}}}}}},
		"table": {WidthMM: 42, HeightMM: 22, Tiles: []Tile{{Title: "Table", Panel: &Table{Header: []string{"Model", "R^{2}", "Slope"}, Keys: true,
			Rows: [][]string{{"jepa", "0.93", Number(1.2e-5, 2)}, {"encoder_decoder", "0.81", Number(-3e-4, 2)}}}}}},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, f := range goldenFigures() {
		path := filepath.Join("testdata", name+".png")
		file := rendered(t, &f, "png")
		if *update {
			if err := os.WriteFile(path, file, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(bytes.NewReader(golden))
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		mean, far := difference(got, want)
		if mean > 0.5 || far > 0.002 {
			t.Errorf("%s: mean difference %.2f of 255, %.2f %% of the pixels clearly different (look at the image, then run with -update)", name, mean, 100*far)
		}
	}
}

// difference returns the mean absolute difference of the channels and the share
// of pixels that differ by more than 64 in one.
func difference(a, b image.Image) (mean, far float64) {
	if a.Bounds() != b.Bounds() {
		return math.Inf(1), 1
	}
	bounds := a.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			worst := 0.0
			for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
				d := math.Abs(float64(pair[0])-float64(pair[1])) / 257
				mean += d / 3
				worst = max(worst, d)
			}
			if worst > 64 {
				far++
			}
		}
	}
	pixels := float64(bounds.Dx() * bounds.Dy())
	return mean / pixels, far / pixels
}
