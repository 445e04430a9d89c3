// The markup for subscripts and superscripts, as a text handler of gonum's too.

package plots

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"repscope/internal/escape"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Markup is a [text.Handler] that draws the subscripts and superscripts described
// in the package comment, in the bundled Liberation Sans, regular or bold by the
// font's weight. [Add] gives it to the axes of a plot; for other text:
//
//	p.Title.TextStyle.Handler = plots.Markup{}
type Markup struct{}

// Cache returns the bundled fonts.
func (Markup) Cache() *font.Cache { return fonts() }

// Extents returns the extents of a font.
func (Markup) Extents(f font.Font) font.Extents {
	face := fonts().Lookup(f, f.Size)
	return face.Extents()
}

// Lines splits a text into its lines.
func (Markup) Lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

// Box returns the size of one line: its width, its height above and its depth below
// the baseline.
func (m Markup) Box(s string, f font.Font) (width, height, depth vg.Length) {
	e := m.Extents(f)
	return lineOf(s, f).width, e.Ascent, e.Descent
}

// Draw draws a text where gonum's plain handler would.
func (m Markup) Draw(c vg.Canvas, s string, style text.Style, p vg.Point) {
	lines := m.Lines(s)
	if s == "" {
		return
	}
	c.SetColor(style.Color)
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(style.Rotation)
	}
	p = rotated(p, -style.Rotation)
	p.Y += style.Height(s)*vg.Length(style.YAlign) - m.Extents(style.Font).Ascent
	for i, line := range lines {
		b := lineOf(line, style.Font)
		b.fill(c, 0, vg.Point{X: p.X + vg.Length(style.XAlign)*b.width, Y: p.Y + vg.Length(len(lines)-i)*style.Font.Size})
	}
}

// lineOf measures one line in a font of gonum's.
func lineOf(s string, f font.Font) block {
	return newBlock(s, f.Size.Points(), f.Weight >= stdfont.WeightBold)
}

// piece is text on one level: 1 superscript, −1 subscript.
type piece struct {
	text  string
	level int
}

// scripts maps Unicode superscripts and subscripts, which the font has only in
// part, to the markup's levels.
var scripts = func() map[rune]piece {
	m := map[rune]piece{'⁻': {"−", 1}, '₋': {"−", -1}, '⁺': {"+", 1}, 'ⁿ': {"n", 1},
		'ₛ': {"s", -1}, 'ₙ': {"n", -1}, 'ₖ': {"k", -1}, 'ₜ': {"t", -1}, 'ᵢ': {"i", -1}}
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
	var last []byte // the text of the last piece, whose level is set
	end := func() {
		if n := len(pieces); n > 0 {
			pieces[n-1].text = string(last)
		}
	}
	add := func(text string, level int) {
		if text == "" {
			return
		}
		if n := len(pieces); n == 0 || pieces[n-1].level != level {
			end()
			pieces, last = append(pieces, piece{level: level}), nil
		}
		last = append(last, text...)
	}
	brace := strings.LastIndexByte(s, '}')
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
		case (r == '_' || r == '^') && next == '{' && i < brace:
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
	end()
	return pieces
}

// missingGlyph is drawn for characters missing from the font.
const missingGlyph = "□"

// displayRune is the rune drawn for one rune: controls become spaces, hyphens of all kinds a hyphen. Combining marks
// and invisible characters are dropped (the backends displace them), and characters missing from the font become a box.
func displayRune(r rune) string {
	switch {
	case r == utf8.RuneError:
		return missingGlyph
	case r == '\u2010' || r == '\u2011':
		return "-"
	case unicode.IsControl(r) || unicode.IsSpace(r):
		return " "
	case unicode.Is(unicode.M, r) || escape.Hidden(r):
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

// Escape protects a string whose "_{" or "^{" is meant literally.
func Escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "_{", `\_{`, "^{", `\^{`).Replace(s)
}
