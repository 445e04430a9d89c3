// The PDF canvas. gonum's own writes text in code page 1252, which has no Greek, no minus sign and no powers. This one
// embeds Unicode subsets of the fonts, so that text stays text, and fixes every date and order.

package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfPage draws on a page of fpdf. fpdf's origin is the upper left corner; the
// transformation of vg is applied here, point by point.
type pdfPage struct {
	document *fpdf.Fpdf
	height   float64
	state    pdfState
	stack    []pdfState
	images   int
	widths   map[int]bool // widths in pixels of the images so far
	err      error
}

// pdfState is the state that Push saves. The matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type pdfState struct {
	a, b, c, d, e, f float64
	width            vg.Length
	dash             []vg.Length
	offset           vg.Length
	ink              color.Color
}

func newPDFPage(width, height vg.Length, title string) (*pdfPage, error) {
	date, err := sourceDate()
	if err != nil {
		return nil, err
	}
	document := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	document.SetCatalogSort(true)
	document.SetCreationDate(date)
	document.SetModificationDate(date)
	document.SetCreator("repscope", true)
	if title != "" {
		document.SetTitle(title, true)
	}
	document.SetMargins(0, 0, 0)
	document.SetAutoPageBreak(false, 0)
	document.AliasNbPages("")
	document.AddUTF8FontFromBytes("LiberationSans", "", fontData(false))
	document.AddUTF8FontFromBytes("LiberationSans", "B", fontData(true))
	document.AddPage()
	document.SetLineJoinStyle("round")
	p := &pdfPage{document: document, height: height.Points(), state: pdfState{a: 1, d: 1}, widths: map[int]bool{}}
	vg.Initialize(p)
	return p, nil
}

// sourceDate is the date written into PDF files: SOURCE_DATE_EPOCH (seconds, see
// reproducible-builds.org), or the epoch itself.
func sourceDate() (time.Time, error) {
	text, ok := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !ok || text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > 253402300799 {
		return time.Time{}, fmt.Errorf("plots: SOURCE_DATE_EPOCH=%q: want seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func (p *pdfPage) encode(w io.Writer) error {
	if p.err != nil {
		return fmt.Errorf("plots: PDF: %w", p.err)
	}
	var buffer bytes.Buffer
	if err := p.document.Output(&buffer); err != nil {
		return fmt.Errorf("plots: PDF: %w", err)
	}
	_, err := w.Write(buffer.Bytes())
	return err
}

func (p *pdfPage) SetLineWidth(width vg.Length) {
	p.state.width = width
	p.document.SetLineWidth(width.Points())
}

func (p *pdfPage) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p.state.dash, p.state.offset = pattern, offset
	lengths := make([]float64, len(pattern))
	for i, l := range pattern {
		lengths[i] = l.Points()
	}
	p.document.SetDashPattern(lengths, offset.Points())
}

func (p *pdfPage) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.state.ink = c
	n := color.NRGBAModel.Convert(c).(color.NRGBA) // PDF wants colors without premultiplied alpha
	r, g, b := int(n.R), int(n.G), int(n.B)
	p.document.SetFillColor(r, g, b)
	p.document.SetDrawColor(r, g, b)
	p.document.SetTextColor(r, g, b)
	p.document.SetAlpha(float64(n.A)/255, "Normal")
}

func (p *pdfPage) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	s := &p.state
	s.a, s.b, s.c, s.d = s.a*cos+s.c*sin, s.b*cos+s.d*sin, s.c*cos-s.a*sin, s.d*cos-s.b*sin
}

func (p *pdfPage) Translate(by vg.Point) {
	p.state.e, p.state.f = p.at(by)
}

func (p *pdfPage) Scale(x, y float64) {
	s := &p.state
	s.a, s.b, s.c, s.d = s.a*x, s.b*x, s.c*y, s.d*y
}

func (p *pdfPage) Push() { p.stack = append(p.stack, p.state) }

func (p *pdfPage) Pop() {
	p.state = p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	p.SetLineWidth(p.state.width)
	p.SetLineDash(p.state.dash, p.state.offset)
	p.SetColor(p.state.ink)
}

// at applies the matrix.
func (p *pdfPage) at(q vg.Point) (x, y float64) {
	s := p.state
	return s.a*q.X.Points() + s.c*q.Y.Points() + s.e, s.b*q.X.Points() + s.d*q.Y.Points() + s.f
}

// fromTop applies the matrix and turns to fpdf's origin.
func (p *pdfPage) fromTop(q vg.Point) (x, y float64) {
	x, y = p.at(q)
	return x, p.height - y
}

func (p *pdfPage) Stroke(path vg.Path) {
	if p.state.width > 0 {
		p.path(path, "D")
	}
}

func (p *pdfPage) Fill(path vg.Path) { p.path(path, "F") }

func (p *pdfPage) path(path vg.Path, style string) {
	for _, part := range path {
		x, y := p.fromTop(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			p.document.MoveTo(x, y)
		case vg.LineComp:
			p.document.LineTo(x, y)
		case vg.CurveComp:
			x0, y0 := p.fromTop(part.Control[0])
			if len(part.Control) == 1 {
				p.document.CurveTo(x0, y0, x, y)
				continue
			}
			x1, y1 := p.fromTop(part.Control[1])
			p.document.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
		case vg.CloseComp:
			p.document.ClosePath()
		default: // arcs: this package makes circles of curves
			p.err = fmt.Errorf("path component %d is not supported", part.Type)
		}
	}
	p.document.DrawPath(style)
}

func (p *pdfPage) FillString(face font.Face, point vg.Point, text string) {
	if face.Font.Size == 0 || text == "" {
		return
	}
	style := ""
	if face.Font.Weight == stdfont.WeightBold {
		style = "B"
	}
	p.document.SetFont("LiberationSans", style, face.Font.Size.Points())
	x, y := p.fromTop(point)
	angle := math.Atan2(p.state.b, p.state.a) * 180 / math.Pi
	if angle != 0 {
		p.document.TransformBegin()
		p.document.TransformRotate(angle, x, y)
	}
	p.document.Text(x, y, text)
	if angle != 0 {
		p.document.TransformEnd()
	}
}

// DrawImage draws an image; the page must not be rotated.
func (p *pdfPage) DrawImage(r vg.Rectangle, m image.Image) {
	// fpdf orders images by their width alone, and images of one width at random: every image gets its own width.
	width := m.Bounds().Dx()
	for p.widths[width] {
		width++
	}
	p.widths[width] = true
	var buffer bytes.Buffer
	if err := png.Encode(&buffer, widened(m, width)); err != nil {
		p.err = err
		return
	}
	p.images++
	name := fmt.Sprintf("image%04d", p.images)
	options := fpdf.ImageOptions{ImageType: "png"}
	p.document.RegisterImageOptionsReader(name, options, &buffer)
	x, y := p.fromTop(vg.Point{X: r.Min.X, Y: r.Max.Y})
	p.document.ImageOptions(name, x, y, r.Size().X.Points(), r.Size().Y.Points(), false, options, 0, "")
}

// widened repeats single columns of an image so that it is width pixels wide.
func widened(m image.Image, width int) image.Image {
	b := m.Bounds()
	if b.Dx() == width {
		return m
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, b.Dy()))
	for y := range b.Dy() {
		for x := range width {
			out.Set(x, y, m.At(b.Min.X+x*b.Dx()/width, b.Min.Y+y))
		}
	}
	return out
}
