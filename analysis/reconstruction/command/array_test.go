// The shapes of predictions, and their pixel ranges.

package command

import (
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/measure/image"
)

// Every order of axes gives the same planes.
func TestLayouts(t *testing.T) {
	t.Parallel()
	gray, colour := image.Shape{Channels: 1, Height: 2, Width: 3}, image.Shape{Channels: 3, Height: 2, Width: 2}
	for _, c := range []struct {
		row   []int
		frame image.Shape
		step  int
		want  []float64 // of values 0, 1, 2, …
	}{
		{[]int{2, 3}, gray, 0, []float64{0, 1, 2, 3, 4, 5}},
		{[]int{1, 2, 3}, gray, 0, []float64{0, 1, 2, 3, 4, 5}},
		{[]int{2, 3, 1}, gray, 0, []float64{0, 1, 2, 3, 4, 5}},
		{[]int{4, 2, 3}, gray, 2, []float64{12, 13, 14, 15, 16, 17}},
		{[]int{4, 1, 2, 3}, gray, 3, []float64{18, 19, 20, 21, 22, 23}},
		{[]int{1, 4, 2, 3}, gray, 1, []float64{6, 7, 8, 9, 10, 11}},
		{[]int{3, 2, 2}, colour, 0, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{[]int{2, 2, 3}, colour, 0, []float64{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}},
		{[]int{2, 3, 2, 2}, colour, 1, []float64{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
		{[]int{2, 2, 2, 3}, colour, 1, []float64{12, 15, 18, 21, 13, 16, 19, 22, 14, 17, 20, 23}},
		{[]int{3, 2, 2, 2}, colour, 1, []float64{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23}}, // CTHW
		{[]int{3, 3}, gray, 0, nil}, {[]int{6}, gray, 0, nil}, {[]int{2, 2}, colour, 0, nil}, {[]int{5, 2, 2, 4}, colour, 0, nil},
	} {
		l, ok := layoutOf(c.row, c.frame)
		if ok != (c.want != nil) {
			t.Errorf("%v for %v: %v", c.row, c.frame, ok)
			continue
		}
		if !ok {
			continue
		}
		values, got := make([]float64, count(c.row)), make([]float64, c.frame.Size())
		for i := range values {
			values[i] = float64(i)
		}
		l.frame(got, values, c.step, c.frame, dataset.PixelRange{Low: 0, High: 1})
		if !slices.Equal(got, c.want) || l.steps*c.frame.Size() != len(values) {
			t.Errorf("%v, step %d of %d: %v, want %v", c.row, c.step, l.steps, got, c.want)
		}
	}
}

func TestGuessRange(t *testing.T) {
	t.Parallel()
	unit, bytes, signed := dataset.PixelRange{Low: 0, High: 1}, dataset.PixelRange{Low: 0, High: 255}, dataset.PixelRange{Low: -1, High: 1}
	for _, c := range []struct {
		frames    dataset.PixelRange
		low, high float64
		want      dataset.PixelRange
		ok        bool
	}{
		{bytes, 0, 0.98, unit, true}, {bytes, -0.2, 1.3, unit, true}, {bytes, -0.99, 0.97, signed, true}, {bytes, -20, 270, bytes, true},
		{bytes, 0, 12, unit, false}, {bytes, -3, 4, unit, false}, {bytes, 0, 700, unit, false},
		{unit, 0, 1, unit, true}, {unit, -0.4, 1.4, unit, true}, {unit, 0, 255, unit, false}, {unit, -1, 1, unit, false},
		{signed, -1.2, 0.8, signed, true}, {signed, 0, 200, signed, false},
	} {
		got, ok := guessRange(c.frames, c.low, c.high)
		if ok != c.ok || ok && (got.Low != c.want.Low || got.High != c.want.High) {
			t.Errorf("%v..%v beside frames of %v..%v: %v, %v", c.low, c.high, c.frames.Low, c.frames.High, got, ok)
		}
	}
}

func TestRangeFlag(t *testing.T) {
	t.Parallel()
	f := &rangeFlag{all: rangeAuto}
	for _, text := range []string{"0,1", "a=0,255", "b=frames"} {
		if err := f.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if f.of("a") != "0,255" || f.of("b") != rangeFrames || f.of("c") != "0,1" || f.String() != "0,1; a=0,255; b=frames" {
		t.Errorf("%q", f)
	}
	for text, want := range map[string]string{"0,2": "second range", "a=0,1": "occurs twice", "=0,1": "no model name", "x": "want LOW,HIGH", "2,1": "want LOW,HIGH"} {
		if err := f.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
