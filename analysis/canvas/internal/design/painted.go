// Which elements of a design show something themselves.

package design

import (
	"strings"

	"repscope/dataset/casefile"
	"repscope/measure/box"
)

// PaintedBoxes are the boxes of painted elements, without the canvas.
func (l *Layout) PaintedBoxes() []box.Box {
	var out []box.Box
	for i := range l.Elements[1:] {
		e := &l.Elements[i+1]
		if !l.paints(e) {
			continue
		}
		if strips, ok := l.strips(e); ok {
			out = append(out, strips...)
		} else {
			out = append(out, e.Box)
		}
	}
	return out
}

// leastOpacity is up to which opacity nothing is seen, as for whole nodes.
const leastOpacity = 0.01

// paints reports whether an element shows something itself.
func (l *Layout) paints(e *Element) bool {
	return painted(&l.Nodes[e.Node]) && !l.Operand(e)
}

// Operand reports whether an element is a part of a shape that is made up of several.
func (l *Layout) Operand(e *Element) bool {
	parent := l.Nodes[e.Node].Parent
	return parent >= 0 && l.Nodes[parent].Type == "BOOLEAN_OPERATION"
}

// painted reports whether a node shows something itself: a fill or a stroke, of texts that say something.
// Texts whose paints the file does not tell are taken to be seen.
func painted(n *casefile.Node) bool {
	if IsText(n) {
		if strings.TrimSpace(n.Characters) == "" {
			return false
		}
		if len(n.Fills)+len(n.Strokes) == 0 {
			return true
		}
	}
	for _, paints := range [][]casefile.Paint{n.Fills, n.Strokes} {
		for i := range paints {
			p := &paints[i]
			opacity := n.Opacity * p.Opacity
			if p.Type == "SOLID" {
				opacity *= p.Color[3]
			}
			if p.Visible && opacity > leastOpacity {
				return true
			}
		}
	}
	return false
}

// IsText reports whether a node is a text.
func IsText(n *casefile.Node) bool { return n.Type == "TEXT" }

// Leaves are the painted elements with an area that have no elements below them.
func (l *Layout) Leaves() (elements []int, boxes []box.Box) {
	inner := make([]bool, len(l.Elements))
	for _, parent := range l.Parents() {
		if parent >= 0 {
			inner[parent] = true
		}
	}
	for i, e := range l.Elements {
		if i > 0 && !inner[i] && e.Box.Area() > 0 && l.paints(&l.Elements[i]) {
			elements, boxes = append(elements, i), append(boxes, e.Box)
		}
	}
	return elements, boxes
}
