// The blocked product that all element types share: packing into panels, cache
// blocking, threads.

package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"repscope/internal/parallel"
)

// element is the element of panels, number the element of products. uint8 products put groups of 2 or 4 depths into one
// uint32.
type element interface{ float32 | float64 | uint32 }

type number interface{ float32 | float64 | int32 }

// A microKernel multiplies a panel of A by a panel of B over depth elements and
// stores the tile at c, or adds it to the tile at c. Meanwhile it may ask for
// depth/8 cache lines from the address ahead on.
type microKernel[E element, O number] func(depth int, a, b *E, c *O, stride int, ahead uintptr, add bool)

// LinkDepth is the number of depths of a link; see [Product.Links].
const LinkDepth = 32

// A linkKernel is a microKernel for [Product.Links], for whole tiles; it may use the memory of a tile at sum.
type linkKernel[E element, O number] func(depth int, a, b *E, c *O, stride int, ahead uintptr, add bool, sum *O)

// A tiling is a family of micro-kernels that work on the same panels.
type tiling[E element, O number] struct {
	mr, nr int // panel widths of A and B
	// micro[i][j] computes at least the first (i+1)/3 of the rows and (j+1)/2 of the
	// columns, exactly rowStep[i] × colStep[j].
	micro    [3][2]microKernel[E, O]
	rowStep  [3]int
	colStep  [2]int
	packRows func(dst []E, width int, src []E, stride, count, depth int)
	links    linkKernel[E, O] // of whole tiles; nil if micro has to do
	block    int              // blockDepth instead of KC; for exact sums only
}

// blockDepth is the depth of a panel.
func (t *tiling[E, O]) blockDepth() int {
	if t.block > 0 {
		return t.block
	}
	return KC
}

// newTiling is a tiling with one micro-kernel for all tiles.
func newTiling[E element, O number](mr, nr int, micro microKernel[E, O],
	packRows func(dst []E, width int, src []E, stride, count, depth int)) tiling[E, O] {
	pair := [2]microKernel[E, O]{micro, micro}
	return tiling[E, O]{
		mr: mr, nr: nr,
		micro:   [3][2]microKernel[E, O]{pair, pair, pair},
		rowStep: [3]int{mr, mr, mr}, colStep: [2]int{nr, nr},
		packRows: packRows,
	}
}

// maxTile is the number of elements of the largest tile.
const maxTile = 32 * 32

// job is one product in the core's terms. Depths count elements of panels.
type job[E element, O number] struct {
	m, n, k    int
	a, b       operandSource[E]
	c          []O
	stride     int
	accumulate bool
	links      bool
	upper      bool            // only elements (i, j) with j ≥ i are wanted
	done       <-chan struct{} // closed: stop
	finish     finisher[O]
	tiling     *tiling[E, O]
}

// operandSource gives the core an operand's panels.
type operandSource[E element] interface {
	// isPacked reports whether block can be used instead of packInto.
	isPacked() bool
	block(first, k, depth int) []E
	packInto(dst []E, width, first, count, k, depth int)
}

// finisher sees every part of C once, when its last depth block is done.
type finisher[O number] interface {
	Finish(c []O, stride, row, col, rows, cols int)
}

const (
	// blockRows is the number of A's vectors whose block (blockRows × blockDepth) stays in the L2 cache.
	blockRows = 4 * Align
	// superVectors bounds the vectors of the operand that all threads share.
	superVectors = 32 * Align
	// superElements bounds the elements of the shared, packed part.
	superElements = 4 << 20
)

// minWork is the number of multiplications from which another thread pays; the tests lower it.
var minWork = 1 << 20

// engine holds the buffers of one running product.
type engine[E element, O number] struct {
	job     job[E, O]
	shared  []E
	workers []*worker[E, O]
	wait    sync.WaitGroup
	next    atomic.Int64
	stopped atomic.Bool

	phase phase
	// The part of the product that the present phase works on: vectors and depths of the shared operand.
	s0, sn, k0, kn int
	sharedIsB      bool
	chunk          int // vectors of the private operand, or of the shared one while packing, per task
	tasks          int
	// The first whole tasks multiply chunk vectors each, the others, which the threads end with, part.
	whole, part int
}

type phase uint8

const (
	packPhase phase = iota
	multiplyPhase
)

type worker[E element, O number] struct {
	engine  *engine[E, O]
	private []E
	tile    [maxTile]O
	link    [maxTile]O
	run     func()
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// execute runs e.job on this number of threads (0: all). It returns ErrStopped if the job was stopped.
func (e *engine[E, O]) execute(threads int) error {
	j := &e.job
	if j.m == 0 || j.n == 0 {
		return nil
	}
	if j.k == 0 {
		e.emptyDepth()
		return nil
	}
	e.stopped.Store(false)
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Waking a goroutine costs as much as a million operations.
	threads = parallel.Own(min(threads, int(float64(j.m)*float64(j.n)*float64(j.k)/float64(minWork))))
	for len(e.workers) < threads {
		w := &worker[E, O]{engine: e}
		w.run = func() {
			w.work()
			e.wait.Done()
		}
		e.workers = append(e.workers, w)
	}

	e.choose()
	shared, other := e.sides()

	// Small chunks balance the threads, large ones use the shared panels more often.
	e.chunk = min(blockRows, roundUp(other.count, other.width))
	if threads > 1 {
		e.chunk = min(e.chunk, roundUp((other.count+4*threads-1)/(4*threads), other.width))
		e.chunk = max(e.chunk, roundUp(24, other.width))
	}
	if !other.source.isPacked() {
		kc := j.tiling.blockDepth()
		for _, w := range e.workers[:threads] {
			w.private = grow(w.private, e.chunk*kc)
		}
	}
	return e.multiply(shared, other, threads)
}

// choose decides which operand the threads share: that is packed in parallel, the other by each
// thread, block by block, while it multiplies. An operand that is packed already is shared.
func (e *engine[E, O]) choose() {
	j := &e.job
	aPacked, bPacked := j.a.isPacked(), j.b.isPacked()
	e.sharedIsB = true
	if aPacked != bPacked {
		e.sharedIsB = bPacked
	} else if !bPacked {
		e.sharedIsB = j.n <= j.m || j.n <= superVectors
	}
}

// side is one operand of the running job.
type side[E element] struct {
	source       operandSource[E]
	count, width int // vectors, and vectors of a panel
}

func (e *engine[E, O]) sides() (shared, other side[E]) {
	j := &e.job
	a, b := side[E]{j.a, j.m, j.tiling.mr}, side[E]{j.b, j.n, j.tiling.nr}
	if e.sharedIsB {
		return b, a
	}
	return a, b
}

// multiply goes through the parts of the shared operand, which are packed if need be.
func (e *engine[E, O]) multiply(shared, other side[E], threads int) error {
	j := &e.job
	sharedPacked, privateChunk := shared.source.isPacked(), e.chunk
	kc := j.tiling.blockDepth()
	superDepth := roundUp(j.k, kc)
	// Parts of equal size: a small remainder would pack the other operand again for little work.
	superCount := roundUp(shared.count, shared.width)
	if parts := (shared.count + superVectors - 1) / superVectors; parts > 1 {
		superCount = roundUp((shared.count+parts-1)/parts, Align)
	}
	if !sharedPacked {
		superDepth = min(superDepth, max(kc, superElements/superCount/kc*kc))
		e.shared = grow(e.shared, superCount*superDepth)
	}
	for s0 := 0; s0 < shared.count; s0 += superCount {
		e.s0, e.sn = s0, min(superCount, shared.count-s0)
		for k0 := 0; k0 < j.k; k0 += superDepth {
			e.k0, e.kn = k0, min(superDepth, j.k-k0)
			if !sharedPacked {
				e.chunk = Align
				e.tasks = (e.sn + e.chunk - 1) / e.chunk * ((e.kn + kc - 1) / kc)
				e.parallel(packPhase, threads)
			}
			e.chunk = privateChunk
			e.divide(other.count, other.width, threads)
			e.parallel(multiplyPhase, threads)
			if e.stopped.Load() {
				return ErrStopped
			}
		}
	}
	return nil
}

// divide cuts count vectors of the private operand into tasks. Where there are many, the last
// ones are small, so that the threads end together.
func (e *engine[E, O]) divide(count, width, threads int) {
	e.whole, e.part = (count+e.chunk-1)/e.chunk, e.chunk
	if whole := count/e.chunk - threads; threads > 1 && whole >= threads {
		e.whole, e.part = whole, roundUp(e.chunk/4, width)
	}
	e.tasks = e.whole
	if rest := count - e.whole*e.chunk; rest > 0 {
		e.tasks += (rest + e.part - 1) / e.part
	}
}

// vectors are the first vector and the number of vectors of a task.
func (e *engine[E, O]) vectors(task, count int) (int, int) {
	if task < e.whole {
		return task * e.chunk, min(e.chunk, count-task*e.chunk)
	}
	first := e.whole*e.chunk + (task-e.whole)*e.part
	return first, min(e.part, count-first)
}

// stop reports whether the job is to be stopped.
func (e *engine[E, O]) stop() bool {
	select {
	case <-e.job.done:
		e.stopped.Store(true)
		return true
	default:
		return false
	}
}

// parallel runs the tasks of one phase and waits for them.
func (e *engine[E, O]) parallel(p phase, threads int) {
	e.phase = p
	e.next.Store(0)
	threads = min(threads, e.tasks)
	if threads > 1 {
		e.wait.Add(threads - 1)
		for _, w := range e.workers[1:threads] {
			go w.run()
		}
	}
	e.workers[0].work()
	e.wait.Wait()
}

func (w *worker[E, O]) work() {
	e := w.engine
	for {
		task := int(e.next.Add(1)) - 1
		if task >= e.tasks || e.stop() {
			return
		}
		if e.phase == packPhase {
			e.packTask(task)
		} else {
			w.multiplyTask(task)
		}
	}
}

// packTask packs one group of the shared operand's vectors at one depth block.
// The shared buffer holds block after block, each with its panels in order.
func (e *engine[E, O]) packTask(task int) {
	shared, _ := e.sides()
	groups, kc := (e.sn+e.chunk-1)/e.chunk, e.job.tiling.blockDepth()
	k := task / groups * kc
	first := task % groups * e.chunk
	count, depth := min(e.chunk, e.sn-first), min(kc, e.kn-k)
	start := k*roundUp(e.sn, shared.width) + first*depth
	shared.source.packInto(e.shared[start:start+roundUp(count, shared.width)*depth], shared.width, e.s0+first, count,
		e.k0+k, depth)
}

// multiplyTask computes one chunk of the other operand times the shared part.
func (w *worker[E, O]) multiplyTask(task int) {
	e := w.engine
	j := &e.job
	shared, other := e.sides()
	padded := roundUp(other.count, other.width)
	first, count := e.vectors(task, padded)
	if j.upper && !e.sharedIsB {
		// The last columns take longest.
		first = padded - first - count
	}
	count = min(count, other.count-first)
	for k, kc := e.k0, j.tiling.blockDepth(); k < e.k0+e.kn && !e.stop(); k += kc {
		depth := min(kc, j.k-k)
		var s, o []E
		if shared.source.isPacked() {
			s = shared.source.block(e.s0, k, depth)
		} else {
			s = e.shared[(k-e.k0)*roundUp(e.sn, shared.width):]
		}
		if other.source.isPacked() {
			o = other.source.block(first, k, depth)
		} else {
			o = w.private[:roundUp(count, other.width)*depth]
			other.source.packInto(o, other.width, first, count, k, depth)
		}
		add, last := k > 0 || j.accumulate, k+depth == j.k
		if e.sharedIsB {
			w.multiplyBlock(o, s, first, count, e.s0, e.sn, depth, add, last)
		} else {
			w.multiplyBlock(s, o, e.s0, e.sn, first, count, depth, add, last)
		}
	}
}

// multiplyBlock multiplies packed vectors row … row+rows−1 of A by packed
// vectors col … col+cols−1 of B over one depth block.
func (w *worker[E, O]) multiplyBlock(a, b []E, row, rows, col, cols, depth int, add, last bool) {
	j := &w.engine.job
	t := j.tiling
	for i0 := 0; i0 < rows; i0 += blockRows {
		block := min(blockRows, rows-i0)
		for j0 := 0; j0 < cols; j0 += t.nr {
			width := min(t.nr, cols-j0)
			if j.upper {
				block = max(0, min(blockRows, rows-i0, roundUp(col+j0+width-row-i0, t.mr)))
			}
			panel := &b[j0*depth]
			// Each tile prefetches some of the next panel of B.
			ahead, end := uintptr(unsafe.Pointer(panel)), uintptr(0)
			if j0+t.nr < cols {
				size := uintptr(t.nr*depth) * unsafe.Sizeof(*panel)
				ahead += size
				end = ahead + size
			}
			for i := i0; i < i0+block; i += t.mr {
				height := min(t.mr, rows-i)
				c := j.c[(row+i)*j.stride+col+j0:]
				if whole := height == t.mr && width == t.nr; whole && j.links && t.links != nil {
					t.links(depth, &a[i*depth], panel, &c[0], j.stride, ahead, add, &w.link[0])
				} else if whole && !j.links {
					t.micro[2][1](depth, &a[i*depth], panel, &c[0], j.stride, ahead, add)
				} else {
					w.edge(c, &a[i*depth], panel, height, width, depth, add)
				}
				if ahead < end {
					ahead += uintptr(depth / 8 * 64)
				}
			}
			if last && j.finish != nil && block > 0 {
				j.finish.Finish(j.c[(row+i0)*j.stride+col+j0:], j.stride, row+i0, col+j0, block, width)
			}
		}
	}
}

// edge computes a tile that is cut by the border of C, in a buffer of its own.
func (w *worker[E, O]) edge(c []O, a, b *E, height, width, depth int, add bool) {
	j := &w.engine.job
	t := j.tiling
	r, q := 0, 0
	for t.rowStep[r] < height {
		r++
	}
	for t.colStep[q] < width {
		q++
	}
	micro := t.micro[r][q]
	if j.links {
		w.inLinks(micro, a, b, depth)
	} else {
		// Several sums of a kernel within its depth are added to C in their order.
		if add {
			for i := range height {
				copy(w.tile[i*t.nr:], c[i*j.stride:i*j.stride+width])
			}
		}
		micro(depth, a, b, &w.tile[0], t.nr, uintptr(unsafe.Pointer(b)), add)
		add = false
	}
	for i := range height {
		dst, src := c[i*j.stride:i*j.stride+width], w.tile[i*t.nr:i*t.nr+width]
		if !add {
			copy(dst, src)
			continue
		}
		for x, v := range src {
			dst[x] += v
		}
	}
}

// inLinks computes a tile in the buffer, in links.
func (w *worker[E, O]) inLinks(micro microKernel[E, O], a, b *E, depth int) {
	t := w.engine.job.tiling
	size := unsafe.Sizeof(*a)
	for k := 0; k < depth; k += LinkDepth {
		first := k == 0
		to := &w.link
		if first {
			to = &w.tile
		}
		micro(min(LinkDepth, depth-k), a, b, &to[0], t.nr, uintptr(unsafe.Pointer(b)), false)
		if !first {
			for x, v := range w.link[:t.mr*t.nr] {
				w.tile[x] += v
			}
		}
		if k+LinkDepth < depth {
			a = (*E)(unsafe.Add(unsafe.Pointer(a), LinkDepth*t.mr*int(size)))
			b = (*E)(unsafe.Add(unsafe.Pointer(b), LinkDepth*t.nr*int(size)))
		}
	}
}

// emptyDepth is the product of no terms.
func (e *engine[E, O]) emptyDepth() {
	j := &e.job
	if !j.accumulate {
		for i := range j.m {
			clear(j.c[i*j.stride : i*j.stride+j.n])
		}
	}
	if j.finish != nil {
		j.finish.Finish(j.c, j.stride, 0, 0, j.m, j.n)
	}
}
