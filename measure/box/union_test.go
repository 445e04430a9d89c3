// The area of unions beside cells of a grid and rational numbers.

package box

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rasterUnion sums the cells between all coordinates that are in a box, in rational numbers.
func rasterUnion(boxes []Box, clip Box) *big.Rat {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	x, y := []float64{clip.X0, clip.X1}, []float64{clip.Y0, clip.Y1}
	for _, b := range boxes {
		x, y = append(x, b.X0, b.X1), append(y, b.Y0, b.Y1)
	}
	slices.Sort(x)
	slices.Sort(y)
	area := new(big.Rat)
	for i := range x[:len(x)-1] {
		for j := range y[:len(y)-1] {
			cell := Box{x[i], y[j], x[i+1], y[j+1]}
			inside := func(b Box) bool { return b.X0 <= cell.X0 && cell.X1 <= b.X1 && b.Y0 <= cell.Y0 && cell.Y1 <= b.Y1 }
			if inside(clip) && slices.ContainsFunc(boxes, inside) {
				width, height := new(big.Rat).Sub(rat(cell.X1), rat(cell.X0)), new(big.Rat).Sub(rat(cell.Y1), rat(cell.Y0))
				area.Add(area, width.Mul(width, height))
			}
		}
	}
	return area
}

// TestUnionArea: sums of quarters are exact in both.
func TestUnionArea(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 1))
	for range 500 {
		boxes := gridBoxes(rng, rng.IntN(12), 10)
		for i, b := range boxes {
			boxes[i] = Box{b.X0 / 4, b.Y0 / 4, b.X1 / 4, b.Y1 / 4}
		}
		clip := []Box{{0.5, 0.25, 2, 1.75}, {-9, -9, 9, 9}}[rng.IntN(2)]
		want, _ := rasterUnion(boxes, clip).Float64()
		if got := UnionArea(boxes, clip); got != want {
			t.Fatalf("%v in %v: %v, want %v", boxes, clip, got, want)
		}
	}
}

func TestUnionAreaProperties(t *testing.T) {
	t.Parallel()
	coordinate := rapid.Float64Range(-2, 2)
	drawn := rapid.Custom(func(t *rapid.T) Box {
		x, y := coordinate.Draw(t, "x"), coordinate.Draw(t, "y")
		return Box{x, y, x + math.Abs(coordinate.Draw(t, "width")), y + math.Abs(coordinate.Draw(t, "height"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		boxes, clip := rapid.SliceOfN(drawn, 0, 12).Draw(t, "boxes"), drawn.Draw(t, "clip")
		area := UnionArea(boxes, clip)
		want, _ := rasterUnion(boxes, clip).Float64()
		if math.Abs(area-want) > 1e-12 {
			t.Fatalf("%v, want %v", area, want)
		}
		if got := UnionArea(rapid.Permutation(boxes).Draw(t, "order"), clip); got != area {
			t.Fatalf("in another order %v, not %v", got, area)
		}
		if got := UnionArea(slices.Concat(boxes, boxes), clip); got != area {
			t.Fatalf("each twice: %v, not %v", got, area)
		}
		var inner []Box
		for _, b := range boxes {
			x, y := (b.X0+b.X1)/2, (b.Y0+b.Y1)/2
			inner = append(inner, Box{x, y, b.X1, y}, Box{b.X1, b.Y1, b.X0, b.Y0})
		}
		if got := UnionArea(append(inner, boxes...), clip); got != area {
			t.Fatalf("with lines and boxes that end before they begin: %v, not %v", got, area)
		}
		if sum := UnionArea(append(boxes, clip), clip); math.Abs(sum-clip.Area()) > 1e-12 {
			t.Fatalf("with the clip itself %v, want %v", sum, clip.Area())
		}
	})
}

func TestUnionAreaEdges(t *testing.T) {
	t.Parallel()
	unit := Box{0, 0, 1, 1}
	for _, c := range []struct {
		boxes []Box
		clip  Box
		want  float64
	}{
		{nil, unit, 0},
		{[]Box{{2, 2, 3, 3}}, unit, 0},
		{[]Box{unit, {0.25, 0.25, 0.5, 0.5}}, unit, 1},
		{[]Box{unit, {1, 0, 2, 1}}, Everywhere, 2},
		{[]Box{Everywhere}, unit, 1},
		{[]Box{unit, Everywhere}, Everywhere, math.Inf(1)},
		{[]Box{unit, {math.NaN(), 0, 1, 1}}, unit, math.NaN()},
		{[]Box{unit}, Box{0, 0, 1, math.NaN()}, math.NaN()},
	} {
		if got := UnionArea(c.boxes, c.clip); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v in %v: %v, want %v", c.boxes, c.clip, got, c.want)
		}
	}
}

func BenchmarkUnionArea(b *testing.B) {
	rng := rand.New(rand.NewPCG(32, 1))
	boxes := design(rng, 100_000)
	for b.Loop() {
		UnionArea(boxes[1:], boxes[0])
	}
}
