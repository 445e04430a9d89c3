// Luminance and contrast: known values, and what the definition says exactly.

package color

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

type triple [3]float64

func (v triple) srgb() SRGB { return SRGB{v[0], v[1], v[2]} }
func (v triple) lab() Lab   { return Lab{v[0], v[1], v[2]} }

// golden is testdata/golden.json.
type golden struct {
	Colors []struct {
		RGB, Lab, Skimage triple
		Luminance         float64
	}
	Pairs []struct {
		A, B       triple
		Difference float64
	}
}

func readGolden(t *testing.T) (out golden) {
	t.Helper()
	if err := json.Unmarshal(goldenJSON, &out); err != nil || len(out.Colors) < 80 || len(out.Pairs) != 300 {
		t.Fatal(len(out.Colors), len(out.Pairs), err)
	}
	return out
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g", name, got, want)
	}
}

func TestLuminance(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Colors {
		near(t, "luminance", c.RGB.srgb().Luminance(), c.Luminance, 1e-15)
	}
	near(t, "white", FromBytes(255, 255, 255).Luminance(), 1, 0)
	near(t, "black", SRGB{}.Luminance(), 0, 0)
	near(t, "red", SRGB{R: 1}.Luminance(), 0.2126, 1e-15)
	near(t, "green", SRGB{G: 1}.Luminance(), 0.7152, 0)
	near(t, "blue", SRGB{B: 1}.Luminance(), 0.0722, 0)
	near(t, "out of range", SRGB{R: 2, G: math.Inf(1), B: 7}.Luminance(), 1, 0)
	near(t, "below", SRGB{R: -2, G: math.Inf(-1), B: -7}.Luminance(), 0, 0)
	if v := (SRGB{R: math.NaN()}).Luminance(); !math.IsNaN(v) {
		t.Errorf("luminance of NaN = %v", v)
	}
}

// TestContrast has values that are widely quoted: #767676 is the lightest gray of which
// text on white passes AA, #949494 and #595959 are those of large text and of AAA.
func TestContrast(t *testing.T) {
	t.Parallel()
	white := FromBytes(255, 255, 255)
	for _, c := range []struct {
		r, g, b uint8
		want    float64
	}{
		{0, 0, 0, 21}, {255, 255, 255, 1}, {255, 0, 0, 4.00}, {0, 255, 0, 1.37}, {0, 0, 255, 8.59},
		{0x76, 0x76, 0x76, 4.54}, {0x77, 0x77, 0x77, 4.48}, {0x94, 0x94, 0x94, 3.03}, {0x59, 0x59, 0x59, 7.00},
	} {
		color := FromBytes(c.r, c.g, c.b)
		near(t, "contrast with white", Contrast(color, white), c.want, 0.005)
		near(t, "in the other order", Contrast(white, color), Contrast(color, white), 0)
		near(t, "with itself", Contrast(color, color), 1, 0)
	}
	for _, c := range []struct {
		lightest uint8
		least    float64
	}{{0x76, ContrastAA}, {0x94, ContrastAALarge}, {0x59, ContrastAAA}, {0x76, ContrastAAALarge}} {
		passes, next := FromBytes(c.lightest, c.lightest, c.lightest), FromBytes(c.lightest+1, c.lightest+1, c.lightest+1)
		if Contrast(passes, white) < c.least || Contrast(next, white) >= c.least {
			t.Errorf("%#x: contrasts %v, %v, want %v between", c.lightest, Contrast(passes, white), Contrast(next, white), c.least)
		}
	}
	if v := Contrast(SRGB{G: math.NaN()}, white); !math.IsNaN(v) {
		t.Errorf("contrast of NaN = %v", v)
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	front, back := SRGB{1, 0.5, 0}, SRGB{0, 0.5, 0.5}
	for _, c := range []struct {
		alpha float64
		want  SRGB
	}{
		{0, back}, {1, front}, {0.5, SRGB{0.5, 0.5, 0.25}}, {-1, back}, {3, front},
	} {
		if got := front.Over(back, c.alpha); got != c.want {
			t.Errorf("alpha %v: %v, want %v", c.alpha, got, c.want)
		}
	}
	if got := front.Over(back, math.NaN()); !math.IsNaN(got.R) {
		t.Errorf("alpha NaN: %v", got)
	}
}
