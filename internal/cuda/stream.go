//go:build cuda

// Streams and events: work that the device does in order, concurrently with the host.

package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Stream is work in order. Only events order the work of two streams. An error of the work may be returned by any later
// call.
type Stream struct {
	context *Context
	stream  cu.Stream
}

// Event is a point in the work of a stream.
type Event struct{ event cu.Event }

// NewStream makes a stream that waits for no other.
func (c *Context) NewStream() (*Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, fmt.Errorf("a stream: %w", explain(err))
	}
	return &Stream{c, s}, nil
}

// Close gives the stream back; its work still ends.
func (s *Stream) Close() error { return explain(s.stream.Destroy()) }

// Synchronize waits until all work of the stream is done.
func (s *Stream) Synchronize() error { return explain(s.stream.Synchronize()) }

// Launch starts a kernel, found by its name, with this many bytes of dynamic shared memory. A kernel reads as many
// bytes of each argument as its parameter has.
func (s *Stream) Launch(kernel string, grid, block [3]int, shared int, arguments ...uint64) error {
	f, err := s.context.function(kernel)
	if err != nil {
		return err
	}
	if n, known := s.context.library.parameters[kernel]; known && n != len(arguments) {
		return fmt.Errorf("kernel %s: %d arguments for %d parameters", kernel, len(arguments), n)
	}
	if shared > f.shared {
		if err := allowShared(f.function, shared); err != nil {
			return fmt.Errorf("kernel %s: %d bytes of shared memory: %w", kernel, shared, err)
		}
		f.shared = shared
	}
	// gorgonia copies 8 bytes of every argument before it returns.
	pointers := make([]unsafe.Pointer, len(arguments))
	for i := range arguments {
		pointers[i] = unsafe.Pointer(&arguments[i])
	}
	if err := f.function.Launch(grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, s.stream, pointers); err != nil {
		return fmt.Errorf("kernel %s, grid %v, block %v: %w", kernel, grid, block, explain(err))
	}
	return nil
}

// Upload copies pinned memory to the device; it must not change before the copy is done.
func (s *Stream) Upload(to Pointer, pinned []byte) error {
	if len(pinned) == 0 {
		return nil
	}
	return explain(cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(&pinned[0]), int64(len(pinned)), s.stream))
}

// Download copies from the device to pinned memory, which has the values once the copy is done.
func (s *Stream) Download(pinned []byte, from Pointer) error {
	if len(pinned) == 0 {
		return nil
	}
	return explain(cu.MemcpyDtoHAsync(unsafe.Pointer(&pinned[0]), cu.DevicePtr(from), int64(len(pinned)), s.stream))
}

// Copy copies within the device; the ranges must not overlap.
func (s *Stream) Copy(to, from Pointer, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return explain(cu.MemcpyDtoDAsync(cu.DevicePtr(to), cu.DevicePtr(from), int64(bytes), s.stream))
}

// Zero sets device memory to zeros.
func (s *Stream) Zero(p Pointer, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return explain(cu.MemsetD8Async(cu.DevicePtr(p), 0, int64(bytes), s.stream))
}

// NewEvent makes an event that no stream has recorded yet.
func (c *Context) NewEvent() (*Event, error) {
	e, err := cu.MakeEvent(cu.DisableTiming)
	if err != nil {
		return nil, fmt.Errorf("an event: %w", explain(err))
	}
	return &Event{e}, nil
}

// NewTimedEvent makes an event that knows when the stream's work reached it.
func (c *Context) NewTimedEvent() (*Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	if err != nil {
		return nil, fmt.Errorf("an event: %w", explain(err))
	}
	return &Event{e}, nil
}

// Since is the seconds from another event to this one; both must be timed, recorded and reached.
func (e *Event) Since(start *Event) (float64, error) {
	ms, err := start.event.Elapsed(e.event)
	return ms / 1000, explain(err)
}

// Record makes the event the point that the stream's work has reached by now.
func (s *Stream) Record(e *Event) error { return explain(e.event.Record(s.stream)) }

// Wait lets further work of the stream begin after the event's last record.
func (s *Stream) Wait(e *Event) error { return explain(s.stream.Wait(e.event, 0)) }

// Synchronize waits for the event's last record; there is nothing to wait for without one.
func (e *Event) Synchronize() error { return explain(e.event.Synchronize()) }

// Close gives the event back.
func (e *Event) Close() error { return explain(cu.DestroyEvent(&e.event)) }

// Graph is recorded work that is started at once.
type Graph struct{ executable executable }

// Capture records the work that record submits to the stream, and to streams that wait for its events and are waited
// for in the end, instead of running it. record must not allocate, free or synchronize. Arguments and addresses are
// fixed by the capture.
func (s *Stream) Capture(record func() error) (*Graph, error) {
	if err := beginCapture(s.stream); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	s.context.capturing = true
	failed := record()
	s.context.capturing = false
	x, err := endCapture(s.stream)
	if failed != nil {
		if err == nil {
			err = x.destroy()
		}
		return nil, errors.Join(failed, err)
	}
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	return &Graph{x}, nil
}

// Replay gives the graph's work to the stream.
func (s *Stream) Replay(g *Graph) error { return g.executable.launch(s.stream) }

// Close gives the graph back.
func (g *Graph) Close() error { return g.executable.destroy() }
