// Floating-point instructions. Without .ftz numbers below the normal range are kept, in float32 too. A result that is
// not a number is the canonical one.

package ptxvm

import "math"

const (
	canonical32 = 0x7fffffff
	canonical64 = 0x7fffffffffffffff // "NaN payloads are not preserved" for float64: any NaN; ours has one
)

func float(v uint32) float32  { return math.Float32frombits(v) }
func double(v uint64) float64 { return math.Float64frombits(v) }

func bits32(v float32) uint32 {
	if v != v {
		return canonical32
	}
	return math.Float32bits(v)
}

func bits64(v float64) uint64 {
	if v != v {
		return canonical64
	}
	return math.Float64bits(v)
}

var floats = map[string]operation{
	"add.rn.f32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i]) + float(b[i])) }) }},
	"sub.rn.f32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i]) - float(b[i])) }) }},
	"mul.rn.f32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i]) * float(b[i])) }) }},
	"div.rn.f32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i]) / float(b[i])) }) }},
	"fma.rn.f32": {"wwww", func(d, a, b, c *vec32) {
		loop32(d, func(i int) uint32 { return bits32(fma32(float(a[i]), float(b[i]), float(c[i]))) })
	}},
	"rcp.rn.f32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(1 / float(a[i])) }) }},
	"sqrt.rn.f32": {"ww", func(d, a *vec32) {
		loop32(d, func(i int) uint32 { return bits32(float32(math.Sqrt(float64(float(a[i]))))) })
	}},
	"neg.f32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i] ^ 1<<31)) }) }},
	"abs.f32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return bits32(float(a[i] &^ (1 << 31))) }) }},
	"min.f32": {"www", func(d, a, b *vec32) {
		loop32(d, func(i int) uint32 { return bits32(-greater32(-float(a[i]), -float(b[i]))) })
	}},
	"max.f32": {"www", func(d, a, b *vec32) {
		loop32(d, func(i int) uint32 { return bits32(greater32(float(a[i]), float(b[i]))) })
	}},

	"add.rn.f64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return bits64(double(a[i]) + double(b[i])) }) }},
	"sub.rn.f64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return bits64(double(a[i]) - double(b[i])) }) }},
	"mul.rn.f64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return bits64(double(a[i]) * double(b[i])) }) }},
	"div.rn.f64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return bits64(double(a[i]) / double(b[i])) }) }},
	"fma.rn.f64": {"dddd", func(d, a, b, c *vec64) {
		loop64(d, func(i int) uint64 { return bits64(math.FMA(double(a[i]), double(b[i]), double(c[i]))) })
	}},
	"rcp.rn.f64":  {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return bits64(1 / double(a[i])) }) }},
	"sqrt.rn.f64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return bits64(math.Sqrt(double(a[i]))) }) }},
	"neg.f64":     {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return a[i] ^ 1<<63 }) }},
	"abs.f64":     {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return a[i] &^ (1 << 63) }) }},
	"max.f64": {"ddd", func(d, a, b *vec64) {
		loop64(d, func(i int) uint64 { return bits64(greater64(double(a[i]), double(b[i]))) })
	}},

	"ex2.approx.ftz.f32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return power2(a[i]) }) }},
	"rsqrt.approx.f32":   {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return reciprocalRoot(float(a[i])) }) }},

	"setp.eq.f32":  {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return float(a[i]) == float(b[i]) }) }},
	"setp.neu.f32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return !(float(a[i]) == float(b[i])) }) }},
	"setp.lt.f32":  {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return float(a[i]) < float(b[i]) }) }},
	"setp.le.f32":  {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return float(a[i]) <= float(b[i]) }) }},
	"setp.gt.f32":  {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return float(a[i]) > float(b[i]) }) }},
	"setp.ge.f32":  {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return float(a[i]) >= float(b[i]) }) }},
	"setp.ltu.f32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return !(float(a[i]) >= float(b[i])) }) }},
	"setp.leu.f32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return !(float(a[i]) > float(b[i])) }) }},
	"setp.geu.f32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return !(float(a[i]) < float(b[i])) }) }},
	"setp.num.f32": {"pww", func(d *uint32, a, b *vec32) { *d = ^unordered32(a, b) }},
	"setp.nan.f32": {"pww", func(d *uint32, a, b *vec32) { *d = unordered32(a, b) }},

	"setp.eq.f64":  {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return double(a[i]) == double(b[i]) }) }},
	"setp.neu.f64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return !(double(a[i]) == double(b[i])) }) }},
	"setp.lt.f64":  {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return double(a[i]) < double(b[i]) }) }},
	"setp.gt.f64":  {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return double(a[i]) > double(b[i]) }) }},
	"setp.ge.f64":  {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return double(a[i]) >= double(b[i]) }) }},
	"setp.ltu.f64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return !(double(a[i]) >= double(b[i])) }) }},
	"setp.leu.f64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return !(double(a[i]) > double(b[i])) }) }},
	"setp.gtu.f64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return !(double(a[i]) <= double(b[i])) }) }},
	"setp.geu.f64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return !(double(a[i]) < double(b[i])) }) }},
	"setp.nan.f64": {"pdd", func(d *uint32, a, b *vec64) {
		*d = which(func(i int) bool { x, y := double(a[i]), double(b[i]); return x != x || y != y })
	}},
}

func unordered32(a, b *vec32) uint32 {
	return which(func(i int) bool { x, y := float(a[i]), float(b[i]); return x != x || y != y })
}

// greater32 passes over NaN; +0 is greater than −0.
func greater32(a, b float32) float32 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

func greater64(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

// fma32 rounds a·b + c once. The product is exact in float64; rounding the sum twice goes
// wrong only where the first time leads to the middle between two float32.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if v := math.Float64bits(s); v&(1<<29-1) != 1<<28 && v<<1>>53 > 1023-127 {
		return float32(s)
	}
	return fmaMiddle(p, float64(c), s)
}

// fmaMiddle rounds p + c = s + rest to odd first, so that the side of the middle is kept.
//
//go:noinline
func fmaMiddle(p, c, s float64) float32 {
	if s == 0 || math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	part := s - p
	rest := (p - (s - part)) + (c - part)
	v := math.Float64bits(s)
	if rest != 0 && v&1 == 0 {
		if rest > 0 == (s > 0) {
			v++
		} else {
			v--
		}
	}
	return float32(math.Float64frombits(v))
}

const least32 = 0x1p-126 // the least normal float32

// power2 is 2^x, rounded correctly; numbers below the normal range count as 0, on both sides. The instruction may be
// off by 2 units in the last place.
func power2(x uint32) uint32 {
	v := float(x)
	if v > -least32 && v < least32 {
		v = 0
	}
	y := float32(math.Exp2(float64(v)))
	if y < least32 {
		y = 0
	}
	return bits32(y)
}

// reciprocalRoot is 1/√x, the root and the quotient rounded as in the twin. The instruction may be off by 2^−22.9 of
// it.
func reciprocalRoot(x float32) uint32 { return bits32(1 / float32(math.Sqrt(float64(x)))) }

// addExact rounds p + c once to float32, for a product p of two float32.
func addExact(p float64, c float32) float32 {
	s := p + float64(c)
	if v := math.Float64bits(s); v&(1<<29-1) != 1<<28 && v<<1>>53 > 1023-127 {
		return float32(s)
	}
	return fmaMiddle(p, float64(c), s)
}
