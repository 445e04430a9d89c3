// Package image compares frames: squared and absolute error, peak signal-to-noise
// ratio, structural similarity, gradient energy, and errors of moving and of still
// pixels apart.
//
//	shape := image.Shape{Channels: 4, Height: 84, Width: 84}
//	ssim, err := image.NewSSIM(shape, 255)
//	…
//	similarity := image.MeanSSIM(ssim, truth, predicted)
//	ratio := image.PSNR(image.MSE(truth, predicted), 255)
//	sharpness := image.SharpnessRatio(shape, predicted, truth)
//
// Two frames may be of different types, but have one scale: a prediction in [0, 1] is
// not compared with bytes. Everything is computed in float64, sums of bytes in
// integers, always in the same order and with products rounded before they are added,
// so that the numbers are the same on every machine.
//
// Frames of different lengths, or not of the shape, give NaN; a NaN in a frame makes
// every number NaN that it enters.
package image
