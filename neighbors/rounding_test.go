// Points that rounding alone tells apart, against comparing all pairs.

package neighbors_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// offset are normal points about an offset, in float64.
func offset(seed uint64, n, dim int, spread, center float64) []float64 {
	random := stat.NewRandom(stat.NewKey(seed))
	out := make([]float64, n*dim)
	for i := range out {
		out[i] = center + spread*random.Normal()
	}
	return out
}

func float32s(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// rounded are values rounded to this many binary digits.
func rounded(x []float64, digits int) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		fraction, exponent := math.Frexp(v)
		out[i] = math.Ldexp(math.RoundToEven(math.Ldexp(fraction, digits)), exponent-digits)
	}
	return out
}

func TestPrecision(t *testing.T) {
	t.Parallel()
	x := offset(1, 300, 8, 1, 0.3)
	codes, fixed, clipped := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		codes[i], fixed[i] = math.Round(20*v), math.Round(v*4096)/4096
		clipped[i] = min(max(v, 0), 1)
	}
	relu := slices.Clone(x)
	for i := range relu {
		relu[i] = max(relu[i], 0)
	}
	wide := func(x []float64) points.Points { return points.Float64(x, 8) }
	narrow := func(x []float64) points.Points { return points.Float32(float32s(x), 8) }
	back := make([]float64, len(x))
	for i, v := range float32s(x) {
		back[i] = float64(v)
	}
	for _, test := range []struct {
		name string
		p    points.Points
		want int
	}{
		{"float64", wide(x), 53}, {"float32", narrow(x), 24}, {"float32 stored as float64", wide(back), 24},
		{"float16 stored as float32", narrow(rounded(x, 11)), 11}, {"bfloat16 stored as float32", narrow(rounded(x, 8)), 8},
		{"bfloat16 stored as float64", wide(rounded(x, 8)), 8}, {"float32 about an offset", narrow(offset(2, 300, 8, 0.02, 5)), 24},
		{"half of them 0", narrow(relu), 24}, {"many at the ends of a range", narrow(clipped), 24},
		{"integers", narrow(codes), 0}, {"fixed-point numbers", narrow(fixed), 0}, {"bytes", points.Uint8(make([]uint8, 16), 8), 0},
		{"ones", narrow(slices.Repeat([]float64{1}, 80)), 0}, {"zeros", wide(make([]float64, 80)), 0},
	} {
		if got := neighbors.Precision(test.p); got != test.want {
			t.Errorf("%s: %d digits, want %d", test.name, got, test.want)
		}
	}
	eight := make([]float64, len(x))
	for i := range eight {
		eight[i] = float64((i*37 + i/7) % 256)
	}
	if got := neighbors.Precision(narrow(eight)); got != 0 {
		t.Errorf("integers of 8 digits: %d, want 0", got)
	}
}

// Points some units in the last place apart are put in one place, others are not, and every
// type is measured by its own units. By the definition: each pair compared.
func TestWithoutRounding(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		digits int
		ulps   float64 // of the shift
		single bool
	}{
		{"float32", 24, 1, true}, {"float32, kernels", 24, 6, true}, {"float64", 53, 1, false}, {"float32 as float64", 24, 2, false},
		{"float16", 11, 0.6, true}, {"bfloat16", 8, 0.6, true},
	} {
		const n, dim = 400, 6
		x := rounded(offset(3, n, dim, 1, 4), test.digits)
		random := stat.NewRandom(stat.NewKey(4))
		for i := 0; i < 40; i++ { // points 300 … 339 again with some noise of the last digits
			for k := range dim {
				v := x[(100+i)*dim+k]
				if random.Float64() < 0.5 {
					v *= 1 + test.ulps*math.Ldexp(1, 1-test.digits)
				}
				x[(300+i)*dim+k] = v
			}
		}
		x = rounded(x, test.digits)
		p := points.Float64(x, dim)
		if test.single {
			p = points.Float32(float32s(x), dim)
		}
		got, err := neighbors.WithoutRounding(t.Context(), p, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		limit := map[bool]float64{true: 16, false: 1}[test.digits >= 24] * math.Ldexp(1, 1-test.digits)
		moved := 0
		for i := range n {
			first := i
			for j := range i {
				square, norm := 0.0, 0.0
				for k := range dim {
					d := x[i*dim+k] - x[j*dim+k]
					square += d * d
					norm += x[i*dim+k] * x[i*dim+k]
				}
				if math.Sqrt(square) <= limit*math.Sqrt(norm) {
					first = j
					break
				}
			}
			if want, have := p.Row(first, nil), got.Points.Row(i, nil); !slices.Equal(want, have) {
				t.Errorf("%s: point %d is not in the place of %d", test.name, i, first)
			}
			if first != i && !slices.Equal(p.Row(i, nil), p.Row(first, nil)) {
				moved++
			}
		}
		if got.Moved != moved || moved < 20 {
			t.Errorf("%s: %d moved, want %d of about 40", test.name, got.Moved, moved)
		}
	}
}

// Without points that are the same except for rounding nothing is copied, and exact numbers, such
// as codes one apart, are told apart whatever their norm.
func TestWithoutRoundingOfOthers(t *testing.T) {
	t.Parallel()
	x := offset(5, 200, 4, 1, 100)
	p := points.Float32(float32s(x), 4)
	got, err := neighbors.WithoutRounding(t.Context(), p, nil, 1)
	if err != nil || got.Moved != 0 || &got.Points.F32[0] != &p.F32[0] {
		t.Errorf("%d moved (%v)", got.Moved, err)
	}
	codes := make([]float32, 200*4)
	for i := range codes {
		codes[i] = float32(200 + i%7 + i/9%2)
	}
	p = points.Float32(codes, 4)
	if got, err := neighbors.WithoutRounding(t.Context(), p, nil, 1); err != nil || got.Moved != 0 {
		t.Errorf("codes: %d moved (%v)", got.Moved, err)
	}
	// Constant except for rounding: all are in the first place.
	flat := make([]float32, 100*4)
	for i := range flat {
		flat[i] = math.Nextafter32(float32(3.3+float64(i%4)), float32(i%3-1)*100)
	}
	p = points.Float32(flat, 4)
	if got, err := neighbors.WithoutRounding(t.Context(), p, nil, 1); err != nil || !slices.Equal(got.Points.Row(99, nil), p.Row(0, nil)) {
		t.Errorf("constant: %v (%v)", got.Points.Row(99, nil), err)
	}
}

// Equal states are the same as far as their latents are near to each other, not where an
// encoder with a memory takes them elsewhere.
func TestWithoutRoundingOfEqualStates(t *testing.T) {
	t.Parallel()
	const n, dim = 100, 3
	x := offset(6, n, dim, 1, 0)
	same := make([]int, n)
	for i := range same {
		if same[i] = i; i >= 90 {
			same[i] = i - 90
			copy(x[i*dim:(i+1)*dim], x[(i-90)*dim:])
			x[i*dim] += 1e-3
		}
	}
	x[95*dim] += 1 // elsewhere
	got, err := neighbors.WithoutRounding(t.Context(), points.Float64(x, dim), same, 1)
	if err != nil || got.Moved != 9 {
		t.Fatalf("%d moved, want 9 (%v)", got.Moved, err)
	}
	for i := 90; i < n; i++ {
		want := got.Points.Row(i-90, nil)
		if i == 95 {
			want = x[i*dim : (i+1)*dim]
		}
		if !slices.Equal(got.Points.Row(i, nil), want) {
			t.Errorf("state %d: %v, want %v", i, got.Points.Row(i, nil), want)
		}
	}
	if _, err := neighbors.WithoutRounding(t.Context(), points.Float64(x, dim), same[1:], 1); err == nil {
		t.Error("states of another number")
	}
}

func BenchmarkWithoutRounding(b *testing.B) {
	for _, size := range []struct{ n, dim, digits int }{{100_000, 64, 24}, {20_000, 512, 24}, {20_000, 512, 8}} {
		x := rounded(offset(7, size.n, size.dim, 1, 1), size.digits)
		p := points.Float32(float32s(x), size.dim)
		b.Run(fmt.Sprintf("n=%d/dim=%d/digits=%d", size.n, size.dim, size.digits), func(b *testing.B) {
			for b.Loop() {
				if _, err := neighbors.WithoutRounding(b.Context(), p, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size.n*b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}
