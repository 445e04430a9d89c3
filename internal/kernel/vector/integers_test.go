// Conversions to bytes and from sums against their generic twins and plain arithmetic.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestToBytes: integers within 255 of the least become bytes, and anything else is found wherever it stands.
func TestToBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	before := useAVX512
	defer func() { useAVX512 = before }()
	wrong := []float32{0.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e9, -1e9, 300, 1 << 24, 1e-30}
	for _, useAVX512 = range []bool{false, before} {
		for n := 1; n < 150; n++ {
			low := int32(r.IntN(700) - 400)
			x, want, got := make([]float32, n), make([]uint8, n), make([]uint8, n)
			for i := range x {
				want[i] = uint8(r.Uint32())
			}
			want[r.IntN(n)] = 0
			for i := range x {
				x[i] = float32(low + int32(want[i]))
				if x[i] == 0 && r.IntN(2) == 0 {
					x[i] = float32(math.Copysign(0, -1))
				}
			}
			if l, ok := ToBytes(got, x); !ok || l != low || !slices.Equal(got, want) {
				t.Fatalf("%d elements from %d on: %d %v, bytes %v", n, low, l, ok, got)
			}
			a, b := byteRange(x)
			if c, d := byteRangeGeneric(x); a != c || b != d || !toBytesGeneric(got, x, low) || !slices.Equal(got, want) {
				t.Fatalf("%d elements: range %v to %v, the twin's %v to %v", n, a, b, c, d)
			}
			if n == 1 {
				continue
			}
			offset := r.IntN(n)
			x[(offset+1)%n] = 0
			for _, v := range wrong {
				x[offset] = v
				if _, ok := ToBytes(got, x); ok {
					t.Fatalf("%d elements: %v at %d is a byte", n, v, offset)
				}
			}
		}
	}
	if low, ok := ToBytes(nil, nil); low != 0 || !ok {
		t.Errorf("nothing: %d %v", low, ok)
	}
}

// TestFromSums: what comes of the bytes is the sum of products of the integers that they stand for.
func TestFromSums(t *testing.T) {
	r := rand.New(rand.NewPCG(82, 1))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for n := 1; n < 70; n++ {
			k, low := 1+r.IntN(2000), int32(r.IntN(511)-255)
			u, row := make([]int32, k), int32(0)
			for i := range u {
				u[i] = r.Int32N(256)
				row += u[i]
			}
			sums, lows, columns, want := make([]int32, n), make([]int32, n), make([]int32, n), make([]int64, n)
			for j := range n {
				lows[j] = int32(r.IntN(511) - 255)
				for i := range k {
					v := r.Int32N(256)
					sums[j] += u[i] * v
					columns[j] += v + lows[j]
					want[j] += int64(u[i]+low) * int64(v+lows[j])
				}
			}
			got, twin := make([]float32, n), make([]float32, n)
			FromSums(got, sums, lows, columns, row, low)
			fromSumsGeneric(twin, sums, lows, columns, row, low)
			for j := range got {
				if got[j] != float32(want[j]) || got[j] != twin[j] {
					t.Fatalf("%d of %d columns, depth %d: %v, twin %v, want %d", j, n, k, got[j], twin[j], want[j])
				}
			}
		}
	}
}
