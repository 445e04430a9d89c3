// Color scales: numbers as colors in maps and heat maps, and the bar that explains them.

package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Ramp is a family of colors.
type Ramp int

// Ramps keep their order for all common kinds of color vision and in gray print.
const (
	// RampSequential rises from dark blue over green to light yellow: for fields.
	RampSequential Ramp = iota
	// RampMagnitude falls from white to dark purple: for values that begin at zero.
	RampMagnitude
	// RampDiverging goes from blue over white to orange: for signed values.
	RampDiverging
	// RampReversed goes from orange over white to blue: for signed values whose high end is blue, as in a [Matrix].
	RampReversed
)

// rampStops are the colors of a ramp at equal distances.
var rampStops = [...][]color.NRGBA{
	RampSequential: {{0x1b, 0x1c, 0x4e, 0xff}, {0x1f, 0x4a, 0x7c, 0xff}, {0x1d, 0x76, 0x8a, 0xff}, {0x35, 0x9f, 0x83, 0xff},
		{0x84, 0xc2, 0x6c, 0xff}, {0xd3, 0xdc, 0x6b, 0xff}, {0xfb, 0xf4, 0xa8, 0xff}},
	RampMagnitude: {{0xff, 0xff, 0xff, 0xff}, {0xf6, 0xdc, 0xc4, 0xff}, {0xec, 0xa9, 0x8b, 0xff}, {0xd2, 0x6d, 0x7b, 0xff},
		{0x9c, 0x3c, 0x7c, 0xff}, {0x5a, 0x1d, 0x63, 0xff}, {0x2a, 0x0c, 0x38, 0xff}},
	RampDiverging: {{0x0b, 0x3c, 0x73, 0xff}, {0x2e, 0x7c, 0xb5, 0xff}, {0x9b, 0xc6, 0xe3, 0xff}, {0xff, 0xff, 0xff, 0xff},
		{0xf8, 0xc9, 0x82, 0xff}, {0xdd, 0x7d, 0x1c, 0xff}, {0x85, 0x3a, 0x06, 0xff}},
	RampReversed: {{0x85, 0x3a, 0x06, 0xff}, {0xdd, 0x7d, 0x1c, 0xff}, {0xf8, 0xc9, 0x82, 0xff}, {0xff, 0xff, 0xff, 0xff},
		{0x9b, 0xc6, 0xe3, 0xff}, {0x2e, 0x7c, 0xb5, 0xff}, {0x0b, 0x3c, 0x73, 0xff}},
}

// ColorScale maps numbers to colors: Low to the first color of its ramp, High to the last. Numbers outside the range
// get the nearest of the two. NaN is gray.
type ColorScale struct {
	Ramp      Ramp
	Low, High float64
	// Label is under the bar of the scale, with the unit.
	Label string
}

// check returns the first problem of a scale.
func (c ColorScale) check() error {
	if int(c.Ramp) < 0 || int(c.Ramp) >= len(rampStops) {
		return fmt.Errorf("color scale %q: there is no ramp %d", c.Label, c.Ramp)
	}
	if !(c.Low < c.High) || math.Abs(c.Low) > largestValue || math.Abs(c.High) > largestValue {
		return fmt.Errorf("color scale %q: want finite low < high, got [%g, %g]", c.Label, c.Low, c.High)
	}
	return nil
}

// Color is the color of a number.
func (c ColorScale) Color(v float64) color.NRGBA {
	if math.IsNaN(v) {
		return plainInk
	}
	stops := rampStops[c.Ramp]
	at := min(1, max(0, (v-c.Low)/(c.High-c.Low))) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	return mix(stops[i], stops[i+1], at-float64(i))
}

// Image is a map of height × width numbers in row order, a pixel each, for an [ImageGrid].
func (c ColorScale) Image(values []float64, height, width int) (image.Image, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	if height <= 0 || width <= 0 || len(values) != height*width {
		return nil, fmt.Errorf("plots: map: %d values cannot be %d × %d cells", len(values), height, width)
	}
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, v := range values {
		m.SetNRGBA(i%width, i/width, c.Color(v))
	}
	return m, nil
}

// barThickness is the height of a color bar in points.
const barThickness = 4.5

// barRoom is how far the bar of a scale reaches down with its ticks and its label.
func (c ColorScale) barRoom(width vg.Length) vg.Length {
	height := vg.Length(barThickness + tickLength + labelGap/2 + tickSize*(ascent+descent))
	if c.Label != "" {
		height += newBlock(wrap(c.Label+" ", smallestSize, false, width), smallestSize, false).height
	}
	return height
}

// colorBar draws the bar of a scale, its upper left corner at a point, so wide.
func (s *scene) colorBar(c ColorScale, corner vg.Point, width vg.Length) {
	axis, err := newScale(Axis{Min: c.Low, Max: c.High}, extent{})
	if err != nil {
		return // the scale was checked
	}
	var blocks []block
	var inset vg.Length // of the bar's ends, for the labels that reach beyond them
	for n, clash := min(6, max(2, int(width/18))), true; clash && n >= 2; n-- {
		axis.mark(n)
		blocks, inset, clash = blocks[:0], 1, false
		for _, t := range axis.ticks {
			blocks = append(blocks, newBlock(t.Label, tickSize, false))
			inset = max(inset, blocks[len(blocks)-1].width/2)
		}
		inset = min(inset, width/3)
		end := vg.Length(math.Inf(-1))
		for i, t := range axis.ticks {
			x := vg.Length(share(&axis.Axis, t.Value)) * (width - 2*inset)
			if x-blocks[i].width/2 < end+3 {
				clash, blocks[i] = true, block{} // its mark stays
				continue
			}
			end = x + blocks[i].width/2
		}
	}
	r := vg.Rectangle{Min: vg.Point{X: corner.X + inset, Y: corner.Y - barThickness}, Max: vg.Point{X: corner.X + width - inset, Y: corner.Y}}
	const steps = 128
	strip := image.NewNRGBA(image.Rect(0, 0, steps, 1))
	for i := range steps {
		strip.SetNRGBA(i, 0, c.Color(c.Low+(c.High-c.Low)*(float64(i)+0.5)/steps))
	}
	s.canvas.DrawImage(r, magnify(strip, r.Size()))
	s.record("bar", "", vg.Point{}, 0, r)
	s.canvas.SetColor(plainInk)
	s.canvas.SetLineWidth(0.3)
	s.canvas.SetLineDash(nil, 0)
	s.canvas.Stroke(rectangle(r))
	below := r.Min.Y - tickLength
	for i, t := range axis.ticks {
		x := r.Min.X + vg.Length(share(&axis.Axis, t.Value))*r.Size().X
		s.line([]vg.Point{{X: x, Y: r.Min.Y}, {X: x, Y: below}}, ink, axisWidth*0.8, nil)
		if blocks[i].width > 0 {
			s.drawText("tick", blocks[i], vg.Point{X: x, Y: below - labelGap/2}, alignCenter, alignEnd, 0, ink)
		}
	}
	label := c.Label
	if axis.exponent != 0 && label != "" {
		label += " (×" + decadeLabel(axis.exponent, false) + ")"
	}
	below -= labelGap/2 + tickSize*(ascent+descent)
	label, cut := shortenLines(wrap(label, smallestSize, false, width), smallestSize, false, width)
	if cut {
		s.cramp("%s: the label of a color bar had to be shortened", panelName(s.panel))
	}
	if label != "" {
		s.drawText("label", newBlock(label, smallestSize, false), vg.Point{X: corner.X + width/2, Y: below}, alignCenter,
			alignEnd, 0, ink)
	}
}
