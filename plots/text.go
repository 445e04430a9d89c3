// Text: the fonts, the markup for subscripts and superscripts, measuring,
// wrapping and drawing.

package plots

import (
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
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

// fonts parses the two bundled fonts once. The cache is safe for concurrent use.
var fonts = sync.OnceValue(func() *font.Cache {
	var collection font.Collection
	for _, f := range []struct {
		font font.Font
		data []byte
	}{{regularFont, liberationsansregular.TTF}, {boldFont, liberationsansbold.TTF}} {
		face, err := opentype.Parse(f.data)
		if err != nil {
			panic("plots: bundled font: " + err.Error()) // a build without its own data
		}
		collection = append(collection, font.Face{Font: f.font, Face: face})
	}
	return font.NewCache(collection)
})

// fontData is the font file of a face, for embedding.
func fontData(bold bool) []byte {
	if bold {
		return liberationsansbold.TTF
	}
	return liberationsansregular.TTF
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
		for _, p := range parseMarkup(text) {
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
			name := regularFont
			if bold {
				name = boldFont
			}
			r.face = fonts().Lookup(name, fontSize)
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

// piece is text on one level: 1 superscript, −1 subscript.
type piece struct {
	text  string
	level int
}

// scripts maps Unicode superscripts and subscripts, which the font has only in
// part, to the markup's levels.
var scripts = func() map[rune]piece {
	m := map[rune]piece{'⁻': {"−", 1}, '₋': {"−", -1}, '⁺': {"+", 1}, 'ⁿ': {"n", 1}, 'ₛ': {"s", -1}, 'ₙ': {"n", -1}, 'ₖ': {"k", -1}, 'ₜ': {"t", -1}, 'ᵢ': {"i", -1}}
	for i, r := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		m[r] = piece{string(rune('0' + i)), 1}
	}
	for i, r := range []rune("₀₁₂₃₄₅₆₇₈₉") {
		m[r] = piece{string(rune('0' + i)), -1}
	}
	return m
}()

// parseMarkup splits a line into pieces. An unclosed brace is literal text.
func parseMarkup(s string) []piece {
	var pieces []piece
	add := func(text string, level int) {
		if text == "" {
			return
		}
		if n := len(pieces); n > 0 && pieces[n-1].level == level {
			pieces[n-1].text += text
			return
		}
		pieces = append(pieces, piece{text, level})
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := byte(0)
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case r == '\\' && (next == '\\' || next == '_' || next == '^'):
			add(string(next), 0)
			i += 2
			continue
		case (r == '_' || r == '^') && next == '{':
			if end := strings.IndexByte(s[i+2:], '}'); end >= 0 {
				level := 1
				if r == '_' {
					level = -1
				}
				for _, inner := range s[i+2 : i+2+end] {
					add(displayRune(inner), level)
				}
				i += end + 3
				continue
			}
		}
		if script, ok := scripts[r]; ok {
			add(script.text, script.level)
		} else {
			add(displayRune(r), 0)
		}
		i += size
	}
	return pieces
}

// missingGlyph is drawn for what the font lacks.
const missingGlyph = "□"

// displayRune is what is drawn for one rune: controls become spaces, hyphens of
// all kinds a hyphen, combining marks nothing (the backends displace them), and
// what the font lacks a box.
func displayRune(r rune) string {
	switch {
	case r == utf8.RuneError:
		return missingGlyph
	case r == '\u2010' || r == '\u2011':
		return "-"
	case unicode.IsControl(r) || unicode.IsSpace(r):
		return " "
	case unicode.Is(unicode.M, r):
		return ""
	case r > 0xffff || !hasGlyph(r):
		return missingGlyph
	}
	return string(r)
}

var glyphs sync.Map // rune → bool

// hasGlyph reports whether the bundled regular font can draw r.
func hasGlyph(r rune) bool {
	if known, ok := glyphs.Load(r); ok {
		return known.(bool)
	}
	var buffer sfnt.Buffer
	index, err := fonts().Lookup(regularFont, 10).Face.GlyphIndex(&buffer, r)
	found := err == nil && index != 0
	glyphs.Store(r, found)
	return found
}

// undrawable lists the runes of s that are not drawn as themselves.
func undrawable(s string) []rune {
	var missing []rune
	for _, r := range s {
		if _, ok := scripts[r]; ok || unicode.IsControl(r) || unicode.IsSpace(r) {
			continue
		}
		if d := displayRune(r); (d == missingGlyph && r != '□') || d == "" {
			missing = append(missing, r)
		}
	}
	return missing
}

// plainText is s without its markup.
func plainText(s string) string {
	var b strings.Builder
	for _, p := range parseMarkup(s) {
		b.WriteString(p.text)
	}
	return b.String()
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

// wrap breaks s into lines no wider than width where it can; a part without a
// place to break may stay wider. Line ends already in s stay.
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
	for keep := len(runes) - 1; keep > 0; keep-- {
		head := (keep + 1) / 2
		cut := Escape(string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):]))
		if newBlock(cut, size, bold).width <= width {
			return cut, true
		}
	}
	return "…", true
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

// drawText draws b at p. alignX places the block (and each of its lines) left of,
// on or right of p; alignY likewise above (start), on or below (end) p, where the
// centre of one line is the middle of its capitals. rotation is anticlockwise in
// radians about p. kind names what the text is for geometric tests.
func (s *scene) drawText(kind string, b block, p vg.Point, alignX, alignY, rotation float64, ink color.Color) {
	bottom := -vg.Length(alignY) * b.height
	if alignY == alignCenter {
		middle := vg.Length(capHeight)/2*b.size + vg.Length(len(b.lines)-1)*linePitch*b.size/2
		bottom = -middle - descent*b.size + vg.Length(len(b.lines)-1)*0
	}
	left := -vg.Length(alignX) * b.width
	s.record(kind, b.plain, p, rotation, vg.Rectangle{
		Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + b.width, Y: bottom + b.height},
	})
	s.canvas.SetColor(ink)
	origin := p
	if rotation != 0 {
		s.canvas.Push()
		s.canvas.Translate(p)
		s.canvas.Rotate(rotation)
		origin = vg.Point{}
	}
	for i, line := range b.lines {
		x := origin.X - vg.Length(alignX)*b.widths[i]
		y := origin.Y + bottom + b.size*vg.Length(descent+float64(len(b.lines)-1-i)*linePitch)
		for _, r := range line {
			s.canvas.FillString(r.face, vg.Point{X: x, Y: y + r.rise}, r.text)
			x += r.width
		}
	}
	if rotation != 0 {
		s.canvas.Pop()
	}
}

// rotated returns p turned anticlockwise about the origin.
func rotated(p vg.Point, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: p.X*vg.Length(cos) - p.Y*vg.Length(sin), Y: p.X*vg.Length(sin) + p.Y*vg.Length(cos)}
}
