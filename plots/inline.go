// Figures as SVG elements in an HTML page.

package plots

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"repscope/internal/escape"
)

// Inline draws the figure as one svg element for an HTML page and writes it to w. The element has a transparent
// background, scales with its container, and has no ids, so a page can contain any number of them. The parts of a
// series are g elements with data-m, its index in Series; the values of [Curves] are circles of class "v" with a
// title. label is the text for screen readers. Colors are attributes, which a style sheet can replace: the colors of
// the series ([SeriesStyle]), and #1a1a1a, #555555, #808080 and #e4e4e4 for ink, paler ink and grid. Errors are the
// same as for Render.
func (f *Figure) Inline(w io.Writer, label string) error {
	if err := f.checkSize(); err != nil {
		return err
	}
	width, height := vg.Length(f.WidthMM)*mm, vg.Length(f.HeightMM)*mm
	c := newInline(height)
	fmt.Fprintf(&c.out, `<svg viewBox="0 0 %s %s" role="img" aria-label="%s" tabindex="0">`,
		short(width), short(height), escape.HTML(label))
	s, err := f.compose(c, true)
	if err != nil {
		return err
	}
	for _, warning := range s.warnings {
		fmt.Fprintf(&c.out, "<desc>%s</desc>", escape.HTML(warning))
	}
	c.out.WriteString("</svg>")
	if _, err := w.Write(c.out.Bytes()); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return nil
}

// InlineKey is the content of an svg element with the marker of the i-th series (see
// [SeriesStyle]) about the origin, on a piece of its line from −8 to 8.
func InlineKey(i int) string {
	c := newInline(0)
	s := newForeignScene(c)
	style := SeriesStyle(i)
	s.line([]vg.Point{{X: -8}, {X: 8}}, style.Line, 1, style.dash)
	s.marker(vg.Point{}, 3, style, style.Fill, style.Edge, 0.3)
	return c.out.String()
}

// InlineMarker is that marker without the line.
func InlineMarker(i int) string {
	c := newInline(0)
	style := SeriesStyle(i)
	newForeignScene(c).marker(vg.Point{}, 3.4, style, style.Fill, style.Edge, 0.3)
	return c.out.String()
}

// annotated is a canvas that marks series and explains values.
type annotated interface {
	beginSeries(i int)
	endSeries()
	value(at vg.Point, text string)
}

// series draws the elements of the i-th series; i < 0 is none.
func (s *scene) series(i int, paint func()) {
	c, ok := s.canvas.(annotated)
	if !ok || i < 0 {
		paint()
		return
	}
	c.beginSeries(i)
	paint()
	c.endSeries()
}

// value explains a value where the canvas can.
func (s *scene) value(point vg.Point, text func() string) {
	if c, ok := s.canvas.(annotated); ok {
		c.value(point, text())
	}
}

// inline is a canvas that writes SVG with short numbers, its origin at the top.
type inline struct {
	out    bytes.Buffer
	height float64
	stack  []inlineState
}

// inlineState is the state of the canvas; the transform maps to the svg element.
type inlineState struct {
	color          color.NRGBA
	width          vg.Length
	dash           []vg.Length
	a, b, c, d, e0 float64 // x' = a·x + c·y + e0, y' = b·x + d·y + f0
	f0             float64
}

func newInline(height vg.Length) *inline {
	return &inline{height: float64(height), stack: []inlineState{{color: color.NRGBA{A: 255}, width: 1, a: 1, d: -1, f0: float64(height)}}}
}

func (c *inline) top() *inlineState { return &c.stack[len(c.stack)-1] }

func (c *inline) SetLineWidth(w vg.Length)                  { c.top().width = w }
func (c *inline) SetLineDash(dash []vg.Length, _ vg.Length) { c.top().dash = dash }

func (c *inline) SetColor(v color.Color) {
	if v == nil {
		v = color.Black
	}
	c.top().color = color.NRGBAModel.Convert(v).(color.NRGBA)
}

func (c *inline) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	t := c.top()
	t.a, t.b, t.c, t.d = float64(t.a*cos)+float64(t.c*sin), float64(t.b*cos)+float64(t.d*sin),
		float64(t.c*cos)-float64(t.a*sin), float64(t.d*cos)-float64(t.b*sin)
}

func (c *inline) Translate(p vg.Point) {
	t := c.top()
	t.e0, t.f0 = t.place(p)
}

func (c *inline) Scale(x, y float64) {
	t := c.top()
	t.a, t.b, t.c, t.d = t.a*x, t.b*x, t.c*y, t.d*y
}

func (c *inline) Push() { c.stack = append(c.stack, *c.top()) }
func (c *inline) Pop()  { c.stack = c.stack[:len(c.stack)-1] }

// place is the position of a point in the svg element.
func (t *inlineState) place(p vg.Point) (x, y float64) {
	px, py := float64(p.X), float64(p.Y)
	return float64(t.a*px) + float64(t.c*py) + t.e0, float64(t.b*px) + float64(t.d*py) + t.f0
}

// point is a point as paths have it.
func (t *inlineState) point(p vg.Point) string {
	x, y := t.place(p)
	return short(vg.Length(x)) + " " + short(vg.Length(y))
}

// short is a length in twentieths of a point, about the resolution of a screen, without needless digits.
func short(v vg.Length) string {
	r := math.Round(float64(v)*20) / 20
	if r == 0 {
		return "0" // and no −0
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}

func (c *inline) Stroke(path vg.Path) {
	t := c.top()
	if t.width <= 0 {
		return
	}
	fmt.Fprintf(&c.out, `<path d="%s" fill="none" stroke="%s"`, c.data(path), hex(t.color))
	if t.width != 1 {
		fmt.Fprintf(&c.out, ` stroke-width="%s"`, short(t.width))
	}
	if t.color.A < 255 {
		fmt.Fprintf(&c.out, ` stroke-opacity="%.2g"`, float64(t.color.A)/255)
	}
	if len(t.dash) > 0 {
		var parts []string
		for _, d := range t.dash {
			parts = append(parts, short(d))
		}
		fmt.Fprintf(&c.out, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
	}
	c.out.WriteString("/>")
}

func (c *inline) Fill(path vg.Path) {
	t := c.top()
	fmt.Fprintf(&c.out, `<path d="%s" fill="%s"`, c.data(path), hex(t.color))
	if t.color.A < 255 {
		fmt.Fprintf(&c.out, ` fill-opacity="%.2g"`, float64(t.color.A)/255)
	}
	c.out.WriteString("/>")
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// data is a path; arcs, which no panel draws, become chords.
func (c *inline) data(path vg.Path) string {
	t := c.top()
	var b strings.Builder
	for _, p := range path {
		switch p.Type {
		case vg.MoveComp:
			b.WriteString("M" + t.point(p.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		case vg.CurveComp:
			letter := "C"
			if len(p.Control) == 1 {
				letter = "Q"
			}
			b.WriteString(letter)
			for _, control := range p.Control {
				b.WriteString(t.point(control) + " ")
			}
			b.WriteString(t.point(p.Pos))
		default:
			b.WriteString("L" + t.point(p.Pos))
		}
	}
	return b.String()
}

func (c *inline) FillString(face font.Face, p vg.Point, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t := c.top()
	x, y := t.place(p)
	fmt.Fprintf(&c.out, `<text font-size="%s"`, short(face.Font.Size))
	if face.Font.Weight >= boldFont.Weight {
		c.out.WriteString(` font-weight="bold"`)
	}
	if t.b == 0 {
		fmt.Fprintf(&c.out, ` x="%s" y="%s"`, short(vg.Length(x)), short(vg.Length(y)))
	} else {
		turn := math.Atan2(t.b, t.a) * 180 / math.Pi
		fmt.Fprintf(&c.out, ` transform="translate(%s %s) rotate(%s)"`,
			short(vg.Length(x)), short(vg.Length(y)), short(vg.Length(turn)))
	}
	if t.color != ink {
		fmt.Fprintf(&c.out, ` fill="%s"`, hex(t.color))
	}
	fmt.Fprintf(&c.out, `%s>%s</text>`, InlineLength(float64(face.Width(text)), text), escape.HTML(text))
}

// InlineLength returns the attributes that give an svg text its width in any font that replaces the font of figures.
// A text of one letter has none; letters of a short text keep their shape.
func InlineLength(width float64, text string) string {
	length := ""
	n := utf8.RuneCountInString(text)
	if n > 1 {
		length = ` textLength="` + short(vg.Length(width)) + `"`
	}
	if n > 4 {
		length += ` lengthAdjust="spacingAndGlyphs"`
	}
	return length
}

// InlineWidth is the width of a line of text in the font of figures, in the unit of its size.
func InlineWidth(text string, size float64, bold bool) float64 {
	face := fonts().Lookup(faceOf(bold), vg.Length(size))
	return float64(face.Width(text))
}

func (c *inline) DrawImage(r vg.Rectangle, img image.Image) {
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		panic(fmt.Errorf("an image cannot be encoded: %w", err))
	}
	x, y := c.top().place(vg.Point{X: r.Min.X, Y: r.Max.Y})
	fmt.Fprintf(&c.out, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`,
		short(vg.Length(x)), short(vg.Length(y)), short(r.Size().X), short(r.Size().Y),
		base64.StdEncoding.EncodeToString(file.Bytes()))
}

func (c *inline) beginSeries(i int) { fmt.Fprintf(&c.out, `<g data-m="%d">`, i) }
func (c *inline) endSeries()        { c.out.WriteString("</g>") }

func (c *inline) value(point vg.Point, text string) {
	x, y := c.top().place(point)
	fmt.Fprintf(&c.out, `<circle class="v" cx="%s" cy="%s" r="4"><title>%s</title></circle>`,
		short(vg.Length(x)), short(vg.Length(y)), escape.HTML(text))
}

// number is a value with five significant digits for an explanation.
func number(v float64) string { return minus(strconv.FormatFloat(v, 'g', 5, 64)) }
