// Fixations of points, of binary maps and of maps.

package saliency

import (
	"math"
	"math/rand/v2"
	"repscope/stat"
	"slices"
	"testing"
)

func TestFixationsAt(t *testing.T) {
	t.Parallel()
	f := fixationsAt(t, 4, 3, []float64{3.999, 0, 3, -0.001, 4, 1, 1e300, math.Inf(1)}, []float64{2.5, 0, 2, 1, 1, 3, 0, 0})
	if want := []int{0, 11, 11}; !slices.Equal(f.pixels, want) || f.Outside != 5 || f.Len() != 3 || f.Pixels() != 2 {
		t.Errorf("%+v, want pixels %v and 5 outside", f, want)
	}
	if x, y := f.At(1); x != 3 || y != 2 {
		t.Errorf("fixation 1 is at (%d, %d), want (3, 2)", x, y)
	}
	_, err := FixationsAt(4, 3, []float64{1}, nil)
	undefined(t, math.NaN(), err, "1 x and 0 y")
	_, err = FixationsAt(4, 3, []float64{1, 2}, []float64{0, math.NaN()})
	undefined(t, math.NaN(), err, "point 1 is (2, NaN)")
	_, err = FixationsAt(4, 0, nil, nil)
	undefined(t, math.NaN(), err, "4 × 0 pixels")
}

func TestFixationsOf(t *testing.T) {
	t.Parallel()
	f, err := fixationsOf(3, 2, []uint8{0, 255, 0, 1, 0, 0})
	if want := []int{1, 3}; err != nil || !slices.Equal(f.pixels, want) {
		t.Errorf("%+v, %v, want pixels %v", f, err, want)
	}
	_, err = fixationsOf(3, 2, []uint8{1})
	undefined(t, math.NaN(), err, "1 values for 3 × 2 pixels")
	_, err = fixationsOf(2, 1, []float32{0, float32(math.NaN())})
	undefined(t, math.NaN(), err, "NaN at x 1, y 0")
}

// TestHighest holds the k-th highest value against a sorted map, with and without ties, and with values far apart.
func TestHighest(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 10))
	for _, grain := range []int{0, 4, 200} {
		for _, outlier := range []float64{0.5, 1e300, -1e-300} {
			m := randomMap(t, random, 20, 15, grain)
			values := slices.Clone(m.values)
			values[17] = outlier
			m = mapOf(t, 20, 15, values)
			slices.Sort(values)
			for k := 1; k <= len(values); k++ {
				if got, want := m.highest(k), values[len(values)-k]; got != want {
					t.Fatalf("grain %d, outlier %v: the %d. highest is %v, want %v", grain, outlier, k, got, want)
				}
			}
		}
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	m := mapOf(t, 5, 2, []float64{1, 9, 3, 9, 5, 6, 7, 8, 2, 4})
	for _, c := range []struct {
		percent float64
		want    []int
	}{
		{0.1, []int{1, 3}}, // one, and its tie
		{20, []int{1, 3}},
		{20.001, []int{1, 3, 7}},
		{90, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		f, err := Top(m, c.percent)
		if err != nil || !slices.Equal(f.pixels, c.want) {
			t.Errorf("top %v %%: %+v, %v, want %v", c.percent, f, err, c.want)
		}
	}
	for _, percent := range []float64{0, 100, -5, math.NaN()} {
		_, err := Top(m, percent)
		undefined(t, math.NaN(), err, "want a number above 0 and below 100")
	}
	_, err := Top(m, 91)
	undefined(t, math.NaN(), err, "contain all pixels")
	_, err = Top(mapOf(t, 2, 2, []float64{3, 3, 3, 3}), 5)
	undefined(t, math.NaN(), err, "contain all pixels")
}

// fixationsOf takes a binary map, row by row from the top: every pixel that is not 0 is one fixation.
// Undefined for values that are not width·height many, and for NaN.
func fixationsOf[T Number](width, height int, values []T) (*Fixations, error) {
	const quantity = "fixations"
	if err := fits(quantity, width, height, len(values)); err != nil {
		return nil, err
	}
	f := &Fixations{Width: width, Height: height}
	for i, v := range values {
		if v != v {
			return nil, stat.Undefined(quantity, "NaN at x %d, y %d", i%width, i/width)
		}
		if v != 0 {
			f.pixels = append(f.pixels, i)
		}
	}
	return f, nil
}
