// How alike the pixels of two screens are.

package canvas

import (
	"math"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/measure/image"
	"repscope/report"
)

var screenPixels = Kind{
	Name:  "image",
	About: "structural similarity, peak signal-to-noise ratio and pixel error",
	Needs: NeedImages,
	Keys: []Key{
		{Name: "ssim", About: "structural similarity of the screens",
			Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true},
		{Name: "psnr", About: "peak signal-to-noise ratio of the screens",
			Unit: "dB", Direction: report.Higher, High: unbounded, Compared: true, Improved: true},
		{Name: "rmse", About: "root mean squared difference of pixels",
			Unit: "levels of 0 to 255", Direction: report.Lower, Low: 0, High: screenshot.ByteRange,
			Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		window := "uniform window of 7 × 7, sample covariance"
		if o.Images.SSIM == screenshot.GaussianWindow {
			window = "Gaussian window of 11 × 11, sigma 1.5, population covariance"
		}
		return "1; " + o.Images.Preparation() + "; SSIM: " + window + ", K 0.01 and 0.03, mean of the channels"
	},
	Score: scorePixels,
}

func scorePixels(p *Pair, row *Row) error {
	s, err := p.Images()
	if err != nil {
		return err
	}
	if s.Resized != "" {
		row.Details["image_resized"] = s.Resized
	}
	mse := image.MSE(s.Reference, s.Generated)
	row.Set("rmse", math.Sqrt(mse))
	if mse == 0 {
		row.Undefined("psnr", "identical")
	} else {
		row.Set("psnr", image.PSNR(mse, screenshot.ByteRange))
	}
	build := image.NewSSIM
	if p.Settings.Images.SSIM == screenshot.GaussianWindow {
		build = image.NewGaussianSSIM
	}
	ssim, err := build(s.Shape, screenshot.ByteRange)
	if err != nil {
		row.Undefined("ssim", "%v", err)
		return nil
	}
	row.Set("ssim", image.MeanSSIM(ssim, s.Reference, s.Generated))
	return nil
}
