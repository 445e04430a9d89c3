//go:build cuda

package cuda

import (
	"math"
	"os"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/stat"
)

// onStream runs work with a stream of the device and memory of so many bytes.
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
			context := open(t, 1, 1<<28)[0]
			fakecuda.Reverse(reverse)
			key := stat.NewKey(c.seed, 7, c.offset)
			got, want := make([]float32, c.n), make([]float32, c.n)
			for _, f := range []struct {
				device func(*device.Stream, device.Pointer, int, stat.Key, uint64) error
				host   func([]float32, stat.Key, uint64)
			}{{FillNormal, stat.FillNormal32}, {FillUniform, stat.FillUniform32}} {
				onStream(t, context, 4*c.n+4, func(s *device.Stream, p device.Pointer) error {
					if err := f.device(s, p, c.n, key, c.offset); err != nil {
						return err
					}
					if err := s.Synchronize(); err != nil {
						return err
					}
					return device.Download(context, got, p)
				})
				f.host(want, key, c.offset)
				sameBits(t, "random numbers", got, want)
			}
		}
	}
}

// changed is what package robustness makes of a state: its documentation's formulas with package stat.
func changed(n Noise, state []float32, key stat.Key) []float32 {
	out := append([]float32{}, state...)
	if n.Level == 0 {
		return out
	}
	span := float64(n.High) - float64(n.Low)
	random := make([]float32, len(state))
	switch n.Kind {
	case Gaussian:
		stat.FillNormal32(random, key, 0)
		for i := range out {
			out[i] += float32(float32(n.Level*span) * random[i])
		}
	case SaltPepper:
		stat.FillUniform32(random, key, 0)
		for i, u := range random {
			if float64(u) < n.Level/2 {
				out[i] = n.Low
			} else if float64(u) < n.Level {
				out[i] = n.High
			}
		}
	case Brightness:
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
		case ClipRange:
			out[i] = min(max(v, n.Low), n.High)
		case ClipReflect:
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

func TestNoise(t *testing.T) {
	const rows = 5
	for _, width := range []int{1, 6, 64, 1023} {
		var keys []stat.Key
		packed := make([]uint32, 4*rows)
		bytes, floats := make([]uint8, rows*width), make([]float32, rows*width)
		for r := range rows {
			keys = append(keys, stat.NewKey(9, uint64(r)))
		}
		PackKeys(packed, keys)
		for i := range bytes {
			bytes[i] = uint8(i * 37)
			floats[i] = float32(bytes[i])
		}
		for kind := Gaussian; kind <= Brightness; kind++ {
			for clip := ClipNone; clip <= ClipReflect; clip++ {
				for i, level := range []float64{0, 0.05, 0.3, 1, 7.5} {
					n := Noise{Kind: kind, Clip: clip, Low: 0, High: 255, Level: level}
					if i == 2 {
						n.Low, n.High = 20, 100
					}
					var want []float32
					for r := range rows {
						want = append(want, changed(n, floats[r*width:(r+1)*width], keys[r])...)
					}
					got := make([]float32, rows*width)
					context := open(t, 1, 1<<24)[0]
					fakecuda.Reverse(i%2 == 1)
					onStream(t, context, aligned(4*len(got))+aligned(len(bytes))+KeyBytes*rows, func(s *device.Stream, y device.Pointer) error {
						x := y + device.Pointer(aligned(4*len(got)))
						k := x + device.Pointer(aligned(len(bytes)))
						if err := device.Upload(context, k, packed); err != nil {
							return err
						}
						if err := device.Upload(context, x, bytes); err != nil {
							return err
						}
						if err := ApplyNoise[uint8](s, n, x, y, k, rows, width); err != nil {
							return err
						}
						if err := s.Synchronize(); err != nil {
							return err
						}
						if err := device.Download(context, got, y); err != nil {
							return err
						}
						sameBits(t, "noise on bytes", got, want)
						// In place.
						if err := device.Upload(context, y, floats); err != nil {
							return err
						}
						if err := ApplyNoise[float32](s, n, y, y, k, rows, width); err != nil {
							return err
						}
						if err := s.Synchronize(); err != nil {
							return err
						}
						return device.Download(context, got, y)
					})
					sameBits(t, "noise on floats", got, want)
				}
			}
		}
	}
	if err := ApplyNoise[float32](nil, Noise{Low: 1, High: 1}, 0, 0, 0, 1, 1); err == nil {
		t.Error("a range without pixels")
	}
}

// The device may fuse a product and a sum only where the code does not say how each is rounded.
func TestNoiseIsNotFused(t *testing.T) {
	ptx, err := os.ReadFile("../../internal/cuda/kernels/noise.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(ptx)) {
		line = strings.TrimSpace(line)
		for _, bad := range []string{"fma.", "mul.f", "add.f", "sub.f", "div.full", "div.approx", "sqrt.approx"} {
			if strings.HasPrefix(line, bad) {
				t.Errorf("noise.ptx has %s", line)
			}
		}
	}
}
