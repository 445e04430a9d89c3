// Violations of a square that moves over a plain background, pixel by pixel.

package violation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"repscope/measure/image"
	"repscope/stat"
)

const side = 16

// film is a square of 2 × 2 pixels of value 100 that moves one pixel to the right at each frame, from (2, 5).
func film() (Scene, Episode) {
	frames := make([][]float64, 8)
	for t := range frames {
		frames[t] = make([]float64, side*side)
		for i := range 4 {
			frames[t][(5+i/2)*side+2+t+i%2] = 100
		}
	}
	scene := Scene{Shape: image.Shape{Channels: 1, Height: side, Width: side}, High: 200,
		Background: func(context.Context, int) ([]float64, error) { return make([]float64, side*side), nil },
		Read: func(_ context.Context, dst []float64, index []int) error {
			for i, k := range index {
				copy(dst[i*side*side:], frames[k])
			}
			return nil
		}}
	return scene, Episode{Before: []int{0, 1, 2}, After: []int{3, 4, 5, 6, 7}, Other: []int{0, 1, 2, 3, 4}}
}

// lit are the pixels above 0 with their values, as text.
func lit(frame []float64) string {
	var out []string
	for i, v := range frame {
		if v != 0 {
			out = append(out, fmt.Sprintf("%d,%d:%g", i%side, i/side, v))
		}
	}
	return fmt.Sprint(out)
}

func makeFrames(t *testing.T, k Kind, size float64) []Frame {
	t.Helper()
	scene, episode := film()
	frames, err := New(scene).Frames(t.Context(), k, episode, size, 4, stat.NewKey(1, 2))
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	return frames
}

func TestPatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind Kind
		size float64
		want string // of the first frame, where the square was at 5,5
	}{
		{Vanish, 1, "[]"},
		{Vanish, 0.5, "[5,5:50 6,5:50 5,6:50 6,6:50]"},
		{Recolor, 0.25, "[5,5:150 6,5:150 5,6:150 6,6:150]"},
		{Gravity, 1, "[3,5:100 4,5:100 3,6:100 4,6:100]"},
	} {
		frames := makeFrames(t, test.kind, test.size)
		if got := lit(frames[0].Values); got != test.want || len(frames) != 4 || frames[0].Source != -1 {
			t.Errorf("%s %g: %s of %d frames, want %s", test.kind, test.size, got, len(frames), test.want)
		}
	}
	// The square stays a square, somewhere else, and moves on.
	for _, size := range []float64{0.25, 0.5, 1} {
		frames := makeFrames(t, Teleport, size)
		for i, f := range frames {
			count := 0
			for _, v := range f.Values {
				if v == 100 {
					count++
				}
			}
			if shifted := lit(f.Values) == fmt.Sprintf("[%d,5:100 %d,5:100 %d,6:100 %d,6:100]", 5+i, 6+i, 5+i, 6+i); i == 0 && (count != 4 || shifted) {
				t.Errorf("teleport %g: %s", size, lit(f.Values))
			}
		}
	}
	if got := makeFrames(t, Appear, 1)[0].Values; len(lit(got)) < 2*len("[5,5:50 6,5:50 5,6:50 6,6:50]") {
		t.Errorf("appear: %s", lit(got))
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind Kind
		size float64
		want []int
	}{
		{Freeze, 2, []int{2, 2, 3, 4}}, {Skip, 2, []int{5, 6, 7}}, {Reverse, 1, []int{1, 0}}, {Reverse, 2, []int{0}}, {Swap, 1, []int{0, 1, 2, 3}},
	} {
		var got []int
		for _, f := range makeFrames(t, test.kind, test.size) {
			got = append(got, f.Source)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %g: %v, want %v", test.kind, test.size, got, test.want)
		}
	}
	for seed := range uint64(50) {
		scene, episode := film()
		frames, err := New(scene).Frames(t.Context(), Shuffle, episode, 4, 5, stat.NewKey(seed))
		var got []int
		for _, f := range frames {
			got = append(got, f.Source)
		}
		if err != nil || got[0] == 3 || !slices.Equal(slices.Sorted(slices.Values(got[:4])), []int{3, 4, 5, 6}) || got[4] != 7 {
			t.Fatalf("shuffle: %v, %v", got, err)
		}
	}
	if got := makeFrames(t, Swap, 0.5)[0]; got.Source != -1 || lit(got.Values) != "[2,5:50 3,5:50 5,5:50 6,5:50 2,6:50 3,6:50 5,6:50 6,6:50]" {
		t.Errorf("half a swap: %s", lit(got.Values))
	}
}

func TestImpossible(t *testing.T) {
	t.Parallel()
	scene, episode := film()
	for _, test := range []struct {
		kind Kind
		size float64
		e    Episode
		want error
	}{
		{Skip, 5, episode, ErrShort}, {Reverse, 3, episode, ErrShort}, {Shuffle, 6, episode, ErrShort},
		{Teleport, 0.5, Episode{Before: []int{3}, After: []int{3, 4}}, ErrStill}, {Vanish, 1, Episode{Before: []int{3}}, ErrShort},
	} {
		if _, err := New(scene).Frames(t.Context(), test.kind, test.e, test.size, 4, stat.NewKey(1)); !errors.Is(err, test.want) {
			t.Errorf("%s %g: %v, want %v", test.kind, test.size, err, test.want)
		}
	}
	for _, k := range Kinds() {
		for _, size := range k.Sizes() {
			if err := k.CheckSize(size); err != nil {
				t.Error(err)
			}
			if n := k.Span(size, 8); n < 1 || n > 8 {
				t.Errorf("%s %g: %d impossible transitions", k, size, n)
			}
		}
		for _, size := range []float64{0, -1, 1e9} {
			if k.CheckSize(size) == nil {
				t.Errorf("%s of size %g is admitted", k, size)
			}
		}
	}
	if Kind("fly").CheckSize(1) == nil || Freeze.CheckSize(1.5) == nil || Shuffle.CheckSize(1) == nil {
		t.Error("wrong sizes are admitted")
	}
}
