// The flags of screens, designs and their texts.

package command

import (
	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/internal/option"
	"repscope/internal/run"
)

// declareScreens lists the options of screens and designs.
func declareScreens(l *option.List, o *canvas.Setting) {
	o.Images.SSIM, o.Images.Alpha = screenshot.UniformWindow, screenshot.AlphaWhite
	l.OneOf(&o.Images.SSIM, "ssim", []string{screenshot.UniformWindow, screenshot.GaussianWindow},
		"window of structural similarity: uniform (7 × 7 equal weights) or gaussian (11 × 11, Wang et al. 2004)")
	l.OneOf(&o.Images.Alpha, "alpha", []string{screenshot.AlphaWhite, screenshot.AlphaDrop},
		"treatment of transparent pixels: white (composited on white) or drop (alpha is ignored)")
	m := &o.Images.Perceptual
	m.Scale = screenshot.ScaleSigned
	l.Path(&m.Path, "perceptual-model",
		"`FILE.onnx` of a perceptual distance such as LPIPS or DISTS: input two screens [1, 3, H, W], output a number").Reads()
	l.OneOf(&m.Scale, "perceptual-scale", []string{screenshot.ScaleSigned, screenshot.ScaleUnit, screenshot.ScaleRaw},
		"`SCALE` of the model's pixels: signed for -1..1 (LPIPS), unit for 0..1, raw for 0..255")
	o.Layout.Tolerance = canvas.AlignmentTolerance
	l.Float(&o.Layout.Tolerance, "alignment-tolerance",
		"`SHARE` of the canvas side up to which lines of boxes count as aligned")
	l.Text(&o.Layout.ReferenceNode, "reference-node",
		"`NODE` that is the canvas of references, by its id (1:2) or name (default: the first frame of a page, "+
			"otherwise the largest node)")
	l.Text(&o.Layout.GeneratedNode, "generated-node", "`NODE` that is the canvas of generated designs")
	o.Content.TextSimilarity = canvas.EditSimilarity
	l.OneOf(&o.Content.TextSimilarity, "text-similarity", []string{canvas.EditSimilarity, canvas.BlockSimilarity},
		"comparison of texts: edit (edit distance) or blocks (matching blocks of Python's difflib, as in Design2Code)")
}

// checkScreens finds wrong values of these flags.
func checkScreens(o *canvas.Setting) error {
	m := &o.Images.Perceptual
	if m.Path == "" && m.Scale != "" && m.Scale != screenshot.ScaleSigned {
		return run.Usage("--perceptual-scale needs --perceptual-model")
	}
	if t := o.Layout.Tolerance; !(t > 0 && t < 1) {
		return run.Usage("--alignment-tolerance %v: want a number between 0 and 1", t)
	}
	return nil
}
