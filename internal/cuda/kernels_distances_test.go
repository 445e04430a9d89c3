//go:build cuda && fakecuda

// The kernels of distances.cu and ranks.cu by themselves.

package cuda

import (
	"cmp"
	"slices"
	"testing"

	"repscope/internal/cuda/fakecuda"
)

func TestDistanceKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, c := range []struct{ rows, columns, pitch int }{{130, 150, 64}, {5, 260, 128}, {140, 9, 256}, {129, 257, 192}, {2200, 9, 64}} {
			queries, points := scattered[uint8](c.rows*c.pitch, 3), scattered[uint8](c.columns*c.pitch, 4)
			for i := range queries {
				queries[i] ^= uint8(i * 73)
			}
			for i := range points {
				points[i] ^= uint8(i * 39)
			}
			square := func(points []uint8) ([]uint64, []uint32) {
				wide, low := make([]uint64, len(points)/c.pitch), make([]uint32, len(points)/c.pitch)
				for i, v := range points {
					wide[i/c.pitch] += uint64(v) * uint64(v)
				}
				for i, v := range wide {
					low[i] = uint32(v)
				}
				return wide, low
			}
			dot := func(i, k0, k1 int) (sum uint64) {
				q, p := queries[i/c.columns*c.pitch:], points[i%c.columns*c.pitch:]
				for k := k0; k < k1; k++ {
					sum += uint64(q[k]) * uint64(p[k])
				}
				return
			}
			wideQ, lowQ := square(queries)
			wideP, lowP := square(points)
			squares, low := put(b, make([]uint64, c.columns)), put(b, make([]uint32, c.columns))
			b.start("squares_u8", [3]int{(c.columns + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0, put(b, points), squares, low, c.columns, c.pitch)
			expect(b, "squares_u8", get[uint64](b, squares, c.columns), func(i int) uint64 { return wideP[i] })
			expect(b, "squares_u8", get[uint32](b, low, c.columns), func(i int) uint32 { return lowP[i] })
			n := c.rows * c.columns
			grid := [3]int{(c.rows + 127) / 128, (c.columns + 127) / 128, 1}
			keys, out := put(b, make([]uint32, n)), put(b, make([]uint64, n))
			q, p := put(b, queries), put(b, points)
			b.start("squared_u8", grid, [3]int{256, 1, 1}, 0, q, p, put(b, lowQ), put(b, lowP), keys, c.rows, c.columns, c.pitch, 0)
			expect(b, "squared_u8", get[uint32](b, keys, n), func(i int) uint32 { return lowQ[i/c.columns] + lowP[i%c.columns] - 2*uint32(dot(i, 0, c.pitch)) })
			squareGrid := [3]int{grid[1], grid[1], 1}
			mutual := func(i int) (sum uint64) {
				x, y := points[i/c.columns*c.pitch:], points[i%c.columns*c.pitch:]
				for k := range c.pitch {
					sum += uint64(x[k]) * uint64(y[k])
				}
				return sum
			}
			all, wide := put(b, make([]uint32, c.columns*c.columns)), put(b, make([]uint64, c.columns*c.columns))
			b.start("squared_u8", squareGrid, [3]int{256, 1, 1}, 0, p, p, put(b, lowP), put(b, lowP), all, c.columns, c.columns, c.pitch, 1)
			expect(b, "squared_u8 mirrored", get[uint32](b, all, c.columns*c.columns), func(i int) uint32 {
				return lowP[i/c.columns] + lowP[i%c.columns] - 2*uint32(mutual(i))
			})
			for first := 0; first < c.pitch; first += 64 {
				b.start("product_u8", grid, [3]int{256, 1, 1}, 0, q, p, out, c.rows, c.columns, c.pitch, first, min(first+64, c.pitch), 0)
				b.start("product_u8", squareGrid, [3]int{256, 1, 1}, 0, p, p, wide, c.columns, c.columns, c.pitch, first, min(first+64, c.pitch), 1)
			}
			expect(b, "product_u8 mirrored", get[uint64](b, wide, c.columns*c.columns), mutual)
			expect(b, "product_u8", get[uint64](b, out, n), func(i int) uint64 { return dot(i, 0, c.pitch) })
			// Sums that need 64 bits.
			for i := range wideQ {
				wideQ[i] += 1 << 40
			}
			for i := range wideP {
				wideP[i] += 3 << 41
			}
			small := min(n, 1000)
			threads := [3]int{(small + 255) / 256, 1, 1}
			b.start("squared_from_products", threads, [3]int{256, 1, 1}, 0, out, put(b, wideQ), put(b, wideP), small, c.columns)
			b.start("product_u8", grid, [3]int{256, 1, 1}, 0, q, p, out, c.rows, c.columns, c.pitch, 0, c.pitch, 0)
			b.start("cosine_from_products", threads, [3]int{256, 1, 1}, 0, out, put(b, wideQ), put(b, wideP), small, c.columns)
			b.start("cosine_from_products", threads, [3]int{256, 1, 1}, 0, put(b, get[uint64](b, squares, c.columns)), squares, squares, c.columns, c.columns)
		}
		for _, c := range []struct{ rows, columns, depth int }{{70, 65, 17}, {3, 130, 40}, {64, 64, 16}, {9, 5, 1}} {
			q, p := noise(c.rows*c.depth, 1), noise(c.columns*c.depth, 2)
			wide := func(v []float32) []float64 {
				all := make([]float64, len(v))
				for i, f := range v {
					all[i] = float64(f) * 1.000000001
				}
				return all
			}
			squares := func(v []float32) []float64 {
				all := make([]float64, len(v)/c.depth)
				for i, f := range v {
					all[i/c.depth] += float64(f) * float64(f)
				}
				return all
			}
			grid := [3]int{(c.rows + 63) / 64, (c.columns + 63) / 64, 1}
			for _, kernel := range []string{"squared_f32", "cosine_f32", "squared_f64", "cosine_f64"} {
				x, y := put(b, q), put(b, p)
				if kernel[len(kernel)-2:] == "64" {
					x, y = put(b, wide(q)), put(b, wide(p))
				}
				b.start(kernel, grid, [3]int{256, 1, 1}, 0, x, y, put(b, squares(q)), put(b, squares(p)), put(b, make([]uint64, c.rows*c.columns)), c.rows, c.columns, c.depth, 0)
				whole, half, norms := put(b, make([]uint64, c.columns*c.columns)), put(b, make([]uint64, c.columns*c.columns)), put(b, squares(p))
				b.start(kernel, [3]int{grid[1], grid[1], 1}, [3]int{256, 1, 1}, 0, y, y, norms, norms, whole, c.columns, c.columns, c.depth, 0)
				b.start(kernel, [3]int{grid[1], grid[1], 1}, [3]int{256, 1, 1}, 0, y, y, norms, norms, half, c.columns, c.columns, c.depth, 1)
				want := get[uint64](b, whole, c.columns*c.columns)
				expect(b, kernel+" mirrored", get[uint64](b, half, c.columns*c.columns), func(i int) uint64 { return want[i] })
			}
		}
		episodes := make([]int32, 400)
		for i := range episodes {
			episodes[i] = int32(i / 13)
		}
		for _, c := range []struct{ rows, first, columns, window int }{{6, 0, 30, 3}, {5, 20, 27, 9}, {4, 190, 400, 150}, {3, 0, 3, 0}, {2, 7, 40, 500}, {2, 100, 300, 64}} {
			for which := range 2 {
				list := put(b, episodes) * uint64(which)
				keys, wide := put(b, counting[uint32](c.rows*c.columns)), put(b, counting[uint64](c.rows*c.columns))
				b.start("exclude_32", [3]int{c.rows, 1, 1}, [3]int{128, 1, 1}, 0, keys, c.first, c.columns, c.window, list)
				b.start("exclude_64", [3]int{c.rows, 1, 1}, [3]int{128, 1, 1}, 0, wide, c.first, c.columns, c.window, list)
				excluded := func(i int) bool {
					p, j := c.first+i/c.columns, i%c.columns
					return max(p-j, j-p) <= c.window && (j == p || which == 0 || episodes[p] == episodes[j])
				}
				expect(b, "exclude_32", get[uint32](b, keys, c.rows*c.columns), func(i int) uint32 {
					if excluded(i) {
						return 1<<32 - 1
					}
					return uint32(i)
				})
				expect(b, "exclude_64", get[uint64](b, wide, c.rows*c.columns), func(i int) uint64 {
					if excluded(i) {
						return 1<<64 - 1
					}
					return uint64(i)
				})
			}
		}
		index := []uint32{4, 0, 7, 7, 2, 9, 1}
		for _, units := range []int{1, 3, 64} {
			from, count := scattered[uint32](10*units, 3), len(index)*units
			to := put(b, make([]uint32, count))
			b.start("gather_rows", [3]int{(count + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, put(b, from), to, put(b, index), count, units)
			expect(b, "gather_rows", get[uint32](b, to, count), func(i int) uint32 { return from[int(index[i/units])*units+i%units] })
		}
		b.distantDistances()
	})
}

// distantDistances runs kernels of pairs that are more than 32 bits count.
func (b *bench) distantDistances() {
	const n = 512
	for _, first := range distant {
		for _, columns := range []int{6, 1000, 1<<32 - 1} {
			row0 := first / columns
			rows := (first+n-1)/columns - row0 + 1
			keys := counting[uint64](n)
			q, points := counting[uint64](rows), counting[uint64](columns%n+n)
			for i := range q {
				q[i] = q[i]*3 + 1000
			}
			column0 := 0
			if columns > n*4 {
				column0 = first % columns
				if column0+n > columns {
					continue
				}
			} else {
				points = counting[uint64](columns)
			}
			for i := range points {
				points[i] = points[i]*5 + 2000
			}
			pointer := far(put(b, q), 8, row0)
			for _, kernel := range []string{"squared_from_products", "cosine_from_products"} {
				out := put(b, keys)
				b.part(kernel, first+n, first, n, far(out, 8, first), pointer, far(put(b, points), 8, column0), first+n, columns)
				if kernel[0] == 's' {
					expect(b, kernel, get[uint64](b, out, n), func(i int) uint64 {
						return q[(first+i)/columns-row0] + points[(first+i)%columns-column0] - 2*keys[i]
					})
				}
			}
			index := make([]uint32, rows)
			for i := range index {
				index[i] = uint32(i % 5)
			}
			from := scattered[uint32](5*1000+n, 4)
			x := put(b, from)
			if columns > n*4 {
				x = far(x, 4, column0)
			}
			to := put(b, make([]uint32, n))
			b.part("gather_rows", first+n, first, n, x, far(to, 4, first), far(put(b, index), 4, row0), first+n, columns)
		}
	}
	// A row of keys far out, and one whose keys begin there.
	const row = 40000
	columns := 1<<32/row + 17
	for _, size := range []int{4, 8} {
		kernel := map[int]string{4: "exclude_32", 8: "exclude_64"}[size]
		keys := put(b, make([]uint8, size*64))
		fakecuda.Blocks(row, 1)
		b.start(kernel, [3]int{row + 1, 1, 1}, [3]int{128, 1, 1}, 0, far(keys, size, row*columns+90), 1<<32+100-row, columns, 5, 0)
		fakecuda.Blocks(0, 0)
	}
}

func TestRankKernels(t *testing.T) {
	directly(t, func(b *bench) {
		for _, c := range []struct{ rows, columns, count, spread int }{{3, 300, 20, 40}, {2, 700, 300, 1 << 30}, {4, 260, 1, 5}, {1, 256, 256, 3}, {2, 517, 100, 1}, {1, 200, 30, 9}, {1, 66000, 40, 2}} {
			narrow, wide := make([]uint32, c.rows*c.columns), make([]uint64, c.rows*c.columns)
			random := scattered[uint64](len(wide), uint64(c.columns))
			for i, v := range random {
				narrow[i] = uint32(v % uint64(c.spread) * (1<<32/uint64(c.spread) - 1))
				wide[i] = v % uint64(c.spread) * (1<<63/uint64(c.spread) + 3)
			}
			selectEntries(b, "select_32", narrow, c.rows, c.columns, c.count)
			selectEntries(b, "select_64", wide, c.rows, c.columns, c.count)
			if c.columns > 1000 {
				continue
			}
			for _, groups := range []int{1, 3, 300} {
				b.scope(func() { rankEntries(b, "32", narrow, c.rows, c.columns, groups) })
			}
			for _, groups := range []int{1, 3, 300} {
				b.scope(func() { rankEntries(b, "64", wide, c.rows, c.columns, groups) })
			}
		}
	})
}

// order compares entries of a row as neighbors are ordered.
func order[K cmp.Ordered](row []K) func(i, j uint32) int {
	return func(i, j uint32) int { return cmp.Or(cmp.Compare(row[i], row[j]), cmp.Compare(i, j)) }
}

func selectEntries[K uint32 | uint64](b *bench, kernel string, keys []K, rows, columns, count int) {
	out, index := put(b, make([]K, rows*count)), put(b, make([]uint32, rows*count))
	b.start(kernel, [3]int{rows, 1, 1}, [3]int{256, 1, 1}, 0, put(b, keys), columns, count, out, index)
	gotKeys, got := get[K](b, out, rows*count), get[uint32](b, index, rows*count)
	for r := range rows {
		row := keys[r*columns:][:columns]
		want := slices.SortedFunc(slices.Values(counting[uint32](columns)), order(row))[:count]
		list := got[r*count:][:count]
		for i, j := range list {
			if gotKeys[r*count+i] != row[j] {
				b.t.Fatalf("%s: key %v of entry %d, which has %v", kernel, gotKeys[r*count+i], j, row[j])
			}
		}
		slices.SortFunc(list, order(row))
		if !slices.Equal(list, want) {
			b.t.Fatalf("%s: row %d gives %v, want %v", kernel, r, list, want)
		}
	}
}

// rankEntries ranks pieces of lists, with groups of points and without.
func rankEntries[K uint32 | uint64](b *bench, name string, keys []K, rows, columns, groups int) {
	lengths := []int{1, 40, 7, 230, 2}
	if groups > 100 {
		lengths = []int{1, 40, 7} // more counters are not in a block's memory
	}
	var list, start, owner []uint32
	for p, length := range lengths {
		start = append(start, uint32(len(list)))
		owner = append(owner, uint32(p%rows))
		seen := map[uint32]bool{}
		for i := range min(length, columns) {
			if j := uint32((i*7 + p*11) % columns); !seen[j] {
				list = append(list, j)
				seen[j] = true
			}
		}
	}
	start = append(start, uint32(len(list)))
	longest := 0
	for p := range lengths {
		longest = max(longest, int(start[p+1]-start[p]))
	}
	group := make([]uint32, columns)
	for i := range group {
		group[i] = uint32(i * i % groups)
	}
	with := put(b, group)
	if groups == 1 {
		with = 0
	}
	n := len(list)
	before, equal := put(b, make([]uint32, n*groups)), put(b, make([]uint32, n))
	x, l, s, r := put(b, keys), put(b, list), put(b, start), put(b, owner)
	b.start("rank_"+name, [3]int{len(lengths), 1, 1}, [3]int{256, 1, 1}, 4*(longest+1)*groups, x, columns, l, s, r, with, groups, before, equal)
	below, tied := put(b, make([]uint32, n*groups)), put(b, make([]uint32, n*groups))
	b.start("place_"+name, [3]int{len(lengths), 1, 1}, [3]int{256, 1, 1}, 4*(2*longest+1)*groups, x, columns, l, s, r, with, groups, below, tied)
	gotBefore, gotEqual, gotBelow, gotTied := get[uint32](b, before, n*groups), get[uint32](b, equal, n), get[uint32](b, below, n*groups), get[uint32](b, tied, n*groups)
	for p := range lengths {
		row := keys[int(owner[p])*columns:][:columns]
		for e := start[p]; e < start[p+1]; e++ {
			j := list[e]
			wantBefore, wantBelow, wantTied := make([]uint32, groups), make([]uint32, groups), make([]uint32, groups)
			others := uint32(0)
			for i := range columns {
				g := 0
				if groups > 1 {
					g = int(group[i])
				}
				if row[i] < row[j] {
					wantBelow[g]++
				}
				if order(row)(uint32(i), j) < 0 {
					wantBefore[g]++
				}
				if row[i] == row[j] {
					wantTied[g]++
					others++
				}
			}
			offset := int(e) * groups
			if !slices.Equal(gotBefore[offset:offset+groups], wantBefore) || !slices.Equal(gotBelow[offset:offset+groups], wantBelow) || !slices.Equal(gotTied[offset:offset+groups], wantTied) || gotEqual[e] != others-1 {
				b.t.Fatalf("%s bits, entry %d of piece %d: %v %v %v %d, want %v %v %v %d", name, e, p, gotBefore[offset:offset+groups], gotBelow[offset:offset+groups], gotTied[offset:offset+groups], gotEqual[e],
					wantBefore, wantBelow, wantTied, others-1)
			}
		}
	}
}
