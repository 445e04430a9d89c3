// How well the texts of a design stand out from their background.

package canvas

import (
	"cmp"
	"slices"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/textblock"
	"repscope/internal/quantile"
	"repscope/measure/color"
	"repscope/report"
)

// contrast is the contrast of WCAG 2.
var contrast = Kind{
	Name:  "contrast",
	About: "contrast of texts with their background (WCAG 2), and the share that passes level AA",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "contrast_min", About: "smallest contrast of a text with its background (WCAG 2)",
			Direction: report.Higher, Low: 1, High: 21, Improved: true},
		{Name: "contrast_median", About: "median contrast of texts with their background (WCAG 2)",
			Direction: report.Higher, Low: 1, High: 21, Improved: true},
		{Name: "contrast_pass_aa", About: "share of texts whose contrast passes level AA of WCAG 2",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "contrast_pass_difference", About: "share of texts that pass level AA, minus the share of the reference",
			Direction: report.Higher, Low: -1, High: 1},
	},
	Definition: func(*Setting) string {
		return "2; colors composited in the order of painting, on white; boxes that hold half of the text; " +
			"large: 24 pixels, or 18.66 and a weight of 700, else 4.5 is wanted"
	},
	Score: scoreContrast,
}

func scoreContrast(p *Pair, row *Row) error {
	generated, err := p.Generated.Layout()
	if err != nil {
		return err
	}
	contrasts, err := contrastsOf(generated)
	if err != nil {
		return err
	}
	row.Details["contrast_texts"], row.Details["contrast_unknown"] = len(contrasts.sorted), contrasts.unknown
	if len(contrasts.sorted) == 0 {
		if contrasts.unknown == 0 {
			return source.Absentf("the generated design has no text")
		}
		return source.Absentf("no text of the generated design has a known color and background")
	}
	row.Set("contrast_min", contrasts.sorted[0])
	row.Set("contrast_median", quantile.Sorted(contrasts.sorted, 0.5))
	row.Set("contrast_pass_aa", contrasts.share())
	reference, err := p.Reference.Layout()
	if err != nil {
		return err
	}
	theirs, err := contrastsOf(reference)
	if err != nil {
		return err
	}
	if len(theirs.sorted) == 0 {
		return source.Absentf("no text of the reference has a known contrast")
	}
	row.Set("contrast_pass_difference", contrasts.share()-theirs.share())
	return nil
}

// contrasts are the contrasts of the texts of a design.
type contrasts struct {
	sorted          []float64
	passed, unknown int
}

// share is the share of texts that pass level AA, among texts of known contrast.
func (c *contrasts) share() float64 { return float64(c.passed) / float64(len(c.sorted)) }

// contrastsOf returns the contrasts of all texts. Those with gradients or images are unknown, in the text or behind
// it, and those without a visible fill.
func contrastsOf(l *design.Layout) (contrasts, error) {
	texts, err := textblock.Find(l)
	if err != nil {
		return contrasts{}, err
	}
	var c contrasts
	for i := range texts {
		ink := &texts[i].Inked
		if !ink.TextKnown || !ink.BehindKnown {
			c.unknown++
			continue
		}
		ratio, wanted := color.Contrast(ink.Text, ink.Behind), color.ContrastAA
		if texts[i].Large {
			wanted = color.ContrastAALarge
		}
		if ratio >= wanted {
			c.passed++
		}
		c.sorted = append(c.sorted, ratio)
	}
	slices.SortFunc(c.sorted, cmp.Compare[float64])
	return c, nil
}
