// Keys of series in legends.

package plots

import (
	"image/color"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// thumbnail counts the colors of a legend thumbnail.
func thumbnail(th plot.Thumbnailer) map[color.NRGBA]int {
	c := vgimg.NewWith(vgimg.UseWH(40, 12), vgimg.UseDPI(144))
	canvas := draw.New(c)
	th.Thumbnail(&canvas)
	counts := map[color.NRGBA]int{}
	m := c.Image()
	for i := range 80 {
		for j := range 24 {
			counts[color.NRGBAModel.Convert(m.At(i, j)).(color.NRGBA)]++
		}
	}
	return counts
}

// A panel's thumbnail shows each of its series once, in the style it is drawn in.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	for name, c := range foreignPanels() {
		shown := mount(c.panel).shown
		counts := thumbnail(c.panel)
		for i, key := range shown {
			if key.style.Fill != SeriesStyle(i).Fill {
				t.Errorf("%s: series %d has the style %v", name, i, key.style.Fill)
			}
			if counts[key.style.Fill] < 8 {
				t.Errorf("%s: series %q is not in the thumbnail: %d pixels", name, key.name, counts[key.style.Fill])
			}
		}
		if counts[SeriesStyle(len(shown)).Fill] > 0 {
			t.Errorf("%s: the thumbnail shows a series that is not there", name)
		}
	}
	if counts := thumbnail(&Bars{}); len(counts) != 1 {
		t.Errorf("a panel that cannot be drawn has a thumbnail of %d colors", len(counts))
	}
}
