// Nodes of a screen, and how they are put together.

package screens

import (
	"fmt"
	"image/color"
	"math"

	"repscope/stat"
)

// The types of nodes, as Figma names them.
const (
	typeFrame     = "FRAME"
	typeGroup     = "GROUP"
	typeRectangle = "RECTANGLE"
	typeEllipse   = "ELLIPSE"
	typeText      = "TEXT"
)

// node is a node of a screen. Boxes are in pixels of the design, from its upper left corner.
type node struct {
	id, name, kind      string
	x, y, width, height float64
	radius              float64
	fill                *fill
	stroke              *color.NRGBA
	hidden              bool
	text                string
	size                float64 // of the font
	bold                bool
	children            []*node
}

// fill is the fill of a node.
type fill struct {
	kind     string      // as Figma names it
	from, to color.NRGBA // SOLID has one, gradients run from left above to right below
	scene    uint64      // the content of an IMAGE
}

// The types of fills.
const (
	fillSolid    = "SOLID"
	fillGradient = "GRADIENT_LINEAR"
	fillImage    = "IMAGE"
)

func solid(c color.NRGBA) *fill { return &fill{kind: fillSolid, from: c, to: c} }

// add puts a node into another, and returns it.
func (n *node) add(child *node) *node {
	n.children = append(n.children, child)
	return child
}

// each visits a node and all below it, depth first.
func (n *node) each(visit func(n, parent *node, depth int)) { n.visit(nil, 0, visit) }

func (n *node) visit(parent *node, depth int, visit func(n, parent *node, depth int)) {
	visit(n, parent, depth)
	for _, c := range n.children {
		c.visit(n, depth+1, visit)
	}
}

// clone is a copy of a node and of all below it; fills are shared, as they are never changed.
func (n *node) clone() *node {
	out := *n
	out.children = make([]*node, len(n.children))
	for i, c := range n.children {
		out.children[i] = c.clone()
	}
	return &out
}

// theme is how a screen looks.
type theme struct {
	dark                                   bool
	back, surface, line, ink, muted, faint color.NRGBA
	accent, deep, soft                     color.NRGBA
}

// newTheme draws colors in which every text can be read: see [builder.label].
func newTheme(r *stat.Random) theme {
	hue := r.Float64()
	t := theme{
		back: hsl(hue, 0.25, 0.97), surface: color.NRGBA{255, 255, 255, 255}, line: hsl(hue, 0.15, 0.88),
		ink: hsl(hue, 0.25, 0.12), muted: hsl(hue, 0.12, 0.38), faint: hsl(hue, 0.3, 0.93), soft: hsl(hue, 0.6, 0.9),
	}
	if r.Float64() < 0.3 {
		t = theme{
			dark: true, back: hsl(hue, 0.2, 0.08), surface: hsl(hue, 0.16, 0.14), line: hsl(hue, 0.12, 0.24),
			ink: hsl(hue, 0.1, 0.96), muted: hsl(hue, 0.1, 0.7), faint: hsl(hue, 0.15, 0.2), soft: hsl(hue, 0.4, 0.28),
		}
	}
	light := 0.5
	for t.accent = hsl(hue, 0.65, light); contrast(t.accent, white) < 4.8; t.accent = hsl(hue, 0.65, light) {
		light -= 0.02
	}
	t.deep = hsl(math.Mod(hue+0.08, 1), 0.7, light-0.12)
	return t
}

var white = color.NRGBA{255, 255, 255, 255}

// hsl is a color of a hue, a saturation and a lightness, each in [0, 1].
func hsl(hue, saturation, lightness float64) color.NRGBA {
	a := saturation * min(lightness, 1-lightness)
	channel := func(n float64) uint8 {
		k := math.Mod(n+float64(12*hue), 12)
		return uint8(math.Round(255 * (lightness - float64(a*max(-1, min(k-3, 9-k, 1))))))
	}
	return color.NRGBA{channel(0), channel(8), channel(4), 255}
}

// luminance is the relative luminance of the Web Content Accessibility Guidelines 2.2.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return float64(0.2126*linear(c.R)) + float64(0.7152*linear(c.G)) + float64(0.0722*linear(c.B))
}

// contrast is the contrast ratio of two colors, from 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// mix is a color between two, for t in [0, 1].
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	channel := func(p, q uint8) uint8 {
		return uint8(math.Round(float64(p) + float64(t*(float64(q)-float64(p)))))
	}
	return color.NRGBA{channel(a.R, b.R), channel(a.G, b.G), channel(a.B, b.B), channel(a.A, b.A)}
}

// builder puts a screen together.
type builder struct {
	theme
	random *stat.Random
	sample int
	next   int // number of the next node
}

// node makes a node without content.
func (b *builder) node(kind, name string, x, y, width, height float64) *node {
	b.next++
	return &node{id: fmt.Sprintf("%d:%d", b.sample+1, b.next), name: name, kind: kind, x: x, y: y, width: width, height: height}
}

// frame makes a container.
func (b *builder) frame(parent *node, name string, x, y, width, height, radius float64, f *fill) *node {
	n := b.node(typeFrame, name, x, y, width, height)
	n.radius, n.fill = radius, f
	return parent.add(n)
}

// group makes a container that is not painted.
func (b *builder) group(parent *node, name string, x, y, width, height float64) *node {
	return parent.add(b.node(typeGroup, name, x, y, width, height))
}

// shape makes a rectangle.
func (b *builder) shape(parent *node, name string, x, y, width, height, radius float64, f *fill) *node {
	n := b.node(typeRectangle, name, x, y, width, height)
	n.radius, n.fill = radius, f
	return parent.add(n)
}

// disc makes a circle.
func (b *builder) disc(parent *node, name string, x, y, size float64, f *fill) *node {
	n := b.node(typeEllipse, name, x, y, size, size)
	n.radius, n.fill = size/2, f
	return parent.add(n)
}

// picture makes an image.
func (b *builder) picture(parent *node, name string, x, y, width, height, radius float64) *node {
	hue := b.random.Float64()
	f := &fill{kind: fillImage, from: hsl(hue, 0.5, 0.72), to: hsl(math.Mod(hue+0.12, 1), 0.55, 0.42), scene: b.random.Uint64()}
	return b.shape(parent, name, x, y, width, height, radius, f)
}

// How texts are aligned.
const (
	left = iota
	center
	right
)

// label makes a text; x is its left side, its center or its right side.
func (b *builder) label(parent *node, name, text string, x, y, size float64, bold bool, c color.NRGBA,
	align int) *node {
	width := math.Ceil(textWidth(text, size, bold))
	switch align {
	case center:
		x = math.Round(x - width/2)
	case right:
		x -= width
	}
	n := b.node(typeText, name, x, y, width, lineHeight(size))
	n.text, n.size, n.bold, n.fill = text, size, bold, solid(c)
	return parent.add(n)
}

// lineHeight is the height of a text of one line.
func lineHeight(size float64) float64 { return math.Round(1.25 * size) }

// one draws an element of a list.
func one[T any](r *stat.Random, list []T) T { return list[r.Intn(len(list))] }

// few draws several different elements of a list.
func few[T any](r *stat.Random, list []T, n int) []T {
	out := make([]T, n)
	for i, k := range r.Perm(len(list))[:n] {
		out[i] = list[k]
	}
	return out
}
