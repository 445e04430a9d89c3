// Figures of another width: the text keeps its size, the panels are rearranged.

package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// Lengths of figures that are fitted.
const (
	leastPanelMM  = 38.0 // width of a chart below which a row has fewer panels, unless it was drawn smaller
	mostHeightMM  = 1000.0
	heightStep    = 1.15 // factor by which rows grow that are too small
	mostSteps     = 8
	smallestImage = 20.0 // mm
	tableAir      = 1.3  // height of a table, relative to the needs of its rows
)

// Fit sets the width of a figure in millimeters, in (0, 1000]. Texts keep their sizes, 6 points or more. Panels move
// to further rows if they would be too narrow, and the height follows. Images keep their aspect ratio. A figure that
// has the width already stays unchanged.
func (f *Figure) Fit(widthMM float64) error {
	if widthMM == f.WidthMM {
		return nil
	}
	wide := *f
	wide.WidthMM = widthMM
	if err := wide.checkSize(); err != nil {
		return err
	}
	g, err := f.cells()
	if err != nil {
		return err
	}
	if wide.Legend == LegendRight && widthMM < f.WidthMM {
		wide.Legend = LegendBelow
	}
	accepted, _ := f.attempt() // problems of the original figure are accepted
	var best *Figure
	bestWrong := math.MaxInt
	for perRow := g.most; perRow >= 1; perRow-- {
		if perRow > 1 && g.narrow(widthMM, perRow) {
			continue
		}
		fitted, wrong := g.fit(&wide, perRow, accepted)
		if fitted != nil && wrong < bestWrong {
			best, bestWrong = fitted, wrong
		}
		if wrong == 0 {
			break
		}
	}
	if best != nil {
		*f = *best
		return nil
	}
	*f = wide // Render reports the texts that do not fit
	return nil
}

// cell is a tile as the figure was drawn.
type cell struct {
	width, height, header float64 // mm, with its header
	title                 string
	letter                vg.Length
	image                 bool // keeps its shape
	table                 *grid
}

// cellGrid is the tiles of a figure in rows that follow each other.
type cellGrid struct {
	cells []cell
	rows  [][]int // tiles from left to right
	most  int     // in one row
	// blocks says that the tiles come column by column: columns stay together.
	blocks bool
	// regular says that all rows have tiles of equal widths.
	regular bool
}

// cells are the tiles as the figure has them.
func (f *Figure) cells() (*cellGrid, error) {
	tiles, rest, widths, heights, err := f.measured(f.HeightMM)
	if err != nil {
		return nil, err
	}
	gridCells(tiles, widths, heights, rest)
	g := &cellGrid{}
	for i, p := range tiles {
		g.cells = append(g.cells, cell{width: float64(p.rect.Size().X / mm), height: float64((p.headerTop - p.rect.Min.Y) / mm),
			header: float64((p.headerTop - p.rect.Max.Y) / mm), title: p.tile.Title, letter: p.letter.width, image: isImage(p.tile.Panel)})
		g.cells[i].table, _ = p.content.(*grid)
		for len(g.rows) <= p.firstRow {
			g.rows = append(g.rows, nil)
		}
		g.rows[p.firstRow] = append(g.rows[p.firstRow], i)
	}
	g.rows = slices.DeleteFunc(g.rows, func(row []int) bool { return len(row) == 0 })
	g.regular = true
	ordered := true
	for k, row := range g.rows {
		slices.SortStableFunc(row, func(a, b int) int { return tiles[a].firstColumn - tiles[b].firstColumn })
		g.most = max(g.most, len(row))
		g.regular = g.regular && len(row) == len(g.rows[0])
		ordered = ordered && slices.IsSorted(row) && (k == 0 || g.rows[k-1][len(g.rows[k-1])-1] < row[0])
	}
	g.blocks = !ordered && g.regular
	return g, nil
}

// measured prepares the figure at a height and returns its tiles, the area for them, and the sizes of the grid.
func (f *Figure) measured(heightMM float64) (tiles []*placed, rest vg.Rectangle, widths, heights []float64, err error) {
	prep, err := newOrdered(f.Series, f.Ordered)
	if err != nil {
		return nil, rest, nil, nil, err
	}
	if tiles, widths, heights, err = f.prepare(prep); err != nil {
		return nil, rest, nil, nil, err
	}
	s := &scene{canvas: &recorder.Canvas{}, panel: -1, width: vg.Length(f.WidthMM) * mm, height: vg.Length(heightMM) * mm}
	return tiles, f.frame(s, prep), widths, heights, nil
}

// isImage reports whether a panel keeps its shape in a tile of another width.
func isImage(p Panel) bool {
	switch p.(type) {
	case *ImageGrid, *BoardSheet, *BoxedImage:
		return true
	}
	return false
}

// narrow reports whether charts are too narrow with this many in a row.
func (g *cellGrid) narrow(widthMM float64, perRow int) bool {
	width := panelWidth(widthMM, perRow)
	for _, row := range g.rows {
		if len(row) < perRow {
			continue
		}
		for _, i := range row {
			if c := g.cells[i]; width < min(leastPanelMM, c.width) && !c.image {
				return true
			}
		}
	}
	return false
}

// panelWidth is the width in millimeters of each of the panels in a row.
func panelWidth(widthMM float64, beside int) float64 {
	room := vg.Length(widthMM)*mm - 2*outerMargin - columnGap*vg.Length(beside-1)
	return float64(room/mm) / float64(beside)
}

// fit arranges tiles with at most this many in a row. It returns the figure and the number of its problems; nil if it
// cannot be drawn.
func (g *cellGrid) fit(wide *Figure, perRow int, accepted map[int]bool) (best *Figure, wrong int) {
	alone, grown := map[int]bool{}, map[int]int{}
	wrong = math.MaxInt
	for range len(g.cells) + mostSteps {
		f := g.arranged(wide, perRow, alone, grown)
		if f == nil || f.HeightMM > mostHeightMM {
			break
		}
		bad, drawn := f.attempt()
		for i := range accepted {
			delete(bad, i)
		}
		if drawn && len(bad) < wrong {
			best, wrong = f, len(bad)
		}
		if drawn && len(bad) == 0 {
			break
		}
		if delete(bad, noPanel); len(bad) == 0 { // it is not known where
			for i := range g.cells {
				bad[i] = true
			}
		}
		// A separate row first, then a greater height.
		moved := false
		for i := range bad {
			if perRow > 1 && !alone[i] && len(bad) < len(g.cells) {
				alone[i], moved = true, true
			}
		}
		if moved {
			continue
		}
		for i := range bad {
			grown[i]++
		}
	}
	return best, wrong
}

// line is a row of tiles; fill says that they take the whole width.
type line struct {
	tiles []int
	fill  bool
}

// lines are the tiles in rows of limited length, with separate rows for the tiles in alone.
func (g *cellGrid) lines(perRow int, alone map[int]bool) []line {
	var all []line
	split := func(row []int) {
		var some []int
		flush := func() {
			// As equal as can be.
			parts := (len(some) + perRow - 1) / max(perRow, 1)
			for k := range parts {
				all = append(all, line{tiles: some[k*len(some)/parts : (k+1)*len(some)/parts]})
			}
			some = nil
		}
		for _, i := range row {
			if alone[i] {
				flush()
				all = append(all, line{[]int{i}, true})
				continue
			}
			some = append(some, i)
		}
		flush()
	}
	if g.blocks && perRow < g.most {
		parts := (g.most + perRow - 1) / perRow
		for k := range parts {
			for _, row := range g.rows {
				split(row[k*g.most/parts : (k+1)*g.most/parts])
			}
		}
		return all
	}
	for _, row := range g.rows {
		split(row)
	}
	return all
}

// arranged is the figure with its tiles in lines.
func (g *cellGrid) arranged(wide *Figure, perRow int, alone map[int]bool, grown map[int]int) *Figure {
	f := *wide
	f.Tiles = slices.Clone(wide.Tiles)
	lines := g.lines(perRow, alone)
	columns := 1
	for _, l := range lines {
		columns = common(columns, len(l.tiles))
	}
	same := perRow == g.most && len(alone) == 0
	if !same {
		f.ColumnWidths = nil
	}
	f.RowHeights = nil
	total := 0.0
	for row, l := range lines {
		height := 0.0
		for k, i := range l.tiles {
			if !same {
				span := columns / len(l.tiles)
				f.Tiles[i].Row, f.Tiles[i].Column, f.Tiles[i].RowSpan, f.Tiles[i].ColumnSpan = row, k*span, 1, span
			}
			height = max(height, g.cells[i].at(panelWidth(f.WidthMM, len(l.tiles)))*math.Pow(heightStep, float64(grown[i])))
		}
		f.RowHeights = append(f.RowHeights, height)
		total += height
	}
	f.HeightMM = mostHeightMM
	_, rest, _, _, err := f.measured(f.HeightMM)
	if err != nil {
		return nil
	}
	gaps := rowGap * vg.Length(len(lines)-1)
	f.HeightMM = math.Ceil(total + float64(gaps/mm) + f.HeightMM - float64(rest.Size().Y/mm))
	return &f
}

// at is the height of a cell of another width.
func (c *cell) at(width float64) float64 {
	height := c.height
	if c.image {
		height = max(smallestImage, c.header+(c.height-c.header)*width/c.width)
	}
	if c.table != nil {
		if l, fits := c.table.fit(vg.Point{X: vg.Length(width) * mm, Y: vg.Length(height-c.header) * mm}); fits {
			height = min(height, c.header+tableAir*float64(l.height/mm))
		}
	}
	if c.title != "" { // it may take more lines
		lines := func(width float64) float64 {
			room := vg.Length(width)*mm - c.letter - 4
			return float64(newBlock(wrap(c.title, titleSize, false, room), titleSize, false).height / mm)
		}
		height += max(0, lines(width)-lines(c.width))
	}
	return height
}

// common is the least common multiple.
func common(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// noPanel marks texts that belong to no panel.
const noPanel = -1

// attempt lays the figure out and returns the panels that are too small: texts are cut, too small or touch each other.
// drawn is false if the figure cannot be drawn at all.
func (f *Figure) attempt() (bad map[int]bool, drawn bool) {
	bad = map[int]bool{}
	s, err := f.compose(&recorder.Canvas{}, false)
	var tooSmall *RoomError
	if errors.As(err, &tooSmall) {
		bad[tooSmall.panel] = true
	}
	if err != nil {
		return bad, false
	}
	for i := range s.cramped {
		bad[i] = true
	}
	for _, c := range s.collisions() {
		bad[c.a.panel], bad[c.b.panel] = true, true
	}
	return bad, true
}

// collision is two marks that touch, or one that leaves the canvas, with itself.
type collision struct {
	a, b mark
	what string
}

func (c collision) String() string {
	if c.what == leaves {
		return fmt.Sprintf("%s %q of panel %d leaves the canvas", c.a.kind, c.a.text, c.a.panel)
	}
	return fmt.Sprintf("%s %q (panel %d) %s %s %q (panel %d)",
		c.a.kind, c.a.text, c.a.panel, c.what, c.b.kind, c.b.text, c.b.panel)
}

// The kinds of collisions.
const (
	leaves   = "leaves the canvas"
	overlaps = "overlaps"
	covers   = "covers the data of"
)

// The boxes of text include space for accents above and descenders below.
const textSlack = 1.3

// collisions are texts that leave the canvas, touch another text or cover data.
func (s *scene) collisions() (all []collision) {
	var texts, data []mark
	for _, m := range s.marks {
		switch m.kind {
		case "data", "image":
			data = append(data, m)
		case "interval", "bar":
		default:
			texts = append(texts, m)
		}
	}
	for i, m := range texts {
		for _, c := range m.corners {
			if c.X < -0.01 || c.Y < -textSlack || c.X > s.width+0.01 || c.Y > s.height+textSlack {
				all = append(all, collision{m, m, leaves})
				break
			}
		}
		for _, other := range texts[i+1:] {
			if overlap(m.corners, other.corners, textSlack) {
				all = append(all, collision{m, other, overlaps})
			}
		}
		if m.kind == "value" || m.kind == "note" {
			continue
		}
		for _, d := range data {
			if overlap(m.corners, d.corners, textSlack) {
				all = append(all, collision{m, d, covers})
			}
		}
	}
	return all
}

// overlap reports whether two convex quadrilaterals share more than slack points
// along every axis that could separate them.
func overlap(p, q [4]vg.Point, slack float64) bool {
	for _, shape := range [][4]vg.Point{p, q} {
		for i := range shape {
			edge := shape[(i+1)%4].Sub(shape[i])
			length := math.Hypot(float64(edge.X), float64(edge.Y))
			if length == 0 {
				continue
			}
			normal := vg.Point{X: -edge.Y / vg.Length(length), Y: edge.X / vg.Length(length)}
			lowP, highP := project(p, normal)
			lowQ, highQ := project(q, normal)
			if math.Min(highP, highQ)-math.Max(lowP, lowQ) <= slack {
				return false
			}
		}
	}
	return true
}

func project(p [4]vg.Point, axis vg.Point) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range p {
		d := float64(c.X*axis.X + c.Y*axis.Y)
		low, high = math.Min(low, d), math.Max(high, d)
	}
	return low, high
}
