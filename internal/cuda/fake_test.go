//go:build cuda && fakecuda

// The fake driver notices mistakes: each test makes one.

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"repscope/internal/cuda/fakecuda"
)

// Without either barrier the product is wrong, in one order of the threads or the other.
func TestFakeNoticesMissingBarriers(t *testing.T) {
	execute(t, fakecuda.Twins)
	onDevice(t, openDevice(t), func(b *bench) {
		const n = 48
		x, y := put(b, noise(n*n, 1)), put(b, noise(n*n, 2))
		run := func(skip int, reverse bool) []float32 {
			fakecuda.SkipBarrier(skip)
			fakecuda.Reverse(reverse)
			z := put(b, make([]float32, n*n))
			b.must(b.stream.Launch("selftest_product", [3]int{3, 3, 1}, [3]int{16, 16, 1}, 0, x, y, z, n))
			return get[float32](b, z, n*n)
		}
		want := run(-1, false)
		for i, v := range product(noise(n*n, 1), noise(n*n, 2), n, n, n, func(v float32) float32 { return v }) {
			if d := float64(want[i]) - v; d > 1e-5 || d < -1e-5 {
				t.Fatalf("value %d: %g, want %g", i, want[i], v)
			}
		}
		if !slices.Equal(run(-1, true), want) {
			t.Fatal("the order of the threads changes the result")
		}
		if n := fakecuda.Barriers(); n != 2 {
			t.Fatalf("%d barriers, want 2", n)
		}
		for skip := range 2 {
			if slices.Equal(run(skip, false), want) && slices.Equal(run(skip, true), want) {
				t.Errorf("nobody notices that barrier %d is missing", skip)
			}
		}
	})
}

func TestFakeNoticesMissingWaitForCopies(t *testing.T) {
	execute(t, fakecuda.Twins)
	onDevice(t, openDevice(t), func(b *bench) {
		x := put(b, noise(1000, 1))
		run := func(skip int) []float32 {
			fakecuda.SkipWait(skip)
			y := put(b, make([]float32, 1000))
			b.launch("selftest_pipeline", 1, 32, 0, x, y, 1000, 8)
			return get[float32](b, y, 1000)
		}
		want := run(-1)
		if n := fakecuda.Waits(); n != 1 {
			t.Fatalf("%d waits, want 1", n)
		}
		if slices.Equal(run(0), want) {
			t.Error("nobody notices that the wait is missing")
		}
	})
}

// A kernel that is told of more values than there are faults, and the context is lost.
func TestFakeNoticesOutOfBounds(t *testing.T) {
	for _, extra := range []int{1, 300, 5000} {
		c := openDevice(t)
		err := c.Do(func() error {
			s, err := c.NewStream()
			if err != nil {
				return err
			}
			n := 1000 + extra
			x, err := c.Alloc(4 * n)
			if err != nil {
				return err
			}
			y, err := c.Alloc(4 * 1000)
			if err != nil {
				return err
			}
			return errors.Join(s.Launch("selftest_scale", [3]int{(n + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0,
				uint64(x), uint64(y), uint64(n), 0, 0, 1), s.Synchronize())
		})
		if !errors.Is(err, ErrDeviceLost) || !strings.Contains(err.Error(), "selftest_scale") {
			t.Fatalf("%d: %v", extra, err)
		}
		t.Log(err)
		if err := c.Do(func() error { _, _, err := c.Memory(); return err }); !errors.Is(err, ErrDeviceLost) {
			t.Errorf("the context still works: %v", err)
		}
	}
}

func TestFakeNoticesMistakesOfKernels(t *testing.T) {
	execute(t, fakecuda.Twins)
	testMistakes(t, []string{
		"divergent warp: 16 lanes wait in line",
		"divergent warp: lanes wait in line",
		"lane 7 has ended",
		"never reach the barrier",
		"", // shared memory begins as NaN; see below
		"not a multiple of the size",
		"without dynamic shared memory",
		"divides by zero",
		"waits at the barrier of line",
	})
}

// The same mistakes in the PTX.
func TestInterpreterNoticesMistakesOfKernels(t *testing.T) {
	execute(t, fakecuda.PTX)
	testMistakes(t, []string{
		"divergent warp: 16 lanes (0x0000ffff) wait at shfl.sync.bfly.b32, 16 lanes (0xffff0000) have ended",
		"divergent warp: 16 lanes (0x0000ffff) wait at shfl.sync.bfly.b32, 16 lanes (0xffff0000) wait at shfl.sync.bfly.b32 in line",
		"lane 7 has ended",
		"never reach the barrier",
		"of shared memory, which nobody has written",
		"4, which is not a multiple of the size 16",
		"outside of the shared memory",
		"divides by zero",
		"16 lanes (0x0000ffff) wait at bar.sync, 16 lanes (0xffff0000) wait at shfl.sync.bfly.b32 in line",
	})
}

// A missing barrier is a race, whatever the order and the numbers.
func TestInterpreterNoticesMissingBarriers(t *testing.T) {
	execute(t, fakecuda.PTX)
	for skip := range 2 {
		for _, reverse := range []bool{false, true} {
			err := launchMistaken(t, func() { fakecuda.SkipBarrier(skip); fakecuda.Reverse(reverse) }, func(s *Stream, x, y Pointer) error {
				return s.Launch("selftest_product", [3]int{3, 3, 1}, [3]int{16, 16, 1}, 0, uint64(x), uint64(x), uint64(y), 48)
			})
			if err == nil || !strings.Contains(err.Error(), "race: ") {
				t.Errorf("without barrier %d: %v", skip, err)
			}
		}
	}
}

func TestInterpreterNoticesMissingWaitForCopies(t *testing.T) {
	execute(t, fakecuda.PTX)
	err := launchMistaken(t, func() { fakecuda.SkipWait(0) }, func(s *Stream, x, y Pointer) error {
		return s.Launch("selftest_pipeline", [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, uint64(x), uint64(y), 1000, 8)
	})
	if err == nil || !strings.Contains(err.Error(), "to which an asynchronous copy of warp 0 lane 0 is under way") {
		t.Error(err)
	}
}

// Memory that nobody wrote: the second half of x.
func TestInterpreterNoticesUnwrittenMemory(t *testing.T) {
	execute(t, fakecuda.PTX)
	err := launchMistaken(t, func() {}, func(s *Stream, x, y Pointer) error {
		return s.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, uint64(y), uint64(x), 256, 0, 0, 1)
	})
	if err == nil || !strings.Contains(err.Error(), "which nobody has written") {
		t.Error(err)
	}
}

// launchMistaken launches a kernel with 48·48 written values x and unwritten memory y.
func launchMistaken(t *testing.T, prepare func(), launch func(s *Stream, x, y Pointer) error) error {
	c := openDevice(t)
	prepare()
	return c.Do(func() error {
		s, err := c.NewStream()
		if err != nil {
			return err
		}
		x, err := c.Alloc(48 * 48 * 4)
		if err != nil {
			return err
		}
		y, err := c.Alloc(48 * 48 * 4)
		if err != nil {
			return err
		}
		return errors.Join(Upload(c, x, make([]float32, 48*48)), launch(s, x, y), s.Synchronize())
	})
}

// testMistakes runs selftest_mistake; the errors have these texts.
func testMistakes(t *testing.T, wants []string) {
	for kind, want := range wants {
		says := func(err error) bool {
			return slices.ContainsFunc(strings.Split(want, "|"), func(text string) bool { return strings.Contains(err.Error(), text) })
		}
		for _, reverse := range []bool{false, true} {
			c := openDevice(t)
			fakecuda.Reverse(reverse)
			err := c.Do(func() error {
				s, err := c.NewStream()
				if err != nil {
					return err
				}
				x, err := c.Alloc(64 * 4)
				if err != nil {
					return err
				}
				if err := errors.Join(Upload(c, x, make([]float32, 64)),
					s.Launch("selftest_mistake", [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, uint64(x), uint64(kind)), s.Synchronize()); err != nil {
					return err
				}
				values := make([]float32, 64)
				if err := Download(c, values, x); err != nil {
					return err
				}
				for i, v := range values {
					if v == v {
						return fmt.Errorf("value %d of unwritten shared memory is %g", i, v)
					}
				}
				return nil
			})
			switch {
			case want == "" && err != nil, want != "" && (err == nil || !says(err)):
				t.Errorf("mistake %d: %v, want %q", kind, err, want)
			case err != nil:
				t.Log(err)
			}
		}
	}
}

// A wait for an event that is left out, pinned memory that is used too early, a
// result that is read too early: wrong numbers in some order between the streams.
func TestFakeNoticesMissingEvents(t *testing.T) {
	execute(t, fakecuda.Twins)
	for _, omit := range []string{"", "uploaded", "computed", "collect", "pinned"} {
		c := openDevice(t)
		noticed := 0
		seeds(func(int) {
			onDevice(t, c, func(b *bench) {
				p := newPipeline(b)
				p.omit = omit
				if p.run(b, 6) != nil {
					noticed++
				}
				p.close(b)
			})
		})
		if omit == "" && noticed > 0 || omit != "" && noticed < 5 {
			t.Errorf("without %q: noticed in %d of 20 orders", omit, noticed)
		}
		t.Logf("without %q: noticed in %d of 20 orders", omit, noticed)
	}
}

// Device memory that is freed before the work on it has run.
func TestFakeNoticesEarlyFree(t *testing.T) {
	noticed := 0
	for seed := range 20 {
		c := openDevice(t)
		fakecuda.Seed(seed)
		err := c.Do(func() error {
			s, err := c.NewStream()
			if err != nil {
				return err
			}
			x, err := c.Alloc(1 << 20)
			if err != nil {
				return err
			}
			return errors.Join(s.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, uint64(x), uint64(x), 256, 0, 0, 1),
				c.Free(x), s.Synchronize())
		})
		if errors.Is(err, ErrDeviceLost) {
			noticed++
		}
	}
	if noticed < 5 {
		t.Errorf("noticed in %d of 20 orders", noticed)
	}
}

func TestFakeNoticesWrongContext(t *testing.T) {
	c := openFake(t, 2, 1<<30)
	// Nobody made a context current on another thread.
	failed := make(chan error)
	go func() {
		_, err := cu.MemAlloc(16)
		failed <- err
	}()
	if err := <-failed; err == nil {
		t.Error("memory without a context")
	}
	list, _ := Devices()
	other, err := Open(list[0])
	if err != nil {
		t.Fatal(err)
	}
	var p Pointer
	var s *Stream
	if err := c.Do(func() (err error) {
		if p, err = c.Alloc(4 * 256); err == nil {
			s, err = c.NewStream()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := other.Do(func() error { return other.Free(p) }); err == nil {
		t.Error("memory of another device was freed")
	}
	if err := other.Do(func() error {
		return s.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, uint64(p), uint64(p), 256, 0, 0, 1)
	}); err == nil {
		t.Error("a kernel was launched in a stream of another context")
	}
	// A kernel that is given memory of another device.
	if err := other.Do(func() error {
		t, err := other.NewStream()
		if err != nil {
			return err
		}
		return errors.Join(t.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, uint64(p), uint64(p), 256, 0, 0, 1), t.Synchronize())
	}); !errors.Is(err, ErrDeviceLost) || !strings.Contains(err.Error(), "touches") {
		t.Errorf("memory of another device: %v", err)
	}
	if err := c.Do(func() error { return c.Free(p) }); err != nil {
		t.Errorf("the first device: %v", err)
	}
	other.Close()
}

func TestFakeNoticesMistakesOfCaptures(t *testing.T) {
	for name, run := range map[string]func(c *Context, s *Stream) error{
		"allocates": func(c *Context, s *Stream) error { _, err := c.Alloc(16); return err },
		"waits":     func(c *Context, s *Stream) error { return s.Synchronize() },
		"does not wait for another stream": func(c *Context, s *Stream) error {
			other, err := c.NewStream()
			if err != nil {
				return err
			}
			e, err := c.NewEvent()
			if err != nil {
				return err
			}
			return errors.Join(s.Record(e), other.Wait(e),
				other.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, 0, 0, 0, 0, 0, 0))
		},
		"waits for an event from before": func(c *Context, s *Stream) error {
			other, err := c.NewStream()
			if err != nil {
				return err
			}
			e, err := c.NewEvent()
			if err != nil {
				return err
			}
			return errors.Join(other.Record(e), s.Wait(e))
		},
	} {
		c := openDevice(t)
		err := c.Do(func() error {
			s, err := c.NewStream()
			if err != nil {
				return err
			}
			g, err := s.Capture(func() error { return run(c, s) })
			if g != nil {
				return errors.Join(err, g.Close())
			}
			return err
		})
		if err == nil {
			t.Errorf("a capture that %s has no error", name)
		}
		t.Log(err)
	}
}

func TestOutOfMemory(t *testing.T) {
	c := openFake(t, 1, 40<<10)
	if err := c.Do(func() error {
		p, err := c.Alloc(30 << 10)
		if err != nil {
			return err
		}
		if _, err := c.Alloc(11 << 10); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "11264 bytes of device memory") {
			t.Errorf("41 kB of 40: %v", err)
		}
		return c.Free(p)
	}); err != nil {
		t.Fatal(err)
	}
	if n := fakecuda.Used(0); n != 0 {
		t.Errorf("%d bytes are not freed", n)
	}
}

// A device that is lost at any call of the driver ends every piece of work with
// ErrDeviceLost and nothing else; when it is closed and opened again it works.
func TestLostAtAnyCall(t *testing.T) {
	calls := 0
	work := func(c *Context) error {
		return c.Do(func() (err error) {
			defer func() {
				if failure, ok := recover().(benchFailure); ok {
					err = failure
				}
			}()
			s, err := c.NewStream()
			if err != nil {
				return err
			}
			b := &bench{t: t, context: c, stream: s}
			p := newPipeline(b)
			if err := p.run(b, 3); err != nil {
				return err
			}
			p.close(b)
			for _, m := range b.memory {
				b.must(c.Free(m))
			}
			return s.Close()
		})
	}
	for after := 0; after == 0 || after < calls; after++ {
		c := openDevice(t)
		if after == 0 {
			before := fakecuda.Calls()
			if err := work(c); err != nil {
				t.Fatal(err)
			}
			calls = fakecuda.Calls() - before
			t.Logf("%d calls", calls)
		}
		fakecuda.Fail("*", after, 719)
		if err := work(c); !errors.Is(err, ErrDeviceLost) {
			t.Fatalf("lost at call %d: %v", after, err)
		}
		if err := work(c); !errors.Is(err, ErrDeviceLost) {
			t.Fatalf("lost at call %d, once more: %v", after, err)
		}
		again, err := reopen(c)
		if err == nil {
			err = work(again)
		}
		if err != nil {
			t.Fatalf("lost at call %d, after opening again: %v", after, err)
		}
		again.Close()
	}
}

// reopen closes a lost context, which fails, and opens the device again.
func reopen(c *Context) (*Context, error) {
	again := *c
	_ = again.Close()
	*c = Context{jobs: make(chan job), done: make(chan struct{})}
	close(c.done) // the test's cleanup closes c
	return Open(again.Device)
}

func TestKernelsRefused(t *testing.T) {
	text, err := ptxFiles.ReadFile("kernels/ptx/selftest.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{".param .u32 selftest_scale_param_5", ".param .u64 selftest_scale_param_5", "other parameters"},
		{".entry selftest_scale(", ".entry selftest_half(", "not compiled"},
		{".b8 _ZZ16selftest_productE4left[1088]", ".b8 _ZZ16selftest_productE4left[50000]", "static shared memory"},
		{".entry", ".func", "no entry"},
	} {
		x := openDevice(t)
		changed := strings.ReplaceAll(string(text), c[0], c[1])
		if changed == string(text) {
			t.Fatalf("%s is not in the PTX", c[0])
		}
		x.library = &library{shared: map[string]string{"changed": changed}, family: map[string]string{"selftest_lanes": "changed"}}
		err := x.Do(func() error {
			s, err := x.NewStream()
			if err != nil {
				return err
			}
			return s.Launch("selftest_lanes", [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, 0)
		})
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
}

func TestNoDevices(t *testing.T) {
	fakecuda.Reset(0, 0)
	if _, err := Devices(); !errors.Is(err, ErrNoDevice) {
		t.Errorf("%v", err)
	}
	fakecuda.Reset(1, 1<<30)
	fakecuda.Fail("cuDeviceGetCount", 0, 999)
	if _, err := Devices(); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "injected") {
		t.Errorf("%v", err)
	}
	list, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"} {
		fakecuda.Fail(function, 0, 2)
		if _, err := Open(list[0]); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "Fake GPU 0") {
			t.Errorf("%s: %v", function, err)
		}
	}
}
