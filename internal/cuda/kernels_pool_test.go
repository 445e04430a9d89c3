//go:build cuda && fakecuda

// The kernels of pool.cu and resize.cu by themselves.

package cuda

import (
	"math"
	"testing"
)

// windows are axes of pooling: in, out, kernel, stride, dilation, before, after, apart.
type windows [][8]int32

func (w windows) sizes() (plane, cells, positions int) {
	plane, cells, positions = 1, 1, 1
	for _, a := range w {
		plane, cells, positions = plane*int(a[0]), cells*int(a[1]), positions*int(a[2])
	}
	return
}

func (w windows) table(b *bench) uint64 {
	var all []int32
	for _, a := range w {
		all = append(all, a[:]...)
	}
	return put(b, append(all, 0))
}

func TestPoolKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, w := range []windows{
			{{11, 6, 3, 2, 1, 1, 2, 1}},
			{{7, 5, 4, 2, 2, 3, 3, 9}, {9, 5, 3, 2, 1, 1, 1, 1}},
			{{6, 3, 2, 2, 1, 0, 0, 8}, {8, 4, 2, 2, 1, 0, 0, 1}},
			{{5, 9, 1, 1, 1, 2, 2, 7}, {7, 4, 6, 3, 1, 4, 3, 1}},
			{{6, 5, 3, 1, 1, 0, 3, 9}, {9, 7, 4, 1, 1, 2, 0, 1}},
			{{6, 6, 1, 1, 1, 0, 0, 9}, {9, 3, 9, 1, 1, 1, 2, 1}},
			{{5, 4, 2, 1, 1, 1, 0, 9}, {9, 5, 8, 1, 1, 0, 3, 1}},
			{{5, 4, 2, 1, 1, 1, 0, 9}, {9, 10, 5, 1, 1, 3, 2, 1}},
			{{6, 3, 2, 2, 1, 0, 0, 8}, {8, 8, 1, 1, 1, 0, 0, 1}},
			// Windows that lie wholly in the padding and beyond, each of their elements at every edge; far apart; empty ones.
			{{5, 16, 6, 1, 1, 5, 5, 5}, {5, 16, 6, 1, 1, 5, 5, 1}},
			{{5, 5, 1, 1, 1, 0, 0, 20}, {20, 8, 6, 1, 3, 2, 1, 1}},
			{{4, 4, 0, 1, 1, 0, 0, 5}, {5, 4, 3, 1, 1, 0, 0, 1}},
			{{4, 4, 2, 1, 1, 0, 0, 5}, {5, 4, 0, 1, 1, 0, 0, 1}},
			{{9, 8, 2, 1, 1, 0, 0, 1}},
			{{9, 9, 1, 1, 1, 0, 0, 1}},
			{{3, 2, 2, 1, 1, 0, 0, 20}, {4, 4, 3, 1, 1, 1, 1, 5}, {5, 3, 3, 2, 2, 2, 2, 1}},
			{{2, 2, 2, 1, 1, 1, 0, 60}, {3, 2, 2, 1, 1, 0, 0, 20}, {4, 2, 3, 1, 1, 0, 0, 5}, {5, 3, 3, 2, 2, 2, 2, 1}},
			{{2, 2, 2, 1, 1, 0, 1, 72}, {2, 1, 2, 1, 1, 0, 0, 36}, {3, 2, 2, 1, 1, 0, 0, 12}, {4, 2, 3, 1, 1, 0, 0, 3}, {3, 3, 2, 1, 1, 1, 1, 1}},
			{{2, 1, 2, 1, 1, 0, 0, 72}, {1, 1, 1, 1, 1, 0, 0, 72}, {2, 2, 2, 1, 1, 0, 1, 36}, {3, 2, 2, 1, 1, 0, 0, 12}, {1, 2, 2, 1, 1, 1, 1, 12}, {4, 2, 3, 1, 1, 0, 0, 3}, {3, 2, 2, 1, 1, 0, 0, 1}},
		} {
			plane, cells, positions := w.sizes()
			const planes = 5
			count := planes*cells - 1
			x := telling(planes * plane)
			for i := range x {
				if i%3 == 1 {
					x[i] = x[i/2]
				}
			}
			integers := scattered[int64](planes*plane, 4)
			for i := range integers {
				integers[i] = integers[i]%40 - 30
			}
			table := w.table(b)
			for first := range 2 {
				for which := 1; which < 4; which++ {
					y, places := put(b, make([]uint64, count)), put(b, make([]int64, count))
					b.each("max_pool_f32", put(b, x), y*uint64(which&1), places*uint64(which>>1), count, table, len(w), plane, cells, positions, first)
					b.each("max_pool_i64", put(b, integers), y*uint64(which&1), places*uint64(which>>1), count, table, len(w), plane, cells, positions, first)
				}
				b.each("average_pool_f32", put(b, x), put(b, make([]float32, count)), count, table, len(w), plane, cells, positions, first)
				b.each("average_pool_f32", put(b, noise(planes*plane, 3)), put(b, make([]float32, count)), count, table, len(w), plane, cells, positions, first)
				if len(w) == 2 {
					b.each("average_pool_images_f32", put(b, noise(planes*plane, 3)), put(b, make([]float32, count)), count, table, first)
				}
			}
			if len(w) == 2 {
				b.each("max_pool_images_f32", put(b, x), put(b, make([]float32, count)), count, table)
				b.each("max_pool_images_f32", put(b, noise(planes*plane, 3)), put(b, make([]float32, count)), count, table)
				zeros := noise(planes*plane, 5) // of both signs
				for i := range zeros {
					zeros[i] = float32(math.Copysign(0, float64(zeros[i])))
				}
				b.each("max_pool_images_f32", put(b, zeros), put(b, make([]float32, count)), count, table)
				b.each("max_pool_f32", put(b, zeros), put(b, make([]float32, count)), put(b, make([]int64, count)), count, table, len(w), plane, cells, positions, 0)
			}
		}
		// Places of elements that are equal, all of them the least; and no window at all.
		least := make([]int64, 60)
		for i := range least {
			least[i] = math.MinInt64
		}
		w := windows{{4, 4, 3, 1, 1, 1, 1, 5}, {5, 5, 3, 1, 1, 1, 1, 1}}
		b.each("max_pool_i64", put(b, least), put(b, make([]int64, 60)), put(b, make([]int64, 60)), 60, w.table(b), 2, 20, 20, 9, 1)
		b.each("max_pool_f32", put(b, make([]float32, 60)), put(b, make([]float32, 60)), put(b, make([]int64, 60)), 60, w.table(b), 2, 20, 20, 9, 0)
		b.each("max_pool_f32", put(b, make([]float32, 60)), put(b, make([]float32, 60)), put(b, make([]int64, 60)), 60, w.table(b), 0, 1, 1, 1, 1)
		// A mean of one element without axes, and windows without elements.
		b.each("average_pool_f32", put(b, noise(60, 2)), put(b, make([]float32, 60)), 60, w.table(b), 0, 1, 1, 1, 1)
		for kind, size := range map[string]int{"f32": 4, "i64": 8} {
			b.each("max_pool_"+kind, put(b, make([]uint8, 60*size)), put(b, make([]uint8, 60*size)), put(b, make([]int64, 60)), 60, w.table(b), 2, 20, 20, 0, 0)
		}
		b.each("average_pool_f32", put(b, noise(60, 2)), put(b, make([]float32, 60)), 60, w.table(b), 2, 20, 20, 0, 0)
		// Planes of more than 32 bits: only the last of seven slices is read.
		const apart = 1 << 30
		w = windows{{7, 1, 1, 1, 1, -6, 0, apart}, {5, 4, 2, 1, 1, 0, 0, 1}}
		three := windows{{7, 1, 1, 1, 1, -6, 0, apart}, {2, 1, 1, 1, 1, 0, 0, 5}, {5, 4, 2, 1, 1, 0, 0, 1}}
		for first := range 2 {
			b.each("max_pool_f32", far(put(b, noise(10, 3)), 4, 6*apart), put(b, make([]float32, 4)), put(b, make([]int64, 4)), 4, three.table(b), 3, 7*apart, 4, 2, first)
			b.each("max_pool_i64", far(put(b, scattered[int64](10, 3)), 8, 6*apart), put(b, make([]int64, 4)), put(b, make([]int64, 4)), 4, three.table(b), 3, 7*apart, 4, 2, first)
			b.each("max_pool_f32", far(put(b, noise(5, 3)), 4, 6*apart), put(b, make([]float32, 4)), put(b, make([]int64, 4)), 4, w.table(b), 2, 7*apart, 4, 2, first)
			b.each("max_pool_i64", far(put(b, scattered[int64](5, 3)), 8, 6*apart), put(b, make([]int64, 4)), put(b, make([]int64, 4)), 4, w.table(b), 2, 7*apart, 4, 2, first)
		}
		for _, first := range distant {
			const n = 512
			// Planes of 3 by 4, and windows whose planes are far out.
			w := windows{{3, 2, 2, 1, 1, 0, 0, 4}, {4, 3, 2, 1, 1, 0, 0, 1}}
			row0 := first / 6
			planes := (first+n-1)/6 - row0 + 1
			count := first + n
			x := telling(planes * 12)
			y, places := put(b, make([]float32, n)), put(b, make([]int64, n))
			b.part("max_pool_f32", count, first, n, far(put(b, x), 4, row0*12), far(y, 4, first), far(places, 8, first), count, w.table(b), 2, 12, 6, 4, 0)
			b.part("max_pool_f32", count, first, n, far(put(b, x), 4, row0*12), far(y, 4, first), far(places, 8, first), count, w.table(b), 2, 12, 6, 4, 1)
			z := put(b, make([]int64, n))
			b.part("max_pool_i64", count, first, n, far(put(b, scattered[int64](planes*12, 4)), 8, row0*12), far(z, 8, first), far(places, 8, first), count, w.table(b), 2, 12, 6, 4, 1)
			steady := noise(planes*12, 8)
			b.part("average_pool_f32", count, first, n, far(put(b, steady), 4, row0*12), far(y, 4, first), count, w.table(b), 2, 12, 6, 4, 0)
			want := func(i int) float32 {
				e := first + i
				at := e/6 - row0
				p := steady[at*12+e%6/3*4+e%3:]
				return float32((float64(p[0]) + float64(p[1]) + float64(p[4]) + float64(p[5])) / 4)
			}
			expect(b, "average_pool_f32", get[float32](b, y, n), want)
			b.part("average_pool_images_f32", count, first, n, far(put(b, steady), 4, row0*12), far(y, 4, first), count, w.table(b), 0)
			expect(b, "average_pool_images_f32", get[float32](b, y, n), want)
			b.part("max_pool_images_f32", count, first, n, far(put(b, x), 4, row0*12), far(y, 4, first), count, w.table(b))
		}
	})
}

// resizeAxis is ResizeAxis of resize.cu.
func resizeAxis(length, apart, taps, first int) []uint64 {
	return []uint64{uint64(length), math.MaxUint64 / uint64(length), uint64(apart), uint64(taps) | uint64(first)<<32}
}

func TestResizeKernels(t *testing.T) {
	directly(t, func(b *bench) {
		weights := noise(400, 9)
		indices := func(n, below int) []int32 {
			v := make([]int32, n)
			for i := range v {
				v[i] = int32(i * i % below)
				if i%19 == 18 {
					v[i] = -1
				}
			}
			return v
		}
		for _, c := range []struct {
			table        [][]uint64
			last, count  int
			combinations int
		}{
			// Lengths, how far apart, taps and where they begin; of the last resized axis innermost.
			{[][]uint64{resizeAxis(7, 1, 3, 0)}, 0, 7, 1},
			{[][]uint64{resizeAxis(40, 1, 2, 0)}, 0, 40, 1},
			{[][]uint64{resizeAxis(3, 30, 0, 0), resizeAxis(5, 6, 2, 0), resizeAxis(4, 1, 2, 10)}, 2, 60, 2},
			{[][]uint64{resizeAxis(3, 30, 0, 0), resizeAxis(5, 6, 4, 0), resizeAxis(4, 1, 4, 20)}, 2, 60, 4},
			{[][]uint64{resizeAxis(4, 25, 3, 0), resizeAxis(5, 6, 2, 12), resizeAxis(6, 1, 2, 22)}, 2, 120, 6},
			{[][]uint64{resizeAxis(4, 25, 3, 0), resizeAxis(5, 6, 2, 12), resizeAxis(3, 1, 0, 0), resizeAxis(2, 3, 0, 0)}, 1, 120, 3},
			{[][]uint64{resizeAxis(5, 3, 1, 0), resizeAxis(9, 2, 2, 5)}, 1, 45, 1},
			{[][]uint64{resizeAxis(3, 7, 2, 0), resizeAxis(2, 32, 0, 0), resizeAxis(2, 16, 0, 0), resizeAxis(3, 5, 0, 0), resizeAxis(2, 4, 0, 0), resizeAxis(2, 2, 0, 0), resizeAxis(2, 1, 0, 0)}, 0, 288, 1},
			{[][]uint64{resizeAxis(3, 7, 5, 0), resizeAxis(2, 32, 0, 0), resizeAxis(2, 16, 0, 0), resizeAxis(3, 5, 0, 0), resizeAxis(2, 4, 0, 0)}, 0, 72, 1},
		} {
			// A negative index in another place than the first is read.
			b.each("resize_f32", far(put(b, noise(500, 4)), 4, -100), put(b, make([]float32, c.count)), c.count-1, put(b, axes(c.table...)), len(c.table), c.last, c.combinations,
				put(b, indices(100, 6)), put(b, weights), float32(-7.5))
			plain := indices(100, 5)
			for i := range plain {
				plain[i] = max(plain[i], 0)
			}
			b.each("resize_f32", put(b, noise(400, 4)), put(b, make([]float32, c.count)), c.count, put(b, axes(c.table...)), len(c.table), c.last, c.combinations,
				put(b, plain), put(b, weights), float32(-7.5))
		}
		b.distantResizes()
		b.samples()
	})
}

// distantResizes resizes elements far out, where each axis in turn is the long one.
func (b *bench) distantResizes() {
	const n = 512
	weights, index := put(b, noise(400, 9)), make([]int32, 100)
	for i := range index {
		index[i] = int32(i % 3)
	}
	list := put(b, index)
	for _, first := range distant {
		count := first + n
		for _, c := range []struct {
			table              [][]uint64
			last, combinations int
			from               int // the least index that is read
		}{
			// A long outer axis that stays, over axes that are resized, or that stay.
			{[][]uint64{resizeAxis(1<<40, 3, 0, 0), resizeAxis(6, 1, 2, 0)}, 1, 1, first / 6 * 3},
			{[][]uint64{resizeAxis(1<<40, 3, 0, 0), resizeAxis(4, 1, 2, 12), resizeAxis(6, 1, 3, 20)}, 2, 2, first / 24 * 3},
			{[][]uint64{resizeAxis(1<<40, 1, 0, 0), resizeAxis(2, 1, 3, 0), resizeAxis(7, 2, 0, 0), resizeAxis(3, 2, 0, 0)}, 1, 1, first / 42},
			{[][]uint64{resizeAxis(7, 1, 2, 0), resizeAxis(1<<40, 1, 0, 0)}, 0, 1, first},
			{[][]uint64{resizeAxis(7, 1, 2, 0), resizeAxis(1<<40, 1, 0, 0), resizeAxis(2, 1, 0, 0), resizeAxis(3, 1, 0, 0), resizeAxis(2, 2, 0, 0), resizeAxis(2, 3, 0, 0)}, 0, 1, first / 24},
			{[][]uint64{resizeAxis(7, 1, 2, 0), resizeAxis(1<<40, 1, 0, 0), resizeAxis(3, 1, 0, 0), resizeAxis(2, 2, 0, 0), resizeAxis(1<<33, 0, 0, 0)}, 0, 1, first >> 33 / 6},
			{[][]uint64{resizeAxis(1<<30, 1, 0, 0), resizeAxis(2, 3, 2, 0), resizeAxis(1<<33, 1, 0, 0)}, 1, 1, first % (1 << 33)},
		} {
			x := far(put(b, noise(4000, 4)), 4, c.from-20)
			b.part("resize_f32", count, first, n, x, far(put(b, make([]float32, n)), 4, first), count, put(b, axes(c.table...)), len(c.table), c.last, c.combinations, list, weights, float32(2))
		}
	}
}

// samples runs grid_sample_f32 in all its modes.
func (b *bench) samples() {
	nan := float32(math.NaN())
	points := []float32{0, 0, -1, -1, 1, 1, 0.3, -0.7, -1.2, 0.1, 0.9, 1.3, -3.4, 2.6, nan, 0, 0, infinite, -infinite, 0.5, 1e8, -1e9, 3e9, -4e10, 0.25, -0.25, -0.5, 0.75, 0.99, -0.99, 1.01, -1.01,
		-0.8, 0.8, 0.6, 0.2, -0.4, -0.6, 5, -5, 2, -2, 1.5, 0.4, 0.2, -1.75}
	more := noise(2*40-len(points)+40, 6)
	for i := range more {
		more[i] *= 1.3
	}
	points = append(points, more...)
	for _, c := range []struct{ images, points, channels, parts, height, width int }{{2, 30, 3, 2, 5, 6}, {1, 60, 2, 1, 1, 7}, {2, 25, 1, 1, 4, 1}, {1, 40, 5, 3, 2, 2}} {
		image := put(b, noise(c.images*c.channels*c.height*c.width, 7))
		for mode := range 3 {
			for padding := range 3 {
				for align := range 2 {
					b.each("grid_sample_f32", image, put(b, points[:2*c.images*c.points]), put(b, make([]float32, c.images*c.channels*c.points)),
						c.images, c.points, c.channels, c.parts, c.height, c.width, mode, padding, align)
				}
			}
		}
	}
	// Points at the middles and the edges of pixels, and near them, to two widths outside.
	for _, size := range []int{1, 2, 5, 8} {
		var line []float32
		for i := -4 * size; i <= 6*size; i++ {
			position := (float32(i)+1)/float32(size) - 1
			line = append(line, position, math.Nextafter32(position, 9), math.Nextafter32(position, -9))
			if size > 1 {
				line = append(line, float32(i)/float32(size-1)-1)
			}
		}
		var grid []float32
		for i, at := range line {
			grid = append(grid, at, line[(i*7+3)%len(line)])
		}
		image, infinities := put(b, noise(2*size*(size+1), 7)), make([]float32, 2*size*(size+1))
		for i := range infinities {
			infinities[i] = []float32{1, infinite, 2, -3}[i%4] // one that is not to be read shows by any weight
		}
		for which := range 36 {
			if which == 18 {
				image = put(b, infinities)
			}
			which %= 18
			b.start("grid_sample_f32", [3]int{(len(line) + 63) / 64, 1, 1}, [3]int{64, 1, 1}, 0, image, put(b, grid), put(b, make([]float32, 2*len(line))),
				1, len(line), 2, 1, size+1, size, which%3, which/3%3, which/9)
		}
	}
	const n = 256
	for _, first := range distant {
		// Many images of one point, and of a few points; many points of one image.
		for _, c := range []struct{ points, parts, channels int }{{1, 1, 1}, {6, 1, 1}, {2, 3, 5}, {1 << 38, 1, 2}} {
			images := (first+n)/(c.points*c.parts) + 1
			image0 := first / (c.points * c.parts)
			grid, y, image := far(put(b, noise(4*n, 5)), 8, image0*c.points), far(put(b, make([]float32, 8*n)), 4, image0*c.channels*c.points), far(put(b, noise(64*n, 3)), 4, image0*c.channels*12)
			if c.points > n {
				images, grid, y = 1, far(put(b, noise(2*n, 5)), 8, first), far(put(b, make([]float32, n)), 4, first)
				c.channels = 1
			}
			b.part("grid_sample_f32", images*c.points*c.parts, first, n, image, grid, y, images, c.points, c.channels, c.parts, 3, 4, 1, 1, 0)
		}
	}
}
