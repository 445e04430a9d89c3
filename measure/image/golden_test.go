// What scikit-image says.

package image

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is one case of testdata/golden.json.
type golden struct {
	Kind         string
	Shape        []int
	ChannelsLast bool    `json:"channels_last"`
	DataRange    float64 `json:"data_range"`
	A, B         []float64
	MSE, MAE     float64
	PSNR, SSIM   float64
	SSIM32       *float64 `json:"ssim_float32"`
	PSNR32       *float64 `json:"psnr_float32"`
	Gaussian     *float64
	Map          []float64
}

func (g golden) shape() Shape {
	if g.ChannelsLast {
		return Shape{Channels: g.Shape[2], Height: g.Shape[0], Width: g.Shape[1], ChannelsLast: true}
	}
	return Shape{Channels: g.Shape[0], Height: g.Shape[1], Width: g.Shape[2]}
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	var out struct{ Cases []golden }
	if err := json.Unmarshal(goldenJSON, &out); err != nil || len(out.Cases) == 0 {
		t.Fatal(len(out.Cases), err)
	}
	return out.Cases
}

// to converts pixels.
func to[A Number](values []float64) []A {
	out := make([]A, len(values))
	for i, v := range values {
		out[i] = A(v)
	}
	return out
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g", name, got, want)
	}
}

// TestGolden holds all numbers of a pair of frames against scikit-image's to 1e-9.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t) {
		switch g.Kind {
		case "uint8":
			checkGolden(t, g, to[uint8](g.A), to[uint8](g.B))
		case "float32":
			checkGolden(t, g, to[float32](g.A), to[float32](g.B))
		default:
			checkGolden(t, g, g.A, g.B)
		}
	}
}

func checkGolden[A Number](t *testing.T, g golden, a, b []A) {
	t.Helper()
	name := g.Kind + " " + g.shape().String() + " "
	mse := MSE(a, b)
	near(t, name+"MSE", mse, g.MSE, 1e-9)
	near(t, name+"MAE", MAE(a, b), g.MAE, 1e-9)
	near(t, name+"PSNR", PSNR(mse, g.DataRange), g.PSNR, 1e-9)
	s, err := NewSSIM(g.shape(), g.DataRange)
	if err != nil {
		t.Fatal(err)
	}
	near(t, name+"SSIM", MeanSSIM(s, a, b), g.SSIM, 1e-9)
	if g.SSIM32 != nil { // scikit-image's own rounding in float32
		near(t, name+"SSIM in float32", MeanSSIM(s, a, b), *g.SSIM32, 1e-5)
		near(t, name+"PSNR in float32", PSNR(mse, g.DataRange), *g.PSNR32, 1e-5)
	}
	if g.Map != nil {
		full := make([]float64, len(g.Map))
		near(t, name+"SSIM", mapSSIM(s, full, a, b), g.SSIM, 1e-9)
		for i, v := range full {
			near(t, name+"map", v, g.Map[i], 1e-9)
		}
	}
	if g.Gaussian != nil {
		s, err := NewGaussianSSIM(g.shape(), g.DataRange)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+"Gaussian SSIM", MeanSSIM(s, a, b), *g.Gaussian, 1e-9)
	}
}
