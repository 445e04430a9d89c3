// Floating-point products.

package kernel

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// An Epilogue is applied to the result while it is still in the cache, for
// example to add a bias and apply an activation function.
type Epilogue[T Float] interface {
	// Finish is called exactly once for every part of C, after its last addition:
	// element (row+i, col+j) is c[i·stride+j] for i < rows and j < cols. Parts
	// are finished in no particular order, from several goroutines at once if
	// the product has several threads.
	Finish(c []T, stride, row, col, rows, cols int)
}

// Product is C = A·B, or C += A·B, for M vectors of A and N vectors of B, all of length K:
//
//	C[i·Stride+j] = Σ_k A(i,k)·B(j,k)   0 ≤ i < M, 0 ≤ j < N
//
// in the order of the package comment. A·B and A·Bᵀ differ only in the constructor of the operand: [Rows] or [Columns].
// A block of rows [i0,i1) and columns [j0,j1) of X·Yᵀ is Rows(x[i0·ld:], ld) by Rows(y[j0·ld:], ld) with M = i1−i0 and
// N = j1−j0, or Packed.Operand(j0) with j0 a multiple of [Align]; its bits equal the bits of the whole product.
//
// A and B may be the same memory; C must not overlap them.
type Product[T Float] struct {
	M, N, K int
	A, B    Operand[T]
	// C has row i at C[i·Stride:], Stride ≥ N. Elements between the rows are left alone.
	C      []T
	Stride int
	// Accumulate adds the product to the old values of C.
	Accumulate bool
	// Upper restricts the result to elements with j ≥ i. Others may be computed, finished or unchanged.
	Upper bool
	// Links shortens the sums: within a block of KC, the products of each LinkDepth depths are a sum of their own, and
	// these are added in their order. A product passes through fewer roundings, see [Norms.OfLinks], and a float32 product
	// of whole tiles takes a twentieth longer.
	Links bool
	// Done, if not nil, stops the product soon after it is closed.
	Done <-chan struct{}
	// Epilogue may be nil.
	Epilogue Epilogue[T]
	// Threads is the number of goroutines, 0 for GOMAXPROCS.
	Threads int
	// Workspace holds the buffers; nil takes one from a pool. Either way nothing
	// is allocated once the buffers have reached their size.
	Workspace *Workspace[T]
}

// Workspace is the memory of a running [Product]; one product at a time.
type Workspace[T Float] struct {
	engine engine[T, T]
	a, b   floatSource[T]
}

// floatSource is an Operand as the core sees it.
type floatSource[T Float] struct {
	operand Operand[T]
	tiling  *tiling[T, T]
}

func (s *floatSource[T]) isPacked() bool { return s.operand.kind == operandPacked }

func (s *floatSource[T]) block(first, k, depth int) []T {
	return s.operand.packed.block(s.operand.first+first, k, depth)
}

func (s *floatSource[T]) packInto(dst []T, width, first, count, k, depth int) {
	s.operand.pack(s.tiling, dst, width, first, count, k, depth)
}

// ErrStopped is returned by a product that was stopped before its end; C is undefined then.
var ErrStopped = errors.New("kernel: product stopped")

// Run computes the product. It returns an error, and does not change C, if a shape is negative or does not fit its
// slice, if an operand was packed for another shape, or if C overlaps an operand; and [ErrStopped] if it was stopped.
func (p *Product[T]) Run() error {
	t := floatTiling[T]()
	if err := p.check(t); err != nil {
		return err
	}
	w := p.Workspace
	if w == nil {
		pool := workspaces[T]()
		w = pool.get()
		defer pool.put(w)
	}
	w.a = floatSource[T]{p.A, t}
	w.b = floatSource[T]{p.B, t}
	w.engine.job = job[T, T]{
		m: p.M, n: p.N, k: p.K,
		a: &w.a, b: &w.b,
		c: p.C, stride: p.Stride, accumulate: p.Accumulate,
		links: p.Links, upper: p.Upper, done: p.Done,
		tiling: t,
	}
	if p.Epilogue != nil {
		w.engine.job.finish = p.Epilogue
	}
	err := w.engine.execute(p.Threads)
	// Keep the buffers, not the caller's memory.
	w.a, w.b, w.engine.job = floatSource[T]{}, floatSource[T]{}, job[T, T]{}
	return err
}

func (p *Product[T]) check(t *tiling[T, T]) error {
	if p.M < 0 || p.N < 0 || p.K < 0 {
		return fmt.Errorf("kernel: product of shape %d×%d×%d", p.M, p.N, p.K)
	}
	if err := checkMatrix("C", len(p.C), p.M, p.N, p.Stride); err != nil {
		return err
	}
	if err := p.A.check("A", p.M, p.K, t.mr); err != nil {
		return err
	}
	if err := p.B.check("B", p.N, p.K, t.nr); err != nil {
		return err
	}
	if overlap(p.C, p.A.data) || overlap(p.C, p.B.data) {
		return errors.New("kernel: C overlaps an operand")
	}
	return nil
}

func overlap[T any](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	x0, y0 := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	size := unsafe.Sizeof(x[0])
	return x0 < y0+uintptr(len(y))*size && y0 < x0+uintptr(len(x))*size
}

// pool is a free list that, unlike sync.Pool, the garbage collector does not empty.
type pool[T any] struct {
	mu   sync.Mutex
	free []*T
}

// maxPooled bounds the idle workspaces that are kept.
const maxPooled = 16

func (p *pool[T]) get() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		w := p.free[n-1]
		p.free = p.free[:n-1]
		return w
	}
	return new(T)
}

func (p *pool[T]) put(w *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxPooled {
		p.free = append(p.free, w)
	}
}

var (
	workspaces32 pool[Workspace[float32]]
	workspaces64 pool[Workspace[float64]]
)

func workspaces[T Float]() *pool[Workspace[T]] {
	if p, ok := any(&workspaces32).(*pool[Workspace[T]]); ok {
		return p
	}
	return any(&workspaces64).(*pool[Workspace[T]])
}

// Additions is the largest number of roundings that a product passes through
// on its way into a sum of length depth: with u the unit roundoff and
// g = Additions(depth)·u, the error of an element of C is at most
// g/(1−g)·Σ|a[k]·b[k]| (see the package comment). Accumulate adds one rounding.
func Additions(depth int) int {
	if depth <= 0 {
		return 0
	}
	blocks := (depth + KC - 1) / KC
	return min(depth, KC) + blocks - 1
}
