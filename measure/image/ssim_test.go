// Structural similarity: properties, bad input, and the formula written out.

package image

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"repscope/internal/parallel"
)

// random draws a frame of values 0 … 255.
func random[A Number](rng *rand.Rand, n int) []A {
	out := make([]A, n)
	for i := range out {
		out[i] = A(rng.IntN(256))
	}
	return out
}

func newOf(t testing.TB, shape Shape, dataRange float64, gaussian bool) *SSIM {
	t.Helper()
	build := NewSSIM
	if gaussian {
		build = NewGaussianSSIM
	}
	s, err := build(shape, dataRange)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// naive is the similarity of one channel by the formula of the paper, window by window
// and centered before it is squared.
func naive(x, y []float64, height, width int, weights []float64, norm, dataRange float64) (mean float64, full []float64) {
	size := len(weights)
	c1, c2 := math.Pow(0.01*dataRange, 2), math.Pow(0.03*dataRange, 2)
	for i := 0; i+size <= height; i++ {
		for j := 0; j+size <= width; j++ {
			var mx, my, xx, yy, xy float64
			each := func(do func(w, x, y float64)) {
				for k, wk := range weights {
					for l, wl := range weights {
						do(wk*wl, x[(i+k)*width+j+l], y[(i+k)*width+j+l])
					}
				}
			}
			each(func(w, x, y float64) { mx += w * x; my += w * y })
			each(func(w, x, y float64) {
				xx += w * (x - mx) * (x - mx)
				yy += w * (y - my) * (y - my)
				xy += w * (x - mx) * (y - my)
			})
			v := (2*mx*my + c1) * (2*norm*xy + c2) / ((mx*mx + my*my + c1) * (norm*(xx+yy) + c2))
			full = append(full, v)
			mean += v
		}
	}
	return mean / float64(len(full)), full
}

// windows are the weights of both kinds.
func windows(gaussian bool) (weights []float64, norm float64) {
	if !gaussian {
		return []float64{1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7}, 49. / 48
	}
	sum := 0.0
	for d := -5.0; d <= 5; d++ {
		weights = append(weights, math.Exp(-d*d/4.5))
		sum += weights[len(weights)-1]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, 1
}

// TestNaive holds means and maps against the formula for all types of pixels, sizes
// from the window's up, planes and channels beside each other.
func TestNaive(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, gaussian := range []bool{false, true} {
		weights, norm := windows(gaussian)
		for _, size := range [][2]int{{11, 11}, {11, 30}, {24, 13}, {32, 29}} {
			for _, last := range []bool{false, true} {
				shape := Shape{Channels: 2, Height: size[0], Width: size[1], ChannelsLast: last}
				a, b := random[uint8](rng, shape.Size()), random[uint8](rng, shape.Size())
				for i := range b {
					if i%3 > 0 {
						b[i] = a[i]
					}
				}
				want, full := 0.0, []float64(nil)
				for c := range 2 {
					mean, part := naive(channelOf(shape, a, c), channelOf(shape, b, c), size[0], size[1], weights, norm, 255)
					want, full = want+mean/2, append(full, part...)
				}
				s := newOf(t, shape, 255, gaussian)
				near(t, "uint8", MeanSSIM(s, a, b), want, 1e-11)
				near(t, "float32 and uint8", MeanSSIM(s, floats[float32](a), b), want, 1e-11)
				near(t, "uint8 and float64", MeanSSIM(s, a, floats[float64](b)), want, 1e-11)
				near(t, "float32", MeanSSIM(s, floats[float32](a), floats[float32](b)), want, 1e-11)
				got := make([]float64, len(full))
				near(t, "map", mapSSIM(s, got, a, b), want, 1e-11)
				for i, v := range got {
					near(t, "map", v, full[i], 1e-10)
				}
			}
		}
	}
}

// channelOf copies a channel.
func channelOf[A Number](shape Shape, frame []A, c int) []float64 {
	out := make([]float64, shape.Height*shape.Width)
	for i := range out {
		if out[i] = float64(frame[c*len(out)+i]); shape.ChannelsLast {
			out[i] = float64(frame[i*shape.Channels+c])
		}
	}
	return out
}

func floats[B, A Number](a []A) []B {
	out := make([]B, len(a))
	for i, v := range a {
		out[i] = B(v)
	}
	return out
}

// TestSSIMProperties: equal frames have similarity 1 to the bit, the frames may be
// exchanged, all values lie in [−1, 1], and a scale of pixels and range changes
// nothing.
func TestSSIMProperties(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	shape := Shape{Channels: 3, Height: 15, Width: 18}
	for _, gaussian := range []bool{false, true} {
		s := newOf(t, shape, 255, gaussian)
		half := newOf(t, shape, 127.5, gaussian)
		for range 5 {
			a, b := random[uint8](rng, shape.Size()), random[uint8](rng, shape.Size())
			x, y := make([]float64, len(a)), make([]float64, len(a))
			for i := range a {
				x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			for _, v := range []float64{MeanSSIM(s, a, a), MeanSSIM(s, x, x), MeanSSIM(s, floats[float32](a), a)} {
				if v != 1 {
					t.Errorf("equal frames: %.17g", v)
				}
			}
			ab, xy := MeanSSIM(s, a, b), MeanSSIM(s, x, y)
			if ab != MeanSSIM(s, b, a) || xy != MeanSSIM(s, y, x) {
				t.Error("the order of the frames matters")
			}
			if math.Abs(ab) > 1 || math.Abs(xy) > 1 {
				t.Errorf("outside [-1, 1]: %v, %v", ab, xy)
			}
			fa, fb := floats[float64](a), floats[float64](b)
			for i := range fa {
				fa[i], fb[i] = fa[i]/2, fb[i]/2
			}
			near(t, "half the scale", MeanSSIM(half, fa, fb), ab, 1e-12)
		}
	}
}

// TestNaN: a NaN or an infinity makes its numbers NaN, wrong lengths do too.
func TestNaN(t *testing.T) {
	t.Parallel()
	shape := Shape{Channels: 1, Height: 12, Width: 14}
	n := shape.Size()
	for _, gaussian := range []bool{false, true} {
		s := newOf(t, shape, 1, gaussian)
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			for _, at := range []int{0, n / 2, n - 1} {
				a, b := make([]float64, n), make([]float32, n)
				a[at] = bad
				for name, v := range map[string]float64{"SSIM": MeanSSIM(s, a, b), "SSIM exchanged": MeanSSIM(s, b, a)} {
					if !math.IsNaN(v) {
						t.Errorf("%s with %v at %d = %v", name, bad, at, v)
					}
				}
				if v := MSE(a, b); v != bad && !math.IsNaN(v) {
					t.Errorf("MSE with %v = %v", bad, v)
				}
			}
		}
		short := make([]uint8, n-1)
		for name, v := range map[string]float64{
			"SSIM": MeanSSIM(s, short, short), "map": mapSSIM(s, make([]float64, 1), make([]uint8, n), make([]uint8, n)),
			"MSE": MSE(short, make([]uint8, n)), "MAE": MAE(short, make([]uint8, n)), "MSE of nothing": MSE([]uint8{}, []uint8{}),
			"energy": GradientEnergy(shape, short), "PSNR": PSNR(math.NaN(), 1),
		} {
			if !math.IsNaN(v) {
				t.Errorf("%s = %v, want NaN", name, v)
			}
		}
	}
}

// TestNaNStaysInItsWindows: windows without the NaN have their similarity.
func TestNaNStaysInItsWindows(t *testing.T) {
	t.Parallel()
	shape := Shape{Channels: 1, Height: 24, Width: 26}
	for _, gaussian := range []bool{false, true} {
		s := newOf(t, shape, 1, gaussian)
		h, w := s.MapSize()
		a, full := make([]float64, shape.Size()), make([]float64, h*w)
		a[12*26+13] = math.NaN()
		mapSSIM(s, full, a, make([]float64, shape.Size()))
		for i := range h {
			for j := range w {
				touched := i <= 12 && 12 < i+s.size && j <= 13 && 13 < j+s.size
				if v := full[i*w+j]; math.IsNaN(v) != touched {
					t.Fatalf("window %d, %d of size %d: %v", i, j, s.size, v)
				}
			}
		}
	}
}

// TestNewErrors has frames and ranges that SSIM is not defined for.
func TestNewErrors(t *testing.T) {
	t.Parallel()
	for want, build := range map[string]func() (*SSIM, error){
		"SSIM of frames of 1 × 6 × 9: want at least 7 × 7 pixels, the size of its window": func() (*SSIM, error) {
			return NewSSIM(Shape{Channels: 1, Height: 6, Width: 9}, 255)
		},
		"SSIM of frames of 84 × 10 × 3: want at least 11 × 11 pixels": func() (*SSIM, error) {
			return NewGaussianSSIM(Shape{Channels: 3, Height: 84, Width: 10, ChannelsLast: true}, 255)
		},
		"SSIM of frames of 0 × 9 × 9": func() (*SSIM, error) { return NewSSIM(Shape{Height: 9, Width: 9}, 255) },
		"SSIM with pixels of range 0: want a positive number": func() (*SSIM, error) {
			return NewSSIM(Shape{Channels: 1, Height: 9, Width: 9}, 0)
		},
		"range NaN":  func() (*SSIM, error) { return NewSSIM(Shape{Channels: 1, Height: 9, Width: 9}, math.NaN()) },
		"range +Inf": func() (*SSIM, error) { return NewSSIM(Shape{Channels: 1, Height: 9, Width: 9}, math.Inf(1)) },
	} {
		if s, err := build(); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// BenchmarkSSIM is 1,000 pairs of frames of 84 × 84 pixels, on as many threads as -cpu
// says; benchmarks/peers/ssim.py compares it with scikit-image.
func BenchmarkSSIM(b *testing.B) {
	const pairs = 1000
	shape := Shape{Channels: 1, Height: 84, Width: 84}
	rng := rand.New(rand.NewPCG(9, 9))
	x, y := random[uint8](rng, pairs*shape.Size()), random[uint8](rng, pairs*shape.Size())
	u, v := floats[float32](x), floats[float32](y)
	b.Run("uint8", func(b *testing.B) { benchmarkPairs(b, shape, x, y, false) })
	b.Run("float32", func(b *testing.B) { benchmarkPairs(b, shape, u, v, false) })
	b.Run("gaussian/uint8", func(b *testing.B) { benchmarkPairs(b, shape, x, y, true) })
	b.Run("gaussian/float32", func(b *testing.B) { benchmarkPairs(b, shape, u, v, true) })
}

func benchmarkPairs[A Number](b *testing.B, shape Shape, x, y []A, gaussian bool) {
	n := shape.Size()
	for b.Loop() {
		err := parallel.With(context.Background(), runtime.GOMAXPROCS(0), len(x)/n, func() func(i int) error {
			s := newOf(b, shape, 255, gaussian)
			return func(i int) error {
				MeanSSIM(s, x[i*n:(i+1)*n], y[i*n:(i+1)*n])
				return nil
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScreen compares two screens in color.
func BenchmarkScreen(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	shape := Shape{Channels: 3, Height: 812, Width: 375, ChannelsLast: true}
	x, y := random[uint8](rng, shape.Size()), random[uint8](rng, shape.Size())
	for _, gaussian := range []bool{false, true} {
		b.Run(map[bool]string{false: "box", true: "gaussian"}[gaussian], func(b *testing.B) {
			s := newOf(b, shape, 255, gaussian)
			for b.Loop() {
				MeanSSIM(s, x, y)
			}
		})
	}
}

// Black against noise, and noise against its negative, whose similarity is below 0: as scikit-image
// 0.26's structural_similarity has them (data_range=255; Gaussian: gaussian_weights=True, sigma=1.5,
// use_sample_covariance=False). A NaN in a corner makes the mean NaN.
func TestSSIM_Extremes(t *testing.T) {
	t.Parallel()
	shape := Shape{Channels: 1, Height: 24, Width: 30}
	noise, negative, black := make([]uint8, 24*30), make([]uint8, 24*30), make([]uint8, 24*30)
	for c := range noise {
		i, j := c/30, c%30
		noise[c] = uint8(i*i*37 + j*91 + i*j*13)
		negative[c] = 255 - noise[c]
	}
	for _, c := range []struct {
		gaussian        bool
		negative, black float64
	}{{false, -0.9791442484416314, 4.4238184893632394e-06}, {true, -0.966083752553676, 5.0206872459705476e-06}} {
		s := newOf(t, shape, 255, c.gaussian)
		if got := MeanSSIM(s, noise, negative); math.Abs(got-c.negative) > 1e-12 {
			t.Errorf("Gaussian %v: noise and its negative %v, want %v", c.gaussian, got, c.negative)
		}
		if got := MeanSSIM(s, noise, black); math.Abs(got-c.black) > 1e-12 {
			t.Errorf("Gaussian %v: noise and black %v, want %v", c.gaussian, got, c.black)
		}
		frame := make([]float64, 24*30)
		frame[0] = math.NaN()
		if got := MeanSSIM(s, frame, frame); !math.IsNaN(got) {
			t.Errorf("Gaussian %v: NaN in a corner gives %v", c.gaussian, got)
		}
	}
}

// mapSSIM writes the structural similarity of every window that lies inside the frame
// into dst [channels, height, width], see [SSIM.MapSize], and returns the mean as
// [MeanSSIM] does; NaN, and dst as it was, for wrong sizes.
func mapSSIM[A, B Number](s *SSIM, dst []float64, a []A, b []B) float64 {
	h, w := s.MapSize()
	if len(a) != s.shape.Size() || len(b) != len(a) || len(dst) != s.shape.Channels*h*w {
		return math.NaN()
	}
	return mean(s, dst, a, b)
}
