// The conversions of cvt: the instruction selects the rounding to integers (rni to nearest even, rzi towards zero, rmi
// down, rpi up), and integers out of range become the nearest.

package ptxvm

import "math"

var conversions = map[string]operation{
	"cvt.u64.u32": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return uint64(a[i]) }) }},
	"cvt.s64.s32": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return uint64(signed(a[i])) }) }},
	"cvt.u32.u64": {"wd", func(d *vec32, a *vec64) { loop32(d, func(i int) uint32 { return uint32(a[i]) }) }},
	"cvt.u16.u64": {"wd", func(d *vec32, a *vec64) { loop32(d, func(i int) uint32 { return uint32(a[i] & 0xffff) }) }},
	"cvt.u16.u32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return a[i] & 0xffff }) }},
	"cvt.u32.u16": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return a[i] & 0xffff }) }},
	"cvt.u64.u16": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return uint64(a[i] & 0xffff) }) }},

	// The source's register may be wider than the type.
	"cvt.s64.s8":  {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return uint64(int8(a[i])) }) }},
	"cvt.s64.s16": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return uint64(int16(a[i])) }) }},

	"cvt.f64.f32":    {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return bits64(float64(float(a[i]))) }) }},
	"cvt.rn.f32.f64": {"wd", func(d *vec32, a *vec64) { loop32(d, func(i int) uint32 { return bits32(float32(double(a[i]))) }) }},

	"cvt.rn.f32.u16": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(float32(a[i] & 0xffff)) }) }},
	"cvt.rn.f32.u32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(float32(a[i])) }) }},
	"cvt.rn.f32.s32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(float32(int32(a[i]))) }) }},
	"cvt.rn.f32.s64": {"wd", func(d *vec32, a *vec64) { loop32(d, func(i int) uint32 { return bits32(float32(int64(a[i]))) }) }},
	"cvt.rn.f64.u16": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return bits64(float64(a[i] & 0xffff)) }) }},
	"cvt.rn.f64.u32": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return bits64(float64(a[i])) }) }},
	"cvt.rn.f64.s32": {"dw", func(d *vec64, a *vec32) { loop64(d, func(i int) uint64 { return bits64(float64(int32(a[i]))) }) }},
	"cvt.rn.f64.u64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return bits64(float64(a[i])) }) }},
	"cvt.rn.f64.s64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return bits64(float64(int64(a[i]))) }) }},

	"cvt.rzi.s32.f32": {"ww", func(d, a *vec32) {
		loop32(d, func(i int) uint32 { return uint32(toSigned(float64(float(a[i])), 32, 0)) })
	}},
	"cvt.rzi.u32.f32": {"ww", func(d, a *vec32) {
		loop32(d, func(i int) uint32 { return uint32(toUnsigned(float64(float(a[i])), 32, 0)) })
	}},
	"cvt.rzi.s64.f32": {"dw", func(d *vec64, a *vec32) {
		loop64(d, func(i int) uint64 { return uint64(toSigned(float64(float(a[i])), 64, math.MinInt64)) })
	}},
	"cvt.rzi.s32.f64": {"wd", func(d *vec32, a *vec64) {
		loop32(d, func(i int) uint32 { return uint32(toSigned(double(a[i]), 32, math.MinInt32)) })
	}},
	"cvt.rzi.s64.f64": {"dd", func(d, a *vec64) {
		loop64(d, func(i int) uint64 { return uint64(toSigned(double(a[i]), 64, math.MinInt64)) })
	}},
	"cvt.rzi.u64.f64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return toUnsigned(double(a[i]), 64, 1<<63) }) }},

	"cvt.rni.f32.f32": {"ww", func(d, a *vec32) { rounded(d, a, math.RoundToEven) }},
	"cvt.rmi.f32.f32": {"ww", func(d, a *vec32) { rounded(d, a, math.Floor) }},
	"cvt.rpi.f32.f32": {"ww", func(d, a *vec32) { rounded(d, a, math.Ceil) }},
	"cvt.rzi.f64.f64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return bits64(math.Trunc(double(a[i]))) }) }},

	"cvt.rna.tf32.f32":  {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return tf32(a[i]) }) }},
	"cvt.rn.bf16x2.f32": {"www", func(d, hi, lo *vec32) { loop32(d, func(i int) uint32 { return bf16(hi[i])<<16 | bf16(lo[i]) }) }},
}

// fromWide are conversions from registers that are wider than the source's type.
var fromWide = map[string]operation{
	"cvt.s64.s32": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return uint64(int32(a[i])) }) }},
	"cvt.u64.u32": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return uint64(uint32(a[i])) }) }},
}

func rounded(d, a *vec32, round func(float64) float64) {
	loop32(d, func(i int) uint32 { return bits32(float32(round(float64(float(a[i]))))) })
}

// toSigned cuts off the fraction; nan is the result for NaN.
func toSigned(v float64, width uint, nan int64) int64 {
	limit := math.Ldexp(1, int(width)-1)
	switch {
	case v != v:
		return nan
	case v >= limit:
		return 1<<(width-1) - 1
	case v <= -limit:
		return -1 << (width - 1)
	}
	return int64(v)
}

func toUnsigned(v float64, width uint, nan uint64) uint64 {
	switch {
	case v != v:
		return nan
	case v >= math.Ldexp(1, int(width)):
		return 1<<width - 1
	case v <= 0:
		return 0
	}
	return uint64(v)
}

// tf32 rounds to 10 bits of mantissa, halves away from zero; the other 13 are zero.
func tf32(v uint32) uint32 {
	if v&0x7fffffff > 0x7f800000 {
		return canonical32
	}
	return (v + 0x1000) &^ 0x1fff
}

// bf16 rounds to 7 bits of mantissa, halves to even.
func bf16(v uint32) uint32 {
	if v&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return (v + 0x7fff + v>>16&1) >> 16
}
