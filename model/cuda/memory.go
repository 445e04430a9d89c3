//go:build cuda

// Memory of an executor that grows with the largest batch.

package cuda

import (
	"errors"
	"runtime"
	"sync"

	device "repscope/internal/cuda"
)

// buffer is device memory; moves counts its addresses.
type buffer struct {
	at           device.Pointer
	bytes, moves int
}

// grow makes the buffer at least as large; its content is lost if it moves.
func (b *buffer) grow(c *device.Context, bytes int) error {
	if bytes <= b.bytes {
		return nil
	}
	if err := b.free(c); err != nil {
		return err
	}
	address, err := c.Alloc(bytes)
	if err == nil {
		b.at, b.bytes = address, bytes
	}
	return err
}

func (b *buffer) free(c *device.Context) error {
	if b.bytes == 0 {
		return nil
	}
	address := b.at
	b.at, b.bytes = 0, 0
	b.moves++
	return c.Free(address)
}

// slot is the memory of one pending batch: its inputs and outputs in pinned memory and on the device.
type slot struct {
	index                      int
	in, out                    buffer
	hostIn, hostOut            []byte
	uploaded, computed, landed *device.Event
	busy                       bool
	clock                      clock
}

func (s *slot) open(c *device.Context) error {
	for _, e := range []**device.Event{&s.uploaded, &s.computed, &s.landed} {
		var err error
		if *e, err = c.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// grow makes the slot large enough for a program's inputs and outputs.
func (s *slot) grow(c *device.Context, in, out int) error {
	if err := s.in.grow(c, in); err != nil {
		return err
	}
	if err := s.out.grow(c, out); err != nil {
		return err
	}
	if err := growPinned(c, &s.hostIn, in); err != nil {
		return err
	}
	return growPinned(c, &s.hostOut, out)
}

func growPinned(c *device.Context, p *[]byte, bytes int) error {
	if bytes <= len(*p) {
		return nil
	}
	if err := freePinned(c, p); err != nil {
		return err
	}
	memory, err := c.Pinned(bytes)
	*p = memory
	return err
}

func freePinned(c *device.Context, p *[]byte) error {
	if *p == nil {
		return nil
	}
	memory := *p
	*p = nil
	return c.FreePinned(memory)
}

func (s *slot) close(c *device.Context) error {
	all := errors.Join(s.in.free(c), s.out.free(c), freePinned(c, &s.hostIn), freePinned(c, &s.hostOut), s.clock.close())
	for _, e := range []*device.Event{s.uploaded, s.computed, s.landed} {
		if e != nil {
			all = errors.Join(all, e.Close())
		}
	}
	return all
}

// copyChunk is the minimum copy of one goroutine: one alone is slower than the bus.
const copyChunk = 512 << 10

// copyBytes copies with several goroutines where there is much.
func copyBytes(to, from []byte) {
	parts := min(runtime.GOMAXPROCS(0), 16, len(from)/copyChunk)
	if parts < 2 {
		copy(to, from)
		return
	}
	var wait sync.WaitGroup
	for i := range parts {
		lo, hi := i*len(from)/parts, (i+1)*len(from)/parts
		wait.Go(func() { copy(to[lo:hi], from[lo:hi]) })
	}
	wait.Wait()
}
