// Measures of image quality beside literal forms of their papers: golden numbers, properties, bad input.

package image

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/quality.json
var qualityJSON []byte

// madeFrame is the frame that testdata/quality.py makes of the same numbers.
func madeFrame(height, width int, seed uint64, noise int) []uint8 {
	out := make([]uint8, 0, height*width*3)
	for i := range height {
		for j := range width {
			for c := range 3 {
				x := (3*i+2*j*(c+1))%128 + 60*((i/16+j/24+c)%3)
				h := uint32(uint64(i)*73856093 ^ uint64(j)*19349663 ^ uint64(c)*83492791 ^ seed*40503)
				h = (h ^ h>>15) * 0x2C1B3C6D
				h = (h ^ h>>12) * 0x297A2D39
				x += int(h>>16)*noise>>16 - noise/2
				out = append(out, uint8(min(max(x, 0), 255)))
			}
		}
	}
	return out
}

// TestQuality holds MS-SSIM, GMSD, FSIM and FSIMc against the script's numbers.
func TestQuality(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			Size          [2]int
			First, Second [2]int
			Inverted      bool
			GMSD          float64
			MSSSIM        *float64 `json:"ms_ssim"`
			FSIM, FSIMC   float64
		}
	}
	if err := json.Unmarshal(qualityJSON, &golden); err != nil || len(golden.Cases) < 18 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, g := range golden.Cases {
		height, width := g.Size[0], g.Size[1]
		t.Run(fmt.Sprintf("%dx%d", height, width), func(t *testing.T) {
			t.Parallel()
			shape := Shape{Channels: 3, Height: height, Width: width, ChannelsLast: true}
			a, b := madeFrame(height, width, uint64(g.First[0]), g.First[1]), madeFrame(height, width, uint64(g.Second[0]), g.Second[1])
			if g.Inverted {
				for i, v := range b {
					b[i] = 255 - v
				}
			}
			x, y := Luma(shape, a), Luma(shape, b)
			gmsd, err := GMSD(height, width, 255, x, y)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "GMSD", gmsd, g.GMSD, 1e-11)
			if ms, err := MultiscaleSSIM(height, width, 255, x, y); g.MSSSIM != nil {
				near(t, "MS-SSIM", ms, *g.MSSSIM, 1e-11)
			} else if err == nil {
				t.Errorf("MS-SSIM of %v is %v", shape, ms)
			}
			f, err := NewFSIM(shape)
			if err != nil {
				t.Fatal(err)
			}
			fsim, fsimc := FeatureSimilarity(f, a, b)
			near(t, "FSIM", fsim, g.FSIM, 1e-9)
			near(t, "FSIMc", fsimc, g.FSIMC, 1e-9)
		})
	}
}

// quality are all of them, of frames of 170 × 165 pixels; FSIM of their first 48 rows.
func quality(t *testing.T, a, b []uint8) (ms, gmsd, fsim, fsimc float64) {
	t.Helper()
	shape := Shape{Channels: 3, Height: 170, Width: 165, ChannelsLast: true}
	x, y := Luma(shape, a), Luma(shape, b)
	upper := Shape{Channels: 3, Height: 48, Width: 165, ChannelsLast: true}
	f, err := NewFSIM(upper)
	if err != nil {
		t.Fatal(err)
	}
	if ms, err = MultiscaleSSIM(170, 165, 255, x, y); err != nil {
		t.Fatal(err)
	}
	if gmsd, err = GMSD(170, 165, 255, x, y); err != nil {
		t.Fatal(err)
	}
	fsim, fsimc = FeatureSimilarity(f, a[:upper.Size()], b[:upper.Size()])
	return ms, gmsd, fsim, fsimc
}

// TestQualityProperties: equal frames are perfect to the bit, constant ones too, the frames may be exchanged, and more
// noise is worse.
func TestQualityProperties(t *testing.T) {
	t.Parallel()
	clean := madeFrame(170, 165, 1, 0)
	flat := slices.Repeat([]uint8{7, 80, 200}, 170*165)
	for _, frame := range [][]uint8{clean, flat, make([]uint8, len(flat))} {
		if ms, gmsd, fsim, fsimc := quality(t, frame, frame); ms != 1 || gmsd != 0 || fsim != 1 || fsimc != 1 {
			t.Errorf("a frame beside itself: %v, %v, %v, %v", ms, gmsd, fsim, fsimc)
		}
	}
	if _, _, fsim, fsimc := quality(t, flat, make([]uint8, len(flat))); !(fsim > 0.1 && fsim < 1 && fsimc < fsim) {
		t.Errorf("constant frames: %v, %v", fsim, fsimc)
	}
	last := [4]float64{1, 0, 1, 1}
	for _, noise := range []int{30, 80, 200} {
		noisy := madeFrame(170, 165, 1, noise)
		var now, exchanged [4]float64
		now[0], now[1], now[2], now[3] = quality(t, clean, noisy)
		exchanged[0], exchanged[1], exchanged[2], exchanged[3] = quality(t, noisy, clean)
		if now != exchanged {
			t.Errorf("the order of the frames matters: %v, %v", now, exchanged)
		}
		if !(now[0] < last[0] && now[1] > last[1] && now[2] < last[2] && now[3] < last[3]) {
			t.Errorf("more noise is no worse: %v after %v", now, last)
		}
		last = now
	}
}

// TestQualityErrors: frames that are too small or of other sizes, ranges that are none, and NaN.
func TestQualityErrors(t *testing.T) {
	t.Parallel()
	want := func(err error, text string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	plane := make([]float64, 161*161)
	_, err := MultiscaleSSIM(160, 900, 255, plane, plane)
	want(err, "MS-SSIM of frames of 160 × 900: want at least 161 × 161 pixels")
	_, err = MultiscaleSSIM(161, 162, 255, plane, plane)
	want(err, "MS-SSIM of 25921 and 25921 pixels: want 161 × 162")
	_, err = MultiscaleSSIM(161, 161, 0, plane, plane)
	want(err, "range 0: want a positive number")
	_, err = GMSD(4, 900, 255, plane, plane)
	want(err, "GMSD of frames of 4 × 900: want at least 5 × 5 pixels")
	_, err = GMSD(161, 161, 255, plane, plane[1:])
	want(err, "GMSD of 25921 and 25920 pixels")
	_, err = GMSD(161, 161, math.Inf(1), plane, plane)
	want(err, "range +Inf: want a positive number")
	_, err = NewFSIM(Shape{Channels: 3, Height: 11, Width: 90})
	want(err, "FSIM of frames of 3 × 11 × 90: want one or three channels, and at least 12 × 12 pixels")
	_, err = NewFSIM(Shape{Channels: 2, Height: 50, Width: 90})
	want(err, "want one or three channels")
	plane[5] = math.NaN()
	if v, err := MultiscaleSSIM(161, 161, 255, plane, plane); !math.IsNaN(v) || err != nil {
		t.Errorf("MS-SSIM with a NaN is %v, %v", v, err)
	}
	if v, err := GMSD(161, 161, 255, plane, plane); !math.IsNaN(v) || err != nil {
		t.Errorf("GMSD with a NaN is %v, %v", v, err)
	}
	f, err := NewFSIM(Shape{Channels: 1, Height: 161, Width: 161})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]float64{plane, plane[1:]} {
		if v, c := FeatureSimilarity(f, plane, b); !math.IsNaN(v) || !math.IsNaN(c) {
			t.Errorf("FSIM with a NaN or of other sizes is %v, %v", v, c)
		}
	}
	if Luma(Shape{Channels: 2, Height: 1, Width: 1}, plane[:2]) != nil || Luma(Shape{Channels: 3, Height: 1, Width: 1}, plane[:2]) != nil {
		t.Error("frames without brightness have one")
	}
}

// TestOneChannel: a gray frame is its own brightness, in planes as beside each other.
func TestOneChannel(t *testing.T) {
	t.Parallel()
	a, b := madeFrame(20, 30, 1, 9), madeFrame(20, 30, 2, 99)
	shape := Shape{Channels: 3, Height: 20, Width: 30, ChannelsLast: true}
	planes := func(frame []uint8) []uint8 {
		var out []uint8
		for c := range 3 {
			for i := c; i < len(frame); i += 3 {
				out = append(out, frame[i])
			}
		}
		return out
	}
	if !slices.Equal(Luma(shape, a), Luma(Shape{Channels: 3, Height: 20, Width: 30}, planes(a))) {
		t.Error("the brightness of planes is another")
	}
	gray := Shape{Channels: 1, Height: 20, Width: 30}
	x, y := Luma(shape, a), Luma(shape, b)
	if !slices.Equal(Luma(gray, x), x) {
		t.Error("the brightness of one channel is another")
	}
	var got [3]float64
	for i, run := range []func(f *FSIM) (float64, float64){
		func(f *FSIM) (float64, float64) { return FeatureSimilarity(f, a, b) },
		func(f *FSIM) (float64, float64) { return FeatureSimilarity(f, planes(a), planes(b)) },
		func(f *FSIM) (float64, float64) { return FeatureSimilarity(f, x, y) },
	} {
		f, err := NewFSIM([]Shape{shape, {Channels: 3, Height: 20, Width: 30}, gray}[i])
		if err != nil {
			t.Fatal(err)
		}
		var color float64
		if got[i], color = run(f); math.IsNaN(color) != (i == 2) {
			t.Errorf("FSIMc is %v", color)
		}
	}
	if got[0] != got[1] || got[0] != got[2] {
		t.Errorf("FSIM is %v", got)
	}
}

func BenchmarkQuality(b *testing.B) {
	const height, width = 812, 375
	shape := Shape{Channels: 3, Height: height, Width: width, ChannelsLast: true}
	first, second := madeFrame(height, width, 1, 20), madeFrame(height, width, 2, 90)
	x, y := Luma(shape, first), Luma(shape, second)
	b.Run("MSSSIM", func(b *testing.B) {
		for b.Loop() {
			_, _ = MultiscaleSSIM(height, width, 255, x, y)
		}
	})
	b.Run("GMSD", func(b *testing.B) {
		for b.Loop() {
			_, _ = GMSD(height, width, 255, x, y)
		}
	})
	b.Run("FSIM", func(b *testing.B) {
		for b.Loop() {
			f, _ := NewFSIM(shape)
			FeatureSimilarity(f, first, second)
		}
	})
}
