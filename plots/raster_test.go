// Tests that images on pages have the pixels of the canvas.

package plots

import (
	"bytes"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestRaster: noise, smooth and two-colored images, magnified or not, at any place and size, also beyond the page.
func TestRaster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many figures, one after another")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 400 {
		m := image.NewNRGBA(image.Rect(0, 0, 1+r.IntN(60), 1+r.IntN(60)))
		for i := range m.Pix {
			switch v := byte(r.Uint32()); {
			case i%4 == 3:
				m.Pix[i] = 255
			case trial%4 == 0:
				m.Pix[i] = v
			case trial%4 == 1:
				m.Pix[i] = v & 1 * 255
			case trial%4 == 2:
				m.Pix[i] = byte(i / 7)
			default:
				m.Pix[i] = v & 0x11
			}
		}
		if trial%5 == 0 {
			m.Pix[3] = 200
		}
		extent := vg.Point{X: vg.Length(0.2 + 60*r.Float64()), Y: vg.Length(0.2 + 60*r.Float64())}
		var drawn image.Image = m
		if trial%2 == 1 {
			drawn = magnify(m, extent)
		}
		rect := vg.Rectangle{Min: vg.Point{X: vg.Length(100*r.Float64() - 20), Y: vg.Length(100*r.Float64() - 20)}}
		if trial%3 == 0 {
			rect.Min = vg.Point{X: vg.Length(r.IntN(40)) * 72 / DPI, Y: vg.Length(r.IntN(40)) * 72 / DPI}
			extent = vg.Point{X: vg.Length(1+r.IntN(90)) * 72 / DPI, Y: vg.Length(1+r.IntN(90)) * 72 / DPI}
		}
		rect.Max = rect.Min.Add(extent)
		background := color.RGBA{10, 200, 30, 255}
		got, want := pngPage{newRaster(70, 61.3, background), new(moves)}, newRaster(70, 61.3, background)
		if trial%7 == 0 {
			for _, c := range []vg.Canvas{got, want} {
				c.Push()
				c.Rotate(0.3)
				c.Pop()
				c.Push()
				c.Translate(vg.Point{X: 3, Y: 5})
			}
		}
		got.DrawImage(rect, drawn)
		want.DrawImage(rect, drawn)
		if a, b := got.Image().(*image.RGBA), want.Image().(*image.RGBA); !bytes.Equal(a.Pix, b.Pix) {
			count := 0
			for i, v := range a.Pix {
				if v != b.Pix[i] {
					count++
				}
			}
			t.Errorf("trial %d: %v in %v: %d of %d bytes differ", trial, drawn.Bounds(), rect, count, len(a.Pix))
		}
	}
}

func BenchmarkDrawImage(b *testing.B) {
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range m.Pix {
		m.Pix[i] = byte(i*i) | byte(255*(i%4/3))
	}
	rect := vg.Rectangle{Max: vg.Point{X: 60, Y: 60}}
	large := magnify(m, rect.Max)
	page := pngPage{newRaster(70, 70, color.White), new(moves)}
	for name, c := range map[string]vg.Canvas{"canvas": page.Canvas, "page": page} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.DrawImage(rect, large)
			}
		})
	}
}
