// Notes: text in a tile.

package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the text into the data rectangle of a plot, whose axes [Add] hides.
func (p *Text) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// note is a prepared Text.
type note struct{ body string }

func (p *Text) prepare(prep *preparation) (content, error) {
	prep.text(p.Body)
	return &note{p.Body}, nil
}

func (n *note) measure(vg.Point, vg.Length) margins { return margins{} }

func (n *note) draw(s *scene, _, tile vg.Rectangle) error {
	size := tile.Size()
	for _, points := range []float64{labelSize, tickSize, smallestSize} {
		b := newBlock(wrap(n.body, points, false, size.X), points, false)
		if b.height <= size.Y || points == smallestSize {
			for b.height > size.Y && len(b.lines) > 1 {
				s.cramp("%s: the text is longer than its tile", panelName(s.panel))
				b.lines, b.widths = b.lines[:len(b.lines)-1], b.widths[:len(b.widths)-1]
				b.height -= linePitch * b.size
			}
			s.drawText("note", b, vg.Point{X: tile.Min.X, Y: tile.Max.Y}, alignStart, alignEnd, 0, ink)
			return nil
		}
	}
	return nil
}
