// Colors of screens, their luminance and contrast.

package color

import "math"

// SRGB is a color of the sRGB space (IEC 61966-2-1), encoded as in files: 0 is none of a
// primary and 1 all of it. Components outside [0, 1] count as the nearer end, as on a
// screen; NaN makes every number NaN that it enters.
type SRGB struct{ R, G, B float64 }

// FromBytes returns the color of three bytes.
func FromBytes(r, g, b uint8) SRGB {
	return SRGB{float64(r) / 255, float64(g) / 255, float64(b) / 255}
}

// Over lays the color on a background: alpha·c + (1 − alpha)·background, of encoded
// components, as browsers and drawing programs do. alpha outside [0, 1] counts as the
// nearer end.
func (c SRGB) Over(background SRGB, alpha float64) SRGB {
	alpha = clamp(alpha)
	mix := func(front, back float64) float64 {
		return float64(alpha*clamp(front)) + float64((1-alpha)*clamp(back))
	}
	return SRGB{mix(c.R, background.R), mix(c.G, background.G), mix(c.B, background.B)}
}

func clamp(v float64) float64 { return min(1, max(0, v)) }

// linear is the light of an encoded component. WCAG 2.0 has the limit 0.03928 of a draft;
// no byte lies between the two.
func linear(v float64) float64 {
	if v = clamp(v); v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// Luminance returns the relative luminance of WCAG 2 in [0, 1], 0 for black and 1 for
// white: 0.2126·R + 0.7152·G + 0.0722·B of linear components.
func (c SRGB) Luminance() float64 {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	return r + float64(0.7152*(g-r)) + float64(0.0722*(b-r)) // the weights sum to 1: a gray is exactly its light
}

// Least contrasts of WCAG 2 for text, by level; large text is of 18 points, or of 14
// points and bold.
const (
	ContrastAA       = 4.5
	ContrastAALarge  = 3.0
	ContrastAAA      = 7.0
	ContrastAAALarge = 4.5
)

// Contrast returns the contrast ratio of WCAG 2, (L₁ + 0.05) / (L₂ + 0.05), with the relative
// luminance L₁ of the lighter color, in [1, 21]: 1 for equal luminance, 21 for black and white. The
// order of the colors has no effect. Composite a translucent color on its background first
// (SRGB.Over).
func Contrast(a, b SRGB) float64 {
	x, y := a.Luminance(), b.Luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
