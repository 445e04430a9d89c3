// Matrices: numbers between pairs of series as a heat map.

package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the matrix into the data rectangle of a plot, whose axes [Add] hides.
func (p *Matrix) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// Thumbnail draws a filled box in the style of a series, side by side for several.
func (p *Matrix) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// heatmap is a prepared Matrix.
type heatmap struct {
	values [][]float64
	styles []Style
	text   [][]string // of the cells; nil: none wanted
	tree   []Join
}

func (p *Matrix) prepare(prep *preparation) (content, error) {
	if len(p.Names) == 0 || len(p.Values) != len(p.Names) {
		return nil, prep.errorf("a matrix of %d rows for %d names", len(p.Values), len(p.Names))
	}
	if err := prep.names(p.Names); err != nil {
		return nil, err
	}
	if err := checkTree(p.Tree, len(p.Names)); err != nil {
		return nil, prep.errorf("%v", err)
	}
	h := &heatmap{values: p.Values, tree: p.Tree}
	decimals := p.Decimals
	if decimals == 0 {
		decimals = 2
	}
	for i, name := range p.Names {
		if len(p.Values[i]) != len(p.Names) {
			return nil, prep.errorf("row %q of the matrix has %d values for %d names", name, len(p.Values[i]), len(p.Names))
		}
		h.styles = append(h.styles, prep.style(name))
		prep.explain(name, keyFill)
		if decimals < 0 {
			continue
		}
		var row []string
		for _, v := range p.Values[i] {
			row = append(row, cellText(v, decimals))
		}
		h.text = append(h.text, row)
	}
	return h, nil
}

// checkTree finds joins that make no tree of rows.
func checkTree(tree []Join, rows int) error {
	if tree == nil {
		return nil
	}
	if len(tree) != rows-1 {
		return fmt.Errorf("the tree of %d rows has %d joins, want %d", rows, len(tree), rows-1)
	}
	joined := make([]bool, rows+len(tree))
	for k, join := range tree {
		for _, c := range []int{join.First, join.Second} {
			if c < 0 || c >= rows+k || joined[c] {
				return fmt.Errorf("join %d of the tree has cluster %d, want two that exist and are not joined yet", k+1, c)
			}
			joined[c] = true
		}
		if !(join.Height >= 0) || math.IsInf(join.Height, 1) {
			return fmt.Errorf("join %d of the tree has the height %g, want a number from 0 on", k+1, join.Height)
		}
	}
	return nil
}

// cellText is a number with this many decimals, without the sign of a zero.
func cellText(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if zero, err := strconv.ParseFloat(text, 64); err == nil && zero == 0 {
		text = strconv.FormatFloat(0, 'f', decimals, 64)
	}
	return minus(text)
}

func (h *heatmap) measure(vg.Point, vg.Length) margins { return margins{} }

// Lengths of a matrix in points.
const (
	largestCell = 34.0 // cells of few models stay small enough to be read as a matrix
	keyStrip    = fillWidth + 3
	treeGap     = 3.0  // between a matrix and its tree
	treeWidth   = 45.0 // at most a fifth of the tile
)

func (h *heatmap) draw(s *scene, _, tile vg.Rectangle) error {
	n := vg.Length(len(h.values))
	area := tile.Size()
	tree := min(treeWidth, area.X/5)
	if h.tree != nil {
		area.X -= treeGap + tree
	}
	cell := vg.Point{X: min((area.X-keyStrip)/n, largestCell*1.3), Y: min((area.Y-keyStrip)/n, largestCell)}
	if cell.X < 2 || cell.Y < 2 {
		return roomError(s.panel, "a matrix of %d series does not fit its tile", len(h.values))
	}
	size, fits := h.fit(cell)
	if !fits {
		h.shorten()
		size, fits = h.fit(cell)
	}
	if !fits {
		s.cramp("%s: no room to print the numbers of the matrix", panelName(s.panel))
	}
	left, top := tile.Min.X+keyStrip, tile.Max.Y-keyStrip
	s.record("data", "", vg.Point{}, 0, vg.Rectangle{Min: vg.Point{X: left, Y: top - cell.Y*n}, Max: vg.Point{X: left + cell.X*n, Y: top}})
	scale := min(1, 0.9*cell.X/fillWidth, 0.9*cell.Y/keyHeight)
	for i, row := range h.values {
		y := top - cell.Y*(vg.Length(i)+0.5)
		drawSwatch(s, h.styles[i], vg.Point{X: left - 3 - fillWidth*scale, Y: y}, scale)
		drawSwatch(s, h.styles[i], vg.Point{X: left + cell.X*(vg.Length(i)+0.5) - fillWidth*scale/2, Y: top + keyStrip/2},
			scale)
		for j, v := range row {
			r := vg.Rectangle{Min: vg.Point{X: left + cell.X*vg.Length(j), Y: y - cell.Y/2}}
			r.Max = r.Min.Add(cell)
			fill := heat(v)
			words := block{}
			if fits && h.text != nil {
				words = newBlock(h.text[i][j], size, false)
			}
			s.heatCell(r, fill, words)
		}
	}
	if len(h.tree) > 0 {
		h.drawTree(s, vg.Rectangle{Min: vg.Point{X: left + cell.X*n + treeGap, Y: top - cell.Y*n},
			Max: vg.Point{X: left + cell.X*n + treeGap + tree, Y: top}}, cell.Y)
	}
	return nil
}

// drawTree draws each join as a bracket around its clusters, at its height from the left.
func (h *heatmap) drawTree(s *scene, r vg.Rectangle, cell vg.Length) {
	highest := 0.0
	for _, join := range h.tree {
		highest = max(highest, join.Height)
	}
	var ends []vg.Point // of the clusters
	for i := range h.values {
		ends = append(ends, vg.Point{X: r.Min.X, Y: r.Max.Y - cell*(vg.Length(i)+0.5)})
	}
	for _, join := range h.tree {
		first, second, x := ends[join.First], ends[join.Second], r.Min.X
		if highest > 0 {
			x += r.Size().X * vg.Length(join.Height/highest)
		}
		s.line([]vg.Point{first, {X: x, Y: first.Y}, {X: x, Y: second.Y}, second}, softInk, axisWidth, nil)
		ends = append(ends, vg.Point{X: x, Y: (first.Y + second.Y) / 2})
	}
}

// shorten leaves out the zero before the point.
func (h *heatmap) shorten() {
	for _, row := range h.text {
		for i, text := range row {
			sign := ""
			if rest, negative := strings.CutPrefix(text, "−"); negative {
				sign, text = "−", rest
			}
			if strings.HasPrefix(text, "0.") {
				text = text[1:]
			}
			if whole, zeros, ok := strings.Cut(text, "."); ok && whole != "" && strings.Trim(zeros, "0") == "" {
				text = whole
			}
			row[i] = sign + text
		}
	}
}

// fit is the largest size in which every number fits its cell.
func (h *heatmap) fit(cell vg.Point) (size float64, fits bool) {
	for _, size := range []float64{labelSize, tickSize, smallestSize} {
		fits := true
		for _, row := range h.text {
			for _, text := range row {
				b := newBlock(text, size, false)
				fits = fits && b.width <= cell.X-1 && vg.Length(size*capHeight) <= cell.Y-1
			}
		}
		if fits {
			return size, true
		}
	}
	return smallestSize, false
}

// heat is the color of a number: from white at 0 to blue at 1 and orange at −1, gray
// for NaN.
func heat(v float64) color.NRGBA {
	if math.IsNaN(v) {
		return gridInk
	}
	end := okabeIto[0]
	if v < 0 {
		end = okabeIto[1]
	}
	return mix(paperOpen, end, min(1, math.Abs(v)))
}
