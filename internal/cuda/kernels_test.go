//go:build cuda && fakecuda

// Every kernel by itself, as its PTX and as its twin, on inputs that tell its instructions apart:
// lengths that leave a rest, loops over more elements than threads, ties and numbers that are none,
// indices of more than 32 bits. kernels_*_test.go have the kernels of the families.

package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"repscope/internal/cuda/fakecuda"
)

// directly runs launches as PTX and as twins, whose results are compared, unless the
// environment asks for PTX alone.
func directly(t *testing.T, run func(b *bench)) {
	t.Helper()
	if fakecuda.Executes() == fakecuda.Twins {
		execute(t, fakecuda.Compared)
	}
	onDevice(t, openDevice(t), run)
}

// scope gives back what run allocates.
func (b *bench) scope(run func()) {
	n := len(b.memory)
	run()
	for _, p := range b.memory[n:] {
		b.must(b.context.Free(p))
	}
	b.memory = b.memory[:n]
}

// cell is an argument as a launch takes it.
func cell(v any) uint64 {
	switch v := v.(type) {
	case uint64:
		return v
	case int:
		return uint64(v)
	case float32:
		return float(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("an argument of type %T", v))
}

// start launches a kernel and waits for it.
func (b *bench) start(kernel string, grid, block [3]int, shared int, arguments ...any) {
	var cells []uint64
	for _, v := range arguments {
		cells = append(cells, cell(v))
	}
	b.must(b.stream.Launch(kernel, grid, block, shared, cells...))
	b.must(b.stream.Synchronize())
}

// each launches two blocks of 64 threads, where most take several elements, and then more threads than there are
// elements.
func (b *bench) each(kernel string, arguments ...any) {
	b.start(kernel, [3]int{2, 1, 1}, [3]int{64, 1, 1}, 0, arguments...)
	b.start(kernel, [3]int{16, 1, 1}, [3]int{64, 1, 1}, 0, arguments...)
}

// part launches a thread per element of `count`, in blocks of 256, and runs only the blocks of elements first …
// first+n−1; both are multiples of 256. A length divides them if they are far.
func (b *bench) part(kernel string, count, first, n int, arguments ...any) {
	fakecuda.Blocks(first/256, n/256)
	b.start(kernel, [3]int{(count + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, arguments...)
	fakecuda.Blocks(0, 0)
}

// far is the beginning of an array whose memory has only the elements from `first` on.
func far(p uint64, size, first int) uint64 { return p - uint64(size*first) }

// distant are elements whose indices have more than 32 bits, or just as many.
var distant = []int{1<<32 - 256, 1 << 32, 1<<33 + 512, 1 << 36}

// axis is Axis<K> of kernels/walk.h.
func axis(length int, strides ...int) []uint64 {
	shift := bits.Len64(uint64(length - 1))
	magic := (1<<(31+shift) + uint64(length) - 1) / uint64(length)
	cells := []uint64{uint64(length), magic | uint64(31+shift)<<32, math.MaxUint64 / uint64(length)}
	for _, s := range strides {
		cells = append(cells, uint64(s))
	}
	return cells
}

func axes(list ...[]uint64) []uint64 {
	all := []uint64{0} // a table without axes is not empty
	if len(list) > 0 {
		all = nil
	}
	for _, a := range list {
		all = append(all, a...)
	}
	return all
}

// counting are 0, 1, … of a type.
func counting[T int64 | uint64 | uint32 | uint8 | int32 | float32](n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(i)
	}
	return v
}

// scattered are numbers of all sizes.
func scattered[T int64 | uint64 | uint32 | uint8 | int32](n int, seed uint64) []T {
	v := make([]T, n)
	for i := range v {
		seed = seed*6364136223846793005 + 1442695040888963407
		v[i] = T(seed >> 29 >> (seed >> 59))
	}
	return v
}

var infinite = float32(math.Inf(1))

// telling are floats at which functions change their form, then others around zero.
func telling(n int) []float32 {
	nan := float32(math.NaN())
	v := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, nan, infinite, -infinite, 1e-45, -3e-42, 1.1e-38, 1.3e-38, 5e-39, -2.3e-38, 2.4e-38, 3e38, -3e38,
		0.1, -0.3, 0.34, 0.36, 0.62, -0.63, 0.99, -1.01, 3, -3.9, 4.1, -6, 8.5, 11.5, -12, 20.5, 40, -64, 86, -88, 88.5, 90, -100, 105, -150, 750, -750,
		1e6, -3e5, 8388609, 6.8e7, -1e9, 1e12, 1e19, -1e19, 3e25, 1e30, 9.2233715e18, -9.223372e18, 9.223372e18, 2147483648, 1e-5, -1e-8, 1e-20}
	for i, f := range noise(max(n-len(v), 1), 5) {
		v = append(v, f*float32(math.Exp(float64(i%9)-4)))
	}
	return v[:n]
}

// expect compares results with a plain loop.
func expect[T comparable](b *bench, what string, got []T, want func(i int) T) {
	b.t.Helper()
	for i, v := range got {
		if w := want(i); v != w && (v == v || w == w) {
			b.t.Fatalf("%s: element %d is %v, want %v", what, i, v, w)
		}
	}
}

// structure packs values of 4 and 8 bytes one after the other.
func structure(values ...any) []byte {
	var all []byte
	for _, v := range values {
		all, _ = binary.Append(all, binary.LittleEndian, v)
	}
	return all
}

func TestElementwiseKernels(t *testing.T) {
	directly(t, func(b *bench) {
		const n = 391
		x := telling(n)
		in, out := put(b, x), put(b, make([]float32, n))
		for operation := range 25 {
			b.start("unary_f32", [3]int{2, 1, 1}, [3]int{32, 1, 1}, 0, in, out, n, operation, float32(0.3), float32(1.25))
		}
		b.start("unary_f32", [3]int{2, 1, 1}, [3]int{32, 1, 1}, 0, in, out, n, 13, float32(-0.5), float32(0.5))
		b.start("unary_f32", [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, in, out, 4, 6, float32(0), float32(0))
		for operation := range 17 {
			b.each("unary_double_f32", in, out, n, operation, float32(0.3), float32(1.25))
		}
		integers := append(scattered[int64](150, 3), 0, -1, 1, math.MinInt64, math.MaxInt64, 5, -5, 7, -7)
		whole, wholes := put(b, integers), put(b, make([]int64, len(integers)))
		for operation := range 5 {
			b.each("unary_i64", whole, wholes, len(integers), operation, -5, 5)
		}
		values := append(append(scattered[int64](100, 9), integers...), -1<<31, 255, 256, -129, 32768, 65535)
		for i := range values {
			if i%2 == 0 {
				values[i] = -values[i]
			}
		}
		source, target := put(b, values), put(b, make([]uint64, len(values)))
		for _, c := range [][2]int{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 9}, {0, 10}, {0, 19}, {0, 20}, {0, 21}, {0, 22}, {0, 23}, {0, 24}, {0, 25}, {0, 26},
			{3, 0}, {3, 8}, {3, -16}, {6, 0}, {9, 0}, {10, 1}, {10, 2}, {10, 3}, {11, 0}, {11, 1}, {11, 2}} {
			few := min(n, len(values))
			b.each("convert", in, target, few, c[0], c[1])
		}
		narrowing := put(b, rounding())
		narrowed := put(b, make([]uint64, len(rounding())))
		for detail := range 27 {
			b.each("convert", narrowing, narrowed, len(rounding()), 0, detail)
		}
		for detail := range 3 {
			b.each("convert", narrowing, narrowed, len(rounding()), 11, detail)
		}
		b.narrow()
		for _, c := range [][2]int{{1, 0}, {1, 1}, {1, 2}, {4, 0}, {4, 8}, {4, -8}, {4, 32}, {4, -31}, {7, 0}, {12, 0}, {12, 1}, {12, 2}, {12, 3}} {
			b.each("convert", source, target, len(values), c[0], c[1])
		}
		truths := put(b, []uint8{0, 1, 1, 0, 255, 0, 2})
		for _, operation := range []int{2, 5, 8} {
			b.each("convert", truths, target, 7, operation, 0)
		}
	})
}

// narrow converts integers and booleans to narrower floats.
func (b *bench) narrow() {
	var whole []int64
	for i := range 24 {
		for _, step := range []int64{-1, 0, 1, 1 << i >> 3, 3 << i >> 3, 5 << i >> 4} {
			whole = append(whole, 1<<i+step, -(1<<i + step))
		}
	}
	from, to := put(b, append(whole, 0, 1<<40, math.MaxInt64)), put(b, make([]float32, len(whole)+3))
	truths := put(b, []uint8{0, 1, 1, 0, 255})
	for detail := range 27 {
		b.each("convert", from, to, len(whole)+3, 1, detail)
		b.each("convert", truths, to, 5, 2, detail)
	}
}

// rounding are floats around the values of narrower types, and at their halves.
func rounding() []float32 {
	var v []float32
	for _, base := range []uint32{0x33000000, 0x33800000, 0x35000000, 0x38000000, 0x387fc000, 0x38800000, 0x37800000, 0x38000000, 0x39000000, 0x3a800000, 0x3b000000, 0x3c000000, 0x3c800000,
		0x3e800000, 0x3f000000, 0x3f800000, 0x40400000, 0x40c00000, 0x43700000, 0x43e00000, 0x43f00000, 0x47600000, 0x477fe000, 0x477ff000, 0x7e800000, 0x7f000000, 0x7f7f8000, 0x7f800000, 0x7fc00000, 0, 0x200000, 0x400000, 0x600000, 0x800000} {
		for _, step := range []uint32{0, 1, 0x800, 0x1000, 0x1001, 0x7fff, 0x8000, 0x18000, 0x40000, 0x80000, 0x80001, 0x100000, 0x180000, 0x200000, 0x300000} {
			v = append(v, math.Float32frombits(base+step), -math.Float32frombits(base^step))
		}
	}
	return v
}

// shapes are boxes that two or three operands walk through: lengths, and strides by operand.
var shapes = []struct {
	lengths []int
	strides [][3]int
}{
	{nil, nil},
	{[]int{150}, [][3]int{{2, 1, 0}}},
	{[]int{7, 24}, [][3]int{{24, 0, 1}, {1, 1, 3}}},
	{[]int{3, 5, 9}, [][3]int{{45, 9, 1}, {0, 1, 2}, {1, 7, 5}}},
	{[]int{2, 3, 2, 4}, [][3]int{{24, 9, 1}, {8, 1, 20}, {4, 30, 5}, {1, 2, 0}}},
	{[]int{2, 3, 2, 1, 5}, [][3]int{{30, 9, 1}, {10, 1, 20}, {5, 30, 5}, {5, 3, 8}, {1, 2, 3}}},
	{[]int{2, 3, 1, 2, 2, 2, 3, 2}, [][3]int{{144, 9, 1}, {48, 1, 20}, {48, 3, 5}, {24, 30, 5}, {12, 5, 3}, {6, 11, 13}, {2, 2, 0}, {1, 1, 90}}},
}

// walk is a box as a kernel takes it, and how many elements it has.
func walk(b *bench, shape, operands int) (table uint64, count int) {
	s := shapes[shape]
	count = 1
	var list [][]uint64
	for i, length := range s.lengths {
		count *= length
		list = append(list, axis(length, s.strides[i][:operands]...))
	}
	return put(b, axes(list...)), count
}

func TestBroadcastKernels(t *testing.T) {
	directly(t, func(b *bench) {
		const limit = 512
		floats, others := telling(limit), telling(limit)
		for i := range others {
			if i%3 != 0 {
				others[i] = floats[(i*7+2)%limit]
			}
		}
		x, y, out := put(b, floats), put(b, others), put(b, make([]uint64, limit))
		i1 := append([]int64{0, -1, 7, -7, 7, -7, 5, 1 << 40, math.MinInt64, math.MaxInt64, 3, 3, -8, 64, 9, -9}, scattered[int64](limit-16, 2)...)
		i2 := append([]int64{3, 2, -1, 1, 7, 0, -5, 63, 64, 65, -1, 1 << 33, 3, -3, 4, -4}, scattered[int64](limit-16, 3)...)
		for i := range i1 {
			if i%5 == 1 {
				i2[i] = i1[i]
			}
			if i%4 == 3 {
				i2[i] = i2[i]%200 - 66
			}
		}
		a, c := put(b, i1), put(b, i2)
		truths := make([]uint8, limit)
		for i := range truths {
			truths[i] = uint8(i*i%7) & 1
		}
		p, q := put(b, truths), put(b, truths[5:])
		for shape := range shapes {
			table, count := walk(b, shape, 2)
			rank := len(shapes[shape].lengths)
			for operation := range 8 {
				b.each("binary_f32", x, y, out, count, table, rank, operation)
			}
			for operation := range 16 {
				b.each("binary_i64", a, c, out, count, table, rank, operation)
			}
			for operation := range 8 {
				b.each("compare_f32", x, y, out, count, table, rank, operation)
				b.each("compare_i64", a, c, out, count, table, rank, operation)
				b.each("compare_bool", p, q, out, count, table, rank, operation)
			}
			for kinds := range 4 {
				bases, exponents := x, y
				if kinds&1 != 0 {
					bases = a
				}
				if kinds&2 != 0 {
					exponents = c
				}
				for _, bits := range []int32{0, -64, 32, -32, 16, -16, 8, -8} {
					b.each("power", bases, exponents, out, count, table, rank, kinds&1, kinds>>1, bits)
				}
			}
			table, count = walk(b, shape, 3)
			b.each("choose_1", p, p, q, out, count, table, rank)
			b.each("choose_4", p, x, y, out, count, table, rank)
			b.each("choose_8", p, a, c, out, count, table, rank)
		}
		// Groups of four: strides are multiples of four, or the operand is one number.
		for operation := range 7 {
			b.each("binary4_f32", x, y, put(b, make([]float32, 4*90)), 90, put(b, axes(axis(15, 4, 24), axis(6, 64, 4))), 2, operation, operation&1, true)
			b.each("binary4_f32", y, x, put(b, make([]float32, 4*90)), 90, put(b, axes(axis(3, 120, 4), axis(5, 24, 12), axis(6, 4, 24))), 3, operation, true, false)
			b.each("binary4_f32", x, y, put(b, make([]float32, 4*90)), 90, put(b, axes(axis(90, 4, 5))), 1, operation, true, false)
		}
		powers := put(b, []float32{2, 0.5, -1, 3, 0, 2.5, -0.5, 1e9, -1e9, 0.25, 60, -140, 127, 300, infinite, -infinite, float32(math.NaN()), 5, -3, 1.75, 1e-3, 9.3e18, -9.3e18, 4.6e15, 9.1e15})
		bases := append([]float32{2, -2, 0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.0001, -1.5, 3e38, 1e-45, 1e-38, infinite, -infinite, float32(math.NaN()), 10, -7}, noise(40, 9)...)
		b.each("power", put(b, bases), powers, put(b, make([]float32, len(bases)*25)), len(bases)*25, put(b, axes(axis(len(bases), 1, 0), axis(25, 0, 1))), 2, 0, 0, 0)
	})
}

// Boxes of more than 2³¹ elements are walked by divisions.
func TestDistantBoxes(t *testing.T) {
	directly(t, func(b *bench) {
		const n = 512
		x, y, flags := counting[float32](n), noise(128, 4), make([]uint8, n)
		for i := range flags {
			flags[i] = uint8(i*i%3) & 1
		}
		a, c, condition, wide, letters := put(b, x), put(b, y), put(b, flags), put(b, scattered[int64](n, 8)), put(b, scattered[uint8](n, 9))
		// Axes inside of a long one.
		boxes := [][]int{nil, {6}, {4, 6}, {3, 2, 5}, {2, 2, 3, 2}, {3, 1, 2, 2, 4}, {2, 3, 1, 2, 3, 2, 2}, {1 << 32}, {1 << 32, 6}}
		for _, first := range append(distant, 1<<31, 13<<28, 1<<32-2048) {
			boxes := boxes
			if first == 13<<28 || first == 1<<32-2048 {
				boxes = [][]int{{7}} // by which the multiplication for indices below 2³¹ divides wrongly here
			}
			for _, inner := range boxes {
				rank := 1 + len(inner)
				count := first + n + 1000
				if first == 1<<32-2048 {
					count = 1<<32 - 1
				}
				table := func(strides ...func(k int) int) uint64 {
					var list [][]uint64
					for k, length := range append([]int{count}, inner...) {
						var s []int
						for _, f := range strides {
							s = append(s, f(k))
						}
						list = append(list, axis(length, s...))
					}
					return put(b, axes(list...))
				}
				dense := func(k int) int {
					size := 1
					for _, length := range inner[k:] {
						size *= length
					}
					return size
				}
				value := func(k int) int {
					if k == 1 && inner[0] == 1<<32 {
						return 0
					}
					return []int{0, 7, 3, 1, 5, 2, 1, 2}[k]
				}
				small := func(i int) int {
					offset := 0
					for k := len(inner); k > 0; k-- {
						offset += i % inner[k-1] * value(k)
						i /= inner[k-1]
					}
					return offset
				}
				out := put(b, make([]float32, n))
				b.part("binary_f32", count, first, n, far(a, 4, first), c, far(out, 4, first), count, table(dense, value), rank, 1)
				expect(b, "binary_f32", get[float32](b, out, n), func(i int) float32 { return x[i] - y[small(first+i)] })
				b.part("choose_4", count, first, n, far(condition, 1, first), far(a, 4, first), c, far(out, 4, first), count, table(dense, dense, value), rank)
				expect(b, "choose_4", get[float32](b, out, n), func(i int) float32 {
					if flags[i] != 0 {
						return x[i]
					}
					return y[small(first+i)]
				})
				other := put(b, make([]uint64, 4*n))
				b.part("binary_i64", count, first, n, far(wide, 8, first), wide, far(other, 8, first), count, table(dense, value), rank, 4)
				b.part("binary4_f32", count, first, n, put(b, noise(512, 2)), put(b, noise(512, 3)), far(other, 16, first), count, table(value, value), rank, 2, false, false)
				b.part("compare_f32", count, first, n, far(a, 4, first), c, far(other, 1, first), count, table(dense, value), rank, 1)
				b.part("compare_i64", count, first, n, far(wide, 8, first), wide, far(other, 1, first), count, table(dense, value), rank, 1)
				b.part("compare_bool", count, first, n, far(condition, 1, first), condition, far(other, 1, first), count, table(dense, value), rank, 7)
				b.part("power", count, first, n, far(a, 4, first), c, far(other, 4, first), count, table(dense, value), rank, 0, 0, 0)
				b.part("choose_1", count, first, n, far(condition, 1, first), far(letters, 1, first), letters, far(other, 1, first), count, table(dense, dense, value), rank)
				b.part("choose_8", count, first, n, far(condition, 1, first), far(wide, 8, first), wide, far(other, 8, first), count, table(dense, dense, value), rank)
				// The second operand far out, and not the first.
				b.part("choose_1", count, first, n, far(condition, 1, first), letters, far(letters, 1, first), far(other, 1, first), count, table(dense, value, dense), rank)
				b.part("choose_4", count, first, n, far(condition, 1, first), c, far(a, 4, first), far(other, 4, first), count, table(dense, value, dense), rank)
				b.part("choose_8", count, first, n, far(condition, 1, first), wide, far(wide, 8, first), far(other, 8, first), count, table(dense, value, dense), rank)
				for _, size := range []int{1, 4, 8, 16} {
					from := put(b, scattered[uint8](n*16, 6))
					to := put(b, make([]uint8, n*size))
					b.part(fmt.Sprint("copy_box_", size), count, first, n, from, far(to, size, first), count, table(value, dense), rank) // of dense places any quotient gives the sum
				}
				fault := put(b, make([]uint64, 1))
				indices := scattered[int64](n, 5)
				for i := range indices {
					indices[i] = indices[i]&15 - 8
				}
				b.part("element_places", count, first, n, far(put(b, indices), 8, first), far(other, 8, first), count, table(value), rank, 8, 3, fault)
			}
		}
	})
}

// levels is part for levels_u8, whose blocks take 4096 elements.
func (b *bench) levels(first, n int, arguments ...any) {
	fakecuda.Blocks(first/4096, n/4096)
	b.start("levels_u8", [3]int{(first + n) / 4096, 1, 1}, [3]int{256, 1, 1}, 0, arguments...)
	fakecuda.Blocks(0, 0)
}

func TestSelftestKernels(t *testing.T) {
	directly(t, func(b *bench) {
		x := noise(700, 3)
		for _, rounds := range []int{0, 1, 3, 8, 9, 21} {
			for _, count := range []int{700, 512, 5} {
				y := put(b, make([]float32, count))
				b.start("selftest_scale", [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, put(b, x[:count]), y, count, float32(0.75), float32(0.5), rounds)
				expect(b, "selftest_scale", get[float32](b, y, count), func(i int) float32 {
					v := x[i]
					for range rounds {
						v = float32(math.FMA(float64(v), 0.75, 0.5))
					}
					return v
				})
			}
		}
		for function := range 4 {
			v := telling(600)
			b.start("selftest_function", [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, put(b, v), put(b, make([]float32, len(v))), len(v), function)
		}
		for _, n := range []int{16, 48} {
			a, c := noise(n*n, 1), noise(n*n, 2)
			y := put(b, make([]float32, n*n))
			b.start("selftest_product", [3]int{n / 16, n / 16, 1}, [3]int{16, 16, 1}, 0, put(b, a), put(b, c), y, n)
			for i, v := range get[float32](b, y, n*n) {
				sum := 0.0
				for k := range n {
					sum += float64(a[i/n*n+k]) * float64(c[k*n+i%n])
				}
				if math.Abs(float64(v)-sum) > 1e-5 {
					b.t.Fatalf("selftest_product: element %d is %v, want %v", i, v, sum)
				}
			}
		}
		// A warp of 8 by 2 by 2 threads, whose lanes have other numbers than their first indices.
		warp := [3]int{8, 2, 2}
		b.start("selftest_lanes", [3]int{1, 1, 1}, warp, 0, put(b, make([]uint32, 128)))
		halves := put(b, scattered[uint32](128, 4))
		for _, kind := range []string{"tf32", "bf16"} {
			b.start("selftest_mma_"+kind, [3]int{1, 1, 1}, warp, 0, put(b, noise(256, 1)), put(b, noise(128, 2)), put(b, make([]float32, 128)))
		}
		b.start("selftest_mma_u8", [3]int{1, 1, 1}, warp, 0, put(b, scattered[uint8](512, 1)), put(b, scattered[uint8](256, 2)), put(b, make([]int32, 128)))
		b.start("selftest_ldmatrix", [3]int{1, 1, 1}, warp, 1024, halves, halves, halves, put(b, make([]uint32, 128)), put(b, make([]uint32, 64)), put(b, make([]uint32, 64)))
		for _, c := range [][2]int{{1000, 8}, {512, 5}, {128, 2}, {5, 1}} {
			y := put(b, make([]float32, c[0]))
			b.start("selftest_pipeline", [3]int{1, 1, 1}, warp, 0, put(b, noise(1024, 5)), y, c[0], c[1])
		}
		// Not a mistake: none of the kinds, and shared memory of the launch.
		for kind, shared := range map[int]int{9: 0, 6: 256} {
			y := put(b, make([]float32, 64))
			b.start("selftest_mistake", [3]int{1, 1, 1}, [3]int{64, 1, 1}, shared, y, kind)
			expect(b, "selftest_mistake", get[float32](b, y, 64), func(i int) float32 { return float32(i) })
		}
	})
}
