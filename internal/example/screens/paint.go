// Screens painted: filled shapes with round corners, pictures, and texts.

package screens

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"repscope/internal/typeface"
	"repscope/stat"
)

// fonts are read once; faces of them are not shared, as they are not safe to be.
var fonts = sync.OnceValue(func() (list [2]*opentype.Font) {
	for i, data := range [][]byte{typeface.Regular(), typeface.Bold()} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		list[i] = f
	}
	return list
})

// evenly is a face without kerning: package opentype does not scale its kerning to the size.
type evenly struct{ font.Face }

// Kern implements [font.Face].
func (evenly) Kern(rune, rune) fixed.Int26_6 { return 0 }

// face is a key of a face.
type face struct {
	size float64
	bold bool
}

// open makes a face.
func (f face) open() font.Face {
	parsed := fonts()[0]
	if f.bold {
		parsed = fonts()[1]
	}
	out, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // of no options that are used here
	}
	return evenly{out}
}

// widths caches the widths of texts of a face, which many screens share.
var widths = struct {
	sync.Mutex
	faces map[face]font.Face
}{faces: map[face]font.Face{}}

// textWidth is the width of a text in pixels of the design.
func textWidth(text string, size float64, bold bool) float64 {
	widths.Lock()
	defer widths.Unlock()
	f, ok := widths.faces[face{size, bold}]
	if !ok {
		f = face{size, bold}.open()
		widths.faces[face{size, bold}] = f
	}
	return float64(font.MeasureString(f, text)) / 64
}

// painter paints on an image without transparency.
type painter struct {
	*image.RGBA
	scale float64 // pixels of the image for one of the design
	faces map[face]font.Face
}

// render paints a screen.
func render(root *node, scale float64) *image.RGBA {
	width, height := int(math.Round(root.width*scale)), int(math.Round(root.height*scale))
	p := &painter{RGBA: image.NewRGBA(image.Rect(0, 0, width, height)), scale: scale, faces: map[face]font.Face{}}
	for i := range p.Pix {
		p.Pix[i] = 0xff
	}
	p.node(root)
	return p.RGBA
}

// encodePNG writes an image.
func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&b, m); err != nil {
		panic(err) // writing to a buffer cannot fail, and the size is a screen's
	}
	return b.Bytes()
}

// node paints a node and all in it.
func (p *painter) node(n *node) {
	if n.hidden {
		return
	}
	switch {
	case n.kind == typeText:
		p.text(n)
	case n.fill != nil:
		if n.stroke != nil {
			p.shape(n, 0, solid(*n.stroke))
			p.shape(n, 1, n.fill)
		} else {
			p.shape(n, 0, n.fill)
		}
	}
	for _, c := range n.children {
		p.node(c)
	}
}

// shape fills a rectangle with round corners that is smaller by an inset on all sides. Pixels
// at its border are covered as far as their centers are from it.
func (p *painter) shape(n *node, inset float64, f *fill) {
	x0, y0 := (n.x+inset)*p.scale, (n.y+inset)*p.scale
	x1, y1 := (n.x+n.width-inset)*p.scale, (n.y+n.height-inset)*p.scale
	if x1 <= x0 || y1 <= y0 {
		return
	}
	radius := min(max(0, n.radius-inset)*p.scale, (x1-x0)/2, (y1-y0)/2)
	shade := f.shader(x0, y0, x1, y1)
	bounds := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1))).Intersect(p.Rect)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			cx, cy := float64(x)+0.5, float64(y)+0.5
			// Outside of the rectangle of the centers of the corners the border is round.
			dx, dy := max(x0+radius-cx, cx-(x1-radius)), max(y0+radius-cy, cy-(y1-radius))
			outside := max(dx, dy) - radius
			if dx > 0 && dy > 0 {
				outside = math.Hypot(dx, dy) - radius
			}
			if cover := min(1, 0.5-outside); cover > 0 {
				p.blend(x, y, shade(cx, cy), cover)
			}
		}
	}
}

// blend lays a color over a pixel.
func (p *painter) blend(x, y int, c color.NRGBA, cover float64) {
	alpha := uint32(math.Round(cover * float64(c.A)))
	pixel := p.Pix[p.PixOffset(x, y):]
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		pixel[i] = uint8((uint32(v)*alpha + uint32(pixel[i])*(255-alpha) + 127) / 255)
	}
}

// shader returns the color of a fill at a pixel of a box.
func (f *fill) shader(x0, y0, x1, y1 float64) func(x, y float64) color.NRGBA {
	slope := func(x, y float64) color.NRGBA {
		return mix(f.from, f.to, min(1, max(0, ((x-x0)/(x1-x0)+(y-y0)/(y1-y0))/2)))
	}
	switch f.kind {
	case fillSolid:
		return func(float64, float64) color.NRGBA { return f.from }
	case fillImage:
		return f.landscape(x0, y0, x1, y1, slope)
	}
	return slope
}

// landscape is a sky with a sun over two ranges of hills.
func (f *fill) landscape(x0, y0, x1, y1 float64, sky func(x, y float64) color.NRGBA) func(x, y float64) color.NRGBA {
	r := stat.NewRandom(stat.StreamScreens.Key(f.scene))
	sunX, sunY, sun := 0.15+float64(0.7*r.Float64()), 0.2+float64(0.2*r.Float64()), 0.08+float64(0.08*r.Float64())
	var waves [2][3]float64 // height, phase, length of each range
	for i := range waves {
		waves[i] = [3]float64{0.55 + float64(0.2*float64(i)) + float64(0.08*r.Float64()), 2 * math.Pi * r.Float64(), 4 + float64(4*r.Float64())}
	}
	bright, far, near := mix(f.from, white, 0.75), mix(f.to, f.from, 0.35), mix(f.to, color.NRGBA{0, 0, 0, 255}, 0.35)
	return func(x, y float64) color.NRGBA {
		u, v := (x-x0)/(x1-x0), (y-y0)/(y1-y0)
		c := sky(x, y)
		if math.Hypot((u-sunX)*(x1-x0)/(y1-y0), v-sunY) < sun {
			c = bright
		}
		for i, shade := range [2]color.NRGBA{far, near} {
			if w := waves[i]; v > w[0]-float64(0.07*math.Sin(w[1]+float64(w[2]*u))) {
				c = shade
			}
		}
		return c
	}
}

// text draws a line of text from the left side of its box.
func (p *painter) text(n *node) {
	key := face{n.size * p.scale, n.bold}
	f, ok := p.faces[key]
	if !ok {
		f = key.open()
		p.faces[key] = f
	}
	m := f.Metrics()
	top := (n.y*p.scale + (n.height*p.scale-float64(m.Ascent+m.Descent)/64)/2) * 64
	d := font.Drawer{
		Dst: p.RGBA, Src: image.NewUniform(n.fill.from), Face: f,
		Dot: fixed.Point26_6{X: fixed.Int26_6(math.Round(n.x * p.scale * 64)), Y: fixed.Int26_6(math.Round(top)) + m.Ascent},
	}
	d.DrawString(n.text)
}
