// The colors of a text and of its background, by the order in which a design is painted.

package textblock

import (
	"repscope/analysis/canvas/internal/design"
	"repscope/dataset/casefile"
	"repscope/measure/box"
	"repscope/measure/color"
)

// paintSteps bounds the painted boxes that the texts of one design are held against.
const paintSteps = 1 << 27

// painting finds the painted areas of a design. Nodes paint in the order of the design, each
// its fills from the first to the last; a node that is translucent is painted with all below it
// as a whole. Clipped and masked parts are not painted. The page below everything is white.
// Strokes, effects, blend modes and corners are left out.
type painting struct {
	nodes    []casefile.Node
	painted  []paintedBox
	above    []int32 // by node: the nearest translucent one of it and its ancestors up to the canvas, −1 for none
	end      []int32 // by node: the first node that is not below it
	steps    int     // the rest of paintSteps
	covering []int
	layers   []layer
}

// paintedBox is a node with fills.
type paintedBox struct {
	node   int
	box    box.Box
	shape  string // its type where it does not fill its box
	opaque bool   // it hides all that was painted before
}

// layer is the paint so far at a place, premultiplied: the page, or a translucent node.
type layer struct {
	node           int // −1 of the page
	r, g, b, alpha float64
	known          bool
}

func newPainting(l *design.Layout) *painting {
	p := &painting{nodes: l.Nodes, steps: paintSteps, above: make([]int32, len(l.Nodes)), end: make([]int32, len(l.Nodes))}
	root := l.Elements[0].Node
	for i := range l.Nodes {
		p.end[i] = int32(i) + 1
		switch n := &l.Nodes[i]; {
		case i < root:
			p.above[i] = -1
		case n.Opacity < 1:
			p.above[i] = int32(i)
		case i == root:
			p.above[i] = -1
		default:
			p.above[i] = p.above[max(n.Parent, 0)]
		}
	}
	for i := len(l.Nodes) - 1; i > 0; i-- {
		if parent := l.Nodes[i].Parent; parent >= 0 {
			p.end[parent] = max(p.end[parent], p.end[i])
		}
	}
	for i := range l.Elements {
		e := &l.Elements[i]
		n := &l.Nodes[e.Node]
		if n.Type == "TEXT" || n.Type == "LINE" || !paints(n.Fills) || l.Operand(e) {
			continue
		}
		b := paintedBox{node: e.Node, box: e.Box}
		switch n.Type {
		case "ELLIPSE", "VECTOR", "STAR", "REGULAR_POLYGON", "POLYGON", "BOOLEAN_OPERATION":
			b.shape = n.Type
		default:
			if _, turned := n.Unturned(); turned {
				b.shape = "TURNED"
			}
		}
		b.opaque = b.shape == "" && p.above[e.Node] < 0 && hides(n.Fills)
		p.painted = append(p.painted, b)
	}
	return p
}

// Colors are the colors of a text on its background.
type Colors struct {
	Text, Behind           color.SRGB
	TextKnown, BehindKnown bool
}

// at returns the colors of a text. They are not known where a gradient, an image or a shape that is
// no box shows through, nor the color of a text without a visible fill. false: too many steps.
func (p *painting) at(e design.Element) (colors Colors, ok bool) {
	if !p.cover(e) {
		return Colors{}, false
	}
	p.layers = append(p.layers[:0], layer{node: -1, r: 1, g: 1, b: 1, alpha: 1, known: true})
	for i := len(p.covering) - 1; i >= 0; i-- {
		b := &p.painted[p.covering[i]]
		p.open(b.node)
		top := &p.layers[len(p.layers)-1]
		if b.shape != "" && b.shape != "ELLIPSE" {
			top.known = false
			continue
		}
		top.fill(p.nodes[b.node].Fills)
	}
	p.open(e.Node)
	// The text is painted into a copy, which goes down next to the layer without it.
	without, with := p.layers[len(p.layers)-1], p.layers[len(p.layers)-1]
	with.fill(p.nodes[e.Node].Fills)
	for i := len(p.layers) - 2; i >= 0; i-- {
		opacity := p.nodes[p.layers[i+1].node].Opacity
		below := p.layers[i]
		without, with = without.onto(below, opacity), with.onto(below, opacity)
	}
	return Colors{
		Text: with.color(), TextKnown: with.known && paints(p.nodes[e.Node].Fills),
		Behind: without.color(), BehindKnown: without.known,
	}, true
}

// cover finds shapes that were painted before a text and hold most of it, the last one first, down to one
// that hides the others. Boxes that hold more than half of another hold its center.
func (p *painting) cover(e design.Element) bool {
	p.covering = p.covering[:0]
	x, y, area := (e.Box.X0+e.Box.X1)/2, (e.Box.Y0+e.Box.Y1)/2, e.Box.Area()
	low, high := 0, len(p.painted)
	for low < high { // those before the text
		if middle := (low + high) / 2; p.painted[middle].node < e.Node {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for i := low - 1; i >= 0; i-- {
		if p.steps--; p.steps < 0 {
			return false
		}
		b := &p.painted[i]
		if x < b.box.X0 || x > b.box.X1 || y < b.box.Y0 || y > b.box.Y1 || 2*b.box.Intersect(e.Box).Area() < area {
			continue
		}
		if b.shape == "ELLIPSE" {
			dx, dy := 2*(x-b.box.X0)/(b.box.X1-b.box.X0)-1, 2*(y-b.box.Y0)/(b.box.Y1-b.box.Y0)-1
			if !(float64(dx*dx)+float64(dy*dy) <= 1) {
				continue
			}
		}
		p.covering = append(p.covering, i)
		if b.opaque {
			break
		}
	}
	return true
}

// open makes the layer into which a node paints the top one: layers of complete translucent
// nodes go down, and new ones begin.
func (p *painting) open(node int) {
	for top := len(p.layers) - 1; p.layers[top].node >= 0 && int(p.end[p.layers[top].node]) <= node; top-- {
		p.layers[top-1] = p.layers[top].onto(p.layers[top-1], p.nodes[p.layers[top].node].Opacity)
		p.layers = p.layers[:top]
	}
	from := len(p.layers)
	for above := int(p.above[node]); above >= 0 && above > p.layers[from-1].node; {
		p.layers = append(p.layers, layer{node: above, known: true})
		if above = p.nodes[above].Parent; above >= 0 {
			above = int(p.above[above])
		}
	}
	for i, j := from, len(p.layers)-1; i < j; i, j = i+1, j-1 {
		p.layers[i], p.layers[j] = p.layers[j], p.layers[i]
	}
}

// fill paints fills onto a layer.
func (l *layer) fill(fills []casefile.Paint) {
	for i := range fills {
		f := &fills[i]
		switch {
		case !visible(f):
		case f.Type != "SOLID":
			l.known = false
		default:
			a := min(float64(f.Color[3]*f.Opacity), 1)
			if a == 1 {
				*l = layer{node: l.node, known: true}
			}
			l.r, l.g, l.b = float64(a*f.Color[0])+float64((1-a)*l.r), float64(a*f.Color[1])+float64((1-a)*l.g), float64(a*f.Color[2])+float64((1-a)*l.b)
			l.alpha = a + float64((1-a)*l.alpha)
		}
	}
}

// onto lays a layer on the one below it.
func (l layer) onto(below layer, opacity float64) layer {
	a := float64(opacity * l.alpha)
	below.r = float64(opacity*l.r) + float64((1-a)*below.r)
	below.g = float64(opacity*l.g) + float64((1-a)*below.g)
	below.b = float64(opacity*l.b) + float64((1-a)*below.b)
	below.alpha = a + float64((1-a)*below.alpha)
	below.known = l.known && (below.known || a == 1)
	return below
}

// color is the color of a layer without alpha.
func (l *layer) color() color.SRGB { return color.SRGB{R: l.r, G: l.g, B: l.b} }

// visible reports whether a paint is seen.
func visible(f *casefile.Paint) bool {
	return f.Visible && f.Opacity > 0 && (f.Type != "SOLID" || f.Color[3] > 0)
}

// paints reports whether fills are seen.
func paints(fills []casefile.Paint) bool {
	for i := range fills {
		if visible(&fills[i]) {
			return true
		}
	}
	return false
}

// hides reports whether one of the fills is a color through which nothing is seen.
func hides(fills []casefile.Paint) bool {
	for i := range fills {
		if f := &fills[i]; f.Visible && f.Type == "SOLID" && f.Opacity >= 1 && f.Color[3] >= 1 {
			return true
		}
	}
	return false
}
