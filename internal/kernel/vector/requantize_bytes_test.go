// Tests of sums that become bytes.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Bytes equal the single operations: for sums of integers and others, quotients that are halves, or nearly, or beyond
// all bounds, and operands for which one product is not enough.
func TestByteRequantizer(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	before := useAVX512
	defer func() { useAVX512 = before }()
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 3e38, -1e-42, 1e10, -1e10}
	quickly, slowly := 0, 0
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		for trial := range 3000 {
			q, low, columns := randomBytes(r, trial)
			b := NewRequantizer(q, columns).ToBytes(low)
			if b.arguments.steps&quick != 0 {
				quickly++
			} else {
				slowly++
			}
			c := make([]float32, columns*r.IntN(60))
			for i := range c {
				c[i] = nearHalf(r, &q, i%columns, trial)
				if r.IntN(200) == 0 && trial%4 == 1 {
					c[i] = odd[r.IntN(len(odd))]
				}
			}
			want, got := slices.Clone(c), make([]uint8, len(c)+1)
			oneByOne(want, &q, columns)
			got[len(c)] = 99
			b.Bytes(got, c)
			for i, v := range want {
				if v == v && float32(got[i])+float32(low) != v || v != v && got[i] != 0 {
					t.Fatalf("trial %d: byte %d of %d columns is %d, want %g − %d, steps %b", trial, i, columns, got[i], v, low, q.Steps)
				}
			}
			if got[len(c)] != 99 {
				t.Fatalf("trial %d: written behind %d bytes", trial, len(c))
			}
		}
	}
	if quickly < 1000 || slowly < 50 {
		t.Errorf("%d trials are quick and %d are not", quickly, slowly)
	}
}

// randomBytes are steps whose results, less low, are bytes, and for how many columns.
func randomBytes(r *rand.Rand, trial int) (q Requantize, low int32, columns int) {
	columns = 1 + r.IntN([]int{8, 200}[trial%2])
	first, span := r.IntN(300)-200, 255
	if trial%5 == 0 {
		span = r.IntN(256)
	}
	q = Requantize{Steps: Rounded | Raised2 | Lowered2 | Steps(r.Uint64())&(Factored|Termed|Raised|Lowered|Divided|Shifted|Centered),
		Low: float32(r.NormFloat64()), High: float32(math.Abs(r.NormFloat64() * 40)), Divisor: float32(math.Exp(r.NormFloat64() * 3)),
		Zero: float32(r.IntN(256)), Least: float32(first), Most: float32(first + span), Less: float32(r.IntN(256))}
	if trial%4 > 0 {
		q.Steps |= Divided
	}
	switch trial % 10 {
	case 7: // halves that are exact
		q.Divisor = float32(math.Exp2(float64(r.IntN(20) - 10)))
	case 8:
		q.Divisor = math.Float32frombits(math.Float32bits(q.Divisor) | 1<<23 - 1)
	}
	switch trial % 50 {
	case 11:
		q.Low, q.High = 0, float32(math.Inf(1))
	case 12:
		q.Low, q.High = 1, -1
	case 13:
		q.Divisor = 1e-35
	}
	low = int32(first)
	if q.Steps&Centered != 0 {
		low -= int32(q.Less)
	}
	random := func(scale float64) []float32 {
		x := make([]float32, columns)
		for i := range x {
			x[i] = float32(r.NormFloat64() * scale)
			switch r.IntN(2000) {
			case 0:
				x[i] = 0
			case 1:
				x[i] *= 1e35
			case 2:
				x[i] = float32(math.NaN())
			}
		}
		return x
	}
	if q.Steps&Factored != 0 {
		q.Factors = random(float64(q.Divisor) * math.Exp(-r.Float64()*9))
		if trial%10 == 7 {
			for i := range q.Factors {
				q.Factors[i] = q.Divisor / float32(int(1)<<r.IntN(4))
			}
		}
	}
	if q.Steps&Termed != 0 {
		q.Terms = random(float64(q.Divisor) * 100 * float64(1+trial%3*1000))
	}
	return q, low, columns
}

// nearHalf is a sum of a column whose quotient is within reach, often close to a half.
func nearHalf(r *rand.Rand, q *Requantize, column, trial int) float32 {
	x := float64(r.IntN(600)-300) * 0.5
	if trial%3 == 0 {
		x = r.NormFloat64() * 150
	}
	if q.Steps&Divided != 0 {
		x *= float64(q.Divisor)
	}
	if q.Steps&Termed != 0 {
		x -= float64(q.Terms[column])
	}
	if q.Steps&Factored != 0 {
		x /= float64(q.Factors[column])
	}
	switch v := float32(x); r.IntN(3) {
	case 0:
		return float32(math.Round(x))
	case 1:
		for range r.IntN(8) {
			v = math.Nextafter32(v, float32(r.IntN(2)*2-1)*1e30)
		}
		return v
	default:
		return v
	}
}

func BenchmarkByteRequantizer(b *testing.B) {
	const rows, columns = 64, 144
	q := Requantize{Steps: Factored | Termed | Divided | Rounded | Shifted | Raised2 | Lowered2, Divisor: 0.0123, Zero: 3, Most: 255,
		Factors: slices.Repeat([]float32{0.00071}, columns)}
	c, dst := make([]float32, rows*columns), make([]uint8, rows*columns)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range c {
		c[i] = float32(r.IntN(1<<14) - 1<<13)
	}
	for _, test := range []struct {
		name          string
		divisor, term float32
	}{{"scales", 0.0123, 0.37}, {"halves", 0.00071 * 2, 0}} {
		q.Divisor, q.Terms = test.divisor, slices.Repeat([]float32{test.term}, columns)
		bytes := NewRequantizer(q, columns).ToBytes(0)
		b.Run(test.name+"/64x144", func(b *testing.B) {
			for b.Loop() {
				bytes.Bytes(dst, c)
			}
			b.ReportMetric(float64(len(c))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gelement/s")
		})
	}
}
