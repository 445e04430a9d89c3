// Gradients that can be counted.

package image

import (
	"math"
	"testing"
)

// TestGradientEnergy has frames whose differences can be counted.
func TestGradientEnergy(t *testing.T) {
	t.Parallel()
	// Two channels of 2 × 3 pixels: 4 differences to the right and 3 down in each.
	planes := []float64{0, 1, 3, 0, 1, 3, 5, 5, 5, 7, 7, 7}
	shape := Shape{Channels: 2, Height: 2, Width: 3}
	want := (2*(1+4) + 3*4.) / 14
	near(t, "planes", GradientEnergy(shape, planes), want, 1e-15)
	last := make([]float32, 12)
	for i, v := range planes {
		last[i%6*2+i/6] = float32(v)
	}
	shape.ChannelsLast = true
	near(t, "channels last", GradientEnergy(shape, last), want, 1e-15)
	near(t, "a column", GradientEnergy(Shape{Channels: 1, Height: 3, Width: 1}, []uint8{1, 3, 0}), (4+9)/2., 0)
	near(t, "a row", GradientEnergy(Shape{Channels: 1, Height: 1, Width: 3}, []uint8{1, 3, 0}), (4+9)/2., 0)
	near(t, "ratio", SharpnessRatio(shape, []float32{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []uint8{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 4, 0)
	if v := GradientEnergy(Shape{Channels: 4, Height: 1, Width: 1}, make([]uint8, 4)); !math.IsNaN(v) {
		t.Errorf("a single pixel has energy %v", v)
	}
	flat := Shape{Channels: 1, Height: 2, Width: 2}
	if v := SharpnessRatio(flat, []uint8{1, 2, 3, 4}, make([]uint8, 4)); !math.IsNaN(v) {
		t.Errorf("ratio to a constant frame = %v", v)
	}
	near(t, "a constant prediction", SharpnessRatio(flat, make([]uint8, 4), []uint8{1, 2, 3, 4}), 0, 0)
}
