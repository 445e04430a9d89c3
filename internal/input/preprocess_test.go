// Tests of preprocessing: presets beside other flags, and what is said of it.

package input

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repscope/latent"
)

// The most particular setting decides: of this model, its preset, of all, a preset for
// all.
func TestPresets(t *testing.T) {
	t.Parallel()
	text := func(p latent.Preprocessing) string {
		return fmt.Sprintf("%dx%d %s %d %s %v %v", p.Height, p.Width, p.Interpolation, p.Channels, p.Scale, p.Mean, p.Std)
	}
	const preset = "224x224 bilinear 3 unit [0.485 0.456 0.406] [0.229 0.224 0.225]"
	for args, want := range map[string]string{
		"":                                       "0x0 bilinear 0 raw [] []",
		"--preprocess imagenet":                  preset,
		"--preprocess a=imagenet":                preset,
		"--preprocess b=imagenet":                "0x0 bilinear 0 raw [] []",
		"--preprocess imagenet,a=none":           "0x0 bilinear 0 raw [] []",
		"--preprocess imagenet --resize 64x64":   "64x64 bilinear 3 unit [0.485 0.456 0.406] [0.229 0.224 0.225]",
		"--preprocess a=imagenet --resize 64x64": preset,
		"--preprocess a=imagenet --resize a=64x64 --interpolation nearest": "64x64 bilinear 3 unit [0.485 0.456 0.406] [0.229 0.224 0.225]",
		"--preprocess imagenet --interpolation nearest":                    "224x224 nearest 3 unit [0.485 0.456 0.406] [0.229 0.224 0.225]",
		"--preprocess imagenet --mean a=0.5 --std 0.25":                    "224x224 bilinear 3 unit [0.5] [0.25]",
		"--preprocess imagenet --input-scale raw":                          "224x224 bilinear 3 raw [0.485 0.456 0.406] [0.229 0.224 0.225]",
		"--preprocess a=imagenet --input-scale raw --mean 3":               preset,
		"--preprocess a=imagenet --input-scale a=raw":                      "224x224 bilinear 3 raw [0.485 0.456 0.406] [0.229 0.224 0.225]",
		"--mean 0.5":                       "0x0 bilinear 0 unit [0.5] []",
		"--mean 0.5 --input-scale raw":     "0x0 bilinear 0 raw [0.5] []",
		"--resize 64x64 --preprocess none": "64x64 bilinear 0 raw [] []",
	} {
		p := parseArgs(t, Needs{}, strings.Fields("--frames f --model a=x --model b=y "+args)...)
		if p.code != 0 {
			t.Fatal(p.stderr)
		}
		got, err := p.inputs.preprocessing("a", nil)
		if err != nil || text(got) != want {
			t.Errorf("%s: %s, %v, want %s", args, text(got), err, want)
		}
	}
}

// The range of what an encoder sees, against the ends of the pixel range.
func TestInputRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p         latent.Preprocessing
		low, high float64
	}{
		{latent.Preprocessing{Low: 0, High: 255}, 0, 255},
		{latent.Preprocessing{Low: 0, High: 255, Scale: latent.ScaleUnit}, 0, 1},
		{latent.Preprocessing{Low: -1, High: 1, Mean: []float64{0.5}}, -1.5, 0.5},
		{latent.Preprocessing{Low: 0, High: 255, Scale: latent.ScaleUnit, Mean: []float64{0.25, 0.5}, Std: []float64{0.5}}, -1, 1.5},
		{latent.Preprocessing{Low: 0, High: 8, Std: []float64{2, 4}}, 0, 4},
	} {
		low, high := inputRange(c.p)
		if math.Abs(low-c.low)+math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%+v: %v..%v, want %v..%v", c.p, low, high, c.low, c.high)
		}
	}
}
