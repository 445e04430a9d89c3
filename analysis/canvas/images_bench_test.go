// What each step with the pixels of two screens costs.

package canvas

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
	"repscope/measure/image"
)

// benchScreens are the files of the pairs in the folder REPSCOPE_BENCH_SCREENS, which
// benchmarks/peers/peer_screens.py makes: reference, generated, and a large one.
func benchScreens(b *testing.B) (files [][3][]byte) {
	folder := os.Getenv("REPSCOPE_BENCH_SCREENS")
	if folder == "" {
		b.Skip("REPSCOPE_BENCH_SCREENS is not set")
	}
	for n := 0; ; n++ {
		var of [3][]byte
		for i, name := range []string{"reference", "generated", "large"} {
			data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%d-%s.png", n, name)))
			if err != nil && n > 0 && i == 0 {
				return files
			} else if err != nil {
				b.Fatal(err)
			}
			of[i] = data
		}
		files = append(files, of)
	}
}

// BenchmarkScreens takes each step with all pairs.
func BenchmarkScreens(b *testing.B) {
	files := benchScreens(b)
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	parse := func(data []byte) *dataset.Screen {
		s, err := dataset.ParseScreen("screen", data)
		must(err)
		return s
	}
	pairs, large := make([]*screenshot.Pixels, len(files)), make([][]uint8, len(files))
	for i, f := range files {
		pairs[i], large[i] = screenshot.NewPixels(parse(f[0]), parse(f[1]), false), screenshot.Opaque(parse(f[2]), false)
	}
	ssim := func(build func(image.Shape, float64) (*image.SSIM, error)) func(i int) {
		return func(i int) {
			s, err := build(pairs[i].Shape, screenshot.ByteRange)
			must(err)
			image.MeanSSIM(s, pairs[i].Reference, pairs[i].Generated)
		}
	}
	of := func(k *Kind) func(i int) {
		return func(i int) {
			s := &screenshot.Pixels{Shape: pairs[i].Shape, Reference: pairs[i].Reference, Generated: pairs[i].Generated}
			p := &Pair{Settings: &Setting{}}
			_, _ = p.screens.Get(func() (*screenshot.Pixels, error) { return s, nil })
			must(k.Score(p, NewRow()))
		}
	}
	for _, step := range []struct {
		name string
		do   func(i int)
	}{
		{"read", func(i int) { screenshot.NewPixels(parse(files[i][0]), parse(files[i][1]), false) }},
		{"ssim", ssim(image.NewSSIM)},
		{"gaussian", ssim(image.NewGaussianSSIM)},
		{"error", func(i int) { image.PSNR(image.MSE(pairs[i].Reference, pairs[i].Generated), screenshot.ByteRange) }},
		{"resize", func(i int) {
			to := &dataset.Screen{Width: pairs[i].Width, Height: pairs[i].Height}
			screenshot.Resize(large[i], &dataset.Screen{Width: 2 * to.Width, Height: 2 * to.Height}, to)
		}},
		{"ms_ssim", of(&multiscale)},
		{"gmsd", of(&gradients)},
		{"fsim", of(&features)},
	} {
		b.Run(step.name, func(b *testing.B) {
			for b.Loop() {
				for i := range pairs {
					step.do(i)
				}
			}
		})
	}
}
