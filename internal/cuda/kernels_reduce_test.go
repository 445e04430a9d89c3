//go:build cuda && fakecuda

// The kernels of reduce.cu and noise.cu by themselves.

package cuda

import (
	"fmt"
	"math"
	"testing"

	"repscope/internal/cuda/fakecuda"
)

func TestReduceKernels(t *testing.T) {
	directly(t, func(b *bench) {
		const limit = 3000
		floats, integers := noise(limit, 3), scattered[int64](limit, 4)
		for i := range integers {
			integers[i] = integers[i]%9 - 3
		}
		special := telling(limit)
		top := put(b, noise(64, 8))
		for _, c := range []struct {
			total, n, chunk     int
			kept, reduced       [][]uint64
			byThread, wholeTile bool
		}{
			{5, 41, 41, [][]uint64{axis(5, 41)}, [][]uint64{axis(41, 1)}, true, false},
			{6, 300, 300, [][]uint64{axis(3, 700), axis(2, 1)}, [][]uint64{axis(300, 2)}, true, false},
			{4, 60, 60, [][]uint64{axis(4, 1)}, [][]uint64{axis(5, 48), axis(12, 4)}, true, false},
			{3, 70, 32, [][]uint64{axis(3, 70)}, [][]uint64{axis(70, 1)}, true, false},
			{1, 2500, 1024, nil, [][]uint64{axis(2500, 1)}, false, false},
			{2, 129, 43, [][]uint64{axis(2, 200)}, [][]uint64{axis(3, 43), axis(43, 1)}, true, false},
			{7, 1, 1, [][]uint64{axis(7, 3)}, nil, true, false},
			{3, 0, 1, [][]uint64{axis(3, 3)}, nil, true, false},
			{24, 48, 48, [][]uint64{axis(2, 900), axis(3, 200), axis(2, 70), axis(2, 7)}, [][]uint64{axis(2, 3), axis(3, 11), axis(2, 17), axis(4, 1)}, true, false},
			{24, 72, 40, [][]uint64{axis(2, 900), axis(1, 9), axis(3, 200), axis(2, 70), axis(2, 7)}, [][]uint64{axis(2, 3), axis(3, 11), axis(2, 17), axis(2, 1), axis(3, 90)}, true, false},
			{48, 96, 96, [][]uint64{axis(2, 900), axis(1, 9), axis(3, 200), axis(2, 70), axis(2, 30), axis(1, 3), axis(2, 7)},
				[][]uint64{axis(2, 3), axis(3, 11), axis(2, 17), axis(2, 1), axis(2, 90), axis(1, 5), axis(2, 200)}, true, false},
		} {
			chunks := max((c.n+c.chunk-1)/c.chunk, 1)
			for _, by := range []struct {
				name  string
				lanes int
			}{{"thread", 1}, {"warp", 32}, {"block", 256}} {
				grid := [3]int{(c.total*by.lanes + 255) / 256, chunks, 1}
				for term := range 7 {
					for end := range 5 {
						if (term+end+c.n)%3 != 0 && end > 0 {
							continue // not every pair
						}
						b.scope(func() {
							y, partial := put(b, make([]uint64, c.total)), put(b, make([]uint64, c.total*chunks))
							run := func(kind string, x, with uint64) {
								b.start(fmt.Sprintf("reduce_by_%s_%s", by.name, kind), grid, [3]int{256, 1, 1}, 0, x, y, partial, with,
									put(b, axes(c.kept...)), len(c.kept), put(b, axes(c.reduced...)), len(c.reduced), c.total, c.n, c.chunk, term, end)
								if chunks > 1 {
									b.start("join_chunks_"+kind, [3]int{(c.total + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0, partial, y, with, c.total, c.n, chunks, term, end)
								}
							}
							with := top
							if end == 0 {
								with = 0
							}
							run("f32", put(b, floats), with)
							if end < 2 {
								run("f32", put(b, special), with)
								run("i64", put(b, integers), 0)
							}
						})

					}
				}
			}
		}
		// More chunks than lanes.
		for term := range 4 {
			zeros := make([]float64, 70)
			for i, v := range telling(70) {
				zeros[i] = float64(v)
			}
			zeros[9], zeros[10], zeros[11] = 0, 0, 0
			for _, of := range [][]float64{zeros, zeros[:2], zeros[1:3], zeros[8:40], make([]float64, 40)} {
				b.start("join_chunks_f32", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, of), put(b, make([]float32, 1)), 0, 1, 9999, len(of), term, 0)
			}
			partial, whole := make([]float64, 3*70), make([]int64, 3*70)
			for i := range partial {
				partial[i], whole[i] = float64(floats[i]), integers[i]
			}
			b.start("join_chunks_f32", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, partial), put(b, make([]float32, 3)), 0, 3, 9999, 70, term, 1)
			b.start("join_chunks_i64", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, whole), put(b, make([]int64, 3)), 0, 3, 9999, 70, term, 1)
			for n := range 3 { // of how many there are, also none
				for _, value := range []int64{0, 1, 7, math.MinInt64, math.MaxInt64} {
					b.start("join_chunks_i64", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, []int64{value}), put(b, make([]int64, 1)), 0, 1, n, 1, term, 0)
				}
			}
		}
		b.endings()
		b.arguments()
		b.distantReductions()
	})
}

// endings has what a reduction ends with for many numbers: sums of one term each.
func (b *bench) endings() {
	const n = 500
	x, top := telling(n), noise(n, 4)
	values := make([]float64, n)
	for i := range x {
		values[i] = float64(x[i]) * math.Ldexp(1, i%5*120-240)
		if i%3 == 0 {
			x[i] = float32(math.Abs(float64(x[i])))
			values[i] = math.Abs(values[i])
		}
	}
	in, with, partial := put(b, x), put(b, top), put(b, values)
	for _, by := range []struct {
		name  string
		lanes int
	}{{"thread", 1}, {"warp", 32}, {"block", 256}} {
		count := min(n, 128000/by.lanes/4)
		for _, c := range [][2]int{{0, 2}, {0, 3}, {0, 4}, {4, 3}, {6, 0}, {6, 3}, {6, 4}} {
			b.start("reduce_by_"+by.name+"_f32", [3]int{(count*by.lanes + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, in, put(b, make([]float32, n)), 0, with,
				put(b, axes(axis(n, 1))), 1, put(b, axes()), 0, count, 1, 1, c[0], c[1])
		}
	}
	for end := range 5 {
		b.start("join_chunks_f32", [3]int{(n + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0, partial, put(b, make([]float32, n)), with, n, 3, 1, 0, end)
	}
	for _, c := range [][3]float32{{0.75, 1.5, 0.3}, {2, 0.25, 1}, {-0.5, 1, 3}, {0, 1, 1}, {1, 0, 1}, {3.5, 1e-3, 1e-3}, {0.6, -1, 0.1}} {
		b.each("local_response_f32", put(b, x[:5*7*14]), put(b, make([]float32, 5*7*14)), 5*7*14, 7, 5, 1, 1, c[2], c[0], c[1])
	}
	// The logarithm of a product below the normal numbers.
	tiny := make([]float32, 3*40)
	for i := range tiny {
		tiny[i] = 1
		if i%40 < 7 {
			tiny[i] = 1e-45
		}
	}
	for _, by := range []string{"thread", "warp", "block"} {
		b.start("reduce_by_"+by+"_f32", [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, put(b, tiny), put(b, make([]float32, 3)), 0, 0, put(b, axes(axis(3, 40))), 1, put(b, axes(axis(40, 1))), 1, 3, 40, 40, 3, 3)
	}
	b.start("join_chunks_f32", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, []float64{3e-310, 0, 1e-315, 2e-310}), put(b, make([]float32, 2)), 0, 2, 2, 2, 0, 3)
	// The functions of rows.
	for logarithm := range 2 {
		b.start("softmax_block_f32", [3]int{60, 1, 1}, [3]int{256, 1, 1}, 0, put(b, noise(60*7, 9)), put(b, make([]float32, 60*7)), 7, logarithm)
		b.each("softmax_columns_f32", put(b, noise(60*7, 9)), put(b, make([]float32, 60*7)), 60, 7, 3, logarithm)
	}
}

// arguments runs argument_*: ties, NaN in the first place and elsewhere, lines apart.
func (b *bench) arguments() {
	nan := float32(math.NaN())
	for _, c := range []struct{ n, inner, outer int }{{7, 1, 9}, {45, 3, 3}, {70, 1, 5}, {1, 4, 2}, {33, 2, 4}} {
		total := c.outer * c.inner
		x := make([]float32, total*c.n)
		integers := make([]int64, len(x))
		for i := range x {
			x[i] = float32((i*i+i/7)%11) - 5
			integers[i] = int64(x[i]) << 33
			if i%13 == 0 && i/c.n%3 == 0 || i%29 == 5 {
				x[i] = nan
			}
		}
		for o := range c.outer {
			if o%2 == 1 {
				x[o*c.n*c.inner] = nan
			}
		}
		for which := range 4 {
			for _, kernel := range []string{"argument_by_thread_f32", "argument_by_warp_f32", "argument_by_thread_i64", "argument_by_warp_i64"} {
				from := put(b, x)
				if kernel[len(kernel)-3:] == "i64" {
					from = put(b, integers)
				}
				threads := total
				if kernel[9:13] == "by_w" {
					threads *= 32
				}
				b.start(kernel, [3]int{(threads + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, from, put(b, make([]int64, total)), total, c.n, c.inner, which&1, which>>1)
			}
		}
	}
	// Few different numbers in every order, and NaN.
	for _, n := range []int{31, 33, 64, 70} {
		const total = 48
		seeds := scattered[uint32](total*n, uint64(n))
		x, integers := make([]float32, total*n), make([]int64, total*n)
		for i, s := range seeds {
			x[i] = float32(s>>3%4) - 1
			integers[i] = int64(s>>3%4) - 1
			if s%9 == 0 && i/n%2 == 0 {
				x[i] = nan
			}
		}
		for which := range 4 {
			for kind, from := range map[string]uint64{"f32": put(b, x), "i64": put(b, integers)} {
				b.start("argument_by_warp_"+kind, [3]int{total / 8, 1, 1}, [3]int{256, 1, 1}, 0, from, put(b, make([]int64, total)), total, n, 1, which&1, which>>1)
				b.start("argument_by_thread_"+kind, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, from, put(b, make([]int64, total)), total, n, 1, which&1, which>>1)
			}
		}
	}
	// Lines far out: one thread per line, and a warp.
	const n = 256
	for _, first := range distant {
		for _, inner := range []int{1, 6, 1 << 33} {
			row0, column := first/inner, first%inner
			if inner > n && column+n > inner {
				continue
			}
			x := put(b, noise(20*n, 2))
			y := far(put(b, make([]int64, n)), 8, first)
			base, lines := row0*3*inner, 3
			if inner > n {
				base, lines = row0*inner+column, 1
			}
			for _, least := range []int{0, 1} {
				b.part("argument_by_thread_f32", first+n, first, n, far(x, 4, base), y, first+n, lines, inner, least, 0)
				b.part("argument_by_thread_i64", first+n, first, n, far(put(b, scattered[int64](20*n, 3)), 8, base), y, first+n, lines, inner, least, 1)
			}
			if inner <= n && first < 1<<34 {
				fakecuda.Blocks(first/8, 2)
				b.start("argument_by_warp_f32", [3]int{(first + n) / 8, 1, 1}, [3]int{256, 1, 1}, 0, far(x, 4, base), y, first+n, lines, inner, 0, 0)
				b.start("argument_by_warp_i64", [3]int{(first + n) / 8, 1, 1}, [3]int{256, 1, 1}, 0, far(put(b, scattered[int64](20*n, 3)), 8, base), y, first+n, lines, inner, 0, 0)
				fakecuda.Blocks(0, 0)
			}
			b.part("running_sum_f32", first+n, first, n, far(x, 4, base), far(put(b, make([]float32, 20*n)), 4, base), first+n, lines, inner, 0, 0)
			b.part("running_sum_i64", first+n, first, n, far(put(b, scattered[int64](20*n, 3)), 8, base), far(put(b, make([]int64, 20*n)), 8, base), first+n, lines, inner, 1, 1)
			b.part("softmax_columns_f32", first+n, first, n, far(x, 4, base), far(put(b, make([]float32, 20*n)), 4, base), first+n, lines, inner, 0)
			b.part("batch_norm_f32", first+n, first, n, far(x, 4, first), put(b, []float64{2, 1, -3, 0.5, 0.25, -1, 4, 2, 5, 6}), far(put(b, make([]float32, n)), 4, first), first+n, inner, 5)
			if inner <= 6 {
				b.part("local_response_f32", first+n, first, n, far(x, 4, first-2*inner), far(put(b, make([]float32, n)), 4, first), first+n, inner, 5, 1, 2, float32(0.3), float32(0.75), float32(1.5))
			}
		}
	}
}

func TestNormalizationKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, c := range []struct{ rows, n int }{{9, 33}, {3, 1}, {8, 32}, {2, 1000}, {1, 1024}, {5, 100}} {
			x := noise(c.rows*c.n, uint32(c.n))
			for i := range x {
				x[i] *= 6
			}
			if c.n == 100 {
				x[7], x[101], x[250], x[303] = infinite, float32(math.NaN()), -infinite, 200
			}
			b.start("softmax_warp_f32", [3]int{(c.rows + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x), put(b, make([]float32, len(x))), c.rows, c.n)
			for logarithm := range 2 {
				b.start("softmax_block_f32", [3]int{c.rows, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x), put(b, make([]float32, len(x))), c.n, logarithm)
			}
		}
		for n := 1; n <= 1024; n += 32 {
			b.start("softmax_warp_f32", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, noise(n, 9)), put(b, make([]float32, n)), 1, n)
		}
		for logarithm := range 2 {
			for _, c := range []struct{ outer, n, inner int }{{3, 7, 60}, {200, 5, 1}, {2, 3, 7}} {
				total := c.outer * c.inner
				b.each("softmax_columns_f32", put(b, noise(total*c.n, 3)), put(b, make([]float32, total*c.n)), total, c.n, c.inner, logarithm)
				b.each("softmax_columns_f32", put(b, telling(total*c.n)), put(b, make([]float32, total*c.n)), total, c.n, c.inner, logarithm)
			}
		}
		for _, c := range []struct{ outer, n, inner int }{{3, 7, 60}, {200, 3, 1}, {2, 40, 7}} {
			total := c.outer * c.inner
			for which := range 4 {
				b.each("running_sum_f32", put(b, noise(total*c.n, 3)), put(b, make([]float32, total*c.n)), total, c.n, c.inner, which&1, which>>1)
				b.each("running_sum_i64", put(b, scattered[int64](total*c.n, 3)), put(b, make([]int64, total*c.n)), total, c.n, c.inner, which&1, which>>1)
			}
		}
		for which := range 8 {
			for _, width := range []int{4, 128, 132, 500, 512, 700, 1024, 1500, 2048} {
				for kernel, limit := range map[string]int{"layer_norm_512_f32": 512, "layer_norm_1024_f32": 1024, "layer_norm_2048_f32": 2048} {
					if width > limit || limit > 512 && width*4 < limit {
						continue
					}
					rows := 9
					x := noise(rows*width, uint32(width))
					for i := range x {
						x[i] += float32(i / width)
					}
					scale, bias := put(b, noise(width, 2))*uint64(which&1), put(b, noise(width, 3))*uint64(which>>1&1)
					mean, inverse := put(b, make([]float32, rows))*uint64(which>>1&1), put(b, make([]float32, rows))*uint64(which&1)
					b.start(kernel, [3]int{(rows + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x), scale, bias, put(b, make([]float32, len(x))), mean, inverse, rows, width, float32(1e-3), which>>2)
				}
			}
			for _, c := range []struct{ width, inner, groups, channels int }{{300, 0, 1, 1}, {60, 5, 2, 12}, {700, 100, 3, 7}, {7, 1, 2, 7}} {
				x := noise(5*c.width, uint32(c.width))
				for i := range x {
					x[i] += float32(i / c.width)
				}
				scale, bias := put(b, noise(400, 2))*uint64(which&1), put(b, noise(400, 3))*uint64(which>>1&1)
				mean, inverse := put(b, make([]float32, 5))*uint64(which>>1&1), put(b, make([]float32, 5))*uint64(which&1)
				b.start("normalize_block_f32", [3]int{5, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x), scale, bias, put(b, make([]float32, len(x))), mean, inverse, c.width, float32(1e-3), c.inner, c.groups, c.channels, which>>2)
			}
		}
		factors := put(b, make([]float64, 2*150))
		b.each("batch_norm_factors", put(b, noise(150, 1)), put(b, noise(150, 2)), put(b, noise(150, 3)), put(b, counting[float32](150)), factors, 150, float32(1e-5))
		for _, inner := range []int{1, 7} {
			b.each("batch_norm_f32", put(b, noise(400, 5)), factors, put(b, make([]float32, 400)), 400, inner, 5)
			for _, c := range [][2]int{{1, 2}, {2, 0}, {0, 1}, {9, 9}} {
				b.each("local_response_f32", put(b, noise(5*7*4, 5)), put(b, make([]float32, 5*7*4)), 5*7*4, inner, 5, c[0], c[1], float32(0.3), float32(0.75), float32(1.5))
			}
		}
	})
}

func TestNoiseKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, c := range []struct{ count, offset, uniform int }{{700, 0, 0}, {301, 5, 0}, {250, 2, 1}, {3, 3, 0}, {9, 1 << 34, 0}, {30, 1<<34 - 3, 1}} {
			b.each("random_f32", put(b, make([]float32, c.count)), c.count, 0x123456789abcdef, 0xfedcba9876543210>>1, c.offset, c.uniform)
		}
		keys := put(b, scattered[uint32](4*40, 77))
		for _, c := range []struct{ rows, width int }{{3, 130}, {37, 7}, {5, 64}, {2, 1}} {
			bytes, floats := scattered[uint8](c.rows*c.width, 3), noise(c.rows*c.width, 4)
			for i := range bytes {
				bytes[i] += uint8(59 * i)
			}
			for kind := range 3 {
				for clip := range 3 {
					for _, variant := range []struct {
						kernel    string
						x         uint64
						low, high float32
						level     float64
					}{{"noise_f32", put(b, floats), -0.8, 0.9, 0.6}, {"noise_u8", put(b, bytes), 0, 255, 150}, {"noise_f32", put(b, telling(c.rows*c.width)), -1, 1, 2.5}, {"noise_f32", put(b, telling(c.rows*c.width)), 0, 1, 0}, {"noise_f32", put(b, telling(c.rows*c.width)), -1, float32(math.Copysign(0, -1)), 0},
						{"noise_f32", put(b, telling(c.rows*c.width)), 0, 3e-39, 1e-38}, {"noise_f32", put(b, telling(c.rows*c.width)), -1e-38, 2e-38, 1e-36}, {"noise_f32", put(b, noise(c.rows*c.width, 7)), 0.25, 0.375, 1e4},
						// Bounds that a reflection does not return to.
						{"noise_u8", put(b, bytes), -1e8, 0.3, 0.1}, {"noise_f32", put(b, floats), -1e8, 0.3, 0.1}, {"noise_f32", put(b, floats), float32(math.Copysign(0, -1)), 1, 0.1}, {"noise_u8", put(b, bytes), float32(math.Copysign(0, -1)), 1, 0.1}, {"noise_u8", put(b, bytes), 100, 101, 1e6}, {"noise_u8", put(b, bytes), 0, 3e-39, 1e3}, {"noise_u8", put(b, make([]uint8, len(bytes))), 0, 3e-40, 2e-39}} {
						if kind == 1 {
							variant.level = 0.4
						}
						change := put(b, structure(int32(kind), int32(clip), variant.low, variant.high, variant.level))
						b.each(variant.kernel, variant.x, put(b, make([]float32, c.rows*c.width)), c.rows, c.width, change, keys)
					}
				}
			}
		}
		for _, width := range []int{1, 7, 8, 9, 16, 1000, 1024, 1025, 1032, 2500} {
			const rows = 3
			x, z := noise(rows*width, uint32(width)), noise(rows*width, 9)
			bytes := scattered[uint8](rows*width, uint64(width))
			y := make([]float32, len(x))
			for i := range bytes {
				bytes[i] += uint8(31 * i)
				y[i] = float32(bytes[i]) + 40*z[i]
			}
			for _, c := range []struct {
				kernel string
				x, y   uint64
				at     func(i int) float64
			}{{"displacement_f32", put(b, x), put(b, z), func(i int) float64 { return float64(z[i]) - float64(x[i]) }},
				{"displacement_u8", put(b, bytes), put(b, y), func(i int) float64 { return float64(y[i]) - float64(bytes[i]) }}} {
				out := put(b, make([]float64, rows))
				b.start(c.kernel, [3]int{rows, 1, 1}, [3]int{256, 1, 1}, 0, c.x, c.y, out, width)
				expect(b, c.kernel, get[float64](b, out, rows), func(r int) float64 {
					sum := 0.0
					for i := range width {
						d := c.at(r*width + i)
						sum += float64(d * d)
					}
					return math.Sqrt(sum)
				})
			}
		}
		b.distantNoise(keys)
	})
}

// distantNoise changes states whose first states, or first elements, are far away.
func (b *bench) distantNoise(keys uint64) {
	const n = 256
	bytes, floats := put(b, scattered[uint8](8*n, 3)), put(b, noise(8*n, 4))
	for _, first := range distant {
		for _, width := range []int{3, 22, 1 << 34, 1<<40 + 4} {
			quads := (width + 3) / 4
			row0 := first / quads
			if (first+n-1)/quads-row0 > 300 {
				continue
			}
			x0 := row0*width + first%quads*4
			if width < n {
				x0 = row0 * width
			} else if first%quads+n > quads {
				continue
			}
			many := far(put(b, scattered[uint32](4*300, 5)), 16, row0)
			for kind := range 3 {
				change := put(b, structure(int32(kind), int32(1), float32(-1), float32(200), 0.5))
				y := far(put(b, make([]float32, 8*n)), 4, x0)
				rows := (first + n + quads - 1) / quads
				b.part("noise_f32", rows*quads, first, n, far(floats, 4, x0), y, rows, width, change, many)
				b.part("noise_u8", rows*quads, first, n, far(bytes, 1, x0), y, rows, width, change, many)
			}
		}
		b.part("random_f32", first+n, first, n, far(put(b, make([]float32, 4*n+8)), 4, 4*first-4), 4*(first+n), 0x123456789abcdef, 77<<33, 5, 0)
	}
}

// manyAxes are axes inside of a long one.
var manyAxes = [][][]uint64{
	{axis(4, 5), axis(6, 1)},
	{axis(3, 17), axis(2, 5), axis(5, 1)},
	{axis(2, 30), axis(2, 17), axis(3, 5), axis(2, 1)},
	{axis(3, 40), axis(1, 7), axis(2, 17), axis(2, 5), axis(4, 1)},
	{axis(2, 90), axis(3, 30), axis(1, 9), axis(2, 17), axis(3, 5), axis(2, 3), axis(2, 1)},
}

// distantReductions has outputs far out, and a chunk of terms far out.
func (b *bench) distantReductions() {
	const n, chunk = 256, 1 << 20
	for _, kind := range []string{"f32", "i64"} {
		x := scattered[uint32](8*n, 3)
		for i := range x {
			x[i] = x[i]>>6 | 0x3f800000&(uint32(i)<<22) // floats that are numbers
		}
		size, from := 4, put(b, x)
		if kind == "i64" {
			size = 8
		}
		for _, total := range []int{3<<30 + n, 1<<32 - 1} {
			first := (total - n) / 256 * 256
			table := axes(axis(first/31+n, 3), axis(31, 1)) // by 31 the multiplication for indices below 2³¹ divides wrongly here
			b.part("reduce_by_thread_"+kind, total, first, n, far(from, size, first/31*3), far(put(b, make([]uint64, n)), size, first), 0, 0,
				put(b, table), 2, put(b, axes(axis(2, 1))), 1, total, 2, 2, 0, 0)
		}
		for _, first := range append(distant, 1<<31) {
			table := axes(axis(first/2+n, 3), axis(2, 1))
			b.part("reduce_by_thread_"+kind, first+n, first, n, far(from, size, first/2*3), far(put(b, make([]uint64, n)), size, first), 0, 0,
				put(b, table), 2, put(b, axes(axis(2, 1))), 1, first+n, 2, 2, 0, 0)
			for _, inner := range manyAxes {
				b.scope(func() {
					product := 1
					for _, a := range inner {
						product *= int(a[0])
					}
					table := axes(append([][]uint64{axis(first/product+n, 3)}, inner...)...)
					b.part("reduce_by_thread_"+kind, first+n, first, n, far(from, size, first/product*3), far(put(b, make([]uint64, n)), size, first), 0, 0,
						put(b, table), 1+len(inner), put(b, axes(axis(2, 1))), 1, first+n, 2, 2, 0, 0)
				})
			}
		}
		// The first outputs whose indices need divisions.
		for _, name := range []string{"warp", "block"} {
			b.start(fmt.Sprintf("reduce_by_%s_%s", name, kind), [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, from, put(b, make([]uint64, 24)), 0, 0,
				put(b, axes(axis(1<<31, 40), axis(2, 3))), 2, put(b, axes(axis(35, 1))), 1, 1<<32, 35, 35, 0, 0)
			for _, inner := range manyAxes {
				table := axes(append([][]uint64{axis(1<<32, 3)}, inner...)...)
				b.start(fmt.Sprintf("reduce_by_%s_%s", name, kind), [3]int{24, 1, 1}, [3]int{256, 1, 1}, 0, from, put(b, make([]uint64, 200)), 0, 0,
					put(b, table), 1+len(inner), put(b, axes(axis(35, 1))), 1, 1<<36, 35, 35, 0, 0)
			}
		}
		for _, y := range []int{2048, 4096, 5000} {
			terms := y*chunk + 60
			for _, name := range []string{"thread", "warp", "block"} {
				for rank := 1; rank <= 2+len(manyAxes); rank++ {
					table := axes(axis(terms, 1))
					offset, rank, many := y*chunk, rank, rank-3
					if rank == 2 {
						table = axes(axis(terms/5+1, 5), axis(5, 1))
					}
					if many >= 0 {
						product := 1
						for _, a := range manyAxes[many] {
							product *= int(a[0])
						}
						rank = 1 + len(manyAxes[many])
						table = axes(append([][]uint64{axis(terms/product+1, 3)}, manyAxes[many]...)...)
						offset = y * chunk / product * 3
					}
					fakecuda.Blocks(y, 1)
					b.start(fmt.Sprintf("reduce_by_%s_%s", name, kind), [3]int{1, y + 1, 1}, [3]int{256, 1, 1}, 0, far(from, size, offset), 0, far(put(b, make([]uint64, 1)), 8, y), 0,
						put(b, axes()), 0, put(b, table), rank, 1, terms, chunk, 0, 0)
					fakecuda.Blocks(0, 0)
				}
			}
		}
	}
}
