// A row per instruction with numbers computed by hand; docs/develop/kernels-and-ptx.md says from which rules.

package ptxvm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// rows are INSTRUCTION OPERANDS = RESULT. Numbers are integers or bits, 1.5f and 1.5d are
// float32 and float64, t and f predicates.
const rows = `
	add.s32 0x7fffffff 1 = 0x80000000
	sub.s32 0 1 = 0xffffffff
	add.s64 0xffffffffffffffff 2 = 1
	sub.s64 1 2 = 0xffffffffffffffff
	mul.lo.s32 0x10001 0x10001 = 0x20001
	mul.lo.s64 0x100000001 0x100000001 = 0x200000001
	mul.hi.u32 0xffffffff 0xffffffff = 0xfffffffe
	mul.hi.u64 0xffffffffffffffff 0xffffffffffffffff = 0xfffffffffffffffe
	mul.hi.u64 0x100000000 0x100000000 = 1
	mul.wide.u16 0xffff 0xffff = 0xfffe0001
	mul.wide.u32 0xffffffff 0xffffffff = 0xfffffffe00000001
	mul.wide.s32 0xffffffff 3 = 0xfffffffffffffffd
	mad.lo.s32 0xffffffff 5 7 = 2
	mad.lo.s64 0xffffffffffffffff 5 7 = 2
	div.u32 0xffffffff 2 = 0x7fffffff
	div.s32 0xfffffff9 2 = 0xfffffffd
	div.s32 7 0xfffffffe = 0xfffffffd
	rem.u32 0xffffffff 10 = 5
	div.u64 0xffffffffffffffff 10 = 0x1999999999999999
	rem.u64 0xffffffffffffffff 10 = 5
	div.s64 0xfffffffffffffff9 2 = 0xfffffffffffffffd
	rem.s64 0xfffffffffffffff9 2 = 0xffffffffffffffff
	and.b16 0xff0f 0x0fff = 0x0f0f
	and.b32 0xff00ff00 0x0ff00ff0 = 0x0f000f00
	and.b64 0xff00000000000001 0xf000000000000003 = 0xf000000000000001
	or.b16 0xf000 0x000f = 0xf00f
	or.b32 0x12000000 0x34 = 0x12000034
	or.b64 0x1200000000000000 0x34 = 0x1200000000000034
	xor.b32 0xffffffff 0x0f0f0f0f = 0xf0f0f0f0
	xor.b64 0xffffffffffffffff 1 = 0xfffffffffffffffe
	not.b32 0x0f0f0f0f = 0xf0f0f0f0
	not.b64 1 = 0xfffffffffffffffe
	shl.b32 3 31 = 0x80000000
	shl.b32 3 32 = 0
	shl.b32 3 0xffffffff = 0
	shl.b64 3 63 = 0x8000000000000000
	shl.b64 3 64 = 0
	shr.u32 0x80000000 31 = 1
	shr.u32 0x80000000 32 = 0
	shr.s32 0x80000000 4 = 0xf8000000
	shr.s32 0x80000000 99 = 0xffffffff
	shr.u64 0x8000000000000000 60 = 8
	shr.u64 0x8000000000000000 64 = 0
	shr.s64 0x8000000000000000 60 = 0xfffffffffffffff8
	shr.s64 0x8000000000000000 200 = 0xffffffffffffffff
	shf.l.wrap.b32 0x80000001 0x12345678 4 = 0x23456788
	shf.l.wrap.b32 0x80000001 0x12345678 36 = 0x23456788
	shf.l.wrap.b32 0x80000001 0x12345678 0 = 0x12345678
	bfe.u32 0xabcd1234 8 8 = 0x12
	bfe.u32 0xabcd1234 28 8 = 0xa
	bfe.u32 0xabcd1234 0 0 = 0
	bfe.u32 0xabcd1234 0 32 = 0xabcd1234
	bfe.u32 0xabcd1234 32 4 = 0
	neg.s32 1 = 0xffffffff
	neg.s64 1 = 0xffffffffffffffff
	abs.s64 0xfffffffffffffffe = 2
	min.s32 0xffffffff 1 = 0xffffffff
	max.s32 0xffffffff 1 = 1
	min.u32 0xffffffff 1 = 1
	max.u32 0xffffffff 1 = 0xffffffff
	min.s64 0xffffffffffffffff 1 = 0xffffffffffffffff
	max.s64 0xffffffffffffffff 1 = 1
	min.u64 0xffffffffffffffff 1 = 1
	max.u64 0xffffffffffffffff 1 = 0xffffffffffffffff

	mov.u16 0x1234 = 0x1234
	mov.u32 0x12345678 = 0x12345678
	mov.b32 0x12345678 = 0x12345678
	mov.f32 1.5f = 0x3fc00000
	mov.u64 0x123456789abcdef0 = 0x123456789abcdef0
	mov.b64 0x123456789abcdef0 = 0x123456789abcdef0
	mov.f64 1.5d = 0x3ff8000000000000
	selp.u16 1 2 t = 1
	selp.b32 1 2 f = 2
	selp.u32 1 2 t = 1
	selp.s32 1 2 f = 2
	selp.f32 1f 2f t = 1f
	selp.b64 1 2 f = 2
	selp.u64 1 2 t = 1
	selp.f64 1d 2d f = 2d
	mov.pred t = t
	not.pred t = f
	and.pred t f = f
	and.pred t t = t
	or.pred t f = t
	or.pred f f = f
	xor.pred t t = f
	xor.pred t f = t

	setp.eq.b32 5 5 = t
	setp.eq.s32 5 6 = f
	setp.eq.s16 0xffff 0xffff = t
	setp.ne.s32 5 6 = t
	setp.ne.s16 5 5 = f
	setp.lt.s32 0xffffffff 0 = t
	setp.le.s32 0 0 = t
	setp.gt.s32 0 0xffffffff = t
	setp.ge.s32 0xffffffff 0 = f
	setp.lt.u32 0xffffffff 0 = f
	setp.le.u32 0 0xffffffff = t
	setp.gt.u32 0xffffffff 0 = t
	setp.ge.u32 0 1 = f
	setp.lt.u16 1 0xffff = t
	setp.le.u16 0xffff 1 = f
	setp.gt.u16 0xffff 1 = t
	setp.ge.u16 1 1 = t
	setp.eq.b64 0x100000000 0 = f
	setp.eq.s64 0x100000000 0x100000000 = t
	setp.ne.s64 0x100000000 0 = t
	setp.lt.s64 0xffffffffffffffff 0 = t
	setp.le.s64 1 0 = f
	setp.gt.s64 0 0xffffffffffffffff = t
	setp.ge.s64 0 0 = t
	setp.lt.u64 0xffffffffffffffff 0 = f
	setp.le.u64 0 0 = t
	setp.gt.u64 0xffffffffffffffff 0 = t
	setp.ge.u64 0 1 = f

	add.rn.f32 16777216f 1f = 16777216f
	add.rn.f32 16777218f 1f = 16777220f
	add.rn.f32 0x00000001 0x00000001 = 0x00000002
	add.rn.f32 0x7f800000 0xff800000 = 0x7fffffff
	add.rn.f32 0xffc12345 1f = 0x7fffffff
	sub.rn.f32 0f 0f = 0
	sub.rn.f32 1f 3f = -2f
	mul.rn.f32 0x3f800001 0x3f800001 = 0x3f800002
	mul.rn.f32 0x00800000 0.5f = 0x00400000
	mul.rn.f32 -0f 5f = 0x80000000
	div.rn.f32 1f 3f = 0x3eaaaaab
	div.rn.f32 1f 0f = 0x7f800000
	div.rn.f32 0f 0f = 0x7fffffff
	fma.rn.f32 0x3f800800 0x3f800800 0xbf801000 = 0x33800000
	fma.rn.f32 0x33800001 0x3f7ffffe 0x3f800001 = 0x3f800001
	fma.rn.f32 0x00800000 0x3f000001 0 = 0x00400000
	fma.rn.f32 0x7f000000 4f 0xff800000 = 0xff800000
	rcp.rn.f32 3f = 0x3eaaaaab
	rcp.rn.f32 -0f = 0xff800000
	sqrt.rn.f32 2f = 0x3fb504f3
	sqrt.rn.f32 -1f = 0x7fffffff
	neg.f32 0f = 0x80000000
	abs.f32 -3f = 3f
	min.f32 0x7fc00000 1f = 1f
	min.f32 -0f 0f = 0x80000000
	max.f32 1f 0x7fc00000 = 1f
	max.f32 -0f 0f = 0
	max.f32 0xffc00000 0x7fc00000 = 0x7fffffff
	add.rn.f64 9007199254740992d 1d = 9007199254740992d
	sub.rn.f64 1d 3d = -2d
	mul.rn.f64 0x3ff0000000000001 0x3ff0000000000001 = 0x3ff0000000000002
	div.rn.f64 1d 3d = 0x3fd5555555555555
	fma.rn.f64 0x3ff0000002000000 0x3ff0000002000000 0xbff0000004000000 = 0x3c90000000000000
	rcp.rn.f64 3d = 0x3fd5555555555555
	sqrt.rn.f64 2d = 0x3ff6a09e667f3bcd
	neg.f64 0d = 0x8000000000000000
	abs.f64 -3d = 3d
	max.f64 0x7ff8000000000000 1d = 1d
	max.f64 -2d -1d = -1d
	ex2.approx.ftz.f32 3f = 8f
	ex2.approx.ftz.f32 -2f = 0.25f
	ex2.approx.ftz.f32 -126f = 0x00800000
	ex2.approx.ftz.f32 -127f = 0
	ex2.approx.ftz.f32 0x807fffff = 1f
	ex2.approx.ftz.f32 0xff800000 = 0
	ex2.approx.ftz.f32 0x7f800000 = 0x7f800000
	rsqrt.approx.f32 4f = 0.5f
	rsqrt.approx.f32 0f = 0x7f800000
	rsqrt.approx.f32 -0f = 0xff800000
	rsqrt.approx.f32 -1f = 0x7fffffff
	rsqrt.approx.f32 0x7f800000 = 0

	setp.eq.f32 0f -0f = t
	setp.eq.f32 0x7fc00000 0x7fc00000 = f
	setp.neu.f32 0x7fc00000 1f = t
	setp.neu.f32 1f 1f = f
	setp.lt.f32 1f 2f = t
	setp.lt.f32 0x7fc00000 2f = f
	setp.le.f32 2f 2f = t
	setp.le.f32 2f 0x7fc00000 = f
	setp.gt.f32 2f 1f = t
	setp.gt.f32 2f 0x7fc00000 = f
	setp.ge.f32 1f 2f = f
	setp.ge.f32 2f 2f = t
	setp.ge.f32 0x7fc00000 2f = f
	setp.ltu.f32 0x7fc00000 2f = t
	setp.ltu.f32 2f 2f = f
	setp.leu.f32 0x7fc00000 2f = t
	setp.leu.f32 3f 2f = f
	setp.geu.f32 0x7fc00000 2f = t
	setp.geu.f32 1f 2f = f
	setp.num.f32 1f 2f = t
	setp.num.f32 1f 0x7fc00000 = f
	setp.nan.f32 1f 2f = f
	setp.nan.f32 0x7fc00000 2f = t
	setp.eq.f64 1d 1d = t
	setp.neu.f64 0x7ff8000000000000 1d = t
	setp.neu.f64 1d 1d = f
	setp.lt.f64 1d 2d = t
	setp.lt.f64 0x7ff8000000000000 2d = f
	setp.gt.f64 2d 1d = t
	setp.gt.f64 0x7ff8000000000000 1d = f
	setp.ge.f64 1d 2d = f
	setp.ge.f64 2d 2d = t
	setp.ltu.f64 0x7ff8000000000000 1d = t
	setp.ltu.f64 2d 1d = f
	setp.leu.f64 0x7ff8000000000000 1d = t
	setp.leu.f64 2d 1d = f
	setp.leu.f64 1d 1d = t
	setp.gtu.f64 0x7ff8000000000000 1d = t
	setp.gtu.f64 1d 1d = f
	setp.geu.f64 0x7ff8000000000000 1d = t
	setp.geu.f64 1d 1d = t
	setp.geu.f64 0d 1d = f
	setp.nan.f64 1d 0x7ff8000000000000 = t
	setp.nan.f64 1d 1d = f

	cvt.u64.u32 0xffffffff = 0xffffffff
	cvt.s64.s32 0xffffffff = 0xffffffffffffffff
	cvt.u32.u64 0x123456789 = 0x23456789
	cvt.u16.u64 0x123456789 = 0x6789
	cvt.u16.u32 0x12345678 = 0x5678
	cvt.u32.u16 0xffff = 0xffff
	cvt.u64.u16 0xffff = 0xffff
	cvt.s64.s8 0x80 = 0xffffffffffffff80
	cvt.s64.s16 0x8000 = 0xffffffffffff8000
	cvt.f64.f32 0.1f = 0x3fb99999a0000000
	cvt.rn.f32.f64 0.1d = 0x3dcccccd
	cvt.rn.f32.f64 1e300d = 0x7f800000
	cvt.rn.f32.u16 0xffff = 65535f
	cvt.rn.f32.u32 0xffffffff = 0x4f800000
	cvt.rn.f32.s32 0xffffffff = -1f
	cvt.rn.f32.s32 16777217 = 16777216f
	cvt.rn.f32.s64 0xffffffffffffffff = -1f
	cvt.rn.f64.u16 0xffff = 65535d
	cvt.rn.f64.u32 0xffffffff = 4294967295d
	cvt.rn.f64.s32 0xffffffff = -1d
	cvt.rn.f64.u64 0xffffffffffffffff = 18446744073709551616d
	cvt.rn.f64.s64 0xffffffffffffffff = -1d
	cvt.rzi.s32.f32 -1.9f = 0xffffffff
	cvt.rzi.s32.f32 1e20f = 0x7fffffff
	cvt.rzi.s32.f32 -1e20f = 0x80000000
	cvt.rzi.s32.f32 0x7fc00000 = 0
	cvt.rzi.u32.f32 1.9f = 1
	cvt.rzi.u32.f32 -1.9f = 0
	cvt.rzi.u32.f32 1e20f = 0xffffffff
	cvt.rzi.u32.f32 0x7fc00000 = 0
	cvt.rzi.s64.f32 -1.9f = 0xffffffffffffffff
	cvt.rzi.s64.f32 1e30f = 0x7fffffffffffffff
	cvt.rzi.s64.f32 0x7fc00000 = 0x8000000000000000
	cvt.rzi.s32.f64 -1.9d = 0xffffffff
	cvt.rzi.s32.f64 1e20d = 0x7fffffff
	cvt.rzi.s32.f64 0x7ff8000000000000 = 0x80000000
	cvt.rzi.s64.f64 -1.9d = 0xffffffffffffffff
	cvt.rzi.s64.f64 0x7ff8000000000000 = 0x8000000000000000
	cvt.rzi.u64.f64 1.9d = 1
	cvt.rzi.u64.f64 -1d = 0
	cvt.rzi.u64.f64 1e30d = 0xffffffffffffffff
	cvt.rzi.u64.f64 0x7ff8000000000000 = 0x8000000000000000
	cvt.rni.f32.f32 2.5f = 2f
	cvt.rni.f32.f32 3.5f = 4f
	cvt.rni.f32.f32 -0.4f = 0x80000000
	cvt.rmi.f32.f32 -1.5f = -2f
	cvt.rpi.f32.f32 -1.5f = -1f
	cvt.rzi.f64.f64 -1.9d = -1d
	cvt.rna.tf32.f32 0x3f801000 = 0x3f802000
	cvt.rna.tf32.f32 0x3f800fff = 0x3f800000
	cvt.rna.tf32.f32 0xbf801000 = 0xbf802000
	cvt.rna.tf32.f32 0x3f803000 = 0x3f804000
	cvt.rna.tf32.f32 0x7f7fffff = 0x7f800000
	cvt.rna.tf32.f32 0x7f800000 = 0x7f800000
	cvt.rna.tf32.f32 0x7f800001 = 0x7fffffff
	cvt.rn.bf16x2.f32 0x3f808000 0x3f818000 = 0x3f803f82
	cvt.rn.bf16x2.f32 0x3f808001 0x3f807fff = 0x3f813f80
	cvt.rn.bf16x2.f32 0x7f7fffff 0xff800001 = 0x7f807fff
`

// bitsOf reads a number of the rows.
func bitsOf(t *testing.T, text string) uint64 {
	t.Helper()
	if strings.HasPrefix(text, "0x") || !strings.ContainsAny(text, "fd") {
		n, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	v, err := strconv.ParseFloat(text[:len(text)-1], 64)
	if err != nil {
		t.Fatal(err)
	}
	if text[len(text)-1] == 'f' {
		v32, _ := strconv.ParseFloat(text[:len(text)-1], 32)
		return uint64(math.Float32bits(float32(v32)))
	}
	return math.Float64bits(v)
}

const head = ".version 7.1\n.target sm_80\n.address_size 64\n"

// kernel is a module with one kernel k, which has a pointer %rd1 to memory.
func kernel(t testing.TB, body string) *Module {
	t.Helper()
	text := head + ".extern .shared .align 16 .b8 dynamic[];\n.visible .entry k(\n.param .u64 k_param_0\n)\n{\n.reg .pred %p<40>;\n.reg .b16 %rs<40>;\n.reg .b32 %r<99>;\n.reg .f32 %f<99>;\n.reg .b64 %rd<99>;\n.reg .f64 %fd<40>;\n" +
		"ld.param.u64 %rd1, [k_param_0];\n" + body + "\nret;\n}\n"
	m, err := Parse("test.ptx", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// memoryOf is n bytes of memory that nobody has written, and its region.
func memoryOf(n int) Region {
	return Region{Base: 0x7f0000000000, Data: make([]byte, n), Known: make([]byte, n)}
}

// written is memory with values.
func written(values ...uint32) Region {
	r := memoryOf(4 * len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(r.Data[4*i:], v)
	}
	for i := range r.Known {
		r.Known[i] = 1
	}
	return r
}

// launch runs k with this many threads of one block.
func launch(m *Module, threads int, r Region) error {
	return NewMachine().Run(m, &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Shared: 1024, Arguments: []uint64{r.Base}, Memory: []Region{r}, Limit: 100000})
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	tables := []map[string]operation{integers, moves, comparisons, floats, conversions}
	for _, row := range strings.Split(strings.TrimSpace(rows), "\n") {
		source, want, ok := strings.Cut(strings.TrimSpace(row), " = ")
		if !ok {
			continue
		}
		words := strings.Fields(source)
		name := words[0]
		tested[name] = true
		form := ""
		for _, table := range tables {
			if o, ok := table[name]; ok {
				form = o.form
			}
		}
		if len(form) != len(words) {
			t.Fatalf("%s: form %q", row, form)
		}
		var body strings.Builder
		args := make([]string, len(form))
		for i, class := range form {
			switch class {
			case 'w':
				args[i] = fmt.Sprintf("%%r%d", 10+i)
			case 'd':
				args[i] = fmt.Sprintf("%%rd%d", 10+i)
			default:
				args[i] = fmt.Sprintf("%%p%d", 10+i)
			}
			if i == 0 {
				continue
			}
			switch class {
			case 'w':
				fmt.Fprintf(&body, "mov.b32 %s, %#x;\n", args[i], bitsOf(t, words[i]))
			case 'd':
				fmt.Fprintf(&body, "mov.b64 %s, %#x;\n", args[i], bitsOf(t, words[i]))
			default:
				fmt.Fprintf(&body, "mov.pred %s, %d;\n", args[i], map[string]int{"t": -1, "f": 0}[words[i]])
			}
		}
		fmt.Fprintf(&body, "%s %s;\n", name, strings.Join(args, ", "))
		var expected uint64
		switch form[0] {
		case 'w':
			body.WriteString("cvt.u64.u32 %rd90, %r10;\n")
			expected = bitsOf(t, want)
		case 'd':
			body.WriteString("mov.b64 %rd90, %rd10;\n")
			expected = bitsOf(t, want)
		default:
			body.WriteString("selp.b64 %rd90, 1, 0, %p10;\n")
			expected = map[string]uint64{"t": 1, "f": 0}[want]
		}
		body.WriteString("st.global.u64 [%rd1], %rd90;")
		r := memoryOf(8)
		if err := launch(kernel(t, body.String()), 1, r); err != nil {
			t.Errorf("%s: %v", row, err)
			continue
		}
		if got := binary.LittleEndian.Uint64(r.Data); got != expected {
			t.Errorf("%s: got %#x", row, got)
		}
	}
	for _, table := range tables {
		for name := range table {
			if !tested[name] {
				t.Errorf("%s has no row", name)
			}
		}
	}
}

// The approximate functions stay within the errors that the instruction set allows.
func TestApproximations(t *testing.T) {
	t.Parallel()
	for v := -140.0; v < 130; v += 0.0371 {
		x := float32(v)
		got, want := float64(float(power2(math.Float32bits(x)))), math.Exp2(float64(x))
		if want < least32 {
			want = 0
		}
		if math.Abs(got-want) > 0x1p-22*want && !math.IsInf(got, 1) {
			t.Errorf("2^%g = %g, want %g", x, got, want)
		}
		x = float32(math.Exp2(v))
		if x == 0 || math.IsInf(float64(x), 0) {
			continue
		}
		got, want = float64(float(reciprocalRoot(x))), 1/math.Sqrt(float64(x))
		if math.Abs(got-want) > math.Exp2(-22.9)*want {
			t.Errorf("1/√%g = %g, want %g", x, got, want)
		}
	}
}

// A product and sum rounded once, against sums of 100 bits.
func TestFusedMultiplyAdd(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	for i := range 30000 {
		var v [3]float32
		for j := range v {
			seed = seed*6364136223846793005 + 1442695040888963407
			exponent := uint32(127-12) + uint32(seed>>40)%24
			if i%4 == 0 {
				exponent = uint32(seed>>40) % 140 // small ones, and results below the normal range
			}
			mantissa := uint32(seed>>33) & 0x7fffff
			if i%3 == 0 {
				mantissa &= 0x700007
			}
			v[j] = float(uint32(seed>>63)<<31 | exponent<<23 | mantissa)
		}
		want := exactFMA(v[0], v[1], v[2])
		if got := fma32(v[0], v[1], v[2]); got != want {
			t.Fatalf("%g·%g + %g = %g, want %g", v[0], v[1], v[2], got, want)
		}
	}
}

// exactFMA adds in big floats and rounds once.
func exactFMA(a, b, c float32) float32 {
	const bits = 600
	p := new(big.Float).SetPrec(bits).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	p.Add(p, big.NewFloat(float64(c)))
	v, _ := p.Float32()
	return v
}
