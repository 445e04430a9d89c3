// How long the saliency of a case takes: maps of a telephone's screen, from files to all numbers.

package canvas

import (
	"fmt"
	"image"
	"math"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
)

// BenchmarkSaliency scores a case of 375 × 812 pixels against 100 fixations, and against those of 30 other samples.
func BenchmarkSaliency(b *testing.B) {
	blob := func(cx, cy float64) []byte {
		img := image.NewGray(image.Rect(0, 0, 375, 812))
		for i := range img.Pix {
			x, y := float64(i%375)-cx, float64(i/375)-cy
			img.Pix[i] = uint8(255 * math.Exp(-(x*x+y*y)/2e4))
		}
		return casetest.PNG(b, img)
	}
	files := casetest.Files{"p": blob(150, 300), "q": blob(210, 400)}
	var cases []Case
	for s := range 31 {
		text := []byte("x,y\n")
		for i := range 100 {
			text = fmt.Appendf(text, "%d,%d\n", (i*i*7+31*s)%375, (i*53+17*s)%812)
		}
		name := fmt.Sprint("f", s)
		files[name] = text
		cases = append(cases, Case{ID: name, Sample: name, Snapshot: -1, ReferenceSaliency: "p", GeneratedSaliency: "q", Fixations: name})
	}
	for _, c := range []struct {
		name string
		top  float64
	}{{"Fixations", 0}, {"Top", 5}} {
		b.Run(c.name, func(b *testing.B) {
			o := &Setting{Definition: DefinitionDefault}
			o.Saliency.Top = c.top
			if _, err := o.Saliency.Open(cases, files.Read, 0, 0); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p := NewPair(b.Context(), &cases[0], o, files.Read, design.NewView(Side{}, "reference", files.Read))
				row, err := scoreKinds(b.Context(), saliencyKinds(), p)
				if err != nil || len(row.Failures) > 0 {
					b.Fatal(err, row.Failures)
				}
			}
		})
	}
}
