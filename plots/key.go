// Keys: the small samples of a series' style in legends and tables.

package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Kinds of legend keys; a series drawn in several ways has several.
const (
	keyFill = 1 << iota
	keyLine
	keyMarker
)

// Lengths of keys in points.
const (
	keyHeight = 6.0
	fillWidth = 8.0
	lineWidth = 17.0
	keyGap    = 3.0
)

// legendKey is the sample of one series; a [plot.Thumbnailer].
type legendKey struct {
	name  string
	style Style
	kinds int
}

// keyWidth is the width of a key of these kinds.
func keyWidth(kinds int) vg.Length {
	var w vg.Length
	if kinds&keyFill != 0 {
		w += fillWidth
	}
	if kinds&keyLine != 0 {
		w += lineWidth
	} else if kinds&keyMarker != 0 {
		w += fillWidth
	}
	if kinds&keyFill != 0 && kinds&(keyLine|keyMarker) != 0 {
		w += keyGap
	}
	return w
}

// draw draws the key, opaque whatever the panels use, right of a point at its middle height, with space for all kinds
// of the legend, scaled by scale.
func (k legendKey) draw(s *scene, point vg.Point, kinds int, scale vg.Length) {
	x := point.X
	if kinds&keyFill != 0 {
		if k.kinds&keyFill != 0 {
			drawSwatch(s, k.style, vg.Point{X: x, Y: point.Y}, scale)
		}
		x += (fillWidth + keyGap) * scale
	}
	switch {
	case kinds&keyLine != 0:
		if k.kinds&keyLine != 0 {
			s.line([]vg.Point{{X: x, Y: point.Y}, {X: x + lineWidth*scale, Y: point.Y}}, k.style.Line, 1, k.style.dash)
		}
		if k.kinds&keyMarker != 0 {
			s.marker(vg.Point{X: x + lineWidth/2*scale, Y: point.Y}, 2*scale, k.style, k.style.Fill, k.style.Edge, 0.3)
		}
	case kinds&keyMarker != 0:
		s.marker(vg.Point{X: x + fillWidth/2*scale, Y: point.Y}, 2.2*scale, k.style, k.style.Fill, k.style.Edge, 0.3)
	}
}

// Thumbnail draws the key as large as fits into the canvas, in its middle.
func (k legendKey) Thumbnail(c *draw.Canvas) {
	drawKeys(c, []legendKey{k})
}

// drawKeys draws keys side by side, as large as the canvas allows.
func drawKeys(c *draw.Canvas, keys []legendKey) {
	kinds := 0
	for _, k := range keys {
		kinds |= k.kinds
	}
	size := c.Size()
	slot := size.X / vg.Length(len(keys))
	width := keyWidth(kinds)
	if width == 0 || !(size.X > 0) || !(size.Y > 0) {
		return
	}
	scale := min(size.Y/keyHeight, 0.94*slot/width, 2)
	s := newForeignScene(c.Canvas)
	for i, k := range keys {
		x := c.Min.X + slot*(vg.Length(i)+0.5) - width*scale/2
		k.draw(s, vg.Point{X: x, Y: (c.Min.Y + c.Max.Y) / 2}, kinds, scale)
	}
}

// drawSwatch draws the filled key of a series, its left edge at p.
func drawSwatch(s *scene, style Style, p vg.Point, scale vg.Length) {
	s.box(vg.Rectangle{Min: vg.Point{X: p.X, Y: p.Y - keyHeight/2*scale}, Max: vg.Point{X: p.X + fillWidth*scale, Y: p.Y + keyHeight/2*scale}},
		style, style.Fill, 0.4)
}
