// CIELAB, and the difference of two colors in it.

package color

import "math"

// Lab is a color of CIELAB (CIE 1976) with the white of D65: L is the lightness in
// [0, 100], A runs from green to red and B from blue to yellow.
type Lab struct{ L, A, B float64 }

// Lab returns the color in CIELAB. The linear components become XYZ by the chromaticities
// of sRGB's primaries, (0.64, 0.33), (0.30, 0.60), (0.15, 0.06), and of its white, D65 as
// (0.3127, 0.3290); the same white is the reference of CIELAB, so that grays have A and B
// exactly 0 and white has L exactly 100. Programs with rounded matrices, or with the
// tabulated white (0.95047, 1, 1.08883), differ by up to about 0.02.
func (c SRGB) Lab() Lab {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	// Rows of the matrix over their sums, which are the white: with weights that sum to 1,
	// a gray is exactly its light.
	relative := func(green, blue float64) float64 { return r + float64(green*(g-r)) + float64(blue*(b-r)) }
	x := lightness(relative(xGreen, xBlue))
	y := lightness(relative(yGreen, yBlue))
	z := lightness(relative(zGreen, zBlue))
	return Lab{float64(116*y) - 16, 500 * (x - y), 200 * (y - z)}
}

// The shares of linear green and blue in X, Y and Z relative to the white; red has
// the rest. The matrix follows from the chromaticities as rational numbers.
const (
	whiteX, whiteZ = 0.3127 / 0.3290, (1 - 0.3127 - 0.3290) / 0.3290

	xGreen, xBlue = 87881. / 245763 / whiteX, 12673. / 70218 / whiteX
	yGreen, yBlue = 175762. / 245763, 12673. / 175545
	zGreen, zBlue = 87881. / 737289 / whiteZ, 1001167. / 1053270 / whiteZ
)

// lightness is the cube root with a straight beginning, in the exact fractions of CIE 15.
func lightness(t float64) float64 {
	const delta = 6. / 29
	if t <= delta*delta*delta {
		return t/(3*delta*delta) + 4./29
	}
	return math.Cbrt(t)
}

// CIEDE2000 returns the color difference ΔE₀₀ (CIE 142-2001) as Sharma, Wu & Dalal (2005)
// write it, with kL = kC = kH = 1: 0 for equal colors, 100 for black and white, about 1
// for a difference that is just seen. It is symmetric, but has no triangle inequality, and
// is not continuous where hues are opposite. NaN for coordinates that are not finite.
func CIEDE2000(p, q Lab) float64 {
	// a is stretched near the gray axis by the mean chroma of both.
	stretch := 1 + 0.5*(1-chromaShare((math.Hypot(p.A, p.B)+math.Hypot(q.A, q.B))/2))
	c1, h1 := polar(p.A*stretch, p.B)
	c2, h2 := polar(q.A*stretch, q.B)

	turn, hue := h2-h1, h1+h2 // the difference of hues and, where both are defined, their mean
	switch {
	case c1 == 0 || c2 == 0:
		turn = 0
	case math.Abs(turn) <= 180:
		hue /= 2
	case hue < 360:
		hue = (hue + 360) / 2
	default:
		hue = (hue - 360) / 2
	}
	if turn > 180 {
		turn -= 360
	} else if turn < -180 {
		turn += 360
	}

	chroma, light := (c1+c2)/2, square((p.L+q.L)/2-50)
	tone := 1 - float64(0.17*cosine(hue-30)) + float64(0.24*cosine(2*hue)) +
		float64(0.32*cosine(3*hue+6)) - float64(0.20*cosine(4*hue-63))
	l := (q.L - p.L) / (1 + 0.015*light/math.Sqrt(20+light))
	c := (c2 - c1) / (1 + float64(0.045*chroma))
	h := 2 * math.Sqrt(c1*c2) * sine(turn/2) / (1 + float64(0.015*chroma*tone))
	rotation := -2 * chromaShare(chroma) * sine(60*math.Exp(-square((hue-275)/25)))
	return math.Sqrt(square(l) + square(c) + square(h) + float64(rotation*c*h))
}

// chromaShare is √(c⁷ / (c⁷ + 25⁷)), from 0 to 1.
func chromaShare(c float64) float64 { return math.Sqrt(1 / (1 + math.Pow(25/c, 7))) }

// polar returns chroma and hue, in degrees from 0 to 360, and 0 without chroma.
func polar(a, b float64) (chroma, hue float64) {
	if hue = math.Atan2(b, a) * 180 / math.Pi; hue < 0 {
		hue += 360
	}
	if chroma = math.Hypot(a, b); chroma == 0 { // atan2 tells signs of zero apart
		hue = 0
	}
	return chroma, hue
}

func square(v float64) float64       { return float64(v * v) }
func sine(degrees float64) float64   { return math.Sin(degrees * math.Pi / 180) }
func cosine(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
