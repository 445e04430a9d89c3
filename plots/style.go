// Style of series: a color-blind-safe palette, markers and dashes.

package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Okabe and Ito's palette (Color Universal Design, 2008), ordered so that the
// first few differ most, also in gray: yellow, weakest on white, comes last.
var okabeIto = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xff}, // blue
	{0xE6, 0x9F, 0x00, 0xff}, // orange
	{0x00, 0x9E, 0x73, 0xff}, // bluish green
	{0xCC, 0x79, 0xA7, 0xff}, // reddish purple
	{0x56, 0xB4, 0xE9, 0xff}, // sky blue
	{0xD5, 0x5E, 0x00, 0xff}, // vermillion
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xF0, 0xE4, 0x42, 0xff}, // yellow
}

// Grays of everything that is not a series.
var (
	ink       = color.NRGBA{0x1a, 0x1a, 0x1a, 0xff}
	softInk   = color.NRGBA{0x55, 0x55, 0x55, 0xff}
	gridInk   = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
	plainInk  = color.NRGBA{0x80, 0x80, 0x80, 0xff}
	paperOpen = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// Shapes of markers.
const (
	markCircle = iota
	markSquare
	markTriangle
	markDiamond
	markInverted
	markPlus
	markCross
	markStar
	markShapes
)

// dashes, in points; nil is solid.
var dashes = [][]vg.Length{nil, {4, 1.6}, {1.2, 1.4}, {5, 1.4, 1.2, 1.4}, {2.4, 1.2}, {6, 1.4, 1.2, 1.4, 1.2, 1.4}, {7, 2.2}}

// Style is how a series is drawn everywhere in a figure.
type Style struct {
	// Fill is the color of bars, boxes and markers.
	Fill color.NRGBA
	// Line is the color of lines: Fill, darkened if it is too light on white.
	Line color.NRGBA
	// Edge outlines fills: a dark shade of Fill.
	Edge color.NRGBA
	// Marker is the shape's number, Dash the pattern in points (nil: solid).
	Marker int
	Dash   []float64
	// Hollow markers and hatched fills distinguish the ninth series from the first.
	Hollow bool

	dash []vg.Length
}

// SeriesStyle returns the style of the i-th series (i ≥ 0). The first eight styles have the colors of Okabe and Ito,
// each with a marker and a dash. Further rounds lighten, then darken the colors and combine them with other dashes,
// hollow markers and hatched fills.
func SeriesStyle(i int) Style {
	i = max(0, i)
	round, index := i/len(okabeIto), i%len(okabeIto)
	fill := okabeIto[index]
	switch round % 3 {
	case 1:
		fill = mix(fill, paperOpen, 0.45)
	case 2:
		fill = mix(fill, color.NRGBA{A: 255}, 0.4)
	}
	s := Style{Fill: fill, Line: fill, Edge: mix(fill, color.NRGBA{A: 255}, 0.45)}
	for luminance(s.Line) > 0.62 {
		s.Line = mix(s.Line, color.NRGBA{A: 255}, 0.15)
	}
	s.Marker = (index + 3*round) % markShapes
	s.Hollow = round%2 == 1
	s.dash = dashes[(index+2*round)%len(dashes)]
	for _, d := range s.dash {
		s.Dash = append(s.Dash, float64(d))
	}
	return s
}

// stepStyle is the style of step i of n in a quantity: a color of the sequential ramp, the
// lightest left out, one marker for all.
func stepStyle(i, n int) Style {
	s := SeriesStyle(0)
	position := 0.5
	if n > 1 {
		position = float64(i) / float64(n-1)
	}
	s.Fill = ColorScale{Ramp: RampSequential, Low: 0, High: 1.15}.Color(position)
	s.Edge = mix(s.Fill, color.NRGBA{A: 255}, 0.45)
	s.Line = s.Fill
	for luminance(s.Line) > 0.62 {
		s.Line = mix(s.Line, color.NRGBA{A: 255}, 0.15)
	}
	return s
}

// anonymous is the style of curves without a name.
func anonymous() Style {
	return Style{Fill: plainInk, Line: plainInk, Edge: softInk}
}

// mix moves a towards b by share in [0, 1].
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-share) + float64(y)*share)) }
	return color.NRGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), a.A}
}

// luminance is the relative luminance in [0, 1] (Rec. 709 weights on the coded
// values, enough to compare grays).
func luminance(c color.NRGBA) float64 {
	return (0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)) / 255
}

// withAlpha returns c with opacity a in [0, 1].
func withAlpha(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(math.Round(255 * min(1, max(0, a))))
	return c
}
