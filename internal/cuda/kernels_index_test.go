//go:build cuda && fakecuda

// The kernels of index.cu, movement.cu and encode.cu by themselves.

package cuda

import (
	"fmt"
	"math"
	"testing"
)

func TestGatherKernels(t *testing.T) {
	directly(t, func(b *bench) {
		indices := []int64{0, 1, -1, 4, -5, 2, 5, -6, 3, 1 << 40, -1 << 40, math.MaxInt64, math.MinInt64, 1<<62 - 1, -(1<<62 - 1), 1<<62 - 2, -(1<<62 - 2), 1 << 62, -1 << 62, 3 << 61, -3 << 61, 2, 0, -3}
		for _, c := range []struct{ list, n, inner, outer int }{{20, 5, 3, 2}, {7, 5, 1, 3}, {20, 0, 2, 1}, {1, 5, 40, 2}} {
			for _, bad := range []int{len(indices), 6} {
				list, count := min(c.list, bad), 0
				count = c.outer * list * c.inner
				for _, size := range []int{1, 4, 8, 16} {
					x := put(b, scattered[uint8](max(c.outer*c.n*c.inner*size, 16), 1))
					y, fault := put(b, make([]uint8, count*size)), put(b, make([]uint64, 1))
					b.each(fmt.Sprint("gather_", size), x, put(b, indices[:list]), y, count, list, c.n, c.inner, fault)
				}
			}
		}
		// More elements than threads, as many as make a whole number of rounds.
		for _, size := range []int{1, 4, 8, 16} {
			b.each(fmt.Sprint("gather_", size), put(b, scattered[uint8](6*7*8*size, 3)), put(b, []int64{3, -1, 0, 6, -7, 2, 5, 1}), put(b, make([]uint8, 384*size)), 384, 8, 7, 8, put(b, make([]uint64, 1)))
		}
		// One fault alone, so that its code is seen.
		for _, k := range indices {
			fault := put(b, make([]uint64, 1))
			b.each("gather_4", put(b, make([]float32, 8)), put(b, []int64{k}), put(b, make([]float32, 1)), 1, 1, 5, 1, fault)
			for size, kernel := range map[int]string{1: "gather_1", 8: "gather_8", 16: "gather_16"} {
				fault := put(b, make([]uint64, 1))
				b.each(kernel, put(b, make([]uint8, 5*size)), put(b, []int64{k}), put(b, make([]uint8, size)), 1, 1, 5, 1, fault)
			}
			b.each("element_places", put(b, []int64{k}), put(b, make([]uint64, 1)), 1, put(b, axes(axis(1, 1))), 1, 5, 7, put(b, make([]uint64, 1)))
			b.each("tuple_places", put(b, []int64{1, k}), put(b, make([]uint64, 1)), 1, put(b, axes(axis(5, 40), axis(5, 3))), 2, 1, 200, put(b, make([]uint64, 2)))
		}
		near := make([]int64, 200)
		for i := range near {
			near[i] = int64(i*i%23) - 11
		}
		for rank := 1; rank <= 3; rank++ {
			table, count := walk(b, rank, 1)
			b.each("element_places", put(b, near), put(b, make([]uint64, count)), count, table, rank, 11, 6, put(b, make([]uint64, 1)))
		}
		tuples := make([]int64, 600)
		for i := range tuples {
			tuples[i] = int64(i*i)%5 - 2
		}
		for width := 1; width <= 3; width++ {
			b.each("tuple_places", put(b, tuples), put(b, make([]uint64, 200)), 200, put(b, axes(axis(5, 40), axis(6, 7), axis(3, 1))), width, 30, 333, put(b, make([]uint64, 3)))
		}
		places := make([]uint64, 200)
		for i := range places {
			places[i] = uint64(i * i % 190)
		}
		for _, size := range []int{1, 4, 8} {
			for _, inner := range []int{1, 3} {
				b.each(fmt.Sprint("take_", size), put(b, scattered[uint8](8*200, 3)), put(b, places), put(b, make([]uint8, size*190)), 190, inner)
			}
		}
	})
}

// Quotients of indices of more than 32 bits, by numbers below and above that.
func TestDistantIndices(t *testing.T) {
	directly(t, func(b *bench) {
		const n = 512
		bytes := scattered[uint8](16*n, 7)
		for _, first := range distant {
			count := first + n
			for _, inner := range []int{1, 6, 7, 1 << 32, 3 << 31, 1<<33 + 10} {
				row0 := first / inner
				rows := (first+n-1)/inner - row0 + 1
				indices := make([]int64, rows)
				for i := range indices {
					indices[i] = int64(i*7%3) - 1
				}
				list := put(b, indices)
				for _, size := range []int{1, 4, 8, 16} {
					// x[k, :] lies row by row; only the tested elements exist, the same for every k.
					x := put(b, bytes[:n*size])
					y, fault := put(b, make([]uint8, n*size)), put(b, make([]uint64, 1))
					if inner > n {
						column := first - row0*inner
						if rows > 1 {
							continue
						}
						b.part(fmt.Sprint("gather_", size), count, first, n, far(x, size, column), far(put(b, []int64{0}), 8, row0), far(y, size, first), count, row0+1, 1, inner, fault)
						expect(b, "gather", get[uint8](b, y, n*size), func(i int) uint8 { return bytes[i] })
					} else {
						whole := put(b, bytes[:3*inner*size])
						b.part(fmt.Sprint("gather_", size), count, first, n, whole, far(list, 8, row0), far(y, size, first), count, count, 3, inner, fault)
						expect(b, "gather", get[uint8](b, y, n*size), func(i int) uint8 {
							e := first + i/size
							k := int(indices[e/inner-row0]+3) % 3
							return bytes[(k*inner+e%inner)*size+i%size]
						})
						// More lists than 32 bits count, each of six.
						if inner == 1 {
							x := put(b, bytes[:(n/6+2)*3*size])
							b.part(fmt.Sprint("gather_", size), count, first, n, far(x, size, first/6*3), put(b, []int64{0, 2, -2, 1, -1, 0}), far(y, size, first), count, 6, 3, 1, fault)
						}
						if size < 16 {
							places := make([]uint64, rows)
							for i := range places {
								places[i] = uint64(i * 5 % 40)
							}
							b.part(fmt.Sprint("take_", size), count, first, n, put(b, bytes[:(40+inner)*size]), far(put(b, places), 8, row0), far(y, size, first), count, inner)
							expect(b, "take", get[uint8](b, y, n*size), func(i int) uint8 {
								e := first + i/size
								return bytes[(int(places[e/inner-row0])+e%inner)*size+i%size]
							})
						}
					}
					if size < 16 && inner > n && rows == 1 {
						b.part(fmt.Sprint("take_", size), count, first, n, far(x, size, first-row0*inner), far(put(b, []uint64{0}), 8, row0), far(y, size, first), count, inner)
						expect(b, "take", get[uint8](b, y, n*size), func(i int) uint8 { return bytes[i] })
					}
				}
				// Where triangles end, and what lies in them.
				for _, size := range []int{1, 4, 8} {
					x, y := put(b, bytes[:n*size]), put(b, make([]uint8, n*size))
					rows := 5
					if inner > n {
						rows = 1 << 33
					}
					for _, c := range [][2]int{{0, 1}, {1, 0}, {first % inner, 1}, {first%inner - first/inner%rows, 0}} {
						b.part(fmt.Sprint("trilu_", size), count, first, n, far(x, size, first), far(y, size, first), count, rows, inner, c[0], c[1] != 0)
						expect(b, "trilu", get[uint8](b, y, n*size), func(i int) uint8 {
							e := first + i/size
							above := e%inner - e/inner%rows
							if c[1] != 0 && above >= c[0] || c[1] == 0 && above <= c[0] {
								return bytes[i]
							}
							return 0
						})
					}
				}
			}
			b.distantPlaces(first)
		}
	})
}

// distantPlaces runs kernels that count places in a huge array.
func (b *bench) distantPlaces(first int) {
	const n = 512
	count := first + n
	marks := put(b, make([]uint64, 2*n))
	b.part("scatter_clear", count, first, n, far(marks, 16, first), count)
	expect(b, "scatter_clear", get[uint64](b, marks, 2*n), func(i int) uint64 { return uint64(i%2) - 1 })
	y := put(b, make([]uint64, n))
	for _, size := range []int{1, 4, 8} {
		b.part(fmt.Sprint("fill_", size), count, first, n, far(y, size, first), count, 77)
	}
	start, step := put(b, []int64{-5}), put(b, []int64{3})
	b.part("range_i64", count, first, n, start, step, far(y, 8, first), count)
	expect(b, "range_i64", get[int64](b, y, n), func(i int) int64 { return 3*int64(first+i) - 5 })
	b.part("range_f32", count, first, n, put(b, []float32{0.5}), put(b, []float32{0.25}), far(y, 4, first), count)
	expect(b, "range_f32", get[float32](b, y, n), func(i int) float32 { return float32(0.5 + 0.25*float64(first+i)) })
	// Tuples of one index, `each` of them per batch.
	indices := make([]int64, n)
	for i := range indices {
		indices[i] = int64(i % 4)
	}
	for _, each := range []int{6, 1 << 32, 1<<33 + 2} {
		b.part("tuple_places", count, first, n, far(put(b, indices), 8, first), far(y, 8, first), count, put(b, axes(axis(4, 3))), 1, each, 50, put(b, make([]uint64, 1)))
		expect(b, "tuple_places", get[uint64](b, y, n), func(i int) uint64 { return uint64((first+i)/each*50 + i%4*3) })
	}
	// Updates of blocks of elements that lie far out, and many updates.
	for _, inner := range []int{1, 6, 1 << 32} {
		row0 := first / inner
		rows := (first+n-1)/inner - row0 + 1
		places, marks := make([]uint64, rows), make([]uint64, 2*rows)
		for i := range places {
			places[i] = uint64((row0 + i) * inner)
			marks[2*i], marks[2*i+1] = uint64(row0+i), uint64(row0+i+1)
		}
		pointer, mark := far(put(b, places), 8, row0), far(put(b, marks), 16, row0)
		for _, kernel := range []string{"scatter_f32", "scatter_i64", "scatter_bool"} {
			size := map[string]int{"scatter_f32": 4, "scatter_i64": 8, "scatter_bool": 1}[kernel]
			for reduction := range 2 {
				updates, y := put(b, scattered[uint8](n*size, 2)), put(b, scattered[uint8](n*size, 3))
				b.part(kernel, count, first, n, far(updates, size, first), pointer, mark, far(y, size, first), count, inner, reduction)
			}
		}
		cells := put(b, make([]uint64, 2*(n+1)))
		elements := make([]uint64, n)
		for i := range elements {
			elements[i] = uint64((first + i) / inner * inner)
		}
		b.part("scatter_marks", count, first, n, far(put(b, elements), 8, first), far(cells, 16, row0), count, inner)
	}
	// y[o, k, i] with a huge depth or many outer places.
	for _, c := range [][2]int{{5, 6}, {7, 1}, {1 << 32, 1}, {3 << 32, 6}, {5, 1 << 32}} {
		depth, inner := c[0], c[1]
		place := func(e int) int { return e/inner/depth*inner + e%inner }
		low, high := place(first), place(first)
		for e := first; e < count; e++ {
			low, high = min(low, place(e)), max(high, place(e))
		}
		if high-low > n {
			continue
		}
		indices := make([]int64, high-low+1)
		for i := range indices {
			indices[i] = int64((first/inner + i%3) % depth)
			if i%2 == 1 {
				indices[i] -= int64(depth)
			}
		}
		list := far(put(b, indices), 8, low)
		for _, size := range []int{1, 4, 8} {
			b.part(fmt.Sprint("one_hot_", size), count, first, n, list, put(b, []uint64{3, 1 << 9, 5}), far(put(b, make([]uint64, n)), size, first), count, depth, inner, 0)
		}
	}
}

func TestScatterKernels(t *testing.T) {
	directly(t, func(b *bench) {
		const updates, limit = 210, 200
		for _, inner := range []int{1, 3} {
			places := make([]uint64, updates)
			for i := range places {
				places[i] = uint64(i * i % (limit / inner) * inner)
			}
			pointer, marks := put(b, places), put(b, scattered[uint64](2*limit, 7))
			b.each("scatter_clear", marks, limit)
			b.each("scatter_marks", pointer, marks, updates, inner)
			floats, integers := telling(updates*inner), scattered[int64](updates*inner, 3)
			for i := range integers {
				if i%2 == 0 {
					integers[i] = -integers[i]
				}
			}
			signs := make([]float32, updates*inner) // zeros and ones of both signs
			for i := range signs {
				signs[i] = float32(math.Copysign(float64(i/4%2), float64(i*i%5)-1.5))
			}
			for reduction := range 5 {
				b.each("scatter_f32", put(b, signs), pointer, marks, put(b, signs[:limit]), updates*inner, inner, reduction)
				b.each("scatter_f32", put(b, floats), pointer, marks, put(b, telling(limit)), updates*inner, inner, reduction)
				b.each("scatter_f32", put(b, noise(updates*inner, 3)), pointer, marks, put(b, noise(limit, 4)), updates*inner, inner, reduction)
				b.each("scatter_i64", put(b, integers), pointer, marks, put(b, scattered[int64](limit, 4)), updates*inner, inner, reduction)
				b.each("scatter_bool", put(b, scattered[uint8](updates*inner, 4)), pointer, marks, put(b, make([]uint8, limit)), updates*inner, inner, reduction)
			}
		}
	})
}

func TestOneHotKernels(t *testing.T) {
	directly(t, func(b *bench) {
		whole, floats := []int64{0, 1, -1, 4, -5, 5, -6, 3}, []float32{0, 1.5, -1, 4, -5, 5, -6, float32(math.NaN())}
		for _, size := range []int{1, 4, 8} {
			values := put(b, []uint64{0x0102030405060708, 0xf1f2f3f4f5f6f7f8})
			for _, inner := range []int{1, 2, 4} {
				count := 8 * 5
				b.each(fmt.Sprint("one_hot_", size), put(b, whole), values, put(b, make([]uint64, count)), count, 5, inner, 0)
				b.each(fmt.Sprint("one_hot_", size), put(b, floats), values, put(b, make([]uint64, count)), count, 5, inner, 1)
			}
		}
		for _, size := range []int{1, 4, 8} { // more elements than threads
			near := scattered[int64](96, 8)
			for i := range near {
				near[i] = near[i]&7 - 4
			}
			b.each(fmt.Sprint("one_hot_", size), put(b, near), put(b, []uint64{0x0102030405060708, 0xf1f2f3f4f5f6f7f8}), put(b, make([]uint8, 384*size)), 384, 4, 3, 0)
		}
		for _, c := range []struct{ n, inner, outer, k int }{{5, 3, 2, 3}, {300, 1, 2, 7}, {257, 2, 1, 257}, {256, 3, 1, 1}, {4, 2, 1, 0}} {
			x := telling(c.n * c.inner * c.outer)
			for i := range x {
				if i%4 == 3 {
					x[i] = x[i/2]
				}
			}
			integers := scattered[int64](len(x), 6)
			for i := range integers {
				integers[i] = integers[i]%50 - 20
			}
			grid := [3]int{c.outer * c.inner * ((c.n + 255) / 256), 1, 1}
			for largest := range 2 {
				y, places := put(b, make([]uint64, len(x)+1)), put(b, make([]int64, len(x)+1))
				for which := 1; which < 4; which++ {
					to, at := y*uint64(which&1), places*uint64(which>>1)
					b.start("top_f32", grid, [3]int{256, 1, 1}, 0, put(b, x), to, at, c.n, c.inner, c.k, largest)
					b.start("top_i64", grid, [3]int{256, 1, 1}, 0, put(b, integers), to, at, c.n, c.inner, c.k, largest)
				}
			}
		}
	})
}

func TestMovementKernels(t *testing.T) {
	directly(t, func(b *bench) {
		bytes := scattered[uint8](16*2400, 5)
		for shape := range shapes {
			count := 1
			for _, length := range shapes[shape].lengths {
				count *= length
			}
			var list [][]uint64
			inner := count
			for i, length := range shapes[shape].lengths {
				inner /= length
				list = append(list, axis(length, shapes[shape].strides[i][0], inner))
			}
			for _, size := range []int{1, 4, 8, 16} {
				b.each(fmt.Sprint("copy_box_", size), put(b, bytes[:size*400]), put(b, make([]uint8, size*count)), count, put(b, axes(list...)), len(list))
			}
		}
		for _, size := range []int{1, 4, 8} {
			for _, c := range []struct{ rows, columns, y, z int }{{37, 45, 1, 2}, {5, 70, 2, 1}, {64, 33, 2, 3}, {31, 9, 1, 1}, {50, 52, 1, 2}, {58, 60, 1, 1}} {
				matrices, plane := 6, c.rows*c.columns
				// Matrices of 3 by 2, which change places; elements are read column by column.
				from := put(b, scattered[uint8](size*matrices*plane, 9))
				for rank, table := range [][]uint64{axes(), axes(axis(6, plane, plane)), axes(axis(3, 2*plane, plane), axis(2, plane, 3*plane)),
					axes(axis(1, 7, 7), axis(3, 2*plane, plane), axis(2, plane, 3*plane)), axes(axis(3, 2*plane, plane), axis(1, 7, 7), axis(1, 5, 5), axis(2, plane, 3*plane)),
					axes(axis(1, 7, 7), axis(3, plane, 2*plane), axis(1, 5, 5), axis(2, 3*plane, plane), axis(1, 9, 9))} {
					if rank == 0 {
						matrices = 1
					}
					to := put(b, make([]uint8, size*matrices*plane))
					b.start(fmt.Sprint("transpose_tiles_", size), [3]int{(c.rows + 31) / 32, c.y, min(c.z, matrices)}, [3]int{32, 8, 1}, 0,
						from, to, c.rows, c.columns, c.rows, c.columns, matrices, put(b, table), rank)
					matrices = 6
				}
			}
			b.each(fmt.Sprint("fill_", size), put(b, make([]uint64, 300)), 300, 0x7172737475767778)
			for _, c := range [][4]int{{5, 7, 0, 1}, {5, 7, 2, 0}, {7, 5, -3, 1}, {4, 4, -1, 0}, {1, 9, 3, 1}, {3, 3, 5, 1}} {
				count := 4*c[0]*c[1] - 1
				b.each(fmt.Sprint("trilu_", size), put(b, bytes[:count*size]), put(b, make([]uint8, count*size)), count, c[0], c[1], c[2], c[3])
			}
			// Offsets of axes of 4, 5 and 9, with some outside.
			offsets := []int64{-1, 0, 50, 100, 10, 0, -3, 20, 30, 8, 7, 6, -1, 4, 3, 2, 1, 0}
			for rank, table := range [][]uint64{axes(), axes(axis(9, 9)), axes(axis(5, 4), axis(9, 9)), axes(axis(4, 0), axis(5, 4), axis(9, 9)),
				axes(axis(2, 13), axis(4, 0), axis(2, 15), axis(9, 9)), axes(axis(2, 13), axis(3, 14), axis(1, 10), axis(2, 15), axis(4, 9)),
				axes(axis(2, 13), axis(1, 7), axis(3, 14), axis(1, 10), axis(2, 15), axis(3, 9)),
				axes(axis(2, 13), axis(2, 4), axis(1, 11), axis(3, 14), axis(1, 10), axis(2, 15), axis(2, 9)),
				axes(axis(2, 13), axis(1, 7), axis(2, 4), axis(1, 11), axis(3, 14), axis(1, 10), axis(2, 15), axis(2, 9))} {
				count := []int{1, 9, 45, 180, 144, 48, 36, 48, 48}[rank]
				b.each(fmt.Sprint("pad_", size), put(b, bytes[:200*size]), put(b, make([]uint8, count*size)), count, put(b, table), rank, put(b, offsets), 0x7172737475767778)
			}
			for _, first := range distant {
				const n = 512
				for _, inner := range []int{6, 1 << 32, 1<<33 + 10} {
					if inner > n && first%inner+n > inner {
						continue
					}
					// The outer axis is as long as it must be, and its offsets are far out too.
					outer := first / inner
					long := make([]int64, n)
					for i := range long {
						long[i] = int64(i%5) - 1
					}
					table := axes(axis(1<<40, -outer), axis(inner, n))
					list := append(long, 7, 5, 3, 9, -1, 2)
					if inner > n {
						list = append(long, long...)
						table = axes(axis(1<<40, -outer), axis(inner, n-first%inner))
					}
					y := put(b, make([]uint8, n*size))
					b.part(fmt.Sprint("pad_", size), first+n, first, n, put(b, bytes[:size*20]), far(y, size, first), first+n, put(b, table), 2, put(b, list), 0x7172737475767778)
				}
			}
		}
		b.each("range_f32", put(b, []float32{0.1}), put(b, []float32{-0.7}), put(b, make([]float32, 300)), 300)
		b.each("range_i64", put(b, []int64{-12}), put(b, []int64{7}), put(b, make([]int64, 300)), 300)
	})
}

func TestEncodeKernels(t *testing.T) {
	directly(t, func(b *bench) {
		x := scattered[uint8](3*4096+2, 3)
		for i := range x {
			x[i] += uint8(i * 37)
		}
		for _, c := range []struct{ count, plane, channels int }{{2*4096 + 3, 5000, 3}, {4096 + 1, 1000, 2}, {4096 + 2050, 1365, 3}, {4096, 1366, 5}, {3*4096 + 2, 7, 3}, {1030, 3000, 1}, {3, 1, 3}, {4095, 1024, 4}} {
			levels := noise(256*c.channels, uint32(c.plane))
			y := put(b, make([]float32, c.count))
			b.start("levels_u8", [3]int{(c.count + 4095) / 4096, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x[:c.count]), put(b, levels), y, c.count, c.plane, c.channels)
			expect(b, "levels_u8", get[float32](b, y, c.count), func(i int) float32 { return levels[i/c.plane%c.channels*256+int(x[i])] })
		}
		// All ends of what a thread takes at a time, with few planes and with many.
		for _, plane := range []int{7, 3000} {
			levels := noise(256*3, 6)
			for count := 1; count < 4096; count += 341 {
				y := put(b, make([]float32, count))
				b.start("levels_u8", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x[:count]), put(b, levels), y, count, plane, 3)
				expect(b, "levels_u8", get[float32](b, y, count), func(i int) float32 { return levels[i/plane%3*256+int(x[i])] })
			}
		}
		scale := []float32{-1.5, 3, 0.1, 0.7, -0.2, 1.3, 0.4, 0.9}
		for _, c := range []struct{ plane, channels int }{{7, 3}, {100, 2}, {1, 3}} {
			values := noise(300, 3)
			for _, blocks := range []int{2, 16} {
				y := put(b, values)
				b.start("scale_f32", [3]int{blocks, 1, 1}, [3]int{64, 1, 1}, 0, y, put(b, scale), len(values), c.plane, uint64(math.MaxUint64)/uint64(c.plane), c.channels, uint64(math.MaxUint64)/uint64(c.channels))
				expect(b, "scale_f32", get[float32](b, y, len(values)), func(i int) float32 {
					k := 2 + 2*(i/c.plane%c.channels)
					return (float32(values[i]-scale[0])/scale[1] - scale[k]) / scale[k+1]
				})
			}
		}
		for _, first := range distant {
			const n = 512
			for _, plane := range []int{7, 1000, 1<<32 - 10} {
				values := noise(n, 3)
				y := put(b, values)
				b.part("scale_f32", first+n, first, n, far(y, 4, first), put(b, scale), first+n, plane, uint64(math.MaxUint64)/uint64(plane), 3, uint64(math.MaxUint64)/3)
				expect(b, "scale_f32", get[float32](b, y, n), func(i int) float32 {
					k := 2 + 2*((first+i)/plane%3)
					return (float32(values[i]-scale[0])/scale[1] - scale[k]) / scale[k+1]
				})
			}
		}
		for _, first := range []int{1 << 32, 1<<33 + 8192, 1 << 37, 1500 << 32, 1000<<32 + 4096, 1 << 34} {
			const n = 4096
			for _, plane := range []int{1, 1000, 1500, 1<<32 - 4} {
				levels := noise(256*3, 7)
				y := put(b, make([]float32, n))
				b.levels(first, n, far(put(b, x[:n]), 1, first), put(b, levels), far(y, 4, first), first+n, plane, 3)
				expect(b, "levels_u8", get[float32](b, y, n), func(i int) float32 { return levels[(first+i)/plane%3*256+int(x[i])] })
			}
		}
	})
}
