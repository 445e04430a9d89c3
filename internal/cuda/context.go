//go:build cuda

// One device in use: a goroutine that owns its context.

package cuda

import (
	"errors"
	"fmt"
	"runtime"

	"gorgonia.org/cu"
)

// Context is an open device. A CUDA context belongs to one operating system thread, so one goroutine makes all calls:
// methods of a Context, a Stream, an Event or a Graph may be called only by functions passed to Do.
type Context struct {
	Device    Device
	jobs      chan job
	done      chan struct{}
	closed    error
	library   *library
	modules   []cu.Module
	functions map[string]*function // by kernel
	capturing bool
}

type job struct {
	run    func() error
	result chan<- error
}

// function is a loaded kernel, with the most dynamic shared memory it was allowed so far.
type function struct {
	function cu.Function
	shared   int
}

// Open takes a device into use.
func Open(d Device) (*Context, error) {
	kernels, err := embedded()
	if err != nil {
		return nil, err
	}
	c := &Context{Device: d, jobs: make(chan job), done: make(chan struct{}), library: kernels,
		functions: map[string]*function{}}
	started := make(chan error)
	go c.own(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%v: %w", d, err)
	}
	return c, nil
}

// own is the goroutine that owns the device. Its thread ends with it.
func (c *Context) own(started chan<- error) {
	runtime.LockOSThread()
	defer close(c.done)
	device := cu.Device(c.Device.Ordinal)
	context, err := device.RetainPrimaryCtx()
	if err != nil {
		started <- fmt.Errorf("the device does not create a context: %w", explain(err))
		return
	}
	if err := cu.SetCurrentContext(context); err != nil {
		started <- errors.Join(fmt.Errorf("the device's context: %w", explain(err)), explain(device.ReleasePrimaryCtx()))
		return
	}
	started <- nil
	for j := range c.jobs {
		j.result <- j.run()
	}
	c.closed = errors.Join(c.unload(), explain(device.ReleasePrimaryCtx()))
}

// Do runs work on the owning goroutine and waits for it. The work must not call Do.
func (c *Context) Do(run func() error) error {
	result := make(chan error)
	c.jobs <- job{run, result}
	if err := <-result; err != nil {
		return fmt.Errorf("%v: %w", c.Device, err)
	}
	return nil
}

// Close closes the device, with all modules. Memory, streams, events and graphs must be released before. No other
// method may be called after it.
func (c *Context) Close() error {
	close(c.jobs)
	<-c.done
	return c.closed
}
