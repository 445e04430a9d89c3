// The flags of screens, designs and their texts.

package command

import (
	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/internal/run"
)

// registerScreens adds those of screens and designs.
func registerScreens(flags *run.Flags, o *canvas.Setting) {
	o.Images.SSIM, o.Images.Alpha = screenshot.UniformWindow, screenshot.AlphaWhite
	flags.CheckedVar(&o.Images.SSIM, "ssim", run.OneOf(screenshot.UniformWindow, screenshot.GaussianWindow),
		"window of structural similarity: 7 × 7 equal weights, or the 11 × 11 Gaussian ones of Wang et al. 2004 (uniform, gaussian)")
	flags.CheckedVar(&o.Images.Alpha, "alpha", run.OneOf(screenshot.AlphaWhite, screenshot.AlphaDrop),
		"what becomes of transparent pixels: they are laid on white, or their colors are taken as they are (white, drop)")
	m := &o.Images.Perceptual
	m.Scale = screenshot.ScaleSigned
	flags.PathVar(&m.Path, "perceptual-model",
		"`FILE.onnx` that says how far apart two screens look, such as LPIPS or DISTS: "+
			"two screens [1, 3, H, W] in, a number out")
	flags.CheckedVar(&m.Scale, "perceptual-scale",
		run.OneOf(screenshot.ScaleSigned, screenshot.ScaleUnit, screenshot.ScaleRaw),
		"`SCALE` of the pixels that it is given: signed for -1..1, as LPIPS takes them, unit for 0..1, raw for 0..255")
	o.Layout.Tolerance = canvas.AlignmentTolerance
	flags.Float64Var(&o.Layout.Tolerance, "alignment-tolerance",
		"`SHARE` of the side of the canvas up to which lines of boxes are aligned")
	flags.StringVar(&o.Layout.ReferenceNode, "reference-node", "",
		"`NODE` of the references that is the canvas, by its id (1:2) or its name (default: the first frame of a page, else the largest node)")
	flags.StringVar(&o.Layout.GeneratedNode, "generated-node", "", "`NODE` of the generated designs that is the canvas")
	o.Content.TextSimilarity = canvas.EditSimilarity
	flags.CheckedVar(&o.Content.TextSimilarity, "text-similarity",
		run.OneOf(canvas.EditSimilarity, canvas.BlockSimilarity),
		"how texts are compared: by edit distance, or by matching blocks as Python's difflib finds them, which Design2Code uses (edit, blocks)")
}

// checkScreens finds wrong values of these flags.
func checkScreens(o *canvas.Setting) error {
	m := &o.Images.Perceptual
	if m.Path == "" && m.Scale != "" && m.Scale != screenshot.ScaleSigned {
		return run.Usage("--perceptual-scale is that of --perceptual-model, which is not given")
	}
	if t := o.Layout.Tolerance; !(t > 0 && t < 1) {
		return run.Usage("--alignment-tolerance %v: want a number between 0 and 1", t)
	}
	return nil
}
