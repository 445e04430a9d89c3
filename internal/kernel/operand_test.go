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

// Rows lie in panels of any width as the comment of Packer says.
func TestPackRows(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(6, 7))
		for trial := range 300 {
			width, count, depth := 1+r.IntN(14), 1+r.IntN(30), 1+r.IntN(60)
			if trial%3 == 0 { // an image's colors
				width, count = 3, 3
			}
			stride := depth + r.IntN(3)
			src := fill(r, make([]float32, (count-1)*stride+depth))
			got := fill(r, make([]float32, roundUp(count, width)*depth))
			want := make([]float32, len(got))
			for v := range count {
				for d := range depth {
					want[v/width*width*depth+d*width+v%width] = src[v*stride+d]
				}
			}
			PackRows(got, width, src, stride, count, depth)
			sameBits(t, fmt.Sprintf("%d rows of %d in panels of %d", count, depth, width), got, want)
		}
	})
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
