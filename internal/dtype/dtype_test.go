// Tests of element types and of their conversions.

package dtype

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestFloat16RoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		f := Float16ToFloat32(uint16(h))
		back := Float32ToFloat16(f)
		if f != f {
			if back&0x7c00 != 0x7c00 || back&0x3ff == 0 {
				t.Fatalf("NaN %#x became %#x", h, back)
			}
			continue
		}
		if back != uint16(h) {
			t.Fatalf("%#x → %v → %#x", h, f, back)
		}
	}
}

// Every float32 between two neighboring binary16 values must round to the
// nearer one, ties to the even one.
func TestFloat16Rounding(t *testing.T) {
	for h := range 0x7bff {
		lo, hi := float64(Float16ToFloat32(uint16(h))), float64(Float16ToFloat32(uint16(h+1)))
		middle := (lo + hi) / 2
		even := uint16(h + h&1)
		for _, c := range []struct {
			v    float64
			want uint16
		}{{middle, even}, {math.Nextafter(middle, 0), uint16(h)}, {math.Nextafter(middle, 1e9), uint16(h + 1)}} {
			f := float32(c.v)
			if float64(f) != c.v { // the neighbor of a float64, not of a float32
				if c.v < middle {
					f = math.Nextafter32(float32(middle), 0)
				} else {
					f = math.Nextafter32(float32(middle), 1e9)
				}
			}
			if got := Float32ToFloat16(f); got != c.want {
				t.Fatalf("%v (between %v and %v) → %#x, want %#x", f, lo, hi, got, c.want)
			}
			if got := Float32ToFloat16(-f); got != c.want|0x8000 {
				t.Fatalf("%v → %#x, want %#x", -f, got, c.want|0x8000)
			}
		}
	}
	for v, want := range map[float32]uint16{65504: 0x7bff, 65519.996: 0x7bff, 65520: 0x7c00, 1e30: 0x7c00, float32(math.Inf(1)): 0x7c00} {
		if got := Float32ToFloat16(v); got != want {
			t.Errorf("%v → %#x, want %#x", v, got, want)
		}
	}
}

func TestBFloat16(t *testing.T) {
	for h := range 1 << 16 {
		f := BFloat16ToFloat32(uint16(h))
		if f == f && Float32ToBFloat16(f) != uint16(h) {
			t.Fatalf("%#x → %v → %#x", h, f, Float32ToBFloat16(f))
		}
	}
	if got := Float32ToBFloat16(math.Float32frombits(0x3f808000)); got != 0x3f80 {
		t.Errorf("tie went to %#x, want the even 0x3f80", got)
	}
	if got := Float32ToBFloat16(math.Float32frombits(0x3f818000)); got != 0x3f82 {
		t.Errorf("tie went to %#x, want the even 0x3f82", got)
	}
}

func TestConvertBothOrders(t *testing.T) {
	encode := map[DType]func(o binary.ByteOrder, v float64) []byte{
		Bool:  func(_ binary.ByteOrder, v float64) []byte { return []byte{byte(v)} },
		Uint8: func(_ binary.ByteOrder, v float64) []byte { return []byte{byte(v)} },
		Int8:  func(_ binary.ByteOrder, v float64) []byte { return []byte{byte(int8(v))} },
		Int16: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 2)
			o.PutUint16(b, uint16(int16(v)))
			return b
		},
		Uint16: func(o binary.ByteOrder, v float64) []byte { b := make([]byte, 2); o.PutUint16(b, uint16(v)); return b },
		Int32: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 4)
			o.PutUint32(b, uint32(int32(v)))
			return b
		},
		Uint32: func(o binary.ByteOrder, v float64) []byte { b := make([]byte, 4); o.PutUint32(b, uint32(v)); return b },
		Int64: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 8)
			o.PutUint64(b, uint64(int64(v)))
			return b
		},
		Uint64: func(o binary.ByteOrder, v float64) []byte { b := make([]byte, 8); o.PutUint64(b, uint64(v)); return b },
		Float16: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 2)
			o.PutUint16(b, Float32ToFloat16(float32(v)))
			return b
		},
		BFloat16: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 2)
			o.PutUint16(b, Float32ToBFloat16(float32(v)))
			return b
		},
		Float32: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 4)
			o.PutUint32(b, math.Float32bits(float32(v)))
			return b
		},
		Float64: func(o binary.ByteOrder, v float64) []byte {
			b := make([]byte, 8)
			o.PutUint64(b, math.Float64bits(v))
			return b
		},
	}
	for d, n := range narrows {
		encode[d] = func(_ binary.ByteOrder, v float64) []byte { return []byte{byte(slices.Index(n.values, float32(v)))} }
	}
	for d := Bool; d < count; d++ {
		values := []float64{0, 1, 3, 100}
		switch d {
		case E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ:
			values = []float64{0, 1, 3, 96, -7, -128}
		case Bool:
			values = []float64{0, 1, 1, 0}
		case Int8, Int16, Int32, Int64, Float16, BFloat16, Float32, Float64:
			values = append(values, -7, -128)
		}
		for order, std := range map[Order]binary.ByteOrder{LittleEndian: binary.LittleEndian, BigEndian: binary.BigEndian} {
			var raw []byte
			for _, v := range values {
				raw = append(raw, encode[d](std, v)...)
			}
			f32, f64, i64 := make([]float32, len(values)), make([]float64, len(values)), make([]int64, len(values))
			if err := Float32s(f32, raw, d, order); err != nil {
				t.Fatal(err)
			}
			if err := Float64s(f64, raw, d, order); err != nil {
				t.Fatal(err)
			}
			if err := Int64s(i64, raw, d, order); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if float64(f32[i]) != v || f64[i] != v || i64[i] != int64(v) {
					t.Errorf("%v %v: element %d = %v, %v, %v, want %v", d, order, i, f32[i], f64[i], i64[i], v)
				}
			}
		}
	}
}

func TestConvertErrors(t *testing.T) {
	if err := Float32s(make([]float32, 2), make([]byte, 7), Float32, LittleEndian); err == nil {
		t.Error("7 bytes were taken for two float32")
	}
	if err := Float32s(nil, nil, Invalid, LittleEndian); err == nil {
		t.Error("Invalid was converted")
	}
	half := binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.5))
	if err := Int64s(make([]int64, 1), half, Float32, LittleEndian); err == nil {
		t.Error("0.5 became an integer")
	}
	huge := binary.LittleEndian.AppendUint64(nil, 1<<63)
	if err := Int64s(make([]int64, 1), huge, Uint64, LittleEndian); err == nil {
		t.Error("2^63 became an int64")
	}
	if err := Uint8s(make([]uint8, 1), half, Float32); err == nil {
		t.Error("a float32 became a uint8")
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for d := Bool; d < count; d++ {
		if seen[d.String()] || d.String() == "" || d.Size() == 0 {
			t.Errorf("type %d is called %q, of %d bytes", d, d, d.Size())
		}
		seen[d.String()] = true
	}
	if seen["complex64"] || !seen["float32"] || seen[Invalid.String()] || count.String() != "dtype(18)" {
		t.Errorf("the names are %v", seen)
	}
}

// Integers of 64 bits that float64 does not hold are refused, those that it holds are read: 2^53 + 1 is none, 2^54 + 4
// is.
func TestIntegersBeyondFloat64(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v  int64
		ok bool
	}{{1 << 53, true}, {1<<53 + 1, false}, {-1<<53 - 1, false}, {1<<54 + 2, false}, {1<<54 + 4, true},
		{-1<<54 - 4, true}, {math.MaxInt64, false}, {math.MinInt64, true}} {
		for _, order := range []Order{LittleEndian, BigEndian} {
			raw := binary.LittleEndian.AppendUint64(nil, uint64(c.v))
			if order == BigEndian {
				SwapBytes(raw, 8)
			}
			double, single := make([]float64, 1), make([]float32, 1)
			if err := Float64s(double, raw, Int64, order); (err == nil) != c.ok || c.ok && double[0] != float64(c.v) {
				t.Errorf("%d becomes %g, %v", c.v, double[0], err)
			}
			if err := Float32s(single, raw, Int64, order); (err == nil) != c.ok {
				t.Errorf("%d becomes %g, %v", c.v, single[0], err)
			}
		}
	}
	if err := Float64s(make([]float64, 1), binary.LittleEndian.AppendUint64(nil, 1<<63+1), Uint64,
		LittleEndian); err == nil {
		t.Error("2^63 + 1 of uint64 is read")
	}
}
