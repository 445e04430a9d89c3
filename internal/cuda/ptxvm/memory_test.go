// Every kind of mistake, and what looks like one and is none.

package ptxvm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// address is %rd2 = %rd1 + 4·thread.
const address = "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\n"

// sharedAddress is %rd4 = dynamic + 4·thread.
const sharedAddress = address + "mov.u64 %rd4, dynamic;\nadd.s64 %rd4, %rd4, %rd3;\n"

var mistakes = []struct {
	name    string
	threads int
	body    string
	kind    string // "" for none
	line    string // what the faulty line has
	lane    int
}{
	{"a register", 32, "add.s32 %r2, %r3, 1;", Unwritten, "add.s32", 0},
	{"a register of some lanes", 32, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 mov.b32 %r2, 1;\nadd.s32 %r3, %r2, 1;", Unwritten, "add.s32", 7},
	{"a predicate", 32, "@%p3 bra $L1;\n$L1:", Unwritten, "bra", 0},
	{"written by each branch", 32, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bra $L1;\nmov.b32 %r2, 2;\nbra.uni $L2;\n$L1:\nmov.b32 %r2, 1;\n$L2:\nadd.s32 %r3, %r2, 1;", "", "", 0},
	{"global memory", 32, address + "ld.global.u32 %r2, [%rd2+4096];", Unwritten, "ld.global", 0},
	{"shared memory", 32, sharedAddress + "ld.shared.u32 %r2, [%rd4];", Unwritten, "ld.shared", 0},
	{"beyond global memory", 32, address + "st.global.u32 [%rd2+8100], %r1;", Bounds, "st.global", 23},
	{"before global memory", 32, address + "st.global.u32 [%rd2+-4], %r1;", Bounds, "st.global", 0},
	{"a vector that ends beyond", 1, "mov.b32 %r2, 0;\nst.global.v4.u32 [%rd1+8192], {%r2, %r2, %r2, %r2};", Bounds, "st.global", 0},
	{"beyond shared memory", 32, sharedAddress + "st.shared.u32 [%rd4+900], %r1;", Bounds, "st.shared", 31},
	{"address 0 of shared memory", 1, "mov.b32 %r2, 0;\nmov.b64 %rd4, 0;\nst.shared.u32 [%rd4], %r2;", Bounds, "st.shared", 0},
	{"before a shared variable", 1, "mov.b32 %r2, 0;\nmov.u64 %rd4, dynamic;\nst.shared.u32 [%rd4+-4], %r2;", Bounds, "st.shared", 0},
	{"misaligned", 32, address + "ld.global.u32 %r2, [%rd1+2];", Misaligned, "ld.global", 0},
	{"a misaligned vector", 1, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];", Misaligned, "ld.global", 0},
	{"an aligned vector", 1, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];", "", "", 0},
	{"shared memory by a generic address", 32, sharedAddress + "cvta.shared.u64 %rd5, %rd4;\nst.f32 [%rd5], 0f3F800000;\nld.shared.f32 %f1, [%rd4];", "", "", 0},
	{"a generic address in no space", 1, "mov.b64 %rd5, 64;\nst.f32 [%rd5], 0f3F800000;", Bounds, "st.f32", 0},

	{"neighbors in a warp", 32, sharedAddress + "st.shared.u32 [%rd4], %r1;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd6, %r2, 4;\nmov.u64 %rd7, dynamic;\nadd.s64 %rd7, %rd7, %rd6;\nld.shared.u32 %r3, [%rd7];", Race, "ld.shared", 0},
	{"neighbors after a warp barrier", 32, sharedAddress + "st.shared.u32 [%rd4], %r1;\nbar.warp.sync -1;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd6, %r2, 4;\nmov.u64 %rd7, dynamic;\nadd.s64 %rd7, %rd7, %rd6;\nld.shared.u32 %r3, [%rd7];", "", "", 0},
	{"warps after a warp barrier", 64, sharedAddress + "st.shared.u32 [%rd4], %r1;\nbar.warp.sync -1;\nxor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, %r2, 4;\nmov.u64 %rd7, dynamic;\nadd.s64 %rd7, %rd7, %rd6;\nld.shared.u32 %r3, [%rd7];", "either", "ld.shared", 0},
	{"warps after a barrier", 64, sharedAddress + "st.shared.u32 [%rd4], %r1;\nbar.sync 0;\nxor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, %r2, 4;\nmov.u64 %rd7, dynamic;\nadd.s64 %rd7, %rd7, %rd6;\nld.shared.u32 %r3, [%rd7];", "", "", 0},
	{"a write after another warp's read", 64, "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\nld.global.u32 %r2, [%rd1];\n@%p1 st.global.u32 [%rd1], %r2;", Race, "global", -2},
	{"one word for all", 32, address + "st.global.u32 [%rd1], %r1;", Race, "st.global", 1},
	{"atomic sums", 64, "atom.global.add.u32 %r2, [%rd1], 1;", "", "", 0},
	{"a read beside atomic sums", 64, "atom.global.add.u32 %r2, [%rd1], 1;\nld.global.u32 %r3, [%rd1];", Race, "", -2},
	{"bytes of one word", 32, "mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd3, %r1;\nadd.s64 %rd2, %rd1, %rd3;\ncvt.u16.u32 %rs1, %r1;\nst.global.u8 [%rd2], %rs1;", "", "", 0},

	{"half a warp at a barrier", 32, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:", Divergence, "bar.sync", 16},
	{"a warp that ends before the barrier", 64, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:", Divergence, "bar.sync", -1},
	{"barriers of two branches", 64, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra $L1;\nbar.sync 0;\nbra.uni $L2;\n$L1:\nbar.sync 0;\n$L2:", Divergence, "bar.sync", -1},
	{"lanes that meet again", 32, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra $L1;\nadd.s32 %r1, %r1, 1;\n$L1:\nbar.sync 0;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;", "", "", 0},
	{"a lane that is not in the mask", 32, "mov.u32 %r1, %tid.x;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x7fffffff;", Mask, "shfl", 31},
	{"a mask of lanes that are not there", 16, "mov.u32 %r1, %tid.x;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;", Mask, "shfl", 16},
	{"a ballot of half a warp", 32, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra $L1;\nvote.sync.ballot.b32 %r2, %p1, -1;\n$L1:", Divergence, "vote", 0},
	{"a product of half a warp", 16, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%r1,%r2,%r3,%r4}, {0,0,0,0}, {0,0}, {0,0,0,0};", Divergence, "mma", 0},
	{"division", 32, "mov.u32 %r1, %tid.x;\nsub.s32 %r2, %r1, 5;\ndiv.u32 %r3, 7, %r2;", Division, "div", 5},
	{"division of a lane that does not run", 32, "mov.u32 %r1, %tid.x;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 div.u32 %r3, 7, %r1;", "", "", 0},
	{"a remainder of 64 bits", 1, "mov.b64 %rd3, 0;\nrem.s64 %rd4, %rd1, %rd3;", Division, "rem", 0},
	{"no end", 32, "$L1:\nbra.uni $L1;", Endless, "bra", -1},

	{"a copy that is read too early", 32, sharedCopy + "ld.shared.u32 %r5, [%rd4];", Pending, "ld.shared", 0},
	{"a copy that is not committed", 32, sharedCopy + "cp.async.wait_group 0;\nld.shared.u32 %r5, [%rd4];", Pending, "ld.shared", 0},
	{"a copy", 32, sharedCopy + "cp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r5, [%rd4];", "", "", 0},
	{"a wait that leaves one group", 32, sharedCopy + "cp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 %r5, [%rd4];", Pending, "ld.shared", 0},
	{"another lane's copy without a barrier", 32, sharedCopy + "cp.async.commit_group;\ncp.async.wait_group 0;\nxor.b32 %r6, %r4, 4;\ncvt.u64.u32 %rd8, %r6;\nld.shared.u32 %r5, [%rd8];", Race, "ld.shared", 0},
	{"two copies to one place", 32, "mov.u64 %rd4, dynamic;\ncvt.u32.u64 %r4, %rd4;\ncp.async.ca.shared.global [%r4], [%rd1], 4, 4;", Pending, "cp.async", 1},
	{"a misaligned copy", 1, "mov.u64 %rd4, dynamic;\ncvt.u32.u64 %r4, %rd4;\ncp.async.cg.shared.global [%r4], [%rd1+4], 16, 16;", Misaligned, "cp.async", 0},
	{"a copy of nothing reads nothing", 1, "mov.u64 %rd4, dynamic;\ncvt.u32.u64 %r4, %rd4;\nmov.b64 %rd5, 0;\ncp.async.cg.shared.global [%r4], [%rd5], 16, 0;", "", "", 0},
}

// sharedCopy copies 4 bytes of each thread to dynamic + 4·thread, whose address is %r4.
const sharedCopy = sharedAddress + "cvt.u32.u64 %r4, %rd4;\ncp.async.ca.shared.global [%r4], [%rd2], 4, 4;\n"

// Every mistake is found in every order, at its line and lane.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range mistakes {
		m := kernel(t, c.body)
		for _, seed := range []uint64{0, 1, 2, 3} {
			r := memoryOf(8192)
			for i := range 1024 {
				r.Known[i] = 1
			}
			err := NewMachine().Run(m, &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{c.threads, 1, 1}, Shared: 1024, Arguments: []uint64{r.Base},
				Memory: []Region{r}, Limit: 10000, Seed: seed, Reverse: seed == 3})
			if c.kind == "" {
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				continue
			}
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			// Of two warps the first to come has not written, or raced.
			if fault.Kind != c.kind && !(c.kind == "either" && (fault.Kind == Race || fault.Kind == Unwritten)) {
				t.Errorf("%s: %s: %v, want %s", c.name, fault.Kind, err, c.kind)
			}
			source := strings.Split(source("", c.body), "\n")[fault.Line-1]
			if !strings.Contains(source, c.line) || c.lane > -2 && fault.Lane != c.lane && c.kind != "either" {
				t.Errorf("%s: lane %d at %q, want lane %d at %q", c.name, fault.Lane, source, c.lane, c.line)
			}
		}
	}
}

// Blocks of one launch must not touch what another has written; the next launch may.
func TestRacesBetweenBlocks(t *testing.T) {
	t.Parallel()
	m := kernel(t, "mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;")
	machine, r := NewMachine(), memoryOf(64)
	run := func(blocks int) error {
		return machine.Run(m, &Launch{Kernel: "k", Grid: [3]int{blocks, 1, 1}, Block: [3]int{1, 1, 1}, Shared: 16, Arguments: []uint64{r.Base}, Memory: []Region{r}})
	}
	if err := errors.Join(run(1), run(1)); err != nil {
		t.Error(err)
	}
	var fault *Fault
	if err := run(2); !errors.As(err, &fault) || fault.Kind != Race || !strings.Contains(err.Error(), "another block") {
		t.Error(err)
	}
	// Two blocks read, then the second writes.
	m = kernel(t, "mov.u32 %r1, %ctaid.x;\nsetp.eq.s32 %p1, %r1, 1;\nld.global.u32 %r2, [%rd1];\n@%p1 st.global.u32 [%rd1], %r2;")
	if err := run(2); !errors.As(err, &fault) || fault.Kind != Race {
		t.Error(err)
	}
}

// Parse and compilation say where something unknown stands.
func TestUnknownIsAnError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"add.f16 %r1, %r2, %r3;":                         "unknown instruction add.f16",
		"add.rz.f32 %f1, %f2, %f3;":                      "unknown instruction add.rz.f32",
		"add.s32 %r1, %r2;":                              "with 2 operands, want 3",
		"add.s32 %rd2, %r2, %r3;":                        "%rd2 is no register",
		"add.s32 %r1, %r100, 1;":                         "%r100 is not declared",
		"bra $L7;":                                       "no label $L7",
		"bar.sync 1;":                                    "a barrier other than 0",
		"ld.global.v3.f32 {%f1, %f2, %f3}, [%rd1];":      "unknown instruction",
		"ld.global.v2.f32 {%f1}, [%rd1];":                "with 1 values, want 2",
		"cp.async.cg.shared.global [%r1], [%rd1], 8, 8;": "another number of bytes",
		"mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r1}, {%f1};": "unknown instruction",
		"mov.b32 %r1, 0x1ffffffff;":      "more than 32 bits",
		"call.uni f, (%r1);":             "f is not a function",
		"ld.param.u32 %r1, [k_param_0];": "of a parameter of type u64",
		"mov.b32 %tid.x, 1;":             "no register",
	} {
		m, err := Parse("test.ptx", source("", body))
		if err == nil {
			_, err = m.program("k")
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "test.ptx: line 1") {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                      "no entry",
		".version 8.0":                          "want 7.1",
		".global .u32 x;":                       "unknown directive",
		head + ".visible .entry k()\n{\nret\n}": "is no operand",
		head + "\"":                             "without end",
		head + "?":                              "unknown character",
	} {
		if _, err := Parse("test.ptx", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Launches that no device takes.
func TestRefusedLaunches(t *testing.T) {
	t.Parallel()
	m := kernel(t, "")
	for i, l := range []*Launch{
		{Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}},
		{Kernel: "k", Grid: [3]int{1, 0, 1}, Block: [3]int{1, 1, 1}, Arguments: []uint64{0}},
		{Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{1025, 1, 1}, Arguments: []uint64{0}},
		{Kernel: "other", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Arguments: []uint64{0}},
	} {
		if err := NewMachine().Run(m, l); err == nil {
			t.Errorf("launch %d", i)
		}
	}
}

func ExampleFault() {
	err := &Fault{Kind: Race, File: "pool.ptx", Line: 7, Kernel: "max_pool_f32", Warp: 1, Lane: 2, What: "race"}
	fmt.Println(err)
	// Output: max_pool_f32, pool.ptx line 7, block (0 0 0), warp 1 lane 2: race
}
