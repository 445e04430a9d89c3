// Images against scikit-image: alpha, unequal sizes, samples.

package canvas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
)

//go:embed testdata/images.json
var imagesJSON []byte

// pixelScores are numbers of testdata/images.json; a number that is undefined is nil.
type pixelScores struct{ RMSE, PSNR, Uniform, Gaussian *float64 }

type goldenScreen struct {
	Size   [2]int
	Pixels []byte
}

func (g goldenScreen) screen() *dataset.Screen {
	return &dataset.Screen{Width: g.Size[1], Height: g.Size[0], Pixels: g.Pixels, Alpha: true}
}

// screensOf is a case of two screens.
func screensOf(t testing.TB, o screenshot.Options, reference, generated *dataset.Screen) *Pair {
	t.Helper()
	c := &Case{Reference: Side{Image: "reference.png"}, Generated: Side{Image: "generated.png"}}
	read := func(path string) ([]byte, error) { return nil, fmt.Errorf("%s is read", path) }
	p := NewPair(t.Context(), c, &Setting{Images: o}, read, design.NewView(c.Reference, "reference", read))
	if _, err := p.screens.Get(func() (*screenshot.Pixels, error) { return screenshot.NewPixels(reference, generated, o.Drops()), nil }); err != nil {
		t.Fatal(err)
	}
	return p
}

// checkPixels holds the numbers of both windows and both ways with alpha against scikit-image's.
func checkPixels(t *testing.T, name string, reference, generated *dataset.Screen, white, drop pixelScores) {
	t.Helper()
	for _, alpha := range []string{screenshot.AlphaWhite, screenshot.AlphaDrop} {
		want := white
		if alpha == screenshot.AlphaDrop {
			want = drop
		}
		for _, window := range []string{screenshot.UniformWindow, screenshot.GaussianWindow} {
			row, err := scoreKinds(t.Context(), []Kind{screenPixels}, screensOf(t, screenshot.Options{SSIM: window, Alpha: alpha}, reference, generated))
			if err != nil || row.Failures != nil {
				t.Fatal(name, row, err)
			}
			ssim := want.Uniform
			if window == screenshot.GaussianWindow {
				ssim = want.Gaussian
			}
			for key, want := range map[string]*float64{"ssim": ssim, "psnr": want.PSNR, "rmse": want.RMSE} {
				got := row.Values[key]
				if want == nil != !got.Defined() {
					t.Errorf("%s, %s, %s: %s = %v, want %v", name, alpha, window, key, got, want)
				} else if want != nil {
					closeTo(t, name+" "+alpha+" "+window+" "+key, got.V, *want, 1e-10)
				}
			}
		}
	}
}

func closeTo(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(got-want <= tolerance && want-got <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g", name, got, want)
	}
}

// TestPixels holds the numbers of small screens with and without alpha, of equal and of unequal sizes, against
// scikit-image's.
func TestPixels(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			Reference, Generated goldenScreen
			White, Drop          pixelScores
		}
	}
	if err := json.Unmarshal(imagesJSON, &golden); err != nil || len(golden.Cases) < 13 {
		t.Fatal(len(golden.Cases), err)
	}
	for i, g := range golden.Cases {
		t.Run(string(rune('a'+i)), func(t *testing.T) {
			t.Parallel()
			checkPixels(t, "case", g.Reference.screen(), g.Generated.screen(), g.White, g.Drop)
		})
	}
}

// TestSamplePixels holds those of published screens, whose files are not in the repository: $REPSCOPE_DATA is the
// folder that has them.
func TestSamplePixels(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("REPSCOPE_DATA")
	if folder == "" {
		t.Skip("REPSCOPE_DATA, the folder of canvas/task-1_color_adjustment-gid1-base.png, is not set")
	}
	var golden struct {
		Samples []struct {
			Reference, Generated string
			White, Drop          pixelScores
			MSSSIM               float64 `json:"ms_ssim"`
			GMSD, FSIM, FSIMC    float64
		}
	}
	if err := json.Unmarshal(imagesJSON, &golden); err != nil || len(golden.Samples) < 7 {
		t.Fatal(len(golden.Samples), err)
	}
	read := func(name string) *dataset.Screen {
		data, err := os.ReadFile(filepath.Join(folder, "canvas", name))
		if err != nil {
			t.Fatal(err)
		}
		screen, err := dataset.ParseScreen(name, data)
		if err != nil {
			t.Fatal(err)
		}
		return screen
	}
	for i, g := range golden.Samples {
		name, reference, generated := g.Generated+" beside "+g.Reference, read(g.Reference), read(g.Generated)
		checkPixels(t, name, reference, generated, g.White, g.Drop)
		of := []Kind{multiscale, gradients}
		want := map[string]float64{"ms_ssim": g.MSSSIM, "gmsd": g.GMSD}
		if i == 0 { // the others take long
			of = append(of, features)
			want["fsim"], want["fsimc"] = g.FSIM, g.FSIMC
		}
		row, err := scoreKinds(t.Context(), of, screensOf(t, screenshot.Options{}, reference, generated))
		if err != nil || row.Failures != nil || len(row.Values) != len(want) {
			t.Fatal(name, row, err)
		}
		for key, v := range want {
			closeTo(t, name+" "+key, row.Values[key].V, v, 1e-9)
		}
	}
}

// TestScreenPair: the screen with more pixels is resized, the generated one where both have as many.
func TestScreenPair(t *testing.T) {
	t.Parallel()
	screen := func(width, height int) *dataset.Screen {
		return &dataset.Screen{Width: width, Height: height, Pixels: slices.Repeat([]byte{10, 20, 30, 255}, width*height)}
	}
	for _, c := range []struct {
		reference, generated [2]int
		width, height        int
		resized              string
	}{
		{[2]int{4, 6}, [2]int{4, 6}, 4, 6, ""},
		{[2]int{8, 12}, [2]int{4, 6}, 4, 6, "reference, 8 × 12"},
		{[2]int{4, 6}, [2]int{8, 12}, 4, 6, "generated, 8 × 12"},
		{[2]int{4, 6}, [2]int{6, 4}, 4, 6, "generated, 6 × 4"},
		{[2]int{10, 2}, [2]int{3, 6}, 3, 6, "reference, 10 × 2"},
		{[2]int{1, 1}, [2]int{20000, 3}, 1, 1, "generated, 20000 × 3"},
	} {
		s := screenshot.NewPixels(screen(c.reference[0], c.reference[1]), screen(c.generated[0], c.generated[1]), false)
		if s.Width != c.width || s.Height != c.height || s.Resized != c.resized {
			t.Errorf("%v and %v: %v, %q", c.reference, c.generated, s.Shape, s.Resized)
		}
		if !slices.Equal(s.Reference, s.Generated) || len(s.Reference) != s.Size() || s.Reference[1] != 20 {
			t.Errorf("%v and %v differ", c.reference, c.generated)
		}
	}
}

// TestOpaque: a transparent pixel is white, whatever its color.
func TestOpaque(t *testing.T) {
	t.Parallel()
	s := &dataset.Screen{Width: 3, Height: 1, Pixels: []byte{9, 8, 7, 0, 0, 100, 255, 128, 1, 2, 3, 255}, Alpha: true}
	if got, want := screenshot.Opaque(s, false), []byte{255, 255, 255, 127, 177, 255, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("on white: %v, want %v", got, want)
	}
	if got, want := screenshot.Opaque(s, true), []byte{9, 8, 7, 0, 100, 255, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("dropped: %v, want %v", got, want)
	}
}
