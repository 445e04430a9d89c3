// Text: the fonts, measuring, wrapping and drawing.

package plots

import (
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"repscope/internal/typeface"
)

// Text sizes in points.
const (
	letterSize   = 8
	titleSize    = 7
	labelSize    = 7
	tickSize     = 6.5
	smallestSize = 6 // journals want 6 to 8 pt at final size
)

// Proportions of Liberation Sans, in units of the size.
const (
	ascent    = 0.905
	descent   = 0.212
	capHeight = 0.729
	linePitch = 1.15
)

// Subscripts and superscripts: their size, and how far the baseline moves.
const (
	scriptScale = 0.7
	raise       = 0.36
	lower       = -0.16
)

var (
	regularFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	boldFont    = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightBold}
)

// fonts parses the two bundled fonts once. The cache is safe for concurrent use. They also become the fonts of gonum's
// own texts, if these have none; see internal/liberation.
var fonts = sync.OnceValue(func() *font.Cache {
	var collection font.Collection
	for _, f := range []struct {
		font font.Font
		data []byte
	}{{regularFont, typeface.Regular()}, {boldFont, typeface.Bold()}} {
		face, err := opentype.Parse(f.data)
		if err != nil {
			panic("plots: bundled font: " + err.Error()) // a build without its own data
		}
		collection = append(collection, font.Face{Font: f.font, Face: face})
	}
	fillBlank(font.DefaultCache, collection)
	return font.NewCache(collection)
})

// fillBlank enters a regular and a bold face for every face of a cache that has no glyphs.
func fillBlank(cache *font.Cache, faces font.Collection) {
	for _, f := range liberation.Collection() {
		if f.Face.NumGlyphs() > 1 {
			continue
		}
		face := faces[0].Face
		if f.Font.Weight == stdfont.WeightBold {
			face = faces[1].Face
		}
		cache.Add(font.Collection{{Font: f.Font, Face: face}})
	}
}

// fontData is the font file of a face, for embedding.
func fontData(bold bool) []byte {
	if bold {
		return typeface.Bold()
	}
	return typeface.Regular()
}

// run is a piece of one line in one size on one baseline.
type run struct {
	text  string
	face  font.Face
	rise  vg.Length
	width vg.Length
}

// block is text ready to be drawn: lines of runs, left-aligned at x = 0 before
// alignment.
type block struct {
	lines         [][]run
	widths        []vg.Length
	size          vg.Length
	width, height vg.Length
	plain         string
}

// newBlock parses the markup of s and measures it. Lines end at \n.
func newBlock(s string, size float64, bold bool) block {
	b := block{size: vg.Length(size)}
	var plain strings.Builder
	for i, text := range strings.Split(s, "\n") {
		var line []run
		var width vg.Length
		if i > 0 {
			plain.WriteByte(' ')
		}
		for _, p := range parseMarkup(visualOrder(text)) {
			r := run{text: p.text}
			fontSize := b.size
			switch p.level {
			case 1:
				fontSize *= scriptScale
				r.rise = raise * b.size
			case -1:
				fontSize *= scriptScale
				r.rise = lower * b.size
			}
			r.face = fonts().Lookup(faceOf(bold), fontSize)
			r.width = r.face.Width(r.text)
			width += r.width
			line = append(line, r)
			plain.WriteString(r.text)
		}
		b.lines = append(b.lines, line)
		b.widths = append(b.widths, width)
		b.width = max(b.width, width)
	}
	b.height = b.size * vg.Length(ascent+descent+float64(len(b.lines)-1)*linePitch)
	b.plain = plain.String()
	return b
}

// unbreakable splits s where a line may end: after spaces, and inside names after
// '_', '-', '/' and '.', or before a capital that follows a small letter. Markup
// stays whole.
func unbreakable(s string) []string {
	var parts []string
	start := 0
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if (r == '_' || r == '^') && i+1 < len(runes) && runes[i+1] == '{' {
			for i < len(runes) && runes[i] != '}' {
				i++
			}
			continue
		}
		if r == '\\' {
			i++
			continue
		}
		if i+1 >= len(runes) || i == start && r != ' ' {
			continue
		}
		next := runes[i+1]
		digits := unicode.IsDigit(next) && (r == '.' || r == '-')
		if r == ' ' || (r == '_' && next != '{') || (strings.ContainsRune("-/.", r) && !digits) ||
			(unicode.IsLower(r) && unicode.IsUpper(next)) {
			parts = append(parts, string(runes[start:i+1]))
			start = i + 1
		}
	}
	return append(parts, string(runes[start:]))
}

// wrap breaks s into lines no wider than width if possible; a part without a breakpoint may stay wider. Line ends
// already in s stay.
func wrap(s string, size float64, bold bool, width vg.Length) string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		line := ""
		for _, part := range unbreakable(paragraph) {
			if line != "" && newBlock(strings.TrimRight(line+part, " "), size, bold).width > width {
				lines = append(lines, strings.TrimRight(line, " "))
				line = ""
			}
			line += part
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// shorten cuts the middle out of one line so that it is no wider than width, and
// reports whether it had to.
func shorten(s string, size float64, bold bool, width vg.Length) (string, bool) {
	if newBlock(s, size, bold).width <= width {
		return s, false
	}
	runes := []rune(plainText(s))
	cut := func(keep int) string {
		head := (keep + 1) / 2
		return Escape(string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):]))
	}
	keep := fitting(runes, size, bold, width)
	for tries := 0; keep > 0; tries++ {
		if text := cut(keep); newBlock(text, size, bold).width <= width {
			return text, true
		}
		if keep--; tries > 32 { // no text that is written
			keep /= 2
		}
	}
	return "…", true
}

// fitting is how many letters, half of them of the begin and half of the end of a text, fit into a width with
// an ellipsis between them. Every letter is measured once: measuring all cuts takes the square of their number.
// It is exact for letters from left to right on one level, and near for others.
func fitting(runes []rune, size float64, bold bool, width vg.Length) int {
	m := measure{size: size, bold: bold, face: fonts().Lookup(faceOf(bold), vg.Length(size)), known: map[rune]vg.Length{}}
	head, tail := m.sums(runes, 1), m.sums(runes, -1)
	fits := 0
	for keep := range len(runes) {
		k := (keep + 1) / 2
		used := head[k] + m.advance('…') + tail[keep-k]
		if k > 0 {
			used += m.kern(runes[k-1], '…')
		}
		if keep > k {
			used += m.kern('…', runes[len(runes)-(keep-k)])
		}
		if used <= width+1e-9 {
			fits = keep
		}
	}
	return fits
}

// measure measures letters.
type measure struct {
	size   float64
	bold   bool
	face   font.Face
	known  map[rune]vg.Length
	buffer sfnt.Buffer
}

// sums are the widths of the first letters of a text, for step 1, or of the last, for step −1: of none, of one
// and so on.
func (m *measure) sums(runes []rune, step int) []vg.Length {
	sums := make([]vg.Length, 1, len(runes)+1)
	for i := range runes {
		index := i
		if step < 0 {
			index = len(runes) - 1 - i
		}
		sum := sums[i] + m.advance(runes[index])
		if i > 0 && step > 0 {
			sum += m.kern(runes[index-1], runes[index])
		} else if i > 0 {
			sum += m.kern(runes[index], runes[index+1])
		}
		sums = append(sums, sum)
	}
	return sums
}

// advance is the width of a letter by itself.
func (m *measure) advance(r rune) vg.Length {
	w, ok := m.known[r]
	if !ok {
		w = newBlock(Escape(string(r)), m.size, m.bold).width
		m.known[r] = w
	}
	return w
}

// kern is the distance of two letters beyond the advance of the first.
func (m *measure) kern(a, b rune) vg.Length {
	unit := fixed.Int26_6(m.face.Face.UnitsPerEm())
	var index [2]sfnt.GlyphIndex
	for i, r := range []rune{a, b} {
		shown, _ := utf8.DecodeRuneInString(displayRune(r))
		var err error
		if index[i], err = m.face.Face.GlyphIndex(&m.buffer, shown); err != nil {
			return 0
		}
	}
	k, err := m.face.Face.Kern(&m.buffer, index[0], index[1], unit, stdfont.HintingNone)
	if err != nil {
		return 0
	}
	return vg.Length(k) * vg.Length(m.size) / vg.Length(unit)
}

// faceOf is the regular or the bold font.
func faceOf(bold bool) font.Font {
	if bold {
		return boldFont
	}
	return regularFont
}

// shortenLines shortens every line of s.
func shortenLines(s string, size float64, bold bool, width vg.Length) (string, bool) {
	lines, cut := strings.Split(s, "\n"), false
	for i := range lines {
		var c bool
		lines[i], c = shorten(lines[i], size, bold, width)
		cut = cut || c
	}
	return strings.Join(lines, "\n"), cut
}

// Alignment of a block at its point: the share of its extent that lies left of
// (below) the point.
const (
	alignStart  = 0.0
	alignCenter = 0.5
	alignEnd    = 1.0
)

// drawText draws b at p. alignX places the block (and each of its lines) left of, on or right of p; alignY likewise
// above (start), on or below (end) p, where the center of one line is the middle of its capitals. rotation is
// anticlockwise in radians about p. kind names the kind of text for geometric tests.
func (s *scene) drawText(kind string, b block, p vg.Point, alignX, alignY, rotation float64, ink color.Color) {
	bottom := -vg.Length(alignY) * b.height
	if alignY == alignCenter {
		middle := vg.Length(capHeight)/2*b.size + vg.Length(len(b.lines)-1)*linePitch*b.size/2
		bottom = -middle - descent*b.size
	}
	left := -vg.Length(alignX) * b.width
	s.record(kind, b.plain, p, rotation, vg.Rectangle{
		Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + b.width, Y: bottom + b.height},
	})
	s.marks[len(s.marks)-1].size = b.size
	s.canvas.SetColor(ink)
	origin := p
	if rotation != 0 {
		s.canvas.Push()
		s.canvas.Translate(p)
		s.canvas.Rotate(rotation)
		origin = vg.Point{}
	}
	for i := range b.lines {
		x := origin.X - vg.Length(alignX)*b.widths[i]
		y := origin.Y + bottom + b.size*vg.Length(descent+float64(len(b.lines)-1-i)*linePitch)
		b.fill(s.canvas, i, vg.Point{X: x, Y: y})
	}
	if rotation != 0 {
		s.canvas.Pop()
	}
}

// fill draws the i-th line of a block, its baseline from p.
func (b *block) fill(c vg.Canvas, i int, p vg.Point) {
	for _, r := range b.lines[i] {
		c.FillString(r.face, vg.Point{X: p.X, Y: p.Y + r.rise}, r.text)
		p.X += r.width
	}
}

// rotated returns p rotated anticlockwise about the origin.
func rotated(p vg.Point, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: p.X*vg.Length(cos) - p.Y*vg.Length(sin), Y: p.X*vg.Length(sin) + p.Y*vg.Length(cos)}
}
