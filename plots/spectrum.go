// Spectra.

package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the spectra into the data rectangle of a plot; see [Add].
func (p *Spectrum) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the indices and of the positive values, of Decades decades at
// most.
func (p *Spectrum) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of single values between gaps, which are marked.
func (p *Spectrum) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a line in the style of a series, side by side for several.
func (p *Spectrum) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

func (p *Spectrum) prepare(prep *preparation) (content, error) {
	if len(p.Series) == 0 {
		return nil, prep.errorf("a spectrum needs at least one series")
	}
	curves := &Curves{X: p.X, Y: p.Y, NoMarkers: true}
	curves.Y.Log = true
	curves.X.Integer = true
	largest := 0.0
	smallest := math.Inf(1)
	for _, s := range p.Series {
		index := make([]float64, len(s.Values))
		for i, v := range s.Values {
			index[i] = float64(i + 1)
			if v > 0 && v <= largestValue {
				largest, smallest = max(largest, v), min(smallest, v)
			}
		}
		curves.Series = append(curves.Series, CurveSeries{Name: s.Name, X: index, Y: s.Values, Reason: s.Reason})
	}
	decades := p.Decades
	if decades == 0 {
		decades = 12
	}
	if floor := largest * math.Pow(10, -decades); decades > 0 && smallest < floor && !(p.Y.Min < p.Y.Max) {
		curves.Y.Min, curves.Y.Max = floor, largest*math.Pow(10, 0.04*decades)
	}
	return curves.prepare(prep)
}
