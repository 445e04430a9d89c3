//go:build cuda

// One device in use: a goroutine that owns its context, and what it runs.

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
)

// Activation is the function that ends a product; the numbers are those of kernels/device.h.
type Activation int32

// The activations of the kernels' epilogues.
const (
	None Activation = iota
	ReLU
	SiLU
	GELU
	GELUTanh
	Tanh
)

// Context is a device in use. Its context belongs to one operating system
// thread, so one goroutine executes all work; the methods may be called from any.
type Context struct {
	Device    Device
	jobs      chan job
	done      chan struct{}
	library   *library
	modules   map[string]cu.Module   // by family
	functions map[string]cu.Function // by kernel
	stream    cu.Stream
}

type job struct {
	run    func() error
	result chan error
}

// Open takes a device into use and loads the kernels.
func Open(d Device) (*Context, error) {
	kernels, err := embedded()
	if err != nil {
		return nil, err
	}
	c := &Context{Device: d, jobs: make(chan job), done: make(chan struct{}), library: kernels,
		modules: map[string]cu.Module{}, functions: map[string]cu.Function{}}
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
		started <- fmt.Errorf("the device gives no context: %w", err)
		return
	}
	defer device.ReleasePrimaryCtx()
	if err := cu.SetCurrentContext(context); err != nil {
		started <- fmt.Errorf("the device's context: %w", err)
		return
	}
	if c.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		started <- fmt.Errorf("a stream: %w", err)
		return
	}
	defer c.unload()
	started <- nil
	for j := range c.jobs {
		j.result <- j.run()
	}
}

func (c *Context) unload() {
	// On a lost device these fail too, and nothing is left to do about it.
	_ = c.stream.Destroy()
	_ = c.unloadModules()
}

// do runs work on the owning goroutine.
func (c *Context) do(run func() error) error {
	result := make(chan error)
	c.jobs <- job{run, result}
	if err := <-result; err != nil {
		return fmt.Errorf("%v: %w", c.Device, err)
	}
	return nil
}

// Close gives the device back. No other method may be called after it.
func (c *Context) Close() error {
	close(c.jobs)
	<-c.done
	return nil
}

// Memory is the number of free bytes and of all bytes of the device.
func (c *Context) Memory() (free, total int64, err error) {
	err = c.do(func() error {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

// scratch holds the device memory of one piece of work; only the owner uses it.
type scratch struct{ pointers []cu.DevicePtr }

func (s *scratch) take(bytes int) (cu.DevicePtr, error) {
	p, err := cu.MemAlloc(int64(max(bytes, 1)))
	if err != nil {
		return 0, fmt.Errorf("%d bytes of device memory: %w", bytes, err)
	}
	s.pointers = append(s.pointers, p)
	return p, nil
}

func (s *scratch) free() error {
	var all error
	for _, p := range s.pointers {
		all = errors.Join(all, cu.MemFree(p))
	}
	return all
}

// upload copies values to new device memory; no values give a null pointer.
func upload[T any](s *scratch, values []T) (cu.DevicePtr, error) {
	if len(values) == 0 {
		return 0, nil
	}
	bytes := len(values) * int(unsafe.Sizeof(values[0]))
	p, err := s.take(bytes)
	if err == nil {
		err = cu.MemcpyHtoD(p, unsafe.Pointer(&values[0]), int64(bytes))
	}
	return p, err
}

// launch starts a kernel. Every argument has its own cell of 8 bytes, all of
// which gorgonia copies; a kernel reads as many of them as its parameter has.
func (c *Context) launch(name string, grid, block [3]int, arguments ...uint64) error {
	function, err := c.function(name)
	if err != nil {
		return err
	}
	pointers := make([]unsafe.Pointer, len(arguments))
	for i := range arguments {
		pointers[i] = unsafe.Pointer(&arguments[i])
	}
	if err := function.Launch(grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, c.stream, pointers); err != nil {
		return fmt.Errorf("kernel %s: %w", name, err)
	}
	return nil
}

// finish waits for the stream and copies the result to the host.
func (c *Context) finish(dst []float32, src cu.DevicePtr) error {
	if err := c.stream.Synchronize(); err != nil {
		return err
	}
	return cu.MemcpyDtoH(unsafe.Pointer(&dst[0]), src, int64(4*len(dst)))
}

// Normalize computes x[i]·scale[c] + shift[c] in float32 for frames of
// len(scale) channels of plane pixels each.
func (c *Context) Normalize(x []uint8, plane int, scale, shift []float32) ([]float32, error) {
	if plane <= 0 || len(scale) == 0 || len(scale) != len(shift) || len(x) == 0 || len(x)%(plane*len(scale)) != 0 {
		return nil, fmt.Errorf("normalize: %d pixels in planes of %d, %d scales, %d shifts", len(x), plane, len(scale), len(shift))
	}
	y := make([]float32, len(x))
	err := c.do(func() (err error) {
		var s scratch
		defer func() { err = errors.Join(err, s.free()) }()
		px, err := upload(&s, x)
		if err != nil {
			return err
		}
		pscale, err := upload(&s, scale)
		if err != nil {
			return err
		}
		pshift, err := upload(&s, shift)
		if err != nil {
			return err
		}
		py, err := s.take(4 * len(y))
		if err != nil {
			return err
		}
		if err := c.launch("normalize_u8", [3]int{(len(x) + 255) / 256, 1, 1}, [3]int{256, 1, 1},
			uint64(px), uint64(pscale), uint64(pshift), uint64(py), uint64(len(x)), uint64(plane), uint64(len(scale))); err != nil {
			return err
		}
		return c.finish(y, py)
	})
	return y, err
}

// Product computes activate(A·B + bias) in float32 for row-major A [m, k] and
// B [k, n]; bias has n values, or none.
func (c *Context) Product(a, b, bias []float32, m, n, k int, activation Activation) ([]float32, error) {
	if m <= 0 || n <= 0 || k <= 0 || len(a) != m*k || len(b) != k*n || len(bias) != 0 && len(bias) != n || activation < None || activation > Tanh {
		return nil, fmt.Errorf("product: %d×%d by %d×%d with %d, %d and %d values, activation %d", m, k, k, n, len(a), len(b), len(bias), activation)
	}
	y := make([]float32, m*n)
	err := c.do(func() (err error) {
		var s scratch
		defer func() { err = errors.Join(err, s.free()) }()
		var p [3]cu.DevicePtr
		for i, values := range [][]float32{a, b, bias} {
			if p[i], err = upload(&s, values); err != nil {
				return err
			}
		}
		py, err := s.take(4 * len(y))
		if err != nil {
			return err
		}
		// The grid's second axis is bounded by 65535.
		const rows = 65535 * 64
		for lo := 0; lo < m; lo += rows {
			count := min(rows, m-lo)
			if err := c.launch("product_f32", [3]int{(n + 63) / 64, (count + 63) / 64, 1}, [3]int{16, 16, 1},
				uint64(p[0])+uint64(4*lo*k), uint64(p[1]), uint64(p[2]), uint64(py)+uint64(4*lo*n), uint64(count), uint64(n), uint64(k), uint64(activation)); err != nil {
				return err
			}
		}
		return c.finish(y, py)
	})
	return y, err
}
