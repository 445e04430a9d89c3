// Steps in one pass against the steps one by one.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What one pass gives are the bits of the single operations, also where quotients are halves or beyond all bounds.
func TestRequantize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	before := useAVX512
	defer func() { useAVX512 = before }()
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 3e38, -1e-42}
	random := func(n int, scale float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64() * scale)
		}
		return x
	}
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		for trial := range 1500 {
			columns, rows := 1+r.IntN([]int{8, 200}[trial%2]), r.IntN(40)
			first := float32(r.IntN(300) - 200)
			q := Requantize{Steps: Steps(r.Uint64()) & (Scaled<<1 - 1) &^ reciprocal, Low: -3, High: 40, Divisor: float32(math.Exp(r.NormFloat64() * 3)),
				Zero: float32(r.IntN(256)), Least: first, Most: first + 255, Less: float32(r.IntN(256)), Scale: 0.37}
			if trial%3 > 0 {
				q.Steps |= Divided | Rounded | Raised2 | Lowered2
			}
			if trial%10 == 9 {
				q.Divisor = math.Float32frombits(math.Float32bits(q.Divisor) | 1<<23 - 1)
			}
			if q.Steps&(Rounded|Raised2|Lowered2) == Rounded|Raised2|Lowered2 {
				q.Table, q.First = (*[256]float32)(random(256, 1)), first
			} else {
				q.Steps &^= Looked
			}
			if q.Steps&Factored != 0 {
				q.Factors = random(columns, 1)
			}
			if q.Steps&Termed != 0 {
				q.Terms = random(columns, 1)
			}
			c := random(columns*rows, 100*float64(q.Divisor))
			for i := range c {
				switch r.IntN(3) {
				case 0: // halves
					c[i] = float32(r.IntN(600)-300) * 0.5 * q.Divisor
				case 1: // and their neighbors
					c[i] = math.Nextafter32(float32(r.IntN(600)-300)*0.5*q.Divisor, float32(r.IntN(3)-1)*1e9)
				}
				if r.IntN(100) == 0 {
					c[i] = odd[r.IntN(len(odd))]
				}
			}
			want := slices.Clone(c)
			oneByOne(want, &q, columns)
			NewRequantizer(q, columns).Rows(c)
			for i, v := range want {
				if !sameFloat(c[i], v) {
					t.Fatalf("trial %d: element %d of %d columns is %g, want %g, steps %b", trial, i, columns, c[i], v, q.Steps)
				}
			}
		}
	}
}

func oneByOne(c []float32, q *Requantize, columns int) {
	number := func(step Steps, operation func(dst, x, y []float32, stepX, stepY int), v float32) {
		if q.Steps&step != 0 {
			operation(c, c, []float32{v}, 1, 0)
		}
	}
	bound := func(step Steps, low, high float32) {
		if q.Steps&step != 0 {
			Clip(c, c, low, high)
		}
	}
	infinity := float32(math.Inf(1))
	for i := 0; i < len(c); i += columns {
		row := c[i : i+columns]
		if q.Steps&Factored != 0 {
			MulRows(row, row, q.Factors, 1, 1)
		}
		if q.Steps&Termed != 0 {
			AddRows(row, row, q.Terms, 1, 1)
		}
	}
	bound(Raised, q.Low, infinity)
	bound(Lowered, -infinity, q.High)
	number(Divided, DivRows, q.Divisor)
	if q.Steps&Rounded != 0 {
		Round(c, c)
	}
	number(Shifted, AddRows, q.Zero)
	bound(Raised2, q.Least, infinity)
	bound(Lowered2, -infinity, q.Most)
	if q.Steps&Looked != 0 {
		for i, v := range c {
			if v == v {
				c[i] = q.Table[int(v-q.First)]
			}
		}
	}
	number(Centered, SubRows, q.Less)
	number(Scaled, MulRows, q.Scale)
}
