//go:build cuda

// Blocks of rows of keys in a GPU's memory, and queries for all rows of a block at once. Keys order like the distances
// they represent: exact integers for uint8 points, the bits of the float64 key of the definition for others.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"repscope/internal/cuda"
	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// deviceRows is a block of rows of keys, from queries to points.
type deviceRows struct {
	*session
	queries, points devicePoints
	metric          rows.Metric
	self            bool
	window          int
	episode         cuda.Pointer
	group           cuda.Pointer // of each point, 0 without blocks
	groups          int          // at least 1
	averages        bool         // ties: lists are whole runs, and are placed

	keys         *growingMemory // shared between spaces, which are processed one at a time
	outKey       growingMemory
	outIndex     growingMemory
	list, start  growingMemory
	rows         growingMemory
	before, ties growingMemory

	lo, hi int
	lists  []rows.Listed // the nearest neighbors of the loaded rows, in order
	ranked listRanks
}

// wide reports whether keys have 64 bits.
func (s *deviceRows) wide() bool {
	return s.points.U8 == nil || s.metric == rows.Cosine || s.points.Dim > kernel.MaxUint8Depth
}

func (s *deviceRows) keySize() int {
	if s.wide() {
		return 8
	}
	return 4
}

// kernel is the name of the variant of a kernel for the size of the keys.
func (s *deviceRows) kernel(name string) string {
	if s.wide() {
		return name + "_64"
	}
	return name + "_32"
}

// load computes the rows lo … hi−1.
func (s *deviceRows) load(lo, hi int) error {
	s.lo, s.hi = lo, hi
	height, columns := hi-lo, s.points.N
	if err := s.grow(s.keys, height*columns*s.keySize()); err != nil {
		return err
	}
	var err error
	if s.points.U8 != nil {
		err = s.loadUint8(lo, height)
	} else {
		name := "squared"
		if s.metric == rows.Cosine {
			name = "cosine"
		}
		squares := uint64(0)
		if s.queries.squares != 0 {
			squares = uint64(s.queries.squares) + uint64(8*lo)
		}
		err = s.launch(name+s.points.suffix(), [3]int{(height + 63) / 64, (columns + 63) / 64, 1}, [3]int{256, 1, 1}, 0,
			uint64(s.queries.data)+uint64(lo*s.queries.pitch), uint64(s.points.data), squares, uint64(s.points.squares),
			uint64(s.keys.at), uint64(height), uint64(columns), uint64(s.points.Dim), s.mirrored(height))
	}
	if err != nil || !s.self {
		return err
	}
	return s.launch(s.kernel("exclude"), [3]int{height, 1, 1}, [3]int{128, 1, 1}, 0,
		uint64(s.keys.at), uint64(lo), uint64(columns), uint64(s.window), uint64(s.episode))
}

// mirrored is 1 if the loaded rows are all distances of points to each other, so that half are computed.
func (s *deviceRows) mirrored(height int) uint64 {
	if s.queries.data == s.points.data && height == s.points.N {
		return 1
	}
	return 0
}

func (s *deviceRows) loadUint8(lo, height int) error {
	columns, pitch := s.points.N, s.points.pitch
	queries := uint64(s.queries.data) + uint64(lo*pitch)
	grid, block := [3]int{(height + 127) / 128, (columns + 127) / 128, 1}, [3]int{256, 1, 1}
	if !s.wide() {
		return s.launch("squared_u8", grid, block, 0, queries, uint64(s.points.data), uint64(s.queries.low)+uint64(4*lo),
			uint64(s.points.low),
			uint64(s.keys.at), uint64(height), uint64(columns), uint64(pitch), s.mirrored(height))
	}
	for first := 0; first < pitch; first += productDepth {
		if err := s.launch("product_u8", grid, block, 0, queries, uint64(s.points.data), uint64(s.keys.at),
			uint64(height), uint64(columns), uint64(pitch), uint64(first), uint64(min(first+productDepth, pitch)), s.mirrored(height)); err != nil {
			return err
		}
	}
	name := "squared_from_products"
	if s.metric == rows.Cosine {
		name = "cosine_from_products"
	}
	return s.each(name, height*columns, uint64(s.keys.at), uint64(s.queries.squares)+uint64(8*lo),
		uint64(s.points.squares),
		uint64(height*columns), uint64(columns))
}

// selection is the unsorted outcome of a selection.
type selection struct {
	count  int // per row
	narrow []uint32
	wide   []uint64
	index  []int32
}

// nearest selects the count first entries of each loaded row.
func (s *deviceRows) nearest(count int) (*selection, error) {
	height := s.hi - s.lo
	count = min(count, s.points.N)
	if err := errors.Join(s.grow(&s.outKey, height*count*s.keySize()), s.grow(&s.outIndex, height*count*4)); err != nil {
		return nil, err
	}
	if err := s.launch(s.kernel("select"), [3]int{height, 1, 1}, [3]int{256, 1, 1}, 0,
		uint64(s.keys.at), uint64(s.points.N), uint64(count), uint64(s.outKey.at), uint64(s.outIndex.at)); err != nil {
		return nil, err
	}
	if err := s.stream.Synchronize(); err != nil {
		return nil, err
	}
	f := &selection{count: count, index: make([]int32, height*count)}
	if s.wide() {
		f.wide = make([]uint64, height*count)
		if err := cuda.Download(s.context, f.wide, s.outKey.at); err != nil {
			return nil, err
		}
	} else {
		f.narrow = make([]uint32, height*count)
		if err := cuda.Download(s.context, f.narrow, s.outKey.at); err != nil {
			return nil, err
		}
	}
	return f, cuda.Download(s.context, f.index, s.outIndex.at)
}

// list is the sorted list of row r with its runs; buf is scratch memory.
func (f *selection) list(r int, buf []scan.Entry[int64], list rows.Listed) ([]scan.Entry[int64], rows.Listed) {
	buf = buf[:0]
	for q := r * f.count; q < (r+1)*f.count; q++ {
		switch {
		case f.wide == nil && f.narrow[q] != math.MaxUint32:
			buf = append(buf, scan.Entry[int64]{Key: int64(f.narrow[q]), Index: f.index[q]})
		case f.wide != nil && f.wide[q] != math.MaxUint64:
			buf = append(buf, scan.Entry[int64]{Key: int64(f.wide[q]), Index: f.index[q]})
		}
	}
	scan.SortEntries(buf)
	list.Index, list.Run = list.Index[:0], list.Run[:0]
	run := int32(0)
	for index, e := range buf {
		if index > 0 && e.Key != buf[index-1].Key {
			run = int32(index)
		}
		list.Index, list.Run = append(list.Index, e.Index), append(list.Run, run)
	}
	return buf, list
}

// findLists fills the lists of the loaded rows with at least count neighbors, and with more until enough returns, for
// every row, how much of its list suffices. If ties are averaged, lists extend to the end of a run.
func (s *deviceRows) findLists(ctx context.Context, threads, count int,
	enough func(w, r int, list []int32) (length int, ok bool)) error {
	height := s.hi - s.lo
	for len(s.lists) < height {
		s.lists = append(s.lists, rows.Listed{})
	}
	buffers := make([][]scan.Entry[int64], threads)
	if s.averages {
		count++ // shows whether the last run goes on
	}
	for ; ; count *= 2 {
		var f *selection
		err := s.do(ctx, func() (err error) {
			f, err = s.nearest(count)
			return err
		})
		if err != nil {
			return err
		}
		short := make([]bool, threads)
		err = parallel.For(ctx, threads, height, func(w, r int) {
			buffers[w], s.lists[r] = f.list(r, buffers[w], s.lists[r])
			list := s.lists[r]
			length, ok := enough(w, r, list.Index)
			switch {
			case !ok:
			case s.averages:
				all := len(list.Index)
				list = list.Cut(length)
				// The last run may extend beyond the selection.
				ok = len(list.Index) < all || all < f.count
			default:
				list = rows.Listed{Index: list.Index[:length]}
			}
			if !ok {
				short[w] = true
				return
			}
			s.lists[r] = list
		})
		if err != nil {
			return err
		}
		again := false
		for _, s := range short {
			again = again || s
		}
		if !again {
			return nil
		}
		if f.count == s.points.N {
			return fmt.Errorf("a point has fewer candidates than its list needs")
		}
	}
}
