// How far apart two screens look by a model.

package canvas

import (
	"fmt"

	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

var perceptual = Kind{
	Name:  "perceptual",
	About: "perceptual distance between both screens, by a model such as LPIPS",
	Needs: NeedImages | NeedPerceptual,
	Keys:  []Key{{Name: "perceptual_distance", Direction: report.Lower, Low: -unbounded, High: unbounded, Compared: true, Improved: true}},
	Definition: func(o *Setting) string {
		return "1; " + o.Images.Preparation() + "; " + o.Images.Perceptual.Definition()
	},
	Score: scorePerceptual,
}

func scorePerceptual(p *Pair, row *Row) error {
	m := &p.Settings.Images.Perceptual
	if !m.Loaded() {
		return source.Absentf("needs --perceptual-model")
	}
	s, err := p.Images()
	if err != nil {
		return err
	}
	v, err := m.Distance(p.Context, s)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", p.Case.Reference.Image, p.Case.Generated.Image, err)
	}
	row.Set("perceptual_distance", v)
	return nil
}
