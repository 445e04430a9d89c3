//go:build cuda

// What device.h and the driver do, on a GPU or on the fake driver, against plain loops.

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"
)

// bench is one context with what a test allocates in it. Its methods end the test on an error.
type bench struct {
	t       *testing.T
	context *Context
	stream  *Stream
	memory  []Pointer
}

// onDevice runs a test on the goroutine that owns the device, and gives all memory back.
func onDevice(t *testing.T, c *Context, run func(b *bench)) {
	t.Helper()
	err := c.Do(func() error {
		s, err := c.NewStream()
		if err != nil {
			return err
		}
		b := &bench{t: t, context: c, stream: s}
		// t.Fatal on this goroutine would end it; must panics with the error instead.
		func() {
			defer func() {
				if failure, ok := recover().(benchFailure); ok {
					err = failure
				}
			}()
			run(b)
		}()
		for _, p := range b.memory {
			err = errors.Join(err, c.Free(p))
		}
		return errors.Join(err, s.Close())
	})
	if err != nil {
		t.Fatalf("%v: %s", err, why())
	}
}

type benchFailure struct{ error }

func (f benchFailure) Unwrap() error { return f.error }

func (b *bench) must(err error) {
	if err != nil {
		panic(benchFailure{err})
	}
}

func (b *bench) alloc(bytes int) Pointer {
	p, err := b.context.Alloc(bytes)
	b.must(err)
	b.memory = append(b.memory, p)
	return p
}

func put[T any](b *bench, values []T) uint64 {
	p := b.alloc(len(values) * int(unsafe.Sizeof(values[0])))
	b.must(Upload(b.context, p, values))
	return uint64(p)
}

func get[T any](b *bench, p uint64, n int) []T {
	values := make([]T, n)
	b.must(b.stream.Synchronize())
	b.must(Download(b.context, values, Pointer(p)))
	return values
}

func (b *bench) launch(kernel string, blocks, threads, shared int, arguments ...uint64) {
	b.must(b.stream.Launch(kernel, [3]int{blocks, 1, 1}, [3]int{threads, 1, 1}, shared, arguments...))
}

func float(v float32) uint64 { return uint64(math.Float32bits(v)) }

// noise is spread over [−1, 1) without pattern.
func noise(n int, seed uint32) []float32 {
	v := make([]float32, n)
	for i := range v {
		seed = seed*1664525 + 1013904223
		v[i] = float32(int32(seed)>>8) / (1 << 23)
	}
	return v
}

func TestLanes(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		out := put(b, make([]uint32, 128))
		b.launch("selftest_lanes", 1, 32, 0, out)
		got := get[uint32](b, out, 128)
		for i := range uint32(32) {
			if got[i] != 31-i || got[32+i] != 100+i^1 || got[64+i] != 105 || got[96+i] != 0xaaaaaaaa {
				t.Errorf("lane %d: %d, %d, %d, %#x", i, got[i], got[32+i], got[64+i], got[96+i])
			}
		}
	})
}

func TestWarpReductions(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		x := noise(512, 1)
		sum, greatest := put(b, make([]float32, 512)), put(b, make([]float32, 512))
		b.launch("selftest_reduce", 2, 256, 0, put(b, x), sum, greatest)
		sums, maxima := get[float32](b, sum, 512), get[float32](b, greatest, 512)
		for i := range x {
			warp := x[i/32*32:][:32]
			// The tree of device.h: lane i adds lane i^16, then i^8 …
			tree := slices.Clone(warp)
			for half := 16; half > 0; half /= 2 {
				next := slices.Clone(tree)
				for j := range tree {
					next[j] = tree[j] + tree[j^half]
				}
				tree = next
			}
			if sums[i] != tree[0] || maxima[i] != slices.Max(warp) {
				t.Fatalf("lane %d: %g, %g, want %g, %g", i, sums[i], maxima[i], tree[0], slices.Max(warp))
			}
		}
	})
}

// product is A·B in float64, of values that were rounded by round.
func product(a, b []float32, m, n, k int, round func(float32) float32) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*n+j] += float64(round(a[i*k+l])) * float64(round(b[l*n+j]))
			}
		}
	}
	return c
}

// roundBits keeps a float32's upper bits: to nearest, halves away from zero or to even.
func roundBits(v float32, dropped uint, even bool) float32 {
	bits := math.Float32bits(v)
	half := uint32(1) << (dropped - 1)
	if even {
		half += bits>>dropped&1 - 1
	}
	return math.Float32frombits((bits + half) >> dropped << dropped)
}

func toTF32(v float32) float32 { return roundBits(v, 13, false) }
func toBF16(v float32) float32 { return roundBits(v, 16, true) }

func TestTensorCores(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		for _, c := range []struct {
			kernel string
			k      int
			round  func(float32) float32
		}{{"selftest_mma_tf32", 8, toTF32}, {"selftest_mma_bf16", 16, toBF16}} {
			x, y := noise(16*c.k, 1), noise(c.k*8, 2)
			d := put(b, make([]float32, 128))
			b.launch(c.kernel, 1, 32, 0, put(b, x), put(b, y), d)
			got, want := get[float32](b, d, 128), product(x, y, 16, 8, c.k, c.round)
			for i := range got {
				// The rounded factors' products are exact; sums are at least nearly float32.
				if math.Abs(float64(got[i])-want[i]) > 2e-6 {
					t.Fatalf("%s: row %d column %d: %g, want %g", c.kernel, i/8, i%8, got[i], want[i])
				}
			}
		}
		x, y := make([]uint8, 16*32), make([]uint8, 32*8)
		for i := range x {
			x[i] = uint8(i*37 + 255)
		}
		for i := range y {
			y[i] = uint8(255 - i*53)
		}
		d := put(b, make([]int32, 128))
		b.launch("selftest_mma_u8", 1, 32, 0, put(b, x), put(b, y), d)
		for i, got := range get[int32](b, d, 128) {
			var want int32
			for k := range 32 {
				want += int32(x[i/8*32+k]) * int32(y[k*8+i%8])
			}
			if got != want {
				t.Fatalf("u8: row %d column %d: %d, want %d", i/8, i%8, got, want)
			}
		}
	})
}

// Matrices loaded by ldmatrix are the fragments that device.h describes.
func TestMatrixLoads(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		a, bt, bm := make([]uint16, 256), make([]uint16, 128), make([]uint16, 128)
		for i := range a {
			a[i] = uint16(1000 + i)
		}
		for i := range bt {
			bt[i] = uint16(3000 + i)
			bm[i%16*8+i/16] = bt[i] // B [16×8], BT [8×16]
		}
		fa, fb, fbt := put(b, make([]uint32, 128)), put(b, make([]uint32, 64)), put(b, make([]uint32, 64))
		// Once with more than 48 KB, for which the kernel needs a permission.
		for _, shared := range []int{1024, 64 << 10} {
			b.launch("selftest_ldmatrix", 1, 32, shared, put(b, a), put(b, bt), put(b, bm), fa, fb, fbt)
			gotA, gotB, gotBT := get[uint32](b, fa, 128), get[uint32](b, fb, 64), get[uint32](b, fbt, 64)
			pair := func(lo, hi uint16) uint32 { return uint32(hi)<<16 | uint32(lo) }
			for lane := range 32 {
				g, p := lane/4, lane%4*2
				for i := range 4 {
					row, column := g+i%2*8, p+i/2*8
					if want := pair(a[row*16+column], a[row*16+column+1]); gotA[i*32+lane] != want {
						t.Fatalf("A: lane %d register %d: %#x, want %#x", lane, i, gotA[i*32+lane], want)
					}
				}
				for i := range 2 {
					k := p + i*8
					want := pair(bm[k*8+g], bm[(k+1)*8+g])
					if gotB[i*32+lane] != want || gotBT[i*32+lane] != want {
						t.Fatalf("B: lane %d register %d: %#x and %#x, want %#x", lane, i, gotB[i*32+lane], gotBT[i*32+lane], want)
					}
				}
			}
		}
	})
}

func TestAsynchronousCopies(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		x := noise(1000, 4)
		y := put(b, make([]float32, 1000))
		b.launch("selftest_pipeline", 1, 32, 0, put(b, x), y, 1000, 8)
		for i, got := range get[float32](b, y, 1000) {
			if got != 2*x[i] {
				t.Fatalf("%d: %g, want %g", i, got, 2*x[i])
			}
		}
	})
}

func TestAtomicSums(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		x := make([]uint32, 1000)
		var total uint64
		bins := make([]uint32, 4)
		for i := range x {
			x[i] = uint32(i) * 2654435761
			total += uint64(x[i])
			bins[x[i]%4]++
		}
		gotTotal, gotBins := put(b, make([]uint64, 1)), put(b, make([]uint32, 4))
		b.launch("selftest_count", 4, 256, 0, put(b, x), gotTotal, gotBins, uint64(len(x)))
		if got := get[uint64](b, gotTotal, 1)[0]; got != total {
			t.Errorf("total %d, want %d", got, total)
		}
		if got := get[uint32](b, gotBins, 4); !slices.Equal(got, bins) {
			t.Errorf("bins %v, want %v", got, bins)
		}
	})
}

// The bounds are in device.h's comments.
func TestConversions(t *testing.T) {
	inf := float32(math.Inf(1))
	var x []float32
	for v := -100.0; v <= 100; v += 0.037 {
		x = append(x, float32(v), float32(v/100), float32(math.Exp(v/2)))
	}
	x = append(x, 0, inf, -inf, float32(math.NaN()), 1e-40, math.MaxFloat32)
	onDevice(t, openDevice(t), func(b *bench) {
		px, y := put(b, x), put(b, make([]float32, len(x)))
		for function, c := range []struct {
			name     string
			f        func(float64) float64
			relative float64
			absolute float64
		}{
			{"reciprocal_sqrt", func(v float64) float64 { return 1 / math.Sqrt(v) }, 1.5e-7, 0},
			{"to_tf32", func(v float64) float64 { return float64(toTF32(float32(v))) }, 0, 0},
			{"pack_bf16 high", func(v float64) float64 { return float64(toBF16(float32(v))) }, 0, 0},
			{"pack_bf16 low", func(v float64) float64 { return float64(toBF16(float32(v))) }, 0, 0},
		} {
			b.launch("selftest_function", (len(x)+255)/256, 256, 0, px, y, uint64(len(x)), uint64(function))
			for i, got := range get[float32](b, y, len(x)) {
				if x[i] != x[i] {
					if got == got {
						t.Errorf("%s(NaN) = %g", c.name, got)
					}
					continue
				}
				want := c.f(float64(x[i]))
				if float64(got) == want || math.IsNaN(want) && got != got || math.Abs(want) > math.MaxFloat32 && math.IsInf(float64(got), 1) {
					continue
				}
				if d := math.Abs(float64(got) - want); !(d <= c.absolute+c.relative*math.Abs(want)) {
					t.Errorf("%s(%g) = %g, want %g", c.name, x[i], got, want)
				}
			}
		}
	})
}

func TestMemory(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		free, total, err := b.context.Memory()
		b.must(err)
		if free <= 0 || free > total {
			t.Errorf("%d of %d bytes are free", free, total)
		}
		if _, err := b.context.Alloc(int(total) + 1); !errors.Is(err, ErrOutOfMemory) || errors.Is(err, ErrDeviceLost) {
			t.Errorf("more than there is: %v", err)
		}
		x := noise(1001, 1)
		p := put(b, x)
		q := b.alloc(4004)
		b.must(b.stream.Copy(q, Pointer(p), 4004))
		b.must(b.stream.Zero(q+4, 8))
		want := slices.Clone(x)
		want[1], want[2] = 0, 0
		if got := get[float32](b, uint64(q), 1001); !slices.Equal(got, want) {
			t.Error("copied values differ")
		}
		b.must(Upload(b.context, 0, []int(nil)))
		b.must(Download(b.context, []int(nil), 0))
	})
}

// pipeline is a double-buffered loop over batches: upload, compute and download in
// streams of their own, ordered by events. graphs replays the kernel.
type pipeline struct {
	up, work, down *Stream
	slots          [2]struct {
		in, out                     []byte
		x, y                        Pointer
		uploaded, computed, fetched *Event
		graph                       *Graph
	}
	omit string // a wait that is left out
}

const pipelineSize = 1000

func newPipeline(b *bench) *pipeline {
	p := &pipeline{}
	var err error
	for _, s := range []**Stream{&p.up, &p.work, &p.down} {
		*s, err = b.context.NewStream()
		b.must(err)
	}
	for i := range p.slots {
		s := &p.slots[i]
		s.in, err = b.context.Pinned(4 * pipelineSize)
		b.must(err)
		s.out, err = b.context.Pinned(4 * pipelineSize)
		b.must(err)
		s.x, s.y = b.alloc(4*pipelineSize), b.alloc(4*pipelineSize)
		for _, e := range []**Event{&s.uploaded, &s.computed, &s.fetched} {
			*e, err = b.context.NewEvent()
			b.must(err)
		}
		s.graph, err = p.work.Capture(func() error {
			return p.work.Launch("selftest_scale", [3]int{4, 1, 1}, [3]int{256, 1, 1}, 0,
				uint64(s.x), uint64(s.y), pipelineSize, float(2), float(1), 1)
		})
		b.must(err)
	}
	return p
}

func (p *pipeline) close(b *bench) {
	for _, s := range []*Stream{p.up, p.work, p.down} {
		b.must(s.Synchronize())
		b.must(s.Close())
	}
	for i := range p.slots {
		s := &p.slots[i]
		b.must(b.context.FreePinned(s.in))
		b.must(b.context.FreePinned(s.out))
		b.must(s.graph.Close())
		for _, e := range []*Event{s.uploaded, s.computed, s.fetched} {
			b.must(e.Close())
		}
	}
}

// wait lets the stream wait for the event, unless the wait is left out.
func (p *pipeline) wait(b *bench, name string, s *Stream, e *Event) {
	if p.omit != name {
		b.must(s.Wait(e))
	}
}

// run sends batches of x = batch + i and tells the first wrong result of 2x + 1.
func (p *pipeline) run(b *bench, batches int) error {
	var failure error
	collect := func(batch int) {
		s := &p.slots[batch%2]
		if p.omit != "collect" {
			b.must(s.fetched.Synchronize())
		}
		for i := range pipelineSize {
			got, want := math.Float32frombits(binary.LittleEndian.Uint32(s.out[4*i:])), float32(2*(batch+i)+1)
			if got != want && failure == nil {
				failure = fmt.Errorf("batch %d, value %d: %g, want %g", batch, i, got, want)
			}
		}
	}
	for batch := range batches {
		s := &p.slots[batch%2]
		if batch >= 2 {
			collect(batch - 2)
		}
		for i := range pipelineSize {
			binary.LittleEndian.PutUint32(s.in[4*i:], math.Float32bits(float32(batch+i)))
		}
		b.must(p.up.Upload(s.x, s.in))
		b.must(p.up.Record(s.uploaded))
		p.wait(b, "uploaded", p.work, s.uploaded)
		b.must(p.work.Replay(s.graph))
		b.must(p.work.Record(s.computed))
		p.wait(b, "computed", p.down, s.computed)
		b.must(p.down.Download(s.out, s.y))
		b.must(p.down.Record(s.fetched))
		if p.omit == "pinned" { // the next batch, before this one is uploaded
			clear(s.in)
		}
	}
	for batch := max(0, batches-2); batch < batches; batch++ {
		collect(batch)
	}
	return failure
}

func TestStreamsEventsAndGraphs(t *testing.T) {
	c := openDevice(t)
	seeds(func(seed int) {
		onDevice(t, c, func(b *bench) {
			p := newPipeline(b)
			if err := p.run(b, 9); err != nil {
				t.Errorf("order %d: %v", seed, err)
			}
			p.close(b)
		})
	})
}

// A capture over two streams, and one that fails.
func TestCapture(t *testing.T) {
	c := openDevice(t)
	seeds(func(seed int) {
		onDevice(t, c, func(b *bench) {
			other, err := b.context.NewStream()
			b.must(err)
			fork, err := b.context.NewEvent()
			b.must(err)
			join, err := b.context.NewEvent()
			b.must(err)
			x, y, z := put(b, noise(256, 1)), put(b, make([]float32, 256)), put(b, make([]float32, 512))
			scale := func(s *Stream, from, to uint64, factor float32) error {
				return s.Launch("selftest_scale", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, from, to, 256, float(factor), 0, 1)
			}
			g, err := b.stream.Capture(func() error {
				return errors.Join(scale(b.stream, x, y, 2), b.stream.Record(fork), other.Wait(fork),
					scale(other, y, z, 3), other.Record(join),
					scale(b.stream, y, z+1024, 5), b.stream.Wait(join))
			})
			b.must(err)
			for range 3 {
				b.must(b.stream.Replay(g))
			}
			got := get[float32](b, z, 512)
			for i, v := range noise(256, 1) {
				if got[i] != 3*(2*v) || got[256+i] != 5*(2*v) {
					t.Fatalf("order %d: value %d: %g and %g of %g", seed, i, got[i], got[256+i], v)
				}
			}
			b.must(g.Close())
			stop := errors.New("stop")
			if _, err := b.stream.Capture(func() error { return errors.Join(scale(b.stream, x, y, 2), stop) }); !errors.Is(err, stop) {
				t.Errorf("a capture that fails: %v", err)
			}
			// The stream works as before.
			b.must(scale(b.stream, x, y, 7))
			if got := get[float32](b, y, 1)[0]; got != 7*noise(1, 1)[0] {
				t.Errorf("after it: %g", got)
			}
			b.must(errors.Join(fork.Close(), join.Close(), other.Close()))
		})
	})
}

// Errors that leave the device as it was.
func TestErrorsOfLaunches(t *testing.T) {
	onDevice(t, openDevice(t), func(b *bench) {
		for _, err := range []error{
			b.stream.Launch("no_such_kernel", [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0),
			b.stream.Launch("selftest_lanes", [3]int{0, 1, 1}, [3]int{32, 1, 1}, 0, 0),
			b.stream.Launch("selftest_lanes", [3]int{1, 1, 1}, [3]int{2048, 1, 1}, 0, 0),
			b.stream.Launch("selftest_ldmatrix", [3]int{1, 1, 1}, [3]int{32, 1, 1}, 1<<30, 0, 0, 0, 0, 0, 0),
		} {
			if err == nil || errors.Is(err, ErrDeviceLost) {
				t.Errorf("%v", err)
			}
		}
		if _, _, err := b.context.Memory(); err != nil {
			t.Error(err)
		}
	})
}
