package plots

import (
	"fmt"
	"strings"
	"testing"
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
