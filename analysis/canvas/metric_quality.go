// How alike two screens are to the eye, by measures of brightness at several scales, of gradients and of features.

package canvas

import (
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/measure/image"
	"repscope/report"
)

var multiscale = Kind{
	Name:       "ms_ssim",
	About:      "multiscale structural similarity of the brightness, at five scales",
	Needs:      NeedImages,
	Keys:       []Key{{Name: "ms_ssim", Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true}},
	Definition: func(o *Setting) string { return "1; brightness of " + o.Images.Preparation() + "; Wang et al. 2003" },
	Score: func(p *Pair, row *Row) error {
		return scoreBrightness(p, row, "ms_ssim", image.MultiscaleSSIM)
	},
}

var gradients = Kind{
	Name:       "gmsd",
	About:      "gradient magnitude similarity deviation of the brightness",
	Needs:      NeedImages,
	Keys:       []Key{{Name: "gmsd", Direction: report.Lower, Low: 0, High: 0.5, Compared: true, Improved: true}},
	Definition: func(o *Setting) string { return "1; brightness of " + o.Images.Preparation() + "; Xue et al. 2014" },
	Score: func(p *Pair, row *Row) error {
		return scoreBrightness(p, row, "gmsd", image.GMSD)
	},
}

var features = Kind{
	Name:     "fsim",
	About:    "feature similarity by phase congruency and gradients, without and with color",
	Needs:    NeedImages,
	Optional: true,
	Keys: []Key{
		{Name: "fsim", About: "feature similarity of brightness by phase congruency and gradients",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "fsimc", About: "feature similarity by phase congruency and gradients, with color",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string { return "1; " + o.Images.Preparation() + "; Zhang et al. 2011" },
	Score:      scoreFeatures,
}

// scoreBrightness enters a measure of both planes of brightness; screens that are too small for it have none.
func scoreBrightness(p *Pair, row *Row, key string, measure func(height, width int, dataRange float64, a, b []float64) (float64, error)) error {
	s, err := p.Images()
	if err != nil {
		return err
	}
	reference, generated := s.Brightness()
	v, err := measure(s.Height, s.Width, screenshot.ByteRange, reference, generated)
	if err != nil {
		row.Undefined(key, "%v", err)
		return nil
	}
	row.Set(key, v)
	return nil
}

func scoreFeatures(p *Pair, row *Row) error {
	s, err := p.Images()
	if err != nil {
		return err
	}
	f, err := image.NewFSIM(s.Shape)
	if err != nil {
		row.Undefined("fsim", "%v", err)
		row.Undefined("fsimc", "%v", err)
		return nil
	}
	fsim, fsimc := image.FeatureSimilarity(f, s.Reference, s.Generated)
	row.Set("fsim", fsim)
	row.Set("fsimc", fsimc)
	return nil
}
