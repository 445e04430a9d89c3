//go:build cuda

// Tests of noise on the GPU against the CPU.

package cuda

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/graph"
	"repscope/model/pixels"
	"repscope/stat"
)

// onStream runs work with a stream of the device and memory of this many bytes.
func onStream(t *testing.T, c *device.Context, bytes int, work func(s *device.Stream, p device.Pointer) error) {
	t.Helper()
	err := c.Do(func() error {
		p, err := c.Alloc(bytes)
		if err != nil {
			return err
		}
		defer c.Free(p)
		s, err := c.NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		return work(s, p)
	})
	if err != nil {
		t.Fatal(err, fakecuda.Message())
	}
}

// sameBits fails at the first element with other bits.
func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, v := range want {
		if math.Float32bits(got[i]) != math.Float32bits(v) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, got[i], v)
		}
	}
}

func TestRandomNumbers(t *testing.T) {
	for _, c := range []struct {
		seed, offset uint64
		n            int
	}{{1, 0, 1 << 20}, {2, 3, 5}, {3, 1 << 40, 4097}, {4, 1<<34 + 1, 1}, {5, 6, 0}, {1 << 63, 2, 100003}} {
		for _, reverse := range []bool{false, true} {
			gpu := open(t, 1, 1<<28)[0]
			fakecuda.Reverse(reverse)
			key := stat.NewKey(c.seed, 7, c.offset)
			got, want := make([]float32, c.n), make([]float32, c.n)
			for _, f := range []struct {
				device func(*device.Stream, device.Pointer, int, stat.Key, uint64) error
				host   func([]float32, stat.Key, uint64)
			}{{FillNormal, stat.FillNormal32}, {FillUniform, stat.FillUniform32}} {
				onStream(t, gpu, 4*c.n+4, func(s *device.Stream, p device.Pointer) error {
					if err := f.device(s, p, c.n, key, c.offset); err != nil {
						return err
					}
					if err := s.Synchronize(); err != nil {
						return err
					}
					return device.Download(gpu, got, p)
				})
				f.host(want, key, c.offset)
				sameBits(t, "random numbers", got, want)
			}
		}
	}
}

// changed is what package robustness makes of a state: its documentation's formulas with package stat.
func changed(n pixels.Noise, state []float32, key stat.Key) []float32 {
	out := append([]float32{}, state...)
	if n.Level == 0 {
		return out
	}
	span := float64(n.High) - float64(n.Low)
	random := make([]float32, len(state))
	switch n.Kind {
	case pixels.Gaussian:
		stat.FillNormal32(random, key, 0)
		for i := range out {
			out[i] += float32(float32(n.Level*span) * random[i])
		}
	case pixels.SaltPepper:
		stat.FillUniform32(random, key, 0)
		for i, u := range random {
			if float64(u) < n.Level/2 {
				out[i] = n.Low
			} else if float64(u) < n.Level {
				out[i] = n.High
			}
		}
	case pixels.Brightness:
		shift := float32(n.Level * span)
		if key.Uint32x4(0)[0]&1 == 1 {
			shift = -shift
		}
		for i := range out {
			out[i] += shift
		}
	}
	for i, v := range out {
		switch n.Clip {
		case pixels.ClipRange:
			out[i] = min(max(v, n.Low), n.High)
		case pixels.ClipReflect:
			if v < n.Low || v > n.High {
				twice := 2 * (n.High - n.Low)
				offset := float32(math.Mod(float64(v-n.Low), float64(twice)))
				if offset < 0 {
					offset += twice
				}
				out[i] = n.Low + min(offset, twice-offset)
			}
		}
	}
	return out
}

// inUnits is what a Scaling makes of states, one operation after the other.
func inUnits(s pixels.Scaling, states []float32) []float32 {
	out := slices.Clone(states)
	if channels := len(s.Mean); channels > 0 {
		for i, v := range out {
			c := i / s.Plane % channels
			v -= s.Low
			v /= s.Span
			v -= s.Mean[c]
			out[i] = v / s.Std[c]
		}
	}
	return out
}

// distance is ‖y − x‖₂.
func distance(x, y []float32) float64 {
	square := 0.0
	for i := range x {
		d := float64(y[i]) - float64(x[i])
		square += float64(d * d)
	}
	return math.Sqrt(square)
}

// testStates are states of bytes, the same as float32, and keys for them.
func testStates(rows, width int) ([]uint8, []float32, []stat.Key) {
	var keys []stat.Key
	bytes, floats := make([]uint8, rows*width), make([]float32, rows*width)
	for r := range rows {
		keys = append(keys, stat.NewKey(9, uint64(r)))
	}
	for i := range bytes {
		bytes[i] = uint8(i*37 + i>>4)
		floats[i] = float32(bytes[i])
	}
	return bytes, floats, keys
}

func TestNoise(t *testing.T) {
	const rows = 5
	g := prepare(t, &graph.Graph{Opset: 20, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "x"}}})
	var noises []pixels.Noise
	for kind := pixels.Gaussian; kind <= pixels.Brightness; kind++ {
		for clip := pixels.ClipNone; clip <= pixels.ClipReflect; clip++ {
			for i, level := range []float64{0, 0.05, 0.3, 1, 7.5} {
				n := pixels.Noise{Kind: kind, Clip: clip, Low: 0, High: 255, Level: level}
				if i == 2 {
					n.Low, n.High = 20, 100
				}
				noises = append(noises, n)
			}
		}
	}
	for _, width := range []int{1, 6, 64, 1023, 2050} {
		bytes, floats, keys := testStates(rows, width)
		scalings := []pixels.Scaling{{}}
		if width%2 == 0 {
			scalings = append(scalings, pixels.Scaling{Low: 3, Span: 251, Mean: []float32{0.4, 0.5}, Std: []float32{0.2, 0.3}, Plane: width / 2})
		}
		for _, reverse := range []bool{false, true} {
			contexts := open(t, 1, 1<<24)
			fakecuda.Reverse(reverse)
			x, err := New(g, contexts[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range noises {
				for _, s := range scalings {
					for _, b := range []pixels.Noisy{{Bytes: bytes}, {Floats: floats}} {
						b.Keys, b.Noise, b.Scaling = keys, n, s
						what := fmt.Sprintf("%+v, %+v, bytes %v, width %d", n, s, b.Bytes != nil, width)
						if err := x.SubmitNoisy(context.Background(), b, []int{rows, width}); err != nil {
							t.Fatal(what, err)
						}
						out, err := x.Collect(context.Background())
						if err != nil {
							t.Fatal(what, err, fakecuda.Message())
						}
						for r, moved := range x.Displacements() {
							state := floats[r*width : (r+1)*width]
							want := changed(n, state, keys[r])
							sameBits(t, what, out[0].F32[r*width:(r+1)*width], inUnits(s, want))
							if want := distance(state, want); moved != want {
								t.Fatalf("%s: state %d moves by %g, want %g", what, r, moved, want)
							}
						}
						if n := len(x.Displacements()); n != rows {
							t.Fatalf("%s: %d displacements", what, n)
						}
					}
				}
			}
			if want := 2 * len(scalings); len(x.programs) != want {
				t.Errorf("%d programs for %d forms of input", len(x.programs), want)
			}
			closed(t, x, 1)
		}
	}
}

// Batches under way, each with its own noise, on several GPUs and in parts.
func TestNoisyPipeline(t *testing.T) {
	g := perceptron(t)
	const rows = 150
	bytes, floats, keys := testStates(rows, inputs)
	scaling := pixels.Scaling{Span: 255, Mean: []float32{0.4, 0.5, 0.6}, Std: []float32{0.2, 0.3, 0.4}, Plane: inputs / 3}
	noise := func(lo int) pixels.Noise {
		return pixels.Noise{Kind: pixels.NoiseKind(lo % 3), Clip: pixels.ClipRange, High: 255, Level: float64(lo+1) / rows}
	}
	for _, c := range []struct {
		devices, batch int
		memory         int64
	}{{1, 1, 1 << 30}, {1, 64, 1 << 30}, {1, rows, 1 << 30}, {2, 7, 1 << 30}, {3, 20, 1 << 30}, {1, rows, 70 << 10}, {2, 64, 50 << 10}} {
		var noisy []float32
		for lo := 0; lo < rows; lo += c.batch {
			for i := lo; i < min(lo+c.batch, rows); i++ {
				noisy = append(noisy, changed(noise(lo), floats[i*inputs:(i+1)*inputs], keys[i])...)
			}
		}
		halved := 0
		x, err := NewGroup(g, open(t, c.devices, c.memory), Options{Note: func(string) { halved++ }})
		if err != nil {
			t.Fatal(err)
		}
		want, err := pipeline(x, graph.Floats(inUnits(scaling, noisy), rows, inputs), c.batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, asBytes := range []bool{true, false} {
			fakecuda.Seed(c.batch)
			var out []float32
			var moved []float64
			under := 0
			collect := func() {
				y, err := x.Collect(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				out, moved, under = append(out, y[0].F32...), append(moved, x.Displacements()...), under-1
			}
			for lo := 0; lo < rows; lo += c.batch {
				if under == x.Depth() {
					collect()
				}
				hi := min(lo+c.batch, rows)
				b := pixels.Noisy{Keys: slices.Clone(keys[lo:hi]), Noise: noise(lo), Scaling: scaling}
				if asBytes {
					b.Bytes = slices.Clone(bytes[lo*inputs : hi*inputs])
				} else {
					b.Floats = slices.Clone(floats[lo*inputs : hi*inputs])
				}
				if err := x.SubmitNoisy(context.Background(), b, []int{hi - lo, inputs}); err != nil {
					t.Fatal(err)
				}
				// The caller's memory is its own again.
				clear(b.Bytes)
				clear(b.Floats)
				clear(b.Keys)
				under++
			}
			for under > 0 {
				collect()
			}
			sameBits(t, fmt.Sprintf("%+v", c), out, want)
			for i := range rows {
				state := func(x []float32) []float32 { return x[i*inputs : (i+1)*inputs] }
				if want := distance(state(floats), state(noisy)); moved[i] != want {
					t.Fatalf("%+v: state %d moves by %g, want %g", c, i, moved[i], want)
				}
			}
		}
		if fakecuda.Linked && (halved > 0) != (c.memory < 1<<30) {
			t.Errorf("%+v: %d notes of halved batches", c, halved)
		}
		closed(t, x, c.devices)
	}
}

func TestWrongNoise(t *testing.T) {
	x, err := New(perceptron(t), open(t, 1, 1<<30)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	bytes, floats, keys := testStates(2, inputs)
	good := pixels.Noise{High: 1, Level: 0.5}
	for _, c := range []struct {
		batch pixels.Noisy
		shape []int
	}{
		{pixels.Noisy{Bytes: bytes, Keys: keys, Noise: pixels.Noise{Low: 1, High: 1}}, []int{2, inputs}},
		{pixels.Noisy{Bytes: bytes, Keys: keys, Noise: pixels.Noise{High: 1, Level: -1}}, []int{2, inputs}},
		{pixels.Noisy{Bytes: bytes, Keys: keys, Noise: pixels.Noise{High: 1, Level: math.NaN()}}, []int{2, inputs}},
		{pixels.Noisy{Bytes: bytes, Keys: keys, Noise: pixels.Noise{High: 1, Kind: 3}}, []int{2, inputs}},
		{pixels.Noisy{Bytes: bytes, Keys: keys[1:], Noise: good}, []int{2, inputs}},
		{pixels.Noisy{Bytes: bytes[1:], Keys: keys, Noise: good}, []int{2, inputs}},
		{pixels.Noisy{Floats: floats[1:], Keys: keys, Noise: good}, []int{2, inputs}},
		{pixels.Noisy{Keys: keys, Noise: good}, []int{2, inputs}},
		{pixels.Noisy{Floats: floats, Keys: keys, Noise: good}, nil},
		{pixels.Noisy{Floats: floats, Keys: keys, Noise: good, Scaling: pixels.Scaling{Mean: []float32{1}, Std: []float32{1}}}, []int{2, inputs}},
		{pixels.Noisy{Floats: floats, Keys: keys, Noise: good, Scaling: pixels.Scaling{Mean: []float32{1}, Plane: 1}}, []int{2, inputs}},
		{pixels.Noisy{Floats: floats, Keys: keys, Noise: good, Scaling: pixels.Scaling{Mean: []float32{1}, Std: []float32{1}, Plane: 5}}, []int{2, inputs}},
	} {
		if err := x.SubmitNoisy(context.Background(), c.batch, c.shape); err == nil {
			t.Errorf("%+v of shape %v is accepted", c.batch, c.shape)
		}
	}
	closed(t, x, 1)
}

// The device may fuse a product and a sum only where the code does not say how each is rounded.
func TestNoiseIsNotFused(t *testing.T) {
	for _, name := range []string{"noise.ptx", "encode.ptx"} {
		ptx, err := os.ReadFile("../../internal/cuda/kernels/ptx/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(ptx)) {
			line = strings.TrimSpace(line)
			for _, bad := range []string{"fma.", "mul.f", "add.f", "sub.f", "div.full", "div.approx", "sqrt.approx"} {
				if strings.HasPrefix(line, bad) {
					t.Errorf("%s has %s", name, line)
				}
			}
		}
	}
}
