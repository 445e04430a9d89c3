// Subscripts, superscripts and glyphs, and drawing them for gonum.

package plots

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

func TestMarkup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"plain", "[plain 0]"},
		{"d_{s}", "[d 0] [s -1]"},
		{"10^{−3} s", "[10 0] [−3 1] [ s 0]"},
		{"encoder_decoder^2", "[encoder_decoder^2 0]"},
		{"R² and λ₂", "[R 0] [2 1] [ and λ 0] [2 -1]"},
		{"10⁻³", "[10 0] [−3 1]"},
		{"open_{brace", "[open_{brace 0]"},
		{`a\_{b}`, "[a_{b} 0]"},
		{Escape("x_{y}^{z}\\"), "[x_{y}^{z}\\ 0]"},
		{"s\u0303", "[s 0]"},
		{"a\tb\u2011c", "[a b-c 0]"},
		{"図\U0001F600", "[□□ 0]"},
		{"\xff", "[□ 0]"},
		{"", ""},
	} {
		var parts []string
		for _, p := range parseMarkup(c.in) {
			parts = append(parts, fmt.Sprintf("[%s %d]", p.text, p.level))
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

// The characters that figures of this project use are in the bundled fonts.
func TestGlyphs(t *testing.T) {
	t.Parallel()
	if missing := undrawable("σ φ λ ρ μ τ Δ α β γ ‖ − – × ± ≤ ≥ · … → √ ∞ ≈ ′ ° % R² d₂ 10⁻³ ñ é ß Ж"); len(missing) > 0 {
		t.Errorf("missing: %q", string(missing))
	}
	if missing := undrawable("x\u0303 図"); len(missing) != 2 {
		t.Errorf("want the combining mark and the ideograph, got %q", string(missing))
	}
}

// Text without markup is placed as by gonum's plain handler, turned or not; a
// superscript follows the text, above its baseline.
func TestMarkupHandler(t *testing.T) {
	t.Parallel()
	font := regularFont
	font.Size = 10
	for _, style := range []text.Style{
		{Font: font, XAlign: draw.XCenter, YAlign: draw.YTop},
		{Font: font, XAlign: draw.XRight, YAlign: draw.YCenter, Rotation: 1},
	} {
		point := vg.Point{X: 30, Y: 40}
		var plain, ours recorder.Canvas
		style.Handler = text.Plain{Fonts: fonts()}
		wantSize := style.Rectangle("two\nlines")
		style.Handler.Draw(&plain, "two\nlines", style, point)
		style.Handler = Markup{}
		if got := style.Rectangle("two\nlines"); got != wantSize {
			t.Errorf("rectangle %v, want %v", got, wantSize)
		}
		style.Handler.Draw(&ours, "two\nlines", style, point)
		if len(ours.Actions) != len(plain.Actions) {
			t.Fatalf("%d actions, want %d", len(ours.Actions), len(plain.Actions))
		}
		for i, action := range plain.Actions {
			want, ok := action.(*recorder.FillString)
			if !ok {
				continue
			}
			got := ours.Actions[i].(*recorder.FillString)
			if d := got.Point.Sub(want.Point); got.String != want.String || d.Dot(d) > 1e-12 {
				t.Errorf("%q at %v, want %q at %v", got.String, got.Point, want.String, want.Point)
			}
		}
	}
	var c recorder.Canvas
	style := text.Style{Font: font, Handler: Markup{}}
	style.Handler.Draw(&c, "x^{2}", style, vg.Point{})
	var parts []*recorder.FillString
	for _, action := range c.Actions {
		if part, ok := action.(*recorder.FillString); ok {
			parts = append(parts, part)
		}
	}
	if len(parts) != 2 || parts[1].Point.Y <= parts[0].Point.Y || parts[1].Point.X != parts[0].Point.X+style.Width("x") {
		t.Errorf("x^{2} is drawn as %v", parts)
	}
}

// No text makes the markup panic: its pieces are at most as long as the text allows, of one
// level after the other, and a line has a finite width.
func FuzzMarkup(f *testing.F) {
	for _, s := range []string{"R^2", "x_{1}", "a^{b_c}", "^", "_", "^{", "10⁻³", "Q_{NX}", "\\", "a\nb", "\xff", "שלום", "$x$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			t.Skip()
		}
		length := 0
		for i, p := range parseMarkup(text) {
			length += len(p.text)
			if p.text == "" || i > 0 && parseMarkup(text)[i-1].level == p.level {
				t.Errorf("%q: piece %d is %+v", text, i, p)
			}
		}
		if length > 4*len(text) { // a superscript of two bytes is a digit of one; a minus has three
			t.Errorf("%q becomes %d bytes", text, length)
		}
		for _, line := range (Markup{}).Lines(text) {
			if w, _, _ := (Markup{}).Box(line, font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}); !(w >= 0 && float64(w) < 1e5) {
				t.Errorf("%q is %v wide", line, w)
			}
		}
	})
}
