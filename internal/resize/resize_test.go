// Resizing against a direct computation in float64.

package resize

import (
	"math"
	"testing"
)

func TestFrame(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]int{{1, 1, 3, 2}, {4, 6, 2, 3}, {5, 7, 8, 3}, {3, 3, 3, 3}, {2, 9, 11, 4}} {
		h, w, toH, toW := c[0], c[1], c[2], c[3]
		src := make([]float32, h*w)
		for i := range src {
			src[i] = float32((i * 37) % 101)
		}
		for _, nearest := range []bool{false, true} {
			dst := make([]float32, toH*toW)
			New(h, w, toH, toW, nearest).Frame(dst, src)
			for i := range toH {
				for j := range toW {
					want := naive(src, h, w, (float64(i)+0.5)*float64(h)/float64(toH)-0.5, (float64(j)+0.5)*float64(w)/float64(toW)-0.5)
					if nearest {
						want = float64(src[i*h/toH*w+j*w/toW])
					}
					if got := dst[i*toW+j]; math.Abs(float64(got)-want) > 1e-4 {
						t.Errorf("%v, nearest %v: pixel %d %d is %g, want %g", c, nearest, i, j, got, want)
					}
				}
			}
		}
	}
}

// naive is the bilinear value at a place between the centers of pixels.
func naive(src []float32, h, w int, y, x float64) float64 {
	y, x = min(max(y, 0), float64(h-1)), min(max(x, 0), float64(w-1))
	sum := 0.0
	for i := range h {
		for j := range w {
			sum += max(0, 1-math.Abs(float64(i)-y)) * max(0, 1-math.Abs(float64(j)-x)) * float64(src[i*w+j])
		}
	}
	return sum
}

// A frame of its own size stays as it is.
func TestSameSize(t *testing.T) {
	t.Parallel()
	src := []float32{1, 2.5, -3, 4, 5, 6}
	dst := make([]float32, 6)
	New(2, 3, 2, 3, false).Frame(dst, src)
	for i := range src {
		if dst[i] != src[i] {
			t.Errorf("element %d is %g, want %g", i, dst[i], src[i])
		}
	}
}
