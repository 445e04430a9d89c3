// The figures of single designs: the worst and best ones, and overlays of matched elements.

package command

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/analysis/internal/output"
	"repscope/dataset"
	"repscope/internal/resize"
	"repscope/internal/run"
	"repscope/plots"
	"repscope/report"
)

// ranked are the final designs from the worst to the best: by the mean, over the main numbers that
// say which is better, of the share of designs that are worse, ties counted by half. Designs of
// which fewer than half of these are known are left out.
func (r *outcome) ranked() (rows []int, score map[int]float64) {
	var keys []canvas.Key
	for _, key := range r.mainKeys() {
		if key.Direction == report.Higher || key.Direction == report.Lower {
			keys = append(keys, key)
		}
	}
	sums, counts := map[int]float64{}, map[int]int{}
	for _, key := range keys {
		var scored []int
		var values []float64
		for i, row := range r.Rows {
			if v := row.Row.Values[key.Name]; row.Case.Snapshot < 0 && v.Defined() {
				if key.Direction == report.Lower {
					v.V = -v.V
				}
				scored, values = append(scored, i), append(values, v.V)
			}
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		for k, i := range scored {
			low, _ := slices.BinarySearch(sorted, values[k])
			high := low
			for high < len(sorted) && sorted[high] == values[k] {
				high++
			}
			sums[i] += float64(low+high) / 2 / float64(len(sorted))
			counts[i]++
		}
	}
	score = map[int]float64{}
	for i := range r.Rows {
		if counts[i] > 0 && 2*counts[i] >= len(keys) {
			rows = append(rows, i)
			score[i] = sums[i] / float64(counts[i])
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch {
		case score[a] < score[b]:
			return -1
		case score[a] > score[b]:
			return 1
		}
		return a - b
	})
	return rows, score
}

// overlayCount is how many overlays are drawn of a number of designs.
func overlayCount(cases int) int { return min(cases, len(overlayNames)) }

// overlayNames end the names of overlays.
var overlayNames = []string{"worst", "best", "middle"}

// overlayName is the name of overlay k of a number of designs.
func overlayName(k, cases int) string {
	if cases == 1 {
		return figureOverlay
	}
	return figureOverlay + "_" + overlayNames[k]
}

// caseFigures draws the contact sheet and the overlays; with reports an overlay of every case.
func (r *outcome) caseFigures(ctx context.Context) (drawings []run.Drawing) {
	rows, score := r.ranked()
	if len(rows) > 1 {
		drawings = append(drawings, output.Drawing(figureCases, func() (*plots.Figure, error) {
			return r.contactSheet(ctx, rows, score)
		}))
	}
	overlay := func(name string, c *source.Case) {
		drawings = append(drawings, output.Drawing(name, func() (*plots.Figure, error) { return r.overlay(ctx, c) }))
	}
	if len(rows) > 0 {
		places := []int{0, len(rows) - 1, len(rows) / 2}
		for k := range overlayCount(len(rows)) {
			overlay(overlayName(k, len(rows)), r.Rows[rows[places[k]]].Case)
		}
	}
	if r.reports {
		for i := range r.Rows {
			c := r.Rows[i].Case
			overlay(store.ReportFolder(c)+"/overlay", c)
		}
	}
	return drawings
}

// pair is a case to be drawn.
func (r *outcome) pair(ctx context.Context, c *source.Case) *canvas.Pair {
	return canvas.NewPair(ctx, c, r.settings, r.read, design.NewView(c.Reference, "reference", r.read))
}

// The widths of screens in figures, in pixels: of their places at 300 DPI.
const (
	sheetPixels   = 360
	overlayPixels = 640
)

// fitting is a size of at most that width in pixels, and four times that height.
func fitting(width, height, most int) (w, h int) {
	scale := min(1, float64(most)/float64(width), float64(4*most)/float64(height))
	return max(1, int(math.Round(scale*float64(width)))), max(1, int(math.Round(scale*float64(height))))
}

// shrunk is a screen on white in a size that fits: see fitting.
func shrunk(s *dataset.Screen, limit int) image.Image {
	w, h := fitting(s.Width, s.Height, limit)
	small := make([]uint8, 3*w*h)
	resize.NewCubic(s.Height, s.Width, h, w).Bytes(small, screenshot.Opaque(s, false), 3)
	return imageOf(small, w, h)
}

// shrunkImage is an image without alpha in a size that fits.
func shrunkImage(m *image.NRGBA, most int) image.Image {
	b := m.Bounds()
	return shrunk(&dataset.Screen{Width: b.Dx(), Height: b.Dy(), Pixels: m.Pix}, most)
}

// imageOf is an image of pixels [height, width, 3].
func imageOf(pixels []uint8, width, height int) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		copy(out.Pix[4*i:4*i+3], pixels[3*i:3*i+3])
		out.Pix[4*i+3] = 255
	}
	return out
}

// tallest is the largest ratio of height to width of some images.
func tallest(rows [][]image.Image) float64 {
	ratio := 0.0
	for _, row := range rows {
		for _, m := range row {
			if m != nil {
				ratio = max(ratio, float64(m.Bounds().Dy())/float64(m.Bounds().Dx()))
			}
		}
	}
	return ratio
}

// sheetCases is how many designs stand in a row of the contact sheet at most.
const sheetCases = 6

// contactSheet shows the worst and the best of two or more designs below their references; nil where
// none has an image.
func (r *outcome) contactSheet(ctx context.Context, rows []int, score map[int]float64) (*plots.Figure, error) {
	worst := rows[:min(sheetCases, len(rows)/2)]
	best := slices.Clone(rows[len(rows)-min(sheetCases, len(rows)/2):])
	slices.Reverse(best)
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "The worst and best designs"}
	ratio := 0.0
	for _, part := range []struct {
		title string
		rows  []int
	}{{"Worst", worst}, {"Best", best}} {
		grid := &plots.ImageGrid{Images: make([][]image.Image, 2), RowLabels: []string{"reference", "generated"}}
		some := false
		for _, i := range part.rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			pair := r.pair(ctx, r.Rows[i].Case)
			for k, view := range []*design.View{pair.Reference, pair.Generated} {
				var m image.Image
				if s, err := view.Screen(); err == nil {
					m, some = shrunk(s, sheetPixels), true
				}
				grid.Images[k] = append(grid.Images[k], m)
			}
			grid.ColumnLabels = append(grid.ColumnLabels, plots.Escape(r.Rows[i].Case.ID)+fmt.Sprintf("\n%.2f", score[i]))
		}
		if some {
			ratio = max(ratio, tallest(grid.Images))
			f.Tiles = append(f.Tiles, plots.Tile{Panel: grid, Title: part.title, Row: len(f.Tiles)})
		}
	}
	if len(f.Tiles) == 0 {
		return nil, nil
	}
	const margin, labels = 20.0, 16.0 // mm of row labels, and of titles and labels of a grid
	columns := float64(len(worst))
	f.WidthMM = min(plots.DoubleColumnMM, margin+34*columns)
	cell := (f.WidthMM - margin) / columns * ratio
	f.HeightMM = min(float64(len(f.Tiles))*(2*cell+labels)+12, 235)
	f.Footnote = "Ranked by the share of designs that are worse, averaged over the main metrics (below the name)."
	return f, nil
}
