//go:build cuda && fakecuda

// The kernels of product.cu, conv.cu and attention.cu by themselves.

package cuda

import (
	"fmt"
	"testing"
)

// tile is what a block computes; see kernels/tile.h.
type tile struct{ rows, columns, threads, stages int }

// shared is its memory, with sums of slices.
func (t tile) shared() int { return t.stages*(t.rows+t.columns)*128 + t.rows*t.columns*4 }

func (t tile) grid(m, n int) int {
	return (m + t.rows - 1) / t.rows * ((n + t.columns - 1) / t.columns)
}

// tiled are the kernels of a family: a name, its precisions, and tiles by precision.
func tiled(b *bench, name string, run func(kernel string, t tile)) {
	tiles := map[string][]tile{
		"product": {{128, 128, 256, 3}, {64, 64, 128, 3}, {16, 32, 128, 8}},
		"matmul":  {{64, 64, 128, 3}, {16, 32, 128, 4}},
		"conv":    {{64, 64, 128, 3}, {16, 32, 128, 8}},
	}[name]
	for _, precision := range []string{"fp32", "tf32", "bf16"} {
		list := tiles
		switch name + precision {
		case "producttf32":
			list = append([]tile{{64, 32, 128, 4}}, tiles...)
		case "convtf32":
			list = append([]tile{{128, 64, 128, 3}, {64, 32, 128, 4}}, tiles...)
		case "convbf16":
			list = append([]tile{{128, 64, 128, 3}}, tiles...)
		}
		for _, t := range list {
			b.scope(func() { run(fmt.Sprintf("%s_%s_%dx%d", name, precision, t.rows, t.columns), t) })
		}
	}
}

func TestProductKernels(t *testing.T) {
	directly(t, func(b *bench) {
		tiled(b, "product", func(kernel string, t tile) {
			type shape struct{ m, n, k, slice, z int }
			list := []shape{
				{t.rows + 5, t.columns + 4, 100, 9, 1}, {7, t.columns*2 - 3, 44, 9, 1}, {t.rows - 1, 12, 132, 2, 1}, {9, t.columns + 1, 96, 1, 1}, {t.rows + 1, t.columns, 128, 2, 2}, {3, 2, 32, 1, 1},
				{t.rows*2 - 3, 8, 32 * (t.stages + 2), 3, 1}, {t.rows * 2, t.columns + 1, 40, 9, 1}, {t.rows, t.columns, 36, 2, 3},
				// Whole tiles whose slices are added up.
				{t.rows, t.columns, 100, 1, 1}, {t.rows + 2, t.columns + 1, 132, 2, 1},
			}
			// Rows and columns end at each part of a tile that one thread copies.
			for i := 0; i*16 < t.rows; i++ {
				list = append(list, shape{16*i + 3, min(16*i+5, t.columns*2), 4, 9, 1})
			}
			for i, c := range list {
				depth := (c.k + 31) / 32 * 32
				w := noise(c.n*depth, 3)
				for i := range w {
					if i%depth >= c.k {
						w[i] = 0
					}
				}
				for activation := i % 4; activation < 8; activation += 4 {
					bias, other := put(b, noise(c.n, 5))*uint64((i|i>>1)&1), uint64(0)
					if activation == 0 && i%2 == 0 {
						bias, other = put(b, noise(c.n, 5)), put(b, noise(c.m*c.n, 6))
					}
					b.start(kernel, [3]int{t.grid(c.m, c.n), 1, c.z}, [3]int{t.threads, 1, 1}, t.shared(), put(b, noise(c.m*c.k, 2)), put(b, w), bias, other,
						put(b, make([]float32, c.m*c.n*c.z)), c.m, c.n, c.k, depth, c.slice, activation)
				}
			}
		})
		// Products so small that they are −0: what an activation leaves of them.
		tiled(b, "product", func(kernel string, t tile) {
			tiny, negative := make([]float32, 32*32), make([]float32, 32*32)
			for i := range tiny {
				tiny[i], negative[i] = 1e-30, -1e-30
			}
			for _, n := range []int{8, 7} {
				b.start(kernel, [3]int{1, 1, 1}, [3]int{t.threads, 1, 1}, t.shared(), put(b, tiny[:5*32]), put(b, negative[:n*32]), 0, 0, put(b, make([]float32, 5*n)), 5, n, 32, 32, 9, 1)
			}
		})
		tiled(b, "matmul", func(kernel string, t tile) {
			for i, c := range []struct{ m, n, k, slice, batch int }{{t.rows + 5, t.columns + 4, 45, 9, 2}, {7, t.columns - 3, 100, 1, 1}, {3, 8, 1, 1, 3}, {t.rows, 5, 70, 2, 1}, {t.rows * 2, 7, 33, 1, 2}, {t.rows, t.columns + 1, 40, 3, 1}, {t.rows, t.columns, 99, 1, 1}, {t.rows + 1, t.columns + 3, 130, 2, 1}} {
				for orders := range 4 {
					// A and B by rows or by columns, with gaps.
					aRow, aColumn, bRow, bColumn := c.k+1, 1, c.n+2, 1
					if orders&1 != 0 {
						aRow, aColumn = 1, c.m+3
					}
					if orders&2 != 0 {
						bRow, bColumn = 1, c.k+1
					}
					aSize, bSize := (c.m+3)*(c.k+1), (c.n+2)*(c.k+1)
					var offsets []int64
					for e := range c.batch {
						offsets = append(offsets, int64(e*aSize), int64((c.batch-1-e)*bSize))
					}
					list, add, alpha := put(b, offsets), put(b, noise(c.m*c.n*2, 8)), float32(1)
					if c.batch == 1 && orders > 0 {
						list = 0
					}
					if (orders+i)%3 == 0 {
						add = 0
					} else {
						alpha = 0.75
					}
					x, y := noise(c.batch*aSize, 2), noise(c.batch*bSize, 3)
					from, with := uint64(b.alloc(4*len(x))), uint64(b.alloc(4*len(y)))
					for e := range c.batch {
						b.lines(from, x, int(offsets[2*e]), c.m, c.k, aRow, aColumn)
						b.lines(with, y, int(offsets[2*e+1]), c.k, c.n, bRow, bColumn)
					}
					bias, other := put(b, noise(c.n, 5))*uint64(orders&1), uint64(0)
					if orders == 3 {
						other = put(b, noise(c.m*c.n, 6))
					}
					activation := (i + 3*orders) % 8
					if other != 0 {
						activation = 0
					}
					b.start(kernel, [3]int{t.grid(c.m, c.n), c.batch, 1}, [3]int{t.threads, 1, 1}, t.shared(), from, with, add, bias, other,
						put(b, make([]float32, c.batch*c.m*c.n)), list, aRow, aColumn, bRow, bColumn, 2*c.n, 2, c.m, c.n, c.k, c.slice, activation, alpha, float32(-1.5))
				}
			}
		})
		for activation := range 7 {
			slices, bias, other := put(b, telling(5*300)), put(b, noise(60, 3)), put(b, noise(300, 4))
			y := put(b, make([]float32, 300))
			b.start("finish_elements", [3]int{2, 1, 1}, [3]int{256, 1, 1}, 0, slices, bias, 0, y, 1+activation%5, 60, activation, 300)
			b.start("finish_elements", [3]int{2, 1, 1}, [3]int{256, 1, 1}, 0, put(b, noise(6*300, 5)), 0, other, y, 6, 60, activation, 300)
			for which := range 8 {
				rows := put(b, noise(4*7*45, uint32(which)))
				b.start("finish_rows", [3]int{2, 1, 1}, [3]int{128, 1, 1}, 0, rows, bias*uint64(which&1), put(b, noise(45, 7))*uint64(which>>1&1), put(b, noise(45, 8))*uint64(which>>2), put(b, make([]float32, 7*45)),
					1+which%4, 7, 45, activation, float32(1e-3))
			}
		}
	})
}

// convolution is one by all kernels: images of z·y·x pixels, a filter's size, groups.
type convolution struct {
	images, channels, groups, filters      int
	in, size, stride, before, out          [3]int
	channelsFirst, resultFirst, down, norm bool
	slice, z, activation                   int
	fours                                  bool
	shift                                  int  // of the terms, which then lie before a patch's pixel too
	tiny                                   bool // products are −0
}

func TestConvolutionKernels(t *testing.T) {
	directly(t, func(b *bench) {
		base := []convolution{
			{images: 2, channels: 8, groups: 1, filters: 12, in: [3]int{1, 7, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 2, 1}, before: [3]int{0, 1, 1}, fours: true, slice: 9, activation: 3, norm: true},
			{images: 1, channels: 3, groups: 1, filters: 9, in: [3]int{2, 5, 8}, size: [3]int{2, 3, 2}, stride: [3]int{1, 1, 2}, before: [3]int{1, 1, 0}, slice: 1, activation: 1, norm: true},
			{images: 3, channels: 4, groups: 2, filters: 5, in: [3]int{1, 6, 7}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 2}, channelsFirst: true, resultFirst: true, down: true, slice: 9, activation: 2},
			{images: 1, channels: 12, groups: 3, filters: 36, in: [3]int{3, 5, 5}, size: [3]int{3, 1, 3}, stride: [3]int{2, 1, 1}, before: [3]int{1, 0, 1}, fours: true, slice: 1, activation: 0},
			{images: 2, channels: 6, groups: 1, filters: 70, in: [3]int{1, 9, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, channelsFirst: true, slice: 1, z: 2, activation: 0},
			{images: 1, channels: 16, groups: 1, filters: 32, in: [3]int{1, 12, 13}, size: [3]int{1, 5, 4}, stride: [3]int{1, 1, 1}, before: [3]int{0, 2, 2}, fours: true, slice: 3, activation: 6, resultFirst: true},
			{images: 1, channels: 2, groups: 1, filters: 3, in: [3]int{1, 4, 4}, size: [3]int{1, 1, 1}, stride: [3]int{1, 1, 1}, channelsFirst: true, down: true, slice: 9, activation: 4},
			// More steps than stages.
			{images: 1, channels: 33, groups: 1, filters: 9, in: [3]int{1, 5, 5}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, slice: 4, activation: 1},
			{images: 1, channels: 33, groups: 1, filters: 10, in: [3]int{1, 5, 5}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, channelsFirst: true, down: true, slice: 9, activation: 1},
			// Slices of several steps, begun after others.
			{images: 1, channels: 32, groups: 1, filters: 65, in: [3]int{1, 5, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, fours: true, slice: 4, z: 3, activation: 0},
			{images: 1, channels: 32, groups: 1, filters: 65, in: [3]int{1, 5, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, slice: 5, z: 2, activation: 0},
			// The first row and column of pixels is in no patch, and there are more slices than steps.
			{images: 1, channels: 4, groups: 1, filters: 13, in: [3]int{1, 7, 8}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, -1, -1}, fours: true, slice: 1, z: 3, activation: 0},
			{images: 1, channels: 4, groups: 1, filters: 13, in: [3]int{1, 7, 8}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, -1, -1}, channelsFirst: true, down: true, slice: 9, activation: 1},
			{images: 2, channels: 5, groups: 1, filters: 33, in: [3]int{1, 7, 8}, size: [3]int{1, 3, 3}, stride: [3]int{1, 2, 2}, before: [3]int{0, 0, 0}, shift: 1, slice: 2, activation: 1},
			{images: 2, channels: 8, groups: 1, filters: 72, in: [3]int{2, 7, 8}, size: [3]int{2, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 0, 0}, shift: 1, fours: true, slice: 2, activation: 7, norm: true},
			// Whole tiles whose slices are added up, and normalized rows of all lengths of a tile.
			{images: 2, channels: 12, groups: 1, filters: 64, in: [3]int{1, 9, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, slice: 1, activation: 0},
			{images: 1, channels: 12, groups: 1, filters: 63, in: [3]int{1, 8, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, fours: true, slice: 2, activation: 1, norm: true},
			{images: 1, channels: 4, groups: 1, filters: 48, in: [3]int{1, 9, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, fours: true, slice: 9, activation: 1, norm: true},
			{images: 1, channels: 4, groups: 1, filters: 30, in: [3]int{1, 5, 9}, size: [3]int{1, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, fours: true, slice: 1, activation: 1, norm: true},
		}
		plain := convolution{images: 2, channels: 8, groups: 1, filters: 12, in: [3]int{1, 7, 9}, size: [3]int{1, 1, 1}, stride: [3]int{1, 1, 1}, fours: true, slice: 9, activation: 2}
		for _, filters := range []int{12, 13} { // an activation of tiles with a bias; −0, and what an activation leaves of it
			c := plain
			c.filters = filters
			base = append(base, c)
			c.tiny, c.activation = true, 1
			base = append(base, c)
		}
		// Patches that end beyond the image along every axis, in both orders of reading.
		for _, down := range []bool{false, true} {
			base = append(base, convolution{images: 2, channels: 3, groups: 1, filters: 7, in: [3]int{3, 5, 6}, size: [3]int{3, 3, 3}, stride: [3]int{1, 1, 1}, before: [3]int{1, 1, 1}, channelsFirst: down, down: down, slice: 9, activation: 1})
		}
		tiled(b, "conv", func(kernel string, t tile) {
			for i, c := range base {
				c.convolve(b, kernel, t, i)
				if c.norm {
					c.norm = false
					c.activation = 5
					c.convolve(b, kernel, t, i)
				}
			}
		})
		for i, c := range base {
			for activation := range 8 {
				c.activation = activation
				c.convolve(b, "conv_direct", tile{}, i)
			}
		}
		// The activations of many numbers: one pixel each, by a filter that is 1.
		const n = 600
		for activation := range 8 {
			b.start("conv_direct", [3]int{(n + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, put(b, telling(n)), put(b, []float32{1}), 0, put(b, make([]float32, n)), put(b, make([]int32, 4)),
				n, 1, 1, 1, activation, 0, 1, 1, 1, n, n, n, 1, n, 1, 1, n, n, n, 1, n, 0, 1, 1, 1, 0, 0, 0)
		}
		order := make([]int32, 40)
		for i := range order {
			order[i] = int32(i*7%30) - 1
		}
		for round := range 2 {
			for _, columns := range []int{0, 15} {
				b.start("pack_filters", [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, put(b, noise(3*200, 2)), put(b, make([]float32, 600)), put(b, order), 170, 31, 5, 40, columns, round, 600)
			}
		}
		// Packing more than 32 bits count.
		for _, first := range distant {
			const n = 512
			for _, columns := range []int{0, 1 << 20} {
				if columns > 0 && first%columns+n > columns {
					continue
				}
				k0, group := 0, first/40/5
				if columns > 0 {
					k0, group = first>>20, first%(1<<20)/5
				}
				b.part("pack_filters", first+n, first, n, far(put(b, noise(600, 2)), 4, group*3), far(put(b, make([]float32, n)), 4, first), far(put(b, order), 4, k0), 3, 1, 5, 40, columns, 1, first+n)
			}
		}
	})
}

// convolve launches a kernel on it, with terms in the order of memory.
func (c convolution) convolve(b *bench, kernel string, t tile, seed int) {
	width, all := c.channels/c.groups, c.filters*c.groups
	pixels := c.in[0] * c.in[1] * c.in[2]
	for a := range 3 {
		c.out[a] = (c.in[a]+2*c.before[a]-c.size[a])/c.stride[a] + 1
	}
	plane := c.out[0] * c.out[1] * c.out[2]
	steps := func(of [3]int, pixel int) [3]int { return [3]int{of[1] * of[2] * pixel, of[2] * pixel, pixel} }
	inStep, channelStep, groupStep := steps(c.in, c.channels), 1, width
	if c.channelsFirst {
		inStep, channelStep, groupStep = steps(c.in, 1), pixels, width*pixels
	}
	outStep, columns := steps(c.out, all), 1
	if c.resultFirst {
		outStep, columns = steps(c.out, 1), plane
	}
	var terms []int32
	for z := range c.size[0] {
		for y := range c.size[1] {
			for x := range c.size[2] {
				for channel := range width {
					z, y, x := z-c.shift, y-c.shift, x-c.shift
					terms = append(terms, int32(z*inStep[0]+y*inStep[1]+x*inStep[2]+channel*channelStep), int32(z), int32(y), int32(x))
				}
			}
		}
	}
	m := c.images * plane
	geometry := []any{c.in[0], c.in[1], c.in[2], inStep[0], inStep[1], inStep[2], pixels * c.channels, c.out[0], c.out[1], c.out[2], outStep[0], outStep[1], outStep[2],
		plane * all, 0, c.stride[0], c.stride[1], c.stride[2], c.before[0], c.before[1], c.before[2]}
	values := noise(c.images*pixels*c.channels, uint32(seed))
	if c.tiny {
		for i := range values {
			values[i] = 1e-30
		}
	}
	x := uint64(b.alloc(4 * len(values)))
	unread := 0
	if c.before[2] < 0 {
		unread = inStep[2] // and nobody has written it
	}
	b.must(Upload(b.context, Pointer(x)+Pointer(4*unread), values[unread:]))
	bias := put(b, noise(all, 9))
	if seed%3 == 2 || c.tiny {
		bias = 0
	}
	count := len(terms) / 4
	weight := func(n int) []float32 {
		w := noise(n, 4)
		if c.tiny {
			for i := range w {
				w[i] = -1e-30
			}
		}
		return w
	}
	if kernel == "conv_direct" {
		b.start(kernel, [3]int{(m*all + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, append([]any{x, put(b, weight(count*all)), bias, put(b, make([]float32, m*all)), put(b, terms),
			m, c.filters, c.groups, count, c.activation, groupStep, columns}, geometry...)...)
		return
	}
	depth := (count + 31) / 32 * 32
	for len(terms) < 4*depth {
		terms = append(terms, 0, 1<<29, 0, 0)
	}
	filters := weight(all * depth)
	for i := range filters {
		if i%depth >= count {
			filters[i] = 0
		}
	}
	flags := 0
	if c.fours {
		flags |= 1
		var fours []int32
		for i := 0; i < len(terms); i += 16 {
			fours = append(fours, terms[i:i+4]...)
		}
		terms = fours
	} else if c.down {
		flags |= 2
	}
	if c.norm && c.filters <= t.columns && c.filters%3 == 0 {
		flags |= 4
	}
	z := max(c.z, 1)
	if z > 1 {
		bias = 0
	}
	scale, shift := put(b, noise(all, 5)), put(b, noise(all, 6))
	if seed%2 == 1 {
		scale = 0
	}
	b.start(kernel, [3]int{t.grid(m, c.filters), c.groups, z}, [3]int{t.threads, 1, 1}, t.shared()+t.rows*32, append([]any{x, put(b, filters), bias, scale, shift,
		put(b, make([]float32, m*all*z)), put(b, terms), m, c.filters, depth, c.slice, c.activation, flags, groupStep, columns, float32(1e-3)}, geometry...)...)
}

func TestAttentionKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, precision := range []string{"tf32", "bf16", "fp32"} {
			for _, d := range []int{16, 32, 64, 128} {
				if precision == "fp32" && d == 16 {
					continue
				}
				stage := 2 * 32 * (d + 4) * 4
				for i, c := range []struct{ queries, keys, width, values, warps int }{{21, 45, d, d - 4, 1}, {70, 33, d - 6, d - 5, 4}, {3, 7, d - 8, d, 2}, {40, 100, d - 2, d - 4, 2}, {64, 32, d, d, 4}, {32, 64, d - 4, d - 8, 2}, {5, 0, d, d, 1}, {6, 50, d, d, 1}, {9, 28, d, d, 1}} {
					warps, shared, blocks := c.warps, 2*stage, (c.queries+16*c.warps-1)/(16*c.warps)
					if precision == "fp32" {
						warps, shared, blocks = 4, stage+64*(d+4+32+4)*4, (c.queries+63)/64
					}
					b.scope(func() {
						b.attend(fmt.Sprintf("attention_%s_%d", precision, d), i, c.queries, c.keys, c.width, c.values, blocks, 32*warps, shared)
					})
				}
			}
		}
		for i, c := range []struct{ queries, keys, width, values int }{{5, 150, 140, 131}, {2, 7, 200, 12}, {3, 256, 6, 300}, {2, 131, 130, 140}, {2, 128, 132, 131}, {2, 130, 132, 132}, {2, 0, 132, 129}} {
			b.attend("attention_wide", i, c.queries, c.keys, c.width, c.values, c.queries, 128, 4*(c.width+c.values+136))
		}
	})
}

// lines writes the elements of a matrix, and not what lies between them.
func (b *bench) lines(to uint64, v []float32, first, rows, columns, rowStep, columnStep int) {
	if columnStep != 1 {
		rows, columns, rowStep = columns, rows, columnStep
	}
	for r := range rows {
		b.must(Upload(b.context, Pointer(to)+Pointer(4*(first+r*rowStep)), v[first+r*rowStep:][:columns]))
	}
}

// gapped are rows of `width` elements, `step` apart; nobody writes what lies between.
func (b *bench) gapped(v []float32, step, width int) uint64 {
	if len(v) == 0 {
		return put(b, v)
	}
	p := b.alloc(4 * len(v))
	for at := 0; at < len(v); at += step {
		b.must(Upload(b.context, p+Pointer(4*at), v[at:min(at+width, len(v))]))
	}
	return uint64(p)
}

// attend has two heads, masks (with rows that see nothing of some keys), rotations, and rows that lie apart.
func (b *bench) attend(kernel string, which, queries, keys, width, values, blocks, threads, shared int) {
	const heads = 2
	qStep, vStep := (width+7)/4*4, (values+7)/4*4
	if which == 1 {
		qStep, vStep = width+1, values+3
	}
	head := func(h int) []int64 {
		return []int64{int64(h * queries * qStep), int64((1 - h) * keys * qStep), int64(h * keys * vStep), int64(h * queries * vStep), int64(h * queries * (keys + 2))}
	}
	mask := noise(heads*queries*(keys+2), 9)
	for i := range mask {
		switch {
		case i%5 == 1:
			mask[i] = -infinite
		case i%(keys+2) < 32 && i/(keys+2)%3 == 1: // none of the first keys
			mask[i] = -infinite
		}
	}
	vectors := 0
	if which != 1 {
		if width%4 == 0 {
			vectors |= 3
		}
		if values%4 == 0 {
			vectors |= 12
		}
	}
	rotations := func(rows int) (uint64, uint64) { return put(b, noise(rows*width, 11)), put(b, noise(rows*width, 12)) }
	qc, qs := rotations(queries)
	kc, ks := rotations(keys)
	masked := b.gapped(mask, keys+2, keys)
	q, k, v := noise(heads*queries*qStep, 1), noise(heads*keys*qStep, 2), noise(heads*keys*vStep, 3)
	for i := range q {
		q[i] *= 4
	}
	for _, use := range []uint64{0, 1, 2, 3} {
		if width%2 != 0 && use > 1 {
			continue
		}
		b.start(kernel, [3]int{heads * blocks, 1, 1}, [3]int{threads, 1, 1}, shared, b.gapped(q, qStep, width), b.gapped(k, qStep, width), b.gapped(v, vStep, values), masked*(use&1), qc*(use>>1), qs*(use>>1), kc*(use>>1), ks*(use>>1),
			put(b, make([]float32, heads*queries*vStep)), put(b, append(head(0), head(1)...)), queries, keys, width, values, qStep, qStep, vStep, vStep, keys+2, float32(0.35), vectors)
	}
}
