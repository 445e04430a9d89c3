package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestMarkup(t *testing.T) {
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
	if missing := undrawable("σ φ λ ρ μ τ Δ α β γ ‖ − – × ± ≤ ≥ · … → √ ∞ ≈ ′ ° % R² d₂ 10⁻³ ñ é ß Ж"); len(missing) > 0 {
		t.Errorf("missing: %q", string(missing))
	}
	if missing := undrawable("x\u0303 図"); len(missing) != 2 {
		t.Errorf("want the combining mark and the ideograph, got %q", string(missing))
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width vg.Length
		want  string
	}{
		{"encoder_decoder", 100, "encoder_decoder"},
		{"encoder_decoder", 35, "encoder_\ndecoder"},
		{"two words here", 30, "two\nwords\nhere"},
		{"DreamerRecurrentState", 40, "Dreamer\nRecurrent\nState"},
		{"v1.5", 3, "v1.5"},
		{"d_{s} per d_{z}", 18, "d_{s}\nper\nd_{z}"},
		{"keep\n\nbreaks", 100, "keep\n\nbreaks"},
		{"", 10, ""},
	} {
		if got := wrap(c.in, labelSize, false, c.width); got != c.want {
			t.Errorf("wrap(%q, %g) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestShorten(t *testing.T) {
	long := "a_very_long_model_name_{2}_without_end"
	got, cut := shorten(long, labelSize, false, 50)
	if !cut || !strings.Contains(got, "…") || newBlock(got, labelSize, false).width > 50 {
		t.Errorf("shorten: %q (cut %v)", got, cut)
	}
	if got, cut := shorten("short", labelSize, false, 50); cut || got != "short" {
		t.Errorf("shorten changed a short name to %q", got)
	}
	if got, _ := shorten(long, labelSize, false, 0); got != "…" {
		t.Errorf("no room at all: %q", got)
	}
}

func TestScales(t *testing.T) {
	whole := func(low, high float64) extent { return extent{low, high, true} }
	for _, c := range []struct {
		name      string
		axis      Axis
		data      extent
		low, high float64
	}{
		{"padded", Axis{}, whole(0, 100), -4.5, 104.5},
		{"from zero", Axis{Zero: true}, whole(20, 100), 0, 104.5},
		{"to zero", Axis{Zero: true}, whole(-100, -20), -104.5, 0},
		{"constant", Axis{}, whole(5, 5), 4.5, 5.5},
		{"constant zero", Axis{}, whole(0, 0), -1, 1},
		{"constant but for rounding", Axis{}, whole(1, 1+1e-12), 0.9, 1.1},
		{"empty", Axis{}, extent{}, 0, 1},
		{"fixed", Axis{Min: 2, Max: 3}, whole(0, 100), 2, 3},
		{"log constant", Axis{Log: true}, whole(10, 10), 10 / math.Sqrt(10), 10 * math.Sqrt(10)},
		{"log empty", Axis{Log: true}, extent{}, 1, 10},
		{"log", Axis{Log: true}, whole(1, 1e5), math.Pow(10, -0.2), math.Pow(10, 5.2)},
	} {
		s, err := newScale(c.axis, c.data)
		if err != nil || math.Abs(s.low-c.low) > 1e-9*math.Abs(c.high) || math.Abs(s.high-c.high) > 1e-9*math.Abs(c.high) {
			t.Errorf("%s: [%g, %g] (error %v), want [%g, %g]", c.name, s.low, s.high, err, c.low, c.high)
		}
	}
	for _, bad := range []Axis{{Log: true, Min: 0, Max: 1}, {Log: true, Min: -3, Max: 1}, {Min: math.NaN(), Max: 1}, {Min: 0, Max: math.Inf(1)}} {
		if _, err := newScale(bad, extent{}); err == nil {
			t.Errorf("axis %+v is accepted", bad)
		}
	}
}

// Quartiles follow numpy's linear rule: np.quantile([1, 2, 3, 4, 10], q).
func TestBoxSummary(t *testing.T) {
	var data extent
	var lost dropped
	b := summarize([]float64{10, 3, math.NaN(), 1, 4, 2, math.Inf(1)}, Axis{}, 100, &data, &lost)
	if b.q1 != 2 || b.median != 3 || b.q3 != 4 || b.mean != 4 || b.low != 1 || b.high != 4 {
		t.Errorf("summary %+v", b)
	}
	if len(b.outliers) != 1 || b.outliers[0] != 10 || data.high != 10 || lost.undefined != 1 || lost.infinite != 1 {
		t.Errorf("outliers %v, range %+v, lost %+v", b.outliers, data, lost)
	}
	sorted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got := thinned(sorted, 3); len(got) != 3 || got[0] != 1 || got[1] != 5 || got[2] != 9 {
		t.Errorf("thinned %v", got)
	}
	values := make([]float64, 0, 3000)
	for i := range 2000 {
		values = append(values, float64(i%10))
	}
	for i := range 500 {
		values = append(values, 100+float64(i), -100-float64(i))
	}
	b = summarize(values, Axis{}, 50, &extent{}, &lost)
	if len(b.outliers) != 50 || b.outliers[0] != -599 || b.outliers[49] != 599 {
		t.Errorf("%d outliers from %g to %g, want 50 with both extremes", len(b.outliers), b.outliers[0], b.outliers[len(b.outliers)-1])
	}
}
