// The generator: known answers, distributions, independence of sub-ranges.

package stat

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Known answers published with Random123 (kat_vectors, philox4x32 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	all := uint32(0xffffffff)
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{all, all, all, all}, [2]uint32{all, all}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := Philox4x32(c.counter, c.key); got != c.want {
			t.Errorf("Philox4x32(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	seen := map[Key]string{}
	add := func(name string, k Key) {
		if other, known := seen[k]; known {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
	add("1", NewKey(1))
	add("1/0", NewKey(1, 0))
	add("1/0/0", NewKey(1, 0, 0))
	add("1/1/0", NewKey(1, 1, 0))
	add("1/0/1", NewKey(1, 0, 1))
	add("2/0/1", NewKey(2, 0, 1))
	add("high seed", NewKey(1<<32, 0, 1))
	add("high coordinate", NewKey(2, 0, 1<<32))
}

// The same bits on every machine: these digests were written on amd64 and must
// hold everywhere.
func TestNormalBits(t *testing.T) {
	h := sha256.New()
	values := make([]float32, 1<<16)
	FillNormal32(values, NewKey(42, 7, 1, 0), 5)
	if err := binary.Write(h, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	r := NewRandom(NewKey(42, 8))
	for range 1 << 14 {
		if err := binary.Write(h, binary.LittleEndian, r.Normal()); err != nil {
			t.Fatal(err)
		}
	}
	const want = "31a04e247b92216629e9256f56019e2c2fc8d98100e0e2a6bfb1e7a0546465be"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestFillIsAddressable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := NewKey(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "frame"))
		offset := rapid.Uint64Range(0, 1<<40).Draw(t, "offset")
		n := rapid.IntRange(0, 100).Draw(t, "n")
		lo := rapid.IntRange(0, n).Draw(t, "lo")
		hi := rapid.IntRange(lo, n).Draw(t, "hi")
		for _, fill := range []func([]float32, Key, uint64){FillNormal32, FillUniform32} {
			all, part := make([]float32, n), make([]float32, hi-lo)
			fill(all, key, offset)
			fill(part, key, offset+uint64(lo))
			if !slices.Equal(all[lo:hi], part) {
				t.Fatalf("elements %d..%d differ when generated alone", lo, hi)
			}
		}
	})
}

// Kolmogorov–Smirnov distance below the 1e-6 critical value, and moments.
func TestNormalDistribution(t *testing.T) {
	const n = 200000
	fill := make([]float32, n)
	FillNormal32(fill, NewKey(3), 0)
	a := make([]float64, n)
	for i, v := range fill {
		a[i] = float64(v)
	}
	r := NewRandom(NewKey(4))
	b := make([]float64, n)
	for i := range b {
		b[i] = r.Normal()
	}
	for _, values := range [][]float64{a, b} {
		mean, variance := MeanVariance(values)
		nearAbsolute(t, "mean", mean, 0, 5/math.Sqrt(n))
		nearAbsolute(t, "variance", variance, 1, 5*math.Sqrt(2.0/n))
		slices.Sort(values)
		distance := 0.0
		for i, v := range values {
			p := normalCDF(v)
			distance = max(distance, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
		}
		if distance > 2.7/math.Sqrt(n) {
			t.Errorf("Kolmogorov–Smirnov distance %g", distance)
		}
	}
	// Lag 1 and lag 4 (neighboring blocks).
	for _, lag := range []int{1, 2, 3, 4} {
		FillNormal32(fill, NewKey(3), 0)
		sum := 0.0
		for i := lag; i < n; i++ {
			sum += float64(fill[i]) * float64(fill[i-lag])
		}
		nearAbsolute(t, "lag correlation", sum/n, 0, 5/math.Sqrt(n))
	}
}

func TestNormalFromBits(t *testing.T) {
	for _, c := range []struct {
		bits uint64
		want float64
	}{{0, -8.2095361516013868}, {math.MaxUint64, 8.2095361516013868}} {
		near(t, "extreme", normalFromBits(c.bits), c.want, 1e-15)
	}
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint64().Draw(t, "bits")
		if a, b := normalFromBits(bits), normalFromBits(^bits); a != -b {
			t.Fatalf("not symmetric: %v and %v", a, b)
		}
	})
}

func TestLogPortable(t *testing.T) {
	check := func(p float64) {
		got, want := logPortable(p), math.Log(p)
		if math.Abs(got-want) > 2.3e-16*math.Abs(want)*1.5 {
			t.Errorf("log %g = %.17g, want %.17g", p, got, want)
		}
	}
	r := NewRandom(NewKey(1))
	for range 100000 {
		p := r.Float64()
		check(p + 0x1p-60)
		check((p + 0x1p-60) * 0x1p-500)
		check(1 + p)
	}
	for _, p := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 1 + 0x1p-52, 1 - 0x1p-53, 0x1p-1022, math.MaxFloat64} {
		check(p)
	}
}

func TestIntnAndPerm(t *testing.T) {
	r := NewRandom(NewKey(9))
	counts := make([]int, 7)
	for range 70000 {
		counts[r.Intn(7)]++
	}
	chi2 := 0.0
	for _, c := range counts {
		chi2 += float64((c-10000)*(c-10000)) / 10000
	}
	if chi2 > 40 {
		t.Errorf("counts %v", counts)
	}
	if r.Intn(0) != 0 || r.Intn(-3) != 0 || r.Intn(1) != 0 {
		t.Error("Intn of an empty range is not 0")
	}
	p := r.Perm(100)
	slices.Sort(p)
	for i, v := range p {
		if i != v {
			t.Fatalf("not a permutation: %v", p)
		}
	}
}

func TestSampleWithoutReplacement(t *testing.T) {
	// All 10 subsets of 2 out of 5 come up equally often.
	r := NewRandom(NewKey(11))
	counts := map[[2]int]int{}
	for range 20000 {
		s, err := r.SampleWithoutReplacement(5, 2)
		if err != nil {
			t.Fatal(err)
		}
		counts[[2]int{s[0], s[1]}]++
	}
	if len(counts) != 10 {
		t.Errorf("%d subsets, want 10", len(counts))
	}
	for s, c := range counts {
		if math.Abs(float64(c)-2000) > 250 {
			t.Errorf("subset %v came up %d times of 20000", s, c)
		}
	}
	if s, _ := r.SampleWithoutReplacement(3, 9); !slices.Equal(s, []int{0, 1, 2}) {
		t.Errorf("sample of more than all: %v", s)
	}
	if _, err := r.SampleWithoutReplacement(-1, 2); err == nil {
		t.Error("no error for a negative number")
	}
}
