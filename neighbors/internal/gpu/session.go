//go:build cuda

// A GPU at work: its memory, its stream and the launches of kernels.

package gpu

import (
	"context"
	"errors"
	"fmt"

	"repscope/internal/cuda"
	"repscope/neighbors/internal/scan"
)

// Limits of the kernels' grids, counters and memory.
const (
	maxPoints    = 64 * 65535 // tiles of 64 points along the grid's second axis
	maxGroups    = 3000       // blocks of a jackknife, counted in shared memory
	maxRows      = 8192       // of a block, where not all rows fit
	pieceLength  = 512        // entries of a list ranked at once
	productDepth = 32 << 10   // depth whose uint8 products fit into int32
	depthStep    = 64         // bytes that rows of uint8 points are padded to
	uploadBytes  = 8 << 20    // bytes of points uploaded at a time; pinned memory takes long to come by
)

// session is a device at work. Its methods run on the goroutine that owns the device;
// see do.
type session struct {
	context *cuda.Context
	stream  *cuda.Stream
	memory  map[cuda.Pointer]bool
}

// do runs work on the device's goroutine.
func (g *session) do(ctx context.Context, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return g.context.Do(work)
}

// openSession begins work on a device; close ends it and gives all memory back.
func openSession(c *cuda.Context) (*session, error) {
	g := &session{context: c, memory: map[cuda.Pointer]bool{}}
	err := c.Do(func() (err error) {
		g.stream, err = c.NewStream()
		return err
	})
	return g, err
}

// end closes the work. After a failure, which may have cost the device, only that
// failure is reported.
func (g *session) end(err *error) {
	if failed := g.close(); *err == nil {
		*err = failed
	}
}

func (g *session) close() error {
	return g.context.Do(func() error {
		all := g.stream.Synchronize()
		for p := range g.memory {
			all = errors.Join(all, g.context.Free(p))
		}
		return errors.Join(all, g.stream.Close())
	})
}

func (g *session) alloc(bytes int) (cuda.Pointer, error) {
	p, err := g.context.Alloc(bytes)
	if err == nil {
		g.memory[p] = true
	}
	return p, err
}

// growingMemory is memory that grows.
type growingMemory struct {
	at    cuda.Pointer
	bytes int
}

func (g *session) grow(r *growingMemory, bytes int) error {
	if bytes <= r.bytes {
		return nil
	}
	if r.at != 0 {
		// The stream may still work with it.
		if err := errors.Join(g.stream.Synchronize(), g.context.Free(r.at)); err != nil {
			return err
		}
		delete(g.memory, r.at)
		*r = growingMemory{}
	}
	p, err := g.alloc(bytes)
	if err != nil {
		return err
	}
	*r = growingMemory{p, bytes}
	return nil
}

// put copies values to new device memory.
func put[T any](g *session, values []T) (cuda.Pointer, error) {
	p, err := g.alloc(len(values) * int(scan.SizeOf[T]()))
	if err != nil {
		return 0, err
	}
	return p, cuda.Upload(g.context, p, values)
}

// fill copies values to memory that grows.
func fill[T any](g *session, r *growingMemory, values []T) error {
	if err := g.grow(r, len(values)*int(scan.SizeOf[T]())); err != nil {
		return err
	}
	return cuda.Upload(g.context, r.at, values)
}

func (g *session) launch(kernel string, grid, block [3]int, shared int, arguments ...uint64) error {
	return g.stream.Launch(kernel, grid, block, shared, arguments...)
}

// each launches a kernel with one thread per element.
func (g *session) each(kernel string, count int, arguments ...uint64) error {
	return g.launch(kernel, [3]int{(count + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, arguments...)
}

// rowsWithin is the number of rows of rowBytes bytes that fit into the device's free memory, at most limit if that is
// not 0.
func (g *session) rowsWithin(rowBytes, rows, limit int) (int, error) {
	free, _, err := g.context.Memory()
	if err != nil {
		return 0, err
	}
	block := blockRows(int(free/10*9/int64(rowBytes)), rows, limit)
	if block < 1 {
		return 0, fmt.Errorf(
			"%w: %d bytes of device memory are free after loading the points, but one row of distances needs %d",
			cuda.ErrOutOfMemory, free, rowBytes)
	}
	return block, nil
}

// blockRows is the number of rows computed at a time if `fit` rows fit: all of them, as half can be mirrored, or whole
// tiles.
func blockRows(fit, rows, limit int) int {
	if fit < rows {
		fit = min(fit, maxRows)
	}
	block := min(rows, fit)
	if limit > 0 {
		block = min(block, limit)
	}
	if block < rows && block > 128 {
		block = block / 128 * 128
	}
	return block
}
