// Pictures of saliency maps over the screens that they are of.

package command

import (
	"image"
	"image/color"
	"image/draw"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
	"repscope/measure/saliency"
	"repscope/plots"
)

// saliencyOverlays are the maps of both screens as heat over their screens, each of the size of its own
// screen; a map without a screen is drawn on white, at its own size. Fixations, where there are any,
// are rings on the reference.
func saliencyOverlays(p *canvas.Pair) (reference, generated *image.NRGBA, err error) {
	m, err := p.SaliencyMaps()
	if err != nil {
		return nil, nil, err
	}
	if reference, err = overlay(p.Reference, m.Reference); err != nil {
		return nil, nil, err
	}
	if generated, err = overlay(p.Generated, m.Generated); err != nil {
		return nil, nil, err
	}
	if f, err := p.Fixations(m); err == nil && p.Settings.Saliency.Top == 0 {
		b := reference.Bounds()
		for i := range f.Len() {
			x, y := f.At(i)
			ring(reference, (2*x+1)*b.Dx()/(2*f.Width), (2*y+1)*b.Dy()/(2*f.Height))
		}
	}
	return reference, generated, nil
}

// saliencyPlot is the picture of a case for --saliency-plots: the reference at the left, the
// generated design at the right.
func saliencyPlot(p *canvas.Pair) (image.Image, error) {
	left, right, err := saliencyOverlays(p)
	if err != nil {
		return nil, err
	}
	const gap = 16
	a, b := left.Bounds(), right.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, a.Dx()+gap+b.Dx(), max(a.Dy(), b.Dy())))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, a, left, image.Point{}, draw.Src)
	draw.Draw(out, b.Add(image.Pt(a.Dx()+gap, 0)), right, image.Point{}, draw.Src)
	return out, nil
}

// saliencyScale colors a map from its least value to its largest.
var saliencyScale = plots.ColorScale{Ramp: plots.RampSequential, Low: 0, High: 1}

// overlay is one map over its screen in gray.
func overlay(v *design.View, m *saliency.Map) (*image.NRGBA, error) {
	unit := &dataset.Plane{Width: m.Width, Height: m.Height, Values: make([]float64, m.Width*m.Height)}
	if r, err := m.Rescaled(); err == nil { // a constant map is the least everywhere
		for i := range unit.Values {
			unit.Values[i] = r.At(i%m.Width, i/m.Width)
		}
	}
	var pixels []uint8
	if v.Side.Image != "" {
		screen, err := v.Screen()
		if err != nil {
			return nil, err
		}
		pixels, unit = screenshot.Opaque(screen, false), saliencymap.Sized(unit, screen.Width, screen.Height)
	}
	const share = 0.65 // of the color
	out := image.NewNRGBA(image.Rect(0, 0, unit.Width, unit.Height))
	for i, v := range unit.Values {
		gray := 255.0
		if pixels != nil {
			gray = float64(299*int(pixels[3*i])+587*int(pixels[3*i+1])+114*int(pixels[3*i+2])) / 1000
		}
		c := saliencyScale.Color(v)
		for k, ink := range []uint8{c.R, c.G, c.B} {
			out.Pix[4*i+k] = uint8(float64(share*float64(ink)) + float64((1-share)*gray) + 0.5)
		}
		out.Pix[4*i+3] = 255
	}
	return out, nil
}

// ring draws a circle about a fixation: white with a dark rim, which shows on any ground.
func ring(img *image.NRGBA, x, y int) {
	for dy := -6; dy <= 6; dy++ {
		for dx := -6; dx <= 6; dx++ {
			ink := color.NRGBA{255, 255, 255, 255}
			switch d := dx*dx + dy*dy; {
			case d >= 9 && d < 20:
			case d >= 20 && d < 30 || d >= 4 && d < 9:
				ink = color.NRGBA{20, 20, 20, 255}
			default:
				continue
			}
			if at := image.Pt(x+dx, y+dy); at.In(img.Bounds()) {
				img.SetNRGBA(at.X, at.Y, ink)
			}
		}
	}
}
