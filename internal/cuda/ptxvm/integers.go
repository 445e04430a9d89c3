// Integer instructions on the 32 lanes of a warp. Registers of 16 bits have their upper half zero.

package ptxvm

import "math/bits"

type (
	vec32 = [32]uint32
	vec64 = [32]uint64
)

// An operation's form lists its result and its operands in their order: of 32 bits (w; 16 bits too), of 64 (d), or
// predicates (p). run has pointers to as many, and operations of 16 bits take the lower half of numbers.
type operation struct {
	form string
	run  any
}

// The loops are inlined, with the functions they call.

func loop32(d *vec32, f func(i int) uint32) {
	for i := range d {
		d[i] = f(i)
	}
}

func loop64(d *vec64, f func(i int) uint64) {
	for i := range d {
		d[i] = f(i)
	}
}

func which(f func(i int) bool) uint32 {
	var m uint32
	for i := range 32 {
		if f(i) {
			m |= 1 << i
		}
	}
	return m
}

func signed(v uint32) int64 { return int64(int32(v)) }

// Shifts by more than the width are shifts by the width.
func shift32(n uint32) uint32 { return min(n, 32) }
func shift64(n uint32) uint32 { return min(n, 64) }

var integers = map[string]operation{
	"add.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] + b[i] }) }},
	"sub.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] - b[i] }) }},
	"add.s64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] + b[i] }) }},
	"sub.s64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] - b[i] }) }},

	"mul.lo.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] * b[i] }) }},
	"mul.lo.s64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] * b[i] }) }},
	"mul.hi.u32": {"www", func(d, a, b *vec32) {
		loop32(d, func(i int) uint32 { return uint32(uint64(a[i]) * uint64(b[i]) >> 32) })
	}},
	"mul.hi.u64": {"ddd", func(d, a, b *vec64) {
		loop64(d, func(i int) uint64 {
			high, _ := bits.Mul64(a[i], b[i])
			return high
		})
	}},
	"mul.wide.u16": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] * b[i] }) }},
	"mul.wide.u32": {"dww", func(d *vec64, a, b *vec32) { loop64(d, func(i int) uint64 { return uint64(a[i]) * uint64(b[i]) }) }},
	"mul.wide.s32": {"dww", func(d *vec64, a, b *vec32) {
		loop64(d, func(i int) uint64 { return uint64(signed(a[i]) * signed(b[i])) })
	}},
	"mad.lo.s32": {"wwww", func(d, a, b, c *vec32) { loop32(d, func(i int) uint32 { return a[i]*b[i] + c[i] }) }},
	"mad.lo.s64": {"dddd", func(d, a, b, c *vec64) { loop64(d, func(i int) uint64 { return a[i]*b[i] + c[i] }) }},

	// The divisor of a lane that does not run may be 0.
	"div.u32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] / max(b[i], 1) }) }},
	"rem.u32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] % max(b[i], 1) }) }},
	"div.s32": {"www", func(d, a, b *vec32) {
		loop32(d, func(i int) uint32 { return uint32(signed(a[i]) / nonzero(signed(b[i]))) })
	}},
	"div.u64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] / max(b[i], 1) }) }},
	"rem.u64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] % max(b[i], 1) }) }},
	"div.s64": {"ddd", func(d, a, b *vec64) {
		loop64(d, func(i int) uint64 { return uint64(int64(a[i]) / nonzero(int64(b[i]))) })
	}},
	"rem.s64": {"ddd", func(d, a, b *vec64) {
		loop64(d, func(i int) uint64 { return uint64(int64(a[i]) % nonzero(int64(b[i]))) })
	}},

	"and.b16": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] & b[i] }) }},
	"and.b32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] & b[i] }) }},
	"and.b64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] & b[i] }) }},
	"or.b16":  {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] | b[i] }) }},
	"or.b32":  {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] | b[i] }) }},
	"or.b64":  {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] | b[i] }) }},
	"xor.b32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] ^ b[i] }) }},
	"xor.b64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return a[i] ^ b[i] }) }},
	"not.b32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return ^a[i] }) }},
	"not.b64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return ^a[i] }) }},

	"shl.b32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] << shift32(b[i]) }) }},
	"shl.b64": {"ddw", func(d, a *vec64, b *vec32) { loop64(d, func(i int) uint64 { return a[i] << shift64(b[i]) }) }},
	"shr.u32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return a[i] >> shift32(b[i]) }) }},
	"shr.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return uint32(int32(a[i]) >> shift32(b[i])) }) }},
	"shr.u64": {"ddw", func(d, a *vec64, b *vec32) { loop64(d, func(i int) uint64 { return a[i] >> shift64(b[i]) }) }},
	"shr.s64": {"ddw", func(d, a *vec64, b *vec32) {
		loop64(d, func(i int) uint64 { return uint64(int64(a[i]) >> shift64(b[i])) })
	}},

	"shf.l.wrap.b32": {"wwww", func(d, lo, hi, n *vec32) { loop32(d, func(i int) uint32 { return funnelLeft(lo[i], hi[i], n[i]) }) }},
	"bfe.u32":        {"wwww", func(d, a, at, n *vec32) { loop32(d, func(i int) uint32 { return extract(a[i], at[i], n[i]) }) }},

	"neg.s32": {"ww", func(d, a *vec32) { loop32(d, func(i int) uint32 { return -a[i] }) }},
	"neg.s64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return -a[i] }) }},
	"abs.s64": {"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return uint64(max(int64(a[i]), -int64(a[i]))) }) }},

	"min.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return uint32(min(int32(a[i]), int32(b[i]))) }) }},
	"max.s32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return uint32(max(int32(a[i]), int32(b[i]))) }) }},
	"min.u32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return min(a[i], b[i]) }) }},
	"max.u32": {"www", func(d, a, b *vec32) { loop32(d, func(i int) uint32 { return max(a[i], b[i]) }) }},
	"min.s64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return uint64(min(int64(a[i]), int64(b[i]))) }) }},
	"max.s64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return uint64(max(int64(a[i]), int64(b[i]))) }) }},
	"min.u64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return min(a[i], b[i]) }) }},
	"max.u64": {"ddd", func(d, a, b *vec64) { loop64(d, func(i int) uint64 { return max(a[i], b[i]) }) }},
}

func nonzero(v int64) int64 {
	if v == 0 {
		return 1
	}
	return v
}

// funnelLeft is the upper half of hi:lo shifted left by n modulo 32.
func funnelLeft(lo, hi, n uint32) uint32 {
	return uint32(bits.RotateLeft64(uint64(hi)<<32|uint64(lo), int(n&31)) >> 32)
}

// extract is n bits of v from bit at on; only the lower 8 bits of at and n count.
func extract(v, shift, n uint32) uint32 {
	shift, n = shift&255, n&255
	if shift > 31 || n == 0 {
		return 0
	}
	return v >> shift & uint32(1<<min(n, 32)-1)
}

// moves copy bits, among them conversions that only change the type.
var moves = map[string]operation{
	"mov.u16": {"ww", move32}, "mov.u32": {"ww", move32}, "mov.b32": {"ww", move32}, "mov.f32": {"ww", move32},
	"mov.u64": {"dd", move64}, "mov.b64": {"dd", move64}, "mov.f64": {"dd", move64},

	"selp.u16": {"wwwp", select32}, "selp.b32": {"wwwp", select32}, "selp.u32": {"wwwp", select32}, "selp.s32": {"wwwp", select32}, "selp.f32": {"wwwp", select32},
	"selp.b64": {"dddp", select64}, "selp.u64": {"dddp", select64}, "selp.f64": {"dddp", select64},

	"mov.pred": {"pp", func(d, a *uint32) { *d = *a }},
	"not.pred": {"pp", func(d, a *uint32) { *d = ^*a }},
	"and.pred": {"ppp", func(d, a, b *uint32) { *d = *a & *b }},
	"or.pred":  {"ppp", func(d, a, b *uint32) { *d = *a | *b }},
	"xor.pred": {"ppp", func(d, a, b *uint32) { *d = *a ^ *b }},
}

func move32(d, a *vec32) { *d = *a }
func move64(d, a *vec64) { *d = *a }

func select32(d, a, b *vec32, p *uint32) {
	m := *p
	loop32(d, func(i int) uint32 {
		if m>>i&1 != 0 {
			return a[i]
		}
		return b[i]
	})
}

func select64(d, a, b *vec64, p *uint32) {
	m := *p
	loop64(d, func(i int) uint64 {
		if m>>i&1 != 0 {
			return a[i]
		}
		return b[i]
	})
}

// comparisons set predicates.
var comparisons = map[string]operation{
	"setp.eq.b32": {"pww", equal32}, "setp.eq.s32": {"pww", equal32}, "setp.eq.s16": {"pww", equal32},
	"setp.ne.s32": {"pww", different32}, "setp.ne.s16": {"pww", different32},
	"setp.lt.s32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return int32(a[i]) < int32(b[i]) }) }},
	"setp.le.s32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return int32(a[i]) <= int32(b[i]) }) }},
	"setp.gt.s32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return int32(a[i]) > int32(b[i]) }) }},
	"setp.ge.s32": {"pww", func(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return int32(a[i]) >= int32(b[i]) }) }},
	"setp.lt.u32": {"pww", less32}, "setp.lt.u16": {"pww", less32},
	"setp.le.u32": {"pww", atMost32}, "setp.le.u16": {"pww", atMost32},
	"setp.gt.u32": {"pww", more32}, "setp.gt.u16": {"pww", more32},
	"setp.ge.u32": {"pww", atLeast32}, "setp.ge.u16": {"pww", atLeast32},
	"setp.eq.b64": {"pdd", equal64}, "setp.eq.s64": {"pdd", equal64},
	"setp.ne.s64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return a[i] != b[i] }) }},
	"setp.lt.s64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return int64(a[i]) < int64(b[i]) }) }},
	"setp.le.s64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return int64(a[i]) <= int64(b[i]) }) }},
	"setp.gt.s64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return int64(a[i]) > int64(b[i]) }) }},
	"setp.ge.s64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return int64(a[i]) >= int64(b[i]) }) }},
	"setp.lt.u64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return a[i] < b[i] }) }},
	"setp.le.u64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return a[i] <= b[i] }) }},
	"setp.gt.u64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return a[i] > b[i] }) }},
	"setp.ge.u64": {"pdd", func(d *uint32, a, b *vec64) { *d = which(func(i int) bool { return a[i] >= b[i] }) }},
}

func equal32(d *uint32, a, b *vec32)     { *d = which(func(i int) bool { return a[i] == b[i] }) }
func different32(d *uint32, a, b *vec32) { *d = which(func(i int) bool { return a[i] != b[i] }) }
func less32(d *uint32, a, b *vec32)      { *d = which(func(i int) bool { return a[i] < b[i] }) }
func atMost32(d *uint32, a, b *vec32)    { *d = which(func(i int) bool { return a[i] <= b[i] }) }
func more32(d *uint32, a, b *vec32)      { *d = which(func(i int) bool { return a[i] > b[i] }) }
func atLeast32(d *uint32, a, b *vec32)   { *d = which(func(i int) bool { return a[i] >= b[i] }) }
func equal64(d *uint32, a, b *vec64)     { *d = which(func(i int) bool { return a[i] == b[i] }) }
