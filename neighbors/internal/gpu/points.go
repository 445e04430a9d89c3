//go:build cuda

// Points in a GPU's memory.

package gpu

import (
	"context"
	"errors"
	"runtime"

	"repscope/internal/cuda"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// episodes copies the points' episodes, numbered from 0; nil gives none.
func (g *session) episodes(ids []int) (cuda.Pointer, error) {
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

// devicePoints are points in a device's memory.
type devicePoints struct {
	points.Points
	data    cuda.Pointer
	pitch   int          // bytes of a row
	squares cuda.Pointer // squared norms: uint64 of uint8 points, else float64, for the cosine only
	low     cuda.Pointer // uint32 squared norms of uint8 points
}

func (p *devicePoints) suffix() string {
	if p.F32 != nil {
		return "_f32"
	}
	return "_f64"
}

// upload copies points to the device.
func (g *session) upload(pts points.Points, metric rows.Metric) (devicePoints, error) {
	p := devicePoints{Points: pts}
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
	if err == nil && pts.U8 == nil && metric == rows.Cosine {
		p.squares, err = put(g, rows.SquaredNorms(pts))
	}
	return p, err
}

// uploadUint8 pads the rows and computes the squared norms on the device.
func (g *session) uploadUint8(p *devicePoints) (err error) {
	p.pitch = (p.Dim + depthStep - 1) / depthStep * depthStep
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
func (g *session) uploadRows(p *devicePoints) (err error) {
	piece := min(p.N, max(1, uploadBytes/p.pitch))
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
		_ = parallel.For(context.Background(), runtime.GOMAXPROCS(0), hi-lo, func(_, r int) {
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

func (g *session) square(p *devicePoints) error {
	return g.launch("squares_u8", [3]int{(p.N + 7) / 8, 1, 1}, [3]int{256, 1, 1}, 0,
		uint64(p.data), uint64(p.squares), uint64(p.low), uint64(p.N), uint64(p.pitch))
}

// permuted allocates memory for the points in another order.
func (g *session) permuted(p *devicePoints) (q devicePoints, err error) {
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
func (g *session) reorder(to, from *devicePoints, index cuda.Pointer) error {
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
