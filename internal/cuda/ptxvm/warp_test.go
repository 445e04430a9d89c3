// Lanes: divergence, calls, shuffles and votes; matrices of a warp.

package ptxvm

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// each runs a body that leaves %r9 in every thread, and gives what they have.
func each(t *testing.T, threads int, body string) []uint32 {
	t.Helper()
	r := memoryOf(4 * threads)
	if err := launch(kernel(t, address+body+"\nst.global.u32 [%rd2], %r9;"), threads, r); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	out := make([]uint32, threads)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.Data[4*i:])
	}
	return out
}

// The lanes that shuffles read, with segments of 8 lanes and without. The operand c has the
// highest lane in bits 0 … 4 and the bits of the lane's number that stay in bits 8 … 12.
func TestShuffles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode string
		b, c int
		lane func(i int) int
	}{
		{"bfly", 1, 31, func(i int) int { return i ^ 1 }},
		{"bfly", 16, 31, func(i int) int { return i ^ 16 }},
		{"bfly", 8, 0x181f, func(i int) int { // from earlier segments, but not from later ones
			if i&8 != 0 {
				return i ^ 8
			}
			return i
		}},
		{"bfly", 3, 0x181f, func(i int) int { return i ^ 3 }},
		{"idx", 5, 31, func(int) int { return 5 }},
		{"idx", 5, 0x181f, func(i int) int { return i&24 | 5 }},
		{"up", 3, 0, func(i int) int {
			if i < 3 {
				return i
			}
			return i - 3
		}},
		{"down", 3, 31, func(i int) int {
			if i+3 > 31 {
				return i
			}
			return i + 3
		}},
		{"down", 3, 0x181f, func(i int) int {
			if i%8+3 > 7 {
				return i
			}
			return i + 3
		}},
	} {
		got := each(t, 32, fmt.Sprintf("add.s32 %%r2, %%r1, 100;\nshfl.sync.%s.b32 %%r9, %%r2, %d, %d, -1;", c.mode, c.b, c.c))
		for i, v := range got {
			if int(v) != 100+c.lane(i) {
				t.Errorf("%s by %d, %#x: lane %d reads lane %d, want %d", c.mode, c.b, c.c, i, int(v)-100, c.lane(i))
			}
		}
	}
	// A shuffle of the lower half alone.
	got := each(t, 32, "setp.lt.u32 %p1, %r1, 16;\nmov.b32 %r9, 7;\n@!%p1 bra $L1;\nshfl.sync.bfly.b32 %r9, %r1, 1, 31, 0xffff;\n$L1:")
	for i, v := range got {
		if want := uint32(i ^ 1); i < 16 && v != want || i >= 16 && v != 7 {
			t.Errorf("lane %d: %d", i, v)
		}
	}
}

func TestVotes(t *testing.T) {
	t.Parallel()
	for i, v := range each(t, 32, "and.b32 %r2, %r1, 3;\nsetp.eq.s32 %p1, %r2, 1;\nvote.sync.ballot.b32 %r9, %p1, -1;") {
		if v != 0x22222222 {
			t.Errorf("lane %d: %#x", i, v)
		}
	}
}

// Lanes run through a loop as often as their number says, and meet behind it.
func TestDivergence(t *testing.T) {
	t.Parallel()
	got := each(t, 32, `mov.b32 %r9, 0;
		mov.b32 %r3, 0;
	$LOOP:
		setp.ge.u32 %p1, %r3, %r1;
		@%p1 bra $DONE;
		and.b32 %r4, %r3, 1;
		setp.eq.s32 %p2, %r4, 0;
		@!%p2 bra $ODD;
		add.s32 %r9, %r9, 10;
		bra.uni $NEXT;
	$ODD:
		add.s32 %r9, %r9, 1;
	$NEXT:
		add.s32 %r3, %r3, 1;
		bra.uni $LOOP;
	$DONE:
		vote.sync.ballot.b32 %r5, %p1, -1;
		sub.s32 %r9, %r9, %r5;`)
	for i, v := range got {
		if want := uint32((i+1)/2*10 + i/2 + 1); v != want {
			t.Errorf("lane %d: %d, want %d", i, v, want)
		}
	}
}

// source is a module with functions and the kernel k.
func source(functions, body string) string {
	return head + ".extern .shared .align 16 .b8 dynamic[];\n" + functions + ".visible .entry k(\n.param .u64 k_param_0\n)\n{\n.reg .pred %p<40>;\n.reg .b16 %rs<40>;\n.reg .b32 %r<99>;\n.reg .f32 %f<99>;\n.reg .b64 %rd<99>;\n.reg .f64 %fd<40>;\n" +
		"ld.param.u64 %rd1, [k_param_0];\n" + body + "\nret;\n}\n"
}

// Lanes that call a function, and those that do not, go on together.
func TestCalls(t *testing.T) {
	t.Parallel()
	function := `.func f(.param .b64 f_param_0, .param .b32 f_param_1)
	{
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.reg .pred %p<9>;
	ld.param.u64 %rd1, [f_param_0];
	ld.param.u32 %r1, [f_param_1];
	setp.lt.u32 %p1, %r1, 4;
	@%p1 ret;
	mul.lo.s32 %r2, %r1, %r1;
	st.global.u32 [%rd1], %r2;
	ret;
	}
	`
	body := address + `st.global.u32 [%rd2], 1000;
	and.b32 %r3, %r1, 1;
	setp.eq.s32 %p1, %r3, 0;
	@!%p1 bra $L1;
	{
	.param .b64 param0;
	st.param.b64 [param0+0], %rd2;
	.param .b32 param1;
	st.param.b32 [param1+0], %r1;
	call.uni
	f,
	(
	param0,
	param1
	);
	}
	$L1:
	bar.sync 0;`
	m, err := Parse("test.ptx", source(function, body))
	if err != nil {
		t.Fatal(err)
	}
	r := memoryOf(4 * 64)
	if err := launch(m, 64, r); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		want := uint32(1000)
		if i%2 == 0 && i >= 4 {
			want = uint32(i * i)
		}
		if got := binary.LittleEndian.Uint32(r.Data[4*i:]); got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// fragments of the instruction set's tables: the row and column of register i, value v, in lane l.
type fragment struct {
	perRegister int
	a, b        func(l, i, v int) (row, column int)
}

func d(l, i int) (row, column int) {
	row, column = l>>2, l%4*2+i&1
	if i >= 2 {
		row += 8
	}
	return row, column
}

var fragments = map[string]fragment{
	// m16n8k8, tf32: a0 (group, thread), a1 (group+8, thread), a2 (group, thread+4), a3 (group+8, thread+4).
	"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": {1,
		func(l, i, _ int) (int, int) {
			return []int{l >> 2, l>>2 + 8, l >> 2, l>>2 + 8}[i], []int{l % 4, l % 4, l%4 + 4, l%4 + 4}[i]
		},
		func(l, i, _ int) (int, int) { return l%4 + 4*i, l >> 2 }},
	// m16n8k16, bf16: columns 2·thread and the next, from the third register on 8 more.
	"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": {2,
		func(l, i, v int) (int, int) {
			return []int{l >> 2, l>>2 + 8, l >> 2, l>>2 + 8}[i], l%4*2 + v + []int{0, 0, 8, 8}[i]
		},
		func(l, i, v int) (int, int) { return l%4*2 + v + 8*i, l >> 2 }},
	// m16n8k32, u8: columns 4·thread and three more, from the third register on 16 more.
	"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32": {4,
		func(l, i, v int) (int, int) {
			return []int{l >> 2, l>>2 + 8, l >> 2, l>>2 + 8}[i], l%4*4 + v + []int{0, 0, 16, 16}[i]
		},
		func(l, i, v int) (int, int) { return l%4*4 + v + 16*i, l >> 2 }},
}

// Each fragment's values lie where the tables say: all products of small whole numbers, exact.
func TestFragments(t *testing.T) {
	t.Parallel()
	for name, f := range fragments {
		e := f.perRegister
		k := 8 * e
		a, b := make([][]int, 16), make([][]int, k)
		for i := range a {
			a[i] = make([]int, k)
			for j := range a[i] {
				a[i][j] = (i*31 + j*17 + i*j) % 13
			}
		}
		for i := range b {
			b[i] = make([]int, 8)
			for j := range b[i] {
				b[i][j] = (i*7 + j*11 + i*j*3) % 11
			}
		}
		encode := func(v int) uint32 { // of one value
			switch e {
			case 1:
				return math.Float32bits(float32(v)) | 0x1fff // the hardware leaves the lower bits out
			case 2:
				return math.Float32bits(float32(v)) >> 16
			}
			return uint32(v)
		}
		// In memory: six registers of each lane, then four sums, then room for the result.
		values := make([]uint32, 32*14)
		for l := range 32 {
			for i := range 6 {
				for v := range e {
					x := 0
					if i < 4 {
						row, column := f.a(l, i, v)
						x = a[row][column]
					} else {
						row, column := f.b(l, i-4, v)
						x = b[row][column]
					}
					values[l*14+i] |= encode(x) << (32 / e * v)
				}
			}
			for i := range 4 {
				values[l*14+6+i] = uint32(l*4 + i)
				if e < 4 {
					values[l*14+6+i] = math.Float32bits(float32(l*4 + i))
				}
			}
		}
		var body strings.Builder
		body.WriteString("mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 56;\nadd.s64 %rd2, %rd1, %rd3;\n")
		for i := range 10 {
			fmt.Fprintf(&body, "ld.global.u32 %%r%d, [%%rd2+%d];\n", 10+i, 4*i)
		}
		fmt.Fprintf(&body, "%s {%%r30,%%r31,%%r32,%%r33}, {%%r10,%%r11,%%r12,%%r13}, {%%r14,%%r15}, {%%r16,%%r17,%%r18,%%r19};\n", name)
		for i := range 4 {
			fmt.Fprintf(&body, "st.global.u32 [%%rd2+%d], %%r%d;\n", 40+4*i, 30+i)
		}
		r := written(values...)
		if err := launch(kernel(t, body.String()), 32, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for l := range 32 {
			for i := range 4 {
				row, column := d(l, i)
				want := l*4 + i
				for n := range k {
					want += a[row][n] * b[n][column]
				}
				got := binary.LittleEndian.Uint32(r.Data[4*(l*14+10+i):])
				if e < 4 {
					got = uint32(math.Float32frombits(got))
				}
				if int(got) != want {
					t.Fatalf("%s: lane %d value %d: %d, want %d", name, l, i, got, want)
				}
			}
		}
	}
}

// Matrices of 2-byte values 100·matrix + 10·row + column: lane l gets of each matrix row l/4,
// columns 2(l%4) and the next; transposed, column l/4 and rows 2(l%4) and the next.
func TestMatrixLoads(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 2, 4} {
		for _, transposed := range []bool{false, true} {
			trans := ""
			if transposed {
				trans = ".trans"
			}
			var body strings.Builder
			body.WriteString(sharedAddress + "shl.b32 %r2, %r1, 4;\ncvt.u64.u32 %rd5, %r2;\nmov.u64 %rd6, dynamic;\nadd.s64 %rd6, %rd6, %rd5;\n")
			// Thread i writes the row i: matrix i/8, row i%8.
			body.WriteString("shr.u32 %r3, %r1, 3;\nmul.lo.s32 %r3, %r3, 100;\nand.b32 %r4, %r1, 7;\nmad.lo.s32 %r3, %r4, 10, %r3;\n")
			for column := 0; column < 8; column += 2 {
				fmt.Fprintf(&body, "add.s32 %%r5, %%r3, %d;\nadd.s32 %%r6, %%r3, %d;\nshl.b32 %%r6, %%r6, 16;\nor.b32 %%r5, %%r5, %%r6;\nst.shared.u32 [%%rd6+%d], %%r5;\n", column, column+1, 2*column)
			}
			// Lanes that ldmatrix does not ask for give an address that is no good.
			fmt.Fprintf(&body, "bar.warp.sync -1;\nmov.b32 %%r8, 3;\nsetp.lt.u32 %%p1, %%r1, %d;\ncvt.u32.u64 %%r7, %%rd6;\nselp.b32 %%r7, %%r7, %%r8, %%p1;\n", 8*count)
			list := []string{"%r20", "%r21", "%r22", "%r23"}[:count]
			fmt.Fprintf(&body, "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%r7];\n", count, trans, strings.Join(list, ","))
			body.WriteString("mul.wide.u32 %rd7, %r1, 16;\nadd.s64 %rd7, %rd1, %rd7;\n")
			for i, r := range list {
				fmt.Fprintf(&body, "st.global.u32 [%%rd7+%d], %s;\n", 4*i, r)
			}
			r := memoryOf(512)
			if err := launch(kernel(t, body.String()), 32, r); err != nil {
				t.Fatal(err)
			}
			for l := range 32 {
				for i := range count {
					row, column := l/4, l%4*2
					low, high := 100*i+10*row+column, 100*i+10*row+column+1
					if transposed {
						low, high = 100*i+10*column+row, 100*i+10*(column+1)+row
					}
					if got := binary.LittleEndian.Uint32(r.Data[16*l+4*i:]); got != uint32(high)<<16|uint32(low) {
						t.Fatalf("x%d%s lane %d matrix %d: %d and %d, want %d and %d", count, trans, l, i, got&0xffff, got>>16, low, high)
					}
				}
			}
		}
	}
}

// Memory instructions that the rows of TestInstructions cannot have: bytes, signs, vectors, atomics, pairs.
func TestMemoryInstructions(t *testing.T) {
	t.Parallel()
	r := written(0x8091a2b3, 0xfffffffe, 5, 6, 7, 8, 9, 10)
	m := kernel(t, `
	ld.global.u8 %rs1, [%rd1+1];
	cvt.u32.u16 %r1, %rs1;
	st.global.u32 [%rd1+8], %r1;
	ld.global.s32 %rd2, [%rd1+4];
	st.global.u64 [%rd1+16], %rd2;
	ld.global.u32 %rd3, [%rd1+4];
	st.global.u64 [%rd1+24], %rd3;`)
	if err := launch(m, 1, r); err != nil {
		t.Fatal(err)
	}
	want := []uint32{0x8091a2b3, 0xfffffffe, 0xa2, 6, 0xfffffffe, 0xffffffff, 0xfffffffe, 0}
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(r.Data[4*i:]); got != w {
			t.Errorf("word %d: %#x, want %#x", i, got, w)
		}
	}
	r = written(1, 0, 3, 0, 5, 6, 7, 8)
	m = kernel(t, `
	mov.b64 %rd2, 9;
	red.max.u64 [%rd1], %rd2;
	red.min.u64 [%rd1+8], 2;
	atom.global.add.u64 %rd3, [%rd1+8], 40;
	st.global.u64 [%rd1+16], %rd3;
	mov.b64 %rd4, 0x1234567890abcdef;
	mov.b64 {%r1, %r2}, %rd4;
	st.global.v2.u32 [%rd1+24], {%r2, %r1};`)
	if err := launch(m, 1, r); err != nil {
		t.Fatal(err)
	}
	for i, w := range []uint32{9, 0, 42, 0, 2, 0, 0x12345678, 0x90abcdef} {
		if got := binary.LittleEndian.Uint32(r.Data[4*i:]); got != w {
			t.Errorf("word %d: %#x, want %#x", i, got, w)
		}
	}
	// 32 lanes add to one word of shared memory.
	for i, v := range each(t, 32, `mov.u64 %rd4, dynamic;
	setp.eq.s32 %p1, %r1, 0;
	@%p1 st.shared.u32 [%rd4], 100;
	bar.sync 0;
	atom.shared.add.u32 %r3, [%rd4], 2;
	bar.sync 0;
	ld.shared.u32 %r9, [%rd4];`) {
		if v != 164 {
			t.Errorf("lane %d: %d, want 164", i, v)
		}
	}
	// A copy of 4 of 16 bytes: the others are 0.
	r = written(1, 2, 3, 4, 0, 0, 0, 0)
	m = kernel(t, `mov.u64 %rd4, dynamic;
	cvt.u32.u64 %r4, %rd4;
	cp.async.cg.shared.global [%r4], [%rd1], 16, 4;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4];
	st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8};`)
	if err := launch(m, 1, r); err != nil {
		t.Fatal(err)
	}
	for i, w := range []uint32{1, 2, 3, 4, 1, 0, 0, 0} {
		if got := binary.LittleEndian.Uint32(r.Data[4*i:]); got != w {
			t.Errorf("word %d: %d, want %d", i, got, w)
		}
	}
}

// The same layouts as CuTe has them for these instructions: a lane's and a value's steps in a
// matrix counted down its rows, index = row + rows·column.
func TestFragmentsOfCuTe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b [][2]int // extents and steps: two of the lane, then of the value
	}{
		"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32":  {[][2]int{{4, 16}, {8, 1}, {2, 8}, {2, 64}}, [][2]int{{4, 8}, {8, 1}, {2, 32}}},
		"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": {[][2]int{{4, 32}, {8, 1}, {2, 16}, {2, 8}, {2, 128}}, [][2]int{{4, 16}, {8, 1}, {2, 8}, {2, 64}}},
		"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32":     {[][2]int{{4, 64}, {8, 1}, {4, 16}, {2, 8}, {2, 256}}, [][2]int{{4, 32}, {8, 1}, {4, 8}, {2, 128}}},
	} {
		place := func(layout [][2]int, l, v int) int {
			offset := l%4*layout[0][1] + l/4*layout[1][1]
			for _, step := range layout[2:] {
				offset += v % step[0] * step[1]
				v /= step[0]
			}
			return offset
		}
		f := fragments[name]
		for l := range 32 {
			for v := range 4 * f.perRegister {
				row, column := f.a(l, v/f.perRegister, v%f.perRegister)
				if at := place(c.a, l, v); at != row+16*column {
					t.Errorf("%s: A of lane %d, value %d: row %d, column %d; CuTe has %d, %d", name, l, v, row, column, at%16, at/16)
				}
			}
			for v := range 2 * f.perRegister {
				row, column := f.b(l, v/f.perRegister, v%f.perRegister)
				if at := place(c.b, l, v); at != column+8*row {
					t.Errorf("%s: B of lane %d, value %d: row %d, column %d; CuTe has %d, %d", name, l, v, row, column, at/8, at%8)
				}
			}
			for v := range 4 {
				row, column := d(l, v)
				if at := place([][2]int{{4, 32}, {8, 1}, {2, 16}, {2, 8}}, l, v); at != row+16*column {
					t.Errorf("%s: D of lane %d, value %d", name, l, v)
				}
			}
		}
	}
}
