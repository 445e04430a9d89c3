// Images from arrays.

package plots

import (
	"image/color"
	"math"
	"testing"
)

func TestImageSizes(t *testing.T) {
	t.Parallel()
	if _, err := GrayImage(make([]uint8, 5), 2, 3); err == nil {
		t.Error("a gray image of 5 bytes cannot be 2 × 3")
	}
	if _, err := ScaledImage(make([]float32, 6), 2, 3, 1, 1); err == nil {
		t.Error("a range [1, 1] cannot be scaled")
	}
	if _, err := RGBImage(make([]uint8, 6), 1, 3); err == nil {
		t.Error("an RGB image of 6 bytes cannot be 3 × 1 × 3")
	}
}

func TestPixels(t *testing.T) {
	t.Parallel()
	gray, err := GrayImage([]uint8{0, 10, 20, 30, 40, 50}, 2, 3)
	if err != nil || gray.At(1, 1) != (color.Gray{40}) {
		t.Errorf("gray: %v (error %v), want 40 in row 1, column 1", gray, err)
	}
	scaled, err := ScaledImage([]float32{-1, 0, 0.5, 1, 2, float32(math.NaN())}, 2, 3, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []color.NRGBA{{A: 255}, {A: 255}, {128, 128, 128, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {R: 200, A: 255}} {
		if got := scaled.At(i%3, i/3); got != want {
			t.Errorf("scaled pixel %d: %v, want %v", i, got, want)
		}
	}
	rgb, err := RGBImage([]uint8{1, 2, 3, 4, 5, 6}, 1, 2)
	if err != nil || rgb.At(1, 0) != (color.NRGBA{2, 4, 6, 255}) {
		t.Errorf("RGB: %v (error %v)", rgb, err)
	}
}
