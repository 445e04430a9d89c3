// Names under an axis: side by side, wrapped or rotated, whatever fits first.

package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// categoryLabels are the names under an axis: side by side, wrapped, rotated by 45° or upright, whatever fits first.
type categoryLabels struct {
	blocks      []block
	rotation    float64
	height      vg.Length
	left, right vg.Length // how far they reach beyond the axis
	cut, small  bool
}

// layoutCategories fits names into equal slots of an axis, at most tallest high.
func layoutCategories(names []string, width, tallest vg.Length) categoryLabels {
	slot := width / vg.Length(len(names))
	const gap = 3
	for _, lines := range []int{1, 3} {
		for _, size := range []float64{tickSize, smallestSize} {
			if l, ok := horizontalLabels(names, size, slot-gap, lines); ok {
				return l
			}
		}
	}
	size := float64(smallestSize)
	l := categoryLabels{rotation: math.Pi / 4}
	line := vg.Length(size * (ascent + descent))
	if slot < line*math.Sqrt2 {
		l.rotation = math.Pi / 2
		if slot < line*0.95 {
			size, l.small = max(3, float64(slot)/(ascent+descent)), true
			line = vg.Length(size * (ascent + descent))
		}
	}
	sin, cos := math.Sincos(l.rotation)
	longest := (tallest - line*vg.Length(cos)) / vg.Length(sin)
	for i, name := range names {
		text, cut := shorten(name, size, false, max(longest, 12))
		l.cut = l.cut || cut
		b := newBlock(text, size, false)
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.width*vg.Length(sin)+b.height*vg.Length(cos))
		l.left = max(l.left, b.width*vg.Length(cos)+b.height/2*vg.Length(sin)-slot*(vg.Length(i)+0.5))
	}
	l.height++
	if l.height > 0.25/0.42*tallest || l.cut {
		if u, ok := uprightLabels(names, slot, tallest); ok && u.height < 0.9*l.height {
			return u
		}
	}
	return l
}

// layoutEvery fits the names of every second, third, … slot of an axis, as many as fit.
func layoutEvery(names []string, width, tallest vg.Length) categoryLabels {
	for step := 2; ; step++ {
		var some []string
		for i := 0; i < len(names); i += step {
			some = append(some, names[i])
		}
		l := layoutCategories(some, width/vg.Length(len(names))*vg.Length(step)*vg.Length(len(some)), tallest)
		if (l.small || l.cut) && len(some) > 1 {
			continue
		}
		blocks := make([]block, len(names))
		for i, b := range l.blocks {
			blocks[i*step] = b
		}
		l.blocks = blocks
		return l
	}
}

// uprightLabels turns names by 90°, wrapped into as many lines as a slot holds.
func uprightLabels(names []string, slot, tallest vg.Length) (categoryLabels, bool) {
	const size = smallestSize
	limit := int((slot/size-ascent-descent)/linePitch) + 1
	if limit < 2 {
		return categoryLabels{}, false
	}
	l := categoryLabels{rotation: math.Pi / 2}
	for _, name := range names {
		// The narrowest wrapping that needs no more lines than there are.
		var b block
		for width := vg.Length(3 * size); ; width += 2 {
			b = newBlock(wrap(name, size, false, width), size, false)
			if len(b.lines) <= limit {
				break
			}
			if width > tallest+2 {
				return l, false
			}
		}
		if b.width > tallest {
			return l, false
		}
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.width)
	}
	return l, true
}

// horizontalLabels wraps names into slots of this width.
func horizontalLabels(names []string, size float64, width vg.Length, limit int) (categoryLabels, bool) {
	var l categoryLabels
	for _, name := range names {
		b := newBlock(name, size, false)
		if limit > 1 {
			b = newBlock(wrap(name, size, false, width), size, false)
		}
		if b.width > width || len(b.lines) > limit {
			return l, false
		}
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.height)
	}
	return l, true
}

func (l *categoryLabels) draw(s *scene, a *area, top vg.Length) {
	if l.cut {
		s.cramp("%s: names under the axis had to be shortened", panelName(s.panel))
	}
	if l.small {
		s.cramp("%s: names under the axis are smaller than %d pt", panelName(s.panel), smallestSize)
	}
	for i, b := range l.blocks {
		p := vg.Point{X: a.X(float64(i)), Y: top}
		s.line([]vg.Point{{X: p.X, Y: a.Min.Y - tickLength}, {X: p.X, Y: a.Min.Y}}, ink, axisWidth*0.8, nil)
		switch {
		case len(b.lines) == 0: // see layoutEvery
		case l.rotation == 0:
			s.drawText("category", b, p, alignCenter, alignEnd, 0, ink)
		case l.rotation < math.Pi/3:
			// The upper right corner of the text meets the tick.
			p.Y -= b.height * vg.Length(math.Cos(l.rotation)) / 2
			s.drawText("category", b, p, alignEnd, alignCenter, l.rotation, ink)
		default:
			s.drawText("category", b, p, alignEnd, alignCenter, l.rotation, ink)
		}
	}
}
