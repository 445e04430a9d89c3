// Components beside a flood of the mask.

package box

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// flood labels components by walking from each pixel to its neighbors.
func flood(mask []bool, height, width int, neighbors Connectivity) (labels []int32, n int) {
	labels = make([]int32, len(mask))
	for start := range mask {
		if !mask[start] || labels[start] != 0 {
			continue
		}
		n++
		labels[start] = int32(n)
		for todo := []int{start}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					x, y := at%width+dx, at/width+dy
					if x < 0 || x >= width || y < 0 || y >= height || (neighbors == Four && dx != 0 && dy != 0) {
						continue
					}
					if k := y*width + x; mask[k] && labels[k] == 0 {
						labels[k] = int32(n)
						todo = append(todo, k)
					}
				}
			}
		}
	}
	return labels, n
}

func TestComponents(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 400 {
		height, width, share := rng.IntN(20), rng.IntN(20), rng.Float64()
		mask, set := make([]bool, height*width), 0
		for i := range mask {
			if mask[i] = rng.Float64() < share; mask[i] {
				set++
			}
		}
		for _, neighbors := range []Connectivity{Four, Eight} {
			labels, found, err := Components(mask, height, width, neighbors)
			want, n := flood(mask, height, width, neighbors)
			if err != nil || !slices.Equal(labels, want) || len(found) != n {
				t.Fatalf("%d × %d, %d neighbors: %v, want %v, %v", height, width, neighbors, labels, want, err)
			}
			total := 0
			for k, c := range found {
				total += c.Area
				checkComponent(t, c, labels, int32(k+1), width)
			}
			if total != set {
				t.Fatalf("areas sum to %d of %d pixels", total, set)
			}
		}
	}
}

// checkComponent measures a component by its label.
func checkComponent(t *testing.T, c Component, labels []int32, label int32, width int) {
	t.Helper()
	b, x, y, n := Box{1e9, 1e9, -1, -1}, 0, 0, 0
	for at, l := range labels {
		if l == label {
			column, row := float64(at%width), float64(at/width)
			b = Box{min(b.X0, column), min(b.Y0, row), max(b.X1, column+1), max(b.Y1, row+1)}
			x, y, n = x+at%width, y+at/width, n+1
		}
	}
	if c != (Component{Area: n, Box: b, X: float64(x) / float64(n), Y: float64(y) / float64(n)}) {
		t.Fatalf("component %d: %+v, want %d pixels in %v around %d, %d over %d", label, c, n, b, x, y, n)
	}
}

func TestComponentsErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, height, width int
		neighbors        Connectivity
		want             string
	}{
		{5, 2, 3, Eight, "components of a mask of 5 pixels: want 2 × 3"},
		{6, -2, -3, Eight, "components of a mask of 6 pixels: want -2 × -3"},
		{6, 2, 3, 6, "components with 6 neighbors of a pixel: want 4 or 8"},
	} {
		if _, _, err := Components(make([]bool, c.n), c.height, c.width, c.neighbors); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if labels, found, err := Components(nil, 0, 7, Four); err != nil || len(labels) != 0 || len(found) != 0 {
		t.Error(labels, found, err)
	}
}

// TestComponentsComb has a mask of many labels that turn out to be one: a comb whose teeth meet
// in its last row.
func TestComponentsComb(t *testing.T) {
	t.Parallel()
	const side = 401
	mask := make([]bool, side*side)
	for i := range mask {
		mask[i] = i%side%2 == 0 || i/side == side-1
	}
	if _, found, err := Components(mask, side, side, Four); err != nil || len(found) != 1 || found[0].Area != 201*401+200 {
		t.Errorf("%d components, %v", len(found), err)
	}
}

func BenchmarkComponents(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 6))
	mask := make([]bool, 84*84)
	for i := range mask {
		mask[i] = rng.IntN(3) == 0
	}
	for b.Loop() {
		if _, _, err := Components(mask, 84, 84, Eight); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzComponents(f *testing.F) {
	f.Add("#.#\n.#.", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = strings.ReplaceAll(text, "\n", "")
		if width < 1 || width > 64 || len(text) > 4096 {
			return
		}
		height := len(text) / width
		mask := make([]bool, height*width)
		for i := range mask {
			mask[i] = text[i] == '#'
		}
		labels, found, err := Components(mask, height, width, Eight)
		if want, n := flood(mask, height, width, Eight); err != nil || n != len(found) || !slices.Equal(labels, want) {
			t.Fatalf("%v, want %v, %v", labels, want, err)
		}
	})
}
