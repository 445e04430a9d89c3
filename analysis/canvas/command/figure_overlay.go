// Overlays of one case: matched elements on both screens, differing pixels, and saliency.

package command

import (
	"context"
	"fmt"
	"image"
	"slices"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/resize"
	"repscope/internal/text"
	"repscope/plots"
)

// The kinds of boxes of an overlay.
const (
	boxMatched   = "matched, IoU ≥ 0.5"
	boxWeak      = "matched, IoU < 0.5"
	boxUnmatched = "unmatched"
)

// mostBoxes bounds the boxes that are drawn on a screen.
const mostBoxes = 2000

// overlay draws the overlay of a case, if it has a screen or a design that can be read.
func (r *outcome) overlay(ctx context.Context, c *source.Case) (*plots.Figure, error) {
	f, err := overlayOf(r.pair(ctx, c))
	if err != nil || f == nil {
		return nil, err
	}
	f.Title = c.Name()
	f.Footnote = plots.Escape(c.Name()) + ". " + f.Footnote
	return f, nil
}

// overlayOf composes the overlay of a case; nil where nothing of it can be shown.
func overlayOf(p *canvas.Pair) (*plots.Figure, error) {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: []string{boxMatched, boxWeak, boxUnmatched}}
	add := func(title string, panel plots.Panel) {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: panel, Title: title, Column: len(f.Tiles)})
	}
	m, err := p.Matching()
	if err != nil {
		m = nil // what a design lacks is in the row
	}
	var shown []image.Image
	dropped := 0
	for k, view := range []*design.View{p.Reference, p.Generated} {
		base := backdrop(view)
		if base == nil {
			continue
		}
		panel := &plots.BoxedImage{Image: base}
		if m != nil {
			var left int
			panel.Boxes, left = boxesOn(m, k == 1, base.Bounds())
			dropped += left
		}
		shown = append(shown, base)
		add([]string{"Reference", "Generated"}[k], panel)
	}
	if len(f.Tiles) == 0 {
		return nil, nil
	}
	if dropped > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("Not shown: the %s with the smallest boxes", text.Count(dropped, "element")))
	}
	if m, scale := differenceHeat(p); m != nil {
		add("Difference", withBar(m, scale))
		shown = append(shown, m)
	}
	if reference, generated, err := saliencyOverlays(p); err == nil {
		for k, screen := range []*image.NRGBA{reference, generated} {
			m := shrunkImage(screen, overlayPixels)
			add([]string{"Saliency, reference", "Saliency, generated"}[k], &plots.BoxedImage{Image: m})
			shown = append(shown, m)
		}
		f.Footnote += "Saliency: dark to light from the least to the most salient position of each screen; rings: " +
			"fixations."
	}
	const widest = 60.0 // mm of a screen
	f.WidthMM = min(plots.DoubleColumnMM, widest*float64(len(f.Tiles)))
	f.HeightMM = min((f.WidthMM/float64(len(f.Tiles))-4)*tallest([][]image.Image{shown})+26, 235)
	return f, nil
}

// backdrop is the screen of a design, white of its shape where there is none; nil where nothing can
// be read.
func backdrop(v *design.View) image.Image {
	if s, err := v.Screen(); err == nil {
		return shrunk(s, overlayPixels)
	}
	l, err := v.Layout()
	if err != nil {
		return nil
	}
	w, h := l.Canvas.X1-l.Canvas.X0, l.Canvas.Y1-l.Canvas.Y0
	if !(w > 0 && h > 0) || h > 4*w || w > 20*h {
		return nil
	}
	white := image.NewGray(image.Rect(0, 0, overlayPixels, max(1, int(float64(overlayPixels)*h/w))))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	return white
}

// boxesOn are the boxes of the elements of one design on its screen, large ones below small ones;
// left is how many of the smallest are left out.
func boxesOn(m *design.Matching, generated bool, screen image.Rectangle) (out []plots.ImageBox, rest int) {
	layout, partners := m.Reference, m.OfReference
	if generated {
		layout, partners = m.Generated, m.OfGenerated
	}
	iou := map[int]float64{}
	for _, p := range m.Pairs {
		if generated {
			iou[p.Generated] = p.IoU
		} else {
			iou[p.Reference] = p.IoU
		}
	}
	order := make([]int, len(layout.Elements))
	for i := range order {
		order[i] = i
	}
	area := func(i int) float64 { return layout.Elements[i].Box.Area() }
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case area(a) > area(b):
			return -1
		case area(a) < area(b):
			return 1
		}
		return a - b
	})
	if len(order) > mostBoxes {
		rest, order = len(order)-mostBoxes, order[:mostBoxes]
	}
	w, h := float64(screen.Dx()), float64(screen.Dy())
	for _, i := range order {
		kind := boxUnmatched
		if partners[i] >= 0 {
			if kind = boxWeak; iou[i] >= design.MatchedIoU {
				kind = boxMatched
			}
		}
		b := layout.Elements[i].Box
		out = append(out, plots.ImageBox{Kind: kind, MinX: b.X0 * w, MinY: b.Y0 * h, MaxX: b.X1 * w, MaxY: b.Y1 * h})
	}
	return out, rest
}

// withBar is a map with the bar of its scale.
func withBar(m image.Image, scale plots.ColorScale) plots.Panel {
	return &plots.ImageGrid{Images: [][]image.Image{{m}}, Bars: []plots.ImageBar{{Scale: scale}}}
}

// differenceHeat is the absolute difference of both screens, the mean over the channels; nil where
// there is none.
func differenceHeat(p *canvas.Pair) (image.Image, plots.ColorScale) {
	scale := plots.ColorScale{Ramp: plots.RampMagnitude, Low: 0, High: 255, Label: "|difference| (levels)"}
	s, err := p.Images()
	if err != nil {
		return nil, scale
	}
	values := make([]float64, s.Width*s.Height)
	for i := range values {
		sum := 0
		for c := range 3 {
			sum += max(int(s.Reference[3*i+c]), int(s.Generated[3*i+c])) - min(int(s.Reference[3*i+c]), int(s.Generated[3*i+c]))
		}
		values[i] = float64(sum) / 3
	}
	w, h := fitting(s.Width, s.Height, overlayPixels)
	small := make([]float64, w*h)
	resize.NewCubic(s.Height, s.Width, h, w).Floats(small, values)
	m, err := scale.Image(small, h, w)
	if err != nil {
		return nil, scale
	}
	return m, scale
}
