// Grouped bars.

package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the bars, their intervals and reference lines into the data rectangle of a plot; see [Add].
func (p *GroupedBars) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the data. On y it is the range of the values, intervals and reference lines, from zero
// unless y is log or has a fixed range. On x it is one unit about 0, 1, … for the groups.
func (p *GroupedBars) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the labels of reference lines.
func (p *GroupedBars) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a filled box in the style of a series, side by side for several.
func (p *GroupedBars) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

func (p *GroupedBars) prepare(prep *preparation) (content, error) {
	if len(p.Groups) == 0 || len(p.Series) == 0 {
		return nil, prep.errorf("grouped bars need at least one group and one series, got %d and %d",
			len(p.Groups), len(p.Series))
	}
	prep.text(p.X.Label, p.Y.Label)
	prep.text(p.Groups...)
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	var data extent
	var lost dropped
	y := zeroBased(p.Y)
	const share = 0.84 // of a group's slot
	width := share / float64(len(p.Series))
	var bars []*bar
	for i, s := range p.Series {
		if len(s.Values) != len(p.Groups) {
			return nil, prep.errorf("series %q: %d values for %d groups (%s)",
				s.Name, len(s.Values), len(p.Groups), strings.Join(p.Groups, ", "))
		}
		if err := prep.sameLength(s.Name, len(s.Values), s.Low, s.High); err != nil {
			return nil, err
		}
		if s.Baselines != nil && len(s.Baselines) != len(s.Values) {
			return nil, prep.errorf("series %q: %d baselines for %d values", s.Name, len(s.Baselines), len(s.Values))
		}
		prep.explain(s.Name, keyFill)
		for j, v := range s.Values {
			b := &bar{x: float64(j) - share/2 + (float64(i)+0.5)*width, width: width * 0.92, value: v,
				low: math.NaN(), high: math.NaN(), style: prep.style(s.Name)}
			if s.Low != nil {
				b.low, b.high = s.Low[j], s.High[j]
			}
			if s.Baselines != nil {
				b.baseline = &s.Baselines[j]
			}
			if b.low > b.high {
				return nil, prep.errorf("series %q, group %q: interval [%g, %g] is reversed", s.Name, p.Groups[j], b.low, b.high)
			}
			if b.extend(y, &data, &lost); math.IsNaN(b.value) {
				prep.lack(s.Name, s.Reason)
			}
			bars = append(bars, b)
		}
	}
	return barChart(prep, p.X, y, p.Groups, bars, data, lost, p.References)
}
