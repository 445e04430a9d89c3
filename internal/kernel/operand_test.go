// Tests of operands that are packed part by part.

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// An operand that is put together from parts is that which is packed as a whole.
func TestPut(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		t.Run("float32", testPut[float32])
		t.Run("float64", testPut[float64])
	})
}

func testPut[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for range 60 {
		count, depth := r.IntN(150), r.IntN(2*KC+20)
		rows, columns := make([]T, count*depth), make([]T, count*depth)
		for i := range count {
			for k := range depth {
				v := T(r.NormFloat64())
				rows[i*depth+k], columns[k*count+i] = v, v
			}
		}
		whole, err := PackRight(Rows(rows, depth), count, depth)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"rows", "columns"} {
			p, err := NewRight[T](count, depth)
			if err != nil {
				t.Fatal(err)
			}
			step, length := ColumnAlign*(1+r.IntN(3)), 1+r.IntN(depth+1)
			for first := 0; first < count; first += step {
				n := min(step, count-first)
				for k := 0; k < depth; k += length {
					o := Rows(rows[first*depth+k:], depth)
					if by == "columns" {
						o = Columns(columns[k*count+first:], count)
					}
					if err := p.Put(o, first, n, k, min(length, depth-k)); err != nil {
						t.Fatal(err)
					}
				}
			}
			sameBits(t, fmt.Sprintf("%d vectors of %d by %s, %d × %d", count, depth, by, step, length), p.data, whole.data)
		}
	}
}

func TestPutErrors(t *testing.T) {
	p, err := NewRight[float32](100, 20)
	if err != nil {
		t.Fatal(err)
	}
	part := Rows(make([]float32, 100*20), 20)
	for _, c := range []struct {
		o                     Operand[float32]
		first, count, k, step int
	}{
		{part, 1, 31, 0, 20}, {part, 0, 31, 0, 20}, {part, 96, 5, 0, 20}, {part, 0, 100, 1, 20}, {part, -32, 32, 0, 20}, {part, 0, 32, -1, 2},
		{Rows(make([]float32, 10), 20), 0, 32, 0, 20}, {p.Operand(0), 0, 100, 0, 20}, {Operand[float32]{}, 0, 100, 0, 20},
	} {
		if err := p.Put(c.o, c.first, c.count, c.k, c.step); err == nil {
			t.Errorf("vectors from %d, %d of them, at depths from %d, %d of them: no error", c.first, c.count, c.k, c.step)
		}
	}
	if _, err := NewRight[float32](-1, 2); err == nil {
		t.Error("room for −1 vectors")
	}
}

// Panels hold what their layout says, whatever copies into them.
func TestPanels(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		panelsOf[float32](t)
		panelsOf[float64](t)
	})
}

func panelsOf[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for _, width := range []int{3, 4, 6, 8, 12, 16, 32} {
		for _, count := range []int{1, 2, 3, width - 1, width, 2*width + 5, 4 * width} {
			for _, depth := range []int{1, 2, 5, 16, 33} {
				rows, columns := fill(r, make([]T, (count-1)*(depth+3)+depth)), fill(r, make([]T, (depth-1)*(count+2)+count))
				want := func(value func(vector, d int) T) []T {
					dst := make([]T, roundUp(count, width)*depth)
					for v := range count {
						for d := range depth {
							dst[v/width*width*depth+d*width+v%width] = value(v, d)
						}
					}
					return dst
				}
				label := fmt.Sprintf("%T, %d vectors of %d in panels of %d", rows[0], count, depth, width)
				got := fill(r, make([]T, roundUp(count, width)*depth))
				PackRows(got, width, rows, depth+3, count, depth)
				sameBits(t, label+": rows", got, want(func(v, d int) T { return rows[v*(depth+3)+d] }))
				fill(r, got)
				PackColumns(got, width, columns, count+2, count, depth)
				sameBits(t, label+": columns", got, want(func(v, d int) T { return columns[d*(count+2)+v] }))
			}
		}
	}
}

// BenchmarkPackColors copies the colors of an image to its pixels.
func BenchmarkPackColors(b *testing.B) {
	const side = 224
	src, dst := make([]float32, 3*side*side), make([]float32, 3*side)
	for b.Loop() {
		for y := range side {
			PackRows(dst, 3, src[y*side:], side*side, 3, side)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/side/side*1e9, "ns/pixel")
}
