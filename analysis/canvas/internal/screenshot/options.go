// How screens are made comparable.

package screenshot

// The values of [Options].
const (
	UniformWindow  = "uniform"
	GaussianWindow = "gaussian"
	AlphaWhite     = "white"
	AlphaDrop      = "drop"
)

// Options are the options of pixels. The zero value has the defaults of the flags.
type Options struct {
	SSIM  string // "uniform" or "gaussian"
	Alpha string // "white" or "drop"
	// Perceptual is a model of how far apart screens look, if there is one.
	Perceptual PerceptualModel
}

// Drops reports whether alpha is dropped.
func (o *Options) Drops() bool { return o.Alpha == AlphaDrop }

// Preparation says in words how images become comparable.
func (o *Options) Preparation() string {
	if o.Drops() {
		return "RGB, alpha dropped, unequal sizes resized to the smaller (bicubic with antialiasing)"
	}
	return "RGB on white, unequal sizes resized to the smaller (bicubic with antialiasing)"
}
