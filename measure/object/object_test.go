// Objects and backgrounds, next to sorted medians.

package object

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/internal/quantile"
	"repscope/measure/box"
	"repscope/measure/image"
)

// held are frames in memory.
func held(values []float64, size int) Read {
	return func(_ context.Context, dst []float64, index []int) error {
		for i, k := range index {
			copy(dst[i*size:(i+1)*size], values[k*size:])
		}
		return nil
	}
}

// TestFind: components of few pixels, and pixels on the threshold, are no objects.
func TestFind(t *testing.T) {
	t.Parallel()
	shape := image.Shape{Channels: 2, Height: 4, Width: 6}
	frame, background := make([]float64, shape.Size()), make([]float64, shape.Size())
	for i := range background {
		background[i] = 0.5
		frame[i] = 0.5
	}
	for _, pixel := range []int{0, 7, 14, 24 + 21} { // a diagonal, its last pixel in the other channel
		frame[pixel] = 0
	}
	frame[4], frame[5], frame[10] = 1, 1, 1 // three pixels
	frame[18] = 0.75                        // exactly on the threshold
	got, err := NewFinder(shape, 0.25, 4).Find(frame, background)
	want := box.Component{Area: 4, Box: box.Box{X1: 4, Y1: 4}, X: 1.5, Y: 1.5}
	if err != nil || len(got.Objects) != 1 || got.Objects[0] != want {
		t.Fatalf("%+v, %v, want %+v", got.Objects, err, want)
	}
	for i, l := range got.Labels {
		if (l == 1) != slices.Contains([]int{0, 7, 14, 21}, i) {
			t.Errorf("label %d of pixel %d", l, i)
		}
	}
}

// TestMedian compares with the quantile of sorted values, with and without a majority.
func TestMedian(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 5))
	for n := 1; n < 60; n++ {
		for _, kinds := range []int{2, 3, 1000} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(rng.IntN(kinds)) / 7
			}
			sorted := slices.Sorted(slices.Values(values))
			if got, want := median(values), quantile.Sorted(sorted, 0.5); math.Abs(got-want) > 1e-14 {
				t.Fatalf("median of %v = %v, want %v", sorted, got, want)
			}
		}
	}
}

// TestBackgrounds: an episode that does not fit into what is held has the same
// background, and each episode its own.
func TestBackgrounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	shape := image.Shape{Channels: 1, Height: 5, Width: 9}
	const n = 31
	episodes := make([]int, n)
	values := make([]float64, n*shape.Size())
	for i := range values {
		values[i] = float64(rng.IntN(256)) / 255
	}
	for i := range n {
		episodes[i] = i % 3 // not one after the other
	}
	makers := map[int]*Backgrounds{}
	for _, episode := range []int{2, 0, 1, 1, 2} {
		var sorted [][]float64
		for range shape.Size() {
			sorted = append(sorted, nil)
		}
		for i := episode; i < n; i += 3 {
			for k := range sorted {
				sorted[k] = append(sorted[k], values[i*shape.Size()+k])
			}
		}
		for _, limit := range []int{1, 50, 100, 1 << 20} {
			if makers[limit] == nil {
				makers[limit] = NewBackgrounds(held(values, shape.Size()), shape.Size(), episodes, 3)
				makers[limit].held = limit
			}
			b := makers[limit]
			got, err := b.Of(t.Context(), episode)
			if err != nil {
				t.Fatal(err)
			}
			for k, column := range sorted {
				slices.Sort(column)
				if want := quantile.Sorted(column, 0.5); math.Abs(got[k]-want) > 1e-15 {
					t.Fatalf("episode %d, %d held, pixel %d: %v, want %v", episode, limit, k, got[k], want)
				}
			}
		}
	}
}

// BenchmarkBackground is the background of 1,000 frames of 84 × 84 pixels. A tenth of the pixels change all the time.
func BenchmarkBackground(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	shape := image.Shape{Channels: 1, Height: 84, Width: 84}
	const n = 1000
	values := make([]float64, n*shape.Size())
	for i := range values {
		if i%10 == 0 {
			values[i] = rng.Float64()
		}
	}
	for b.Loop() {
		if _, err := NewBackgrounds(held(values, shape.Size()), shape.Size(), make([]int, n), 0).Of(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}
