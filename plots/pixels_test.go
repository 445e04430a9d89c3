// Images from arrays.

package plots

import (
	"image/color"
	"testing"
)

func TestImageSizes(t *testing.T) {
	t.Parallel()
	if _, err := GrayImage(make([]uint8, 5), 2, 3); err == nil {
		t.Error("a gray image of 5 bytes cannot be 2 × 3")
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
	rgb, err := RGBImage([]uint8{1, 2, 3, 4, 5, 6}, 1, 2)
	if err != nil || rgb.At(1, 0) != (color.NRGBA{2, 4, 6, 255}) {
		t.Errorf("RGB: %v (error %v)", rgb, err)
	}
}
