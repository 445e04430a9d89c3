// Wrapping and shortening text.

package plots

import (
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
