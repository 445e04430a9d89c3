// The second stage of eigenvalues: a band becomes tridiagonal, by reflections of blocks that stay in the cache.

package spectrum

import (
	"context"
	"runtime"
	"sync/atomic"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// abreast is the number of sweeps that a goroutine takes through the band at once, each two blocks behind the one
// before it, while the blocks are in the cache.
var abreast = 4

// chase is a symmetric band of b diagonals on each side of the main one, and room for what the sweeps fill in: row i
// holds the columns i−b … i+2b−1, the element (i, c) at i·stride + c + b. Behind the last row there are rows of zeros.
//
// Sweep j reflects row j so that one element is left next to the diagonal. The reflection changes the rows and columns
// of a diagonal block, which fills the block next to it; a reflection of that block's first row changes the
// next diagonal block, and so on down the band. The sweep after it stays two blocks behind.
type chase struct {
	n, b, stride int
	x            []float64
	done         []atomic.Int64 // of every group of sweeps, the turns taken
}

// chaseBand reduces the matrix with b nonzero diagonals above the main one to its diagonal d and
// off-diagonal e.
func chaseBand(a []float64, n, b, threads int) (d, e []float64, err error) {
	s := &chase{n: n, b: b, stride: 3*b + 8}
	s.x = make([]float64, (n+2*b)*(s.stride+1)+3*b)
	for i := range n {
		for c := i; c < min(i+b+1, n); c++ {
			v := a[i*n+c]
			s.x[s.at(i, c)] = v
			if c < i+b {
				s.x[s.at(c, i)] = v
			}
		}
	}
	if sweeps := n - 2; sweeps > 0 {
		s.done = make([]atomic.Int64, (sweeps+abreast-1)/abreast)
		var next atomic.Int64
		workers := parallel.Workers(threads, min(len(s.done), n/(2*abreast*b)+1))
		err = parallel.For(context.Background(), workers, workers, func(int, int) {
			w := &chaser{chase: s, v: make([]float64, abreast*b), tau: make([]float64, abreast), f: make([]float64, b),
				w: make([]float64, b), u: make([]float64, b)}
			for {
				group := int(next.Add(1)) - 1
				if group >= len(s.done) {
					return
				}
				w.run(group)
			}
		})
	}
	d, e = make([]float64, n), make([]float64, max(0, n-1))
	for i := range d {
		d[i] = s.x[s.at(i, i)]
		if i < n-1 {
			e[i] = s.x[s.at(i, i+1)]
		}
	}
	return d, e, err
}

// at is the place of an element.
func (s *chase) at(row, column int) int { return row*s.stride + column + s.b }

// blocks is the number of diagonal blocks that a sweep changes.
func (s *chase) blocks(sweep int) int { return (s.n - 2 - sweep + s.b) / s.b }

// chaser is a goroutine's part.
type chaser struct {
	*chase
	v       []float64 // of every sweep, the vector of the reflection under way
	tau     []float64
	f, w, u []float64
}

// run takes the sweeps of a group through the band.
func (w *chaser) run(group int) {
	first := group * abreast
	sweeps := min(abreast, w.n-2-first)
	turns := 0
	for s := range sweeps {
		turns = max(turns, w.blocks(first+s)+2*s)
	}
	for turn := range turns {
		if group > 0 {
			// The last sweep of the group before this one has to be two blocks ahead, or at its end.
			for before := &w.done[group-1]; before.Load() < int64(turn+2*abreast); {
				runtime.Gosched()
			}
		}
		for s := range sweeps {
			if block := turn - 2*s; block >= 0 && block < w.blocks(first+s) {
				w.step(s, first+s, block)
			}
		}
		w.done[group].Store(int64(turn + 1))
	}
	w.done[group].Store(int64(w.n + 4*abreast)) // more than any number of turns
}

// step changes one diagonal block and the block next to it.
func (w *chaser) step(s, sweep, block int) {
	b, x := w.b, w.x
	v, tau := w.v[s*b:][:b], w.tau[s]
	first := sweep + 1 + block*b
	if block == 0 {
		tau = w.reflectRow(v, x[w.at(sweep, first):][:b])
	}
	// The last row of the diagonal block has stood in the block above it until now.
	last := first + b - 1
	for i := first; i < last; i++ {
		x[w.at(last, i)] = x[w.at(i, last)]
	}
	if tau != 0 {
		diagonal := x[w.at(first, first):]
		kernel.WeighRows(w.w, v, diagonal, w.stride)
		along := tau / 2 * kernel.Dot(w.w, v)
		for i, y := range w.w {
			w.w[i] = tau * (y - float64(along*v[i]))
		}
		kernel.SubtractOuter(diagonal, w.stride, v, w.w)
	}
	if first+b >= w.n {
		return
	}
	beside := x[w.at(first, first+b):]
	clear(w.f)
	clear(w.w)
	if tau != 0 {
		kernel.WeighRows(w.w, v, beside, w.stride)
		for i := range v {
			w.f[i] = tau * v[i]
		}
	}
	row := beside[:b]
	kernel.AddScaled(row, w.w, -w.f[0])
	next := w.reflectRow(w.u, row)
	if tau != 0 || next != 0 {
		kernel.ReflectRows(beside[w.stride:], w.stride, w.f[1:], w.w, w.u, next)
	}
	copy(v, w.u)
	w.tau[s] = next
}

// reflectRow reflects the row to (β, 0, …) and returns τ of v.
func (w *chaser) reflectRow(v, row []float64) float64 {
	copy(v, row)
	v[0] = 0
	beta, tau := reflect(v, row[0], 0)
	clear(row)
	row[0] = beta
	return tau
}
