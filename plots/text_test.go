// Wrapping and shortening text.

package plots

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestWrap(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// A cut is the longest that fits, as measuring all of them one after the other finds it.
func TestShorten_Longest(t *testing.T) {
	t.Parallel()
	naive := func(s string, size float64, bold bool, width vg.Length) string {
		runes := []rune(plainText(s))
		for keep := len(runes) - 1; keep > 0; keep-- {
			head := (keep + 1) / 2
			cut := Escape(string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):]))
			if newBlock(cut, size, bold).width <= width {
				return cut
			}
		}
		return "…"
	}
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./^{}\\ AVAVWToyiii")
	for range 300 {
		runes := make([]rune, 2+random.IntN(60))
		for i := range runes {
			runes[i] = letters[random.IntN(len(letters))]
		}
		s, bold, width := Escape(string(runes)), random.IntN(2) == 1, vg.Length(random.IntN(120))
		got, cut := shorten(s, labelSize, bold, width)
		if cut && got != naive(s, labelSize, bold, width) {
			t.Errorf("%q in %v: %q, want %q", s, width, got, naive(s, labelSize, bold, width))
		}
	}
}

// Texts that nobody writes take the time of their length, not of its square: these would take hours.
func TestShorten_Huge(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: texts of 200,000 letters, on one goroutine")
	}
	t.Parallel()
	const n = 200_000
	for name, s := range map[string]string{
		"letters": strings.Repeat("model", n/5), "narrow": strings.Repeat("i", n), "marks": strings.Repeat("xy\u0301\u0301\u0301", n/5), "scripts": strings.Repeat("²", n),
		"right to left": strings.Repeat("שלום ", n/5), "boxes": strings.Repeat("漢", n), "breaks": strings.Repeat("a_", n/2), "markup": strings.Repeat("_{a", n/3), "open": strings.Repeat("^{", n/2),
	} {
		got, cut := shortenLines(wrap(s, labelSize, false, 80), labelSize, false, 80)
		if lines := strings.Count(got, "\n"); newBlock(got, labelSize, false).width > 80 || !cut && lines == 0 {
			t.Errorf("%s: cut %v, %d lines of %d letters", name, cut, lines, len(got))
		}
	}
}
