//go:build cuda

package neighbors

// This file holds the pass on a GPU: points and blocks of rows of keys in the
// device's memory, and the questions that are asked of all rows of a block at once.
// Keys order like the distances they stand for: exact integers for uint8 points,
// the bits of the float64 key of the definition for others.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"repscope/internal/cuda"
	"repscope/internal/kernel"
	"repscope/points"
)

// Limits of the kernels' grids, counters and memory.
const (
	gpuMaxPoints   = 64 * 65535 // tiles of 64 points along the grid's second axis
	gpuMaxGroups   = 4000       // blocks of a jackknife, counted in shared memory
	gpuMaxRows     = 8192       // of a block, where not all rows fit
	gpuPieceLength = 512        // entries of a list ranked at once
	gpuChunk       = 32 << 10   // depth whose uint8 products fit into int32
	gpuDepthStep   = 64         // bytes that rows of uint8 points are padded to
	gpuPiece       = 32 << 20   // bytes of points uploaded at a time
)

// gpu is a device at work. Its methods run on the goroutine that owns the device;
// see do.
type gpu struct {
	context *cuda.Context
	stream  *cuda.Stream
	memory  map[cuda.Pointer]bool
}

// do runs work on the device's goroutine.
func (g *gpu) do(ctx context.Context, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return g.context.Do(work)
}

// openGPU begins work on a device; close ends it and gives all memory back.
func openGPU(c *cuda.Context) (*gpu, error) {
	g := &gpu{context: c, memory: map[cuda.Pointer]bool{}}
	err := c.Do(func() (err error) {
		g.stream, err = c.NewStream()
		return err
	})
	return g, err
}

// end closes the work. After a failure, which may have cost the device, only that
// failure is reported.
func (g *gpu) end(err *error) {
	if failed := g.close(); *err == nil {
		*err = failed
	}
}

func (g *gpu) close() error {
	return g.context.Do(func() error {
		all := g.stream.Synchronize()
		for p := range g.memory {
			all = errors.Join(all, g.context.Free(p))
		}
		return errors.Join(all, g.stream.Close())
	})
}

func (g *gpu) alloc(bytes int) (cuda.Pointer, error) {
	p, err := g.context.Alloc(bytes)
	if err == nil {
		g.memory[p] = true
	}
	return p, err
}

// room is memory that grows.
type room struct {
	at    cuda.Pointer
	bytes int
}

func (g *gpu) grow(r *room, bytes int) error {
	if bytes <= r.bytes {
		return nil
	}
	if r.at != 0 {
		// The stream may still work with it.
		if err := errors.Join(g.stream.Synchronize(), g.context.Free(r.at)); err != nil {
			return err
		}
		delete(g.memory, r.at)
		*r = room{}
	}
	p, err := g.alloc(bytes)
	if err != nil {
		return err
	}
	*r = room{p, bytes}
	return nil
}

// put copies values to new device memory.
func put[T any](g *gpu, values []T) (cuda.Pointer, error) {
	p, err := g.alloc(len(values) * int(sizeOf[T]()))
	if err != nil {
		return 0, err
	}
	return p, cuda.Upload(g.context, p, values)
}

// fill copies values to memory that grows.
func fill[T any](g *gpu, r *room, values []T) error {
	if err := g.grow(r, len(values)*int(sizeOf[T]())); err != nil {
		return err
	}
	return cuda.Upload(g.context, r.at, values)
}

func (g *gpu) launch(kernel string, grid, block [3]int, shared int, arguments ...uint64) error {
	return g.stream.Launch(kernel, grid, block, shared, arguments...)
}

// each launches a kernel with one thread per element.
func (g *gpu) each(kernel string, count int, arguments ...uint64) error {
	return g.launch(kernel, [3]int{(count + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, arguments...)
}

// rowsWithin is how many rows of so many bytes, at most `most` if that is not 0, fit
// into the device's free memory.
func (g *gpu) rowsWithin(rowBytes, rows, most int) (int, error) {
	free, _, err := g.context.Memory()
	if err != nil {
		return 0, err
	}
	fit := int(free / 10 * 9 / int64(rowBytes))
	if fit < rows {
		fit = min(fit, gpuMaxRows)
	}
	rows = min(rows, fit)
	if most > 0 {
		rows = min(rows, most)
	}
	if rows < 1 {
		return 0, fmt.Errorf("%w: %d bytes of device memory are free beside the points and one row of distances takes %d", cuda.ErrOutOfMemory, free, rowBytes)
	}
	if rows > 128 {
		rows = rows / 128 * 128 // whole tiles
	}
	return rows, nil
}

// episodes copies the points' episodes, numbered from 0; nil gives none.
func (g *gpu) episodes(ids []int) (cuda.Pointer, error) {
	if ids == nil {
		return 0, nil
	}
	episode, numbers := make([]int32, len(ids)), map[int]int32{}
	for i, id := range ids {
		n, ok := numbers[id]
		if !ok {
			n = int32(len(numbers))
			numbers[id] = n
		}
		episode[i] = n
	}
	return put(g, episode)
}

// gpuPoints are points in a device's memory.
type gpuPoints struct {
	points.Points
	data    cuda.Pointer
	pitch   int          // bytes of a row
	squares cuda.Pointer // squared norms: uint64 of uint8 points, else float64, for the cosine only
	low     cuda.Pointer // uint32 squared norms of uint8 points
}

func (p *gpuPoints) suffix() string {
	if p.F32 != nil {
		return "_f32"
	}
	return "_f64"
}

// upload copies points to the device.
func (g *gpu) upload(pts points.Points, metric Metric) (gpuPoints, error) {
	p := gpuPoints{Points: pts}
	var err error
	switch {
	case pts.U8 != nil:
		err = g.uploadUint8(&p)
	case pts.F32 != nil:
		p.pitch = 4 * pts.Dim
		p.data, err = put(g, pts.F32)
	default:
		p.pitch = 8 * pts.Dim
		p.data, err = put(g, pts.F64)
	}
	if err == nil && pts.U8 == nil && metric == Cosine {
		p.squares, err = put(g, squaredNorms(pts))
	}
	return p, err
}

// uploadUint8 pads the rows and computes the squared norms on the device.
func (g *gpu) uploadUint8(p *gpuPoints) (err error) {
	p.pitch = (p.Dim + gpuDepthStep - 1) / gpuDepthStep * gpuDepthStep
	if p.data, err = g.alloc(p.N * p.pitch); err != nil {
		return err
	}
	if err = g.uploadRows(p); err == nil {
		p.squares, err = g.alloc(8 * p.N)
	}
	if err == nil {
		p.low, err = g.alloc(4 * p.N)
	}
	if err != nil {
		return err
	}
	return g.square(p)
}

// uploadRows copies padded rows through two pieces of pinned memory: one is filled
// while the other is on its way.
func (g *gpu) uploadRows(p *gpuPoints) (err error) {
	piece := min(p.N, max(1, gpuPiece/p.pitch))
	var pinned [2][]byte
	var sent [2]*cuda.Event
	defer func() {
		err = errors.Join(err, g.stream.Synchronize())
		for i := range pinned {
			if pinned[i] != nil {
				err = errors.Join(err, g.context.FreePinned(pinned[i]))
			}
			if sent[i] != nil {
				err = errors.Join(err, sent[i].Close())
			}
		}
	}()
	for i := range pinned {
		if pinned[i], err = g.context.Pinned(piece * p.pitch); err != nil {
			return err
		}
		if sent[i], err = g.context.NewEvent(); err != nil {
			return err
		}
	}
	for lo, turn := 0, 0; lo < p.N; lo, turn = lo+piece, 1-turn {
		hi := min(lo+piece, p.N)
		if err := sent[turn].Synchronize(); err != nil {
			return err
		}
		to := pinned[turn][:(hi-lo)*p.pitch]
		// The device's goroutine waits for the others, which need not know it.
		_ = parallel(context.Background(), runtime.GOMAXPROCS(0), hi-lo, func(_, r int) {
			row := to[r*p.pitch : (r+1)*p.pitch]
			clear(row[copy(row, p.U8[(lo+r)*p.Dim:(lo+r+1)*p.Dim]):])
		})
		if err := g.stream.Upload(p.data+cuda.Pointer(lo*p.pitch), to); err != nil {
			return err
		}
		if err := g.stream.Record(sent[turn]); err != nil {
			return err
		}
	}
	return nil
}

func (g *gpu) square(p *gpuPoints) error {
	return g.launch("squares_u8", [3]int{(p.N + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0,
		uint64(p.data), uint64(p.squares), uint64(p.low), uint64(p.N), uint64(p.pitch))
}

// permuted is room for the points in another order.
func (g *gpu) permuted(p *gpuPoints) (q gpuPoints, err error) {
	q = *p
	if q.data, err = g.alloc(p.N * p.pitch); err != nil {
		return q, err
	}
	if p.squares != 0 {
		if q.squares, err = g.alloc(8 * p.N); err != nil {
			return q, err
		}
	}
	if p.low != 0 {
		q.low, err = g.alloc(4 * p.N)
	}
	return q, err
}

// reorder sets point i of to to point index[i] of from.
func (g *gpu) reorder(to, from *gpuPoints, index cuda.Pointer) error {
	for _, a := range []struct {
		to, from cuda.Pointer
		bytes    int
	}{{to.data, from.data, from.pitch}, {to.squares, from.squares, 8}, {to.low, from.low, 4}} {
		if a.to == 0 {
			continue
		}
		units := a.bytes / 4
		if err := g.each("gather_rows", from.N*units, uint64(a.from), uint64(a.to), uint64(index), uint64(from.N*units), uint64(units)); err != nil {
			return err
		}
	}
	return nil
}

// gpuRows is a block of rows of keys, from queries to points.
type gpuRows struct {
	*gpu
	queries, points gpuPoints
	metric          Metric
	self            bool
	window          int
	episode         cuda.Pointer
	group           cuda.Pointer // of each point, 0 without blocks
	groups          int          // at least 1

	keys         *room // shared between spaces of which one is looked at at a time
	outKey       room
	outIndex     room
	list, start  room
	rows         room
	before, ties room

	lo, hi int
	lists  [][]int32 // the nearest neighbours of the loaded rows, in order
	ranked gpuRanks
}

// gpuRanks are the answers for one list per row, one after the other.
type gpuRanks struct {
	offset []int // of each row, and the end
	before []uint32
	ties   []uint32
}

// wide reports whether keys have 64 bits.
func (s *gpuRows) wide() bool {
	return s.points.U8 == nil || s.metric == Cosine || s.points.Dim > kernel.MaxUint8Depth
}

func (s *gpuRows) keySize() int {
	if s.wide() {
		return 8
	}
	return 4
}

// kernel is the name of the variant of a kernel for the size of the keys.
func (s *gpuRows) kernel(name string) string {
	if s.wide() {
		return name + "_64"
	}
	return name + "_32"
}

// load computes the rows lo … hi−1.
func (s *gpuRows) load(lo, hi int) error {
	s.lo, s.hi = lo, hi
	rows, columns := hi-lo, s.points.N
	if err := s.grow(s.keys, rows*columns*s.keySize()); err != nil {
		return err
	}
	var err error
	if s.points.U8 != nil {
		err = s.loadUint8(lo, rows)
	} else {
		name := "squared"
		if s.metric == Cosine {
			name = "cosine"
		}
		squares := uint64(0)
		if s.queries.squares != 0 {
			squares = uint64(s.queries.squares) + uint64(8*lo)
		}
		err = s.launch(name+s.points.suffix(), [3]int{(rows + 63) / 64, (columns + 63) / 64, 1}, [3]int{256, 1, 1}, 0,
			uint64(s.queries.data)+uint64(lo*s.queries.pitch), uint64(s.points.data), squares, uint64(s.points.squares),
			uint64(s.keys.at), uint64(rows), uint64(columns), uint64(s.points.Dim))
	}
	if err != nil || !s.self {
		return err
	}
	return s.launch(s.kernel("exclude"), [3]int{rows, 1, 1}, [3]int{128, 1, 1}, 0,
		uint64(s.keys.at), uint64(lo), uint64(columns), uint64(s.window), uint64(s.episode))
}

func (s *gpuRows) loadUint8(lo, rows int) error {
	columns, pitch := s.points.N, s.points.pitch
	queries := uint64(s.queries.data) + uint64(lo*pitch)
	grid, block := [3]int{(rows + 127) / 128, (columns + 127) / 128, 1}, [3]int{256, 1, 1}
	if !s.wide() {
		mirrored := uint64(0)
		if s.queries.data == s.points.data && rows == columns {
			mirrored = 1
		}
		return s.launch("squared_u8", grid, block, 0, queries, uint64(s.points.data), uint64(s.queries.low)+uint64(4*lo), uint64(s.points.low),
			uint64(s.keys.at), uint64(rows), uint64(columns), uint64(pitch), mirrored)
	}
	for first := 0; first < pitch; first += gpuChunk {
		if err := s.launch("product_u8", grid, block, 0, queries, uint64(s.points.data), uint64(s.keys.at),
			uint64(rows), uint64(columns), uint64(pitch), uint64(first), uint64(min(first+gpuChunk, pitch))); err != nil {
			return err
		}
	}
	name := "squared_from_products"
	if s.metric == Cosine {
		name = "cosine_from_products"
	}
	return s.each(name, rows*columns, uint64(s.keys.at), uint64(s.queries.squares)+uint64(8*lo), uint64(s.points.squares),
		uint64(rows*columns), uint64(columns))
}

// found is the unsorted outcome of a selection.
type found struct {
	count  int // per row
	narrow []uint32
	wide   []uint64
	index  []int32
}

// nearest selects the count first entries of each loaded row.
func (s *gpuRows) nearest(count int) (*found, error) {
	rows := s.hi - s.lo
	count = min(count, s.points.N)
	if err := errors.Join(s.grow(&s.outKey, rows*count*s.keySize()), s.grow(&s.outIndex, rows*count*4)); err != nil {
		return nil, err
	}
	if err := s.launch(s.kernel("select"), [3]int{rows, 1, 1}, [3]int{256, 1, 1}, 0,
		uint64(s.keys.at), uint64(s.points.N), uint64(count), uint64(s.outKey.at), uint64(s.outIndex.at)); err != nil {
		return nil, err
	}
	if err := s.stream.Synchronize(); err != nil {
		return nil, err
	}
	f := &found{count: count, index: make([]int32, rows*count)}
	if s.wide() {
		f.wide = make([]uint64, rows*count)
		if err := cuda.Download(s.context, f.wide, s.outKey.at); err != nil {
			return nil, err
		}
	} else {
		f.narrow = make([]uint32, rows*count)
		if err := cuda.Download(s.context, f.narrow, s.outKey.at); err != nil {
			return nil, err
		}
	}
	return f, cuda.Download(s.context, f.index, s.outIndex.at)
}

// list is the sorted list of row r; buf is room for it.
func (f *found) list(r int, buf []entry[int64], list []int32) ([]entry[int64], []int32) {
	buf = buf[:0]
	for q := r * f.count; q < (r+1)*f.count; q++ {
		switch {
		case f.wide == nil && f.narrow[q] != math.MaxUint32:
			buf = append(buf, entry[int64]{int64(f.narrow[q]), f.index[q]})
		case f.wide != nil && f.wide[q] != math.MaxUint64:
			buf = append(buf, entry[int64]{int64(f.wide[q]), f.index[q]})
		}
	}
	sortEntries(buf)
	list = list[:0]
	for _, e := range buf {
		list = append(list, e.index)
	}
	return buf, list
}

// findLists fills the lists of the loaded rows with at least count neighbours, and
// with more until enough says of every row that its list suffices.
func (s *gpuRows) findLists(ctx context.Context, threads, count int, enough func(w, r int, list []int32) bool) error {
	rows := s.hi - s.lo
	for len(s.lists) < rows {
		s.lists = append(s.lists, nil)
	}
	buffers := make([][]entry[int64], threads)
	for ; ; count *= 2 {
		var f *found
		err := s.do(ctx, func() (err error) {
			f, err = s.nearest(count)
			return err
		})
		if err != nil {
			return err
		}
		short := make([]bool, threads)
		err = parallel(ctx, threads, rows, func(w, r int) {
			buffers[w], s.lists[r] = f.list(r, buffers[w], s.lists[r])
			if !enough(w, r, s.lists[r]) {
				short[w] = true
			}
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

// rank answers, for list r of loaded row first+r, how many candidates come before
// each entry in every group, and how many others lie at the same distance.
func (s *gpuRows) rank(first int, lists [][]int32) error {
	length := gpuPieceLength
	if s.groups > 1 {
		length = max(1, min(length, 9000/s.groups-1))
	}
	var list []int32
	var start, rows []uint32
	s.ranked.offset = s.ranked.offset[:0]
	for r, l := range lists {
		s.ranked.offset = append(s.ranked.offset, len(list))
		for at := 0; at < len(l); at += length {
			start = append(start, uint32(len(list)+at))
			rows = append(rows, uint32(first+r-s.lo))
		}
		list = append(list, l...)
	}
	s.ranked.offset = append(s.ranked.offset, len(list))
	pieces := len(start)
	start = append(start, uint32(len(list)))
	s.ranked.before = grown(s.ranked.before, len(list)*s.groups)
	s.ranked.ties = grown(s.ranked.ties, len(list))
	if pieces == 0 {
		return nil
	}
	if err := errors.Join(fill(s.gpu, &s.list, list), fill(s.gpu, &s.start, start), fill(s.gpu, &s.rows, rows),
		s.grow(&s.before, 4*len(list)*s.groups), s.grow(&s.ties, 4*len(list))); err != nil {
		return err
	}
	if err := s.launch(s.kernel("rank"), [3]int{pieces, 1, 1}, [3]int{256, 1, 1}, 4*(length+1)*s.groups,
		uint64(s.keys.at), uint64(s.points.N), uint64(s.list.at), uint64(s.start.at), uint64(s.rows.at), uint64(s.group), uint64(s.groups),
		uint64(s.before.at), uint64(s.ties.at)); err != nil {
		return err
	}
	return errors.Join(s.stream.Synchronize(),
		cuda.Download(s.context, s.ranked.before, s.before.at), cuda.Download(s.context, s.ranked.ties, s.ties.at))
}

// gpuWorker reads the prepared answers as a worker of the pass.
type gpuWorker struct {
	worker // what is not prepared is not asked
	rows   *gpuRows
	first  *int // of the lists that were ranked
}

// ranks returns what was prepared for the list of point i; see worker.
func (w gpuWorker) ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	s, r := w.rows, i-*w.first
	at := s.ranked.offset[r]
	for q := range list {
		sum := uint32(0)
		for g, c := range s.ranked.before[(at+q)*s.groups : (at+q+1)*s.groups] {
			sum += c
			if s.group != 0 {
				closer[q*s.groups+g] = int32(c)
			}
		}
		rank[q] = int32(sum) + 1
		if q < tied {
			ties += int64(s.ranked.ties[at+q])
		}
	}
	return ties
}

func (w gpuWorker) redecided() int64 { return 0 }
