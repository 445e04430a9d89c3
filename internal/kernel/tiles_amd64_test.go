//go:build amd64 && !noasm

// Tests of products on tiles. The machine code runs in an emulator, so that processors without tiles test it
// too; those that have them run it.

package kernel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"

	"repscope/internal/kernel/emulator"
)

// tileKernel is a micro-kernel with its size.
type tileKernel struct {
	name          string
	rows, columns int
	run           func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool)
}

var tileKernels = []tileKernel{
	{"R16V1", 16, 16, uint8AMXR16V1}, {"R16V2", 16, 32, uint8AMXR16V2},
	{"R32V1", 32, 16, uint8AMXR32V1}, {"R32V2", 32, 32, uint8AMXR32V2},
}

// machineCode is the address and the bytes of an assembly function. Its value in Go is a wrapper that calls it,
// and both have one name.
func machineCode(f any) (entry uintptr, code []byte) {
	wrapper := reflect.ValueOf(f).Pointer()
	name := runtime.FuncForPC(wrapper).Name()
	for pc := wrapper; runtime.FuncForPC(pc).Entry() == wrapper; pc++ {
		call := memoryAt(pc, 5)
		if call[0] != 0xe8 {
			continue
		}
		target := pc + 5 + uintptr(int(int32(binary.LittleEndian.Uint32(call[1:]))))
		if g := runtime.FuncForPC(target); g == nil || g.Entry() != target || target == wrapper || g.Name() != name {
			continue
		}
		end := target
		for g := runtime.FuncForPC(end); g != nil && g.Entry() == target; g = runtime.FuncForPC(end) {
			end++
		}
		return target, memoryAt(target, int(end-target))
	}
	panic(name + " calls no assembly")
}

// memoryAt is memory of the running program that is not Go's to move: code and constants.
func memoryAt(address uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// bytesOf are the bytes of n elements.
func bytesOf[T uint32 | int32](first *T, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(first)), 4*n)
}

func addressOf[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// emulated is the micro-kernel in the emulator. Only its panels and its part of the rows of C are there, the panels
// to be read.
func (k tileKernel) emulated() microKernel[uint32, int32] {
	entry, code := machineCode(k.run)
	return func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool) {
		m := emulator.Machine{
			Memory: []emulator.Region{
				{Address: addressOf(a), Bytes: bytesOf(a, depth*tilePanel)},
				{Address: addressOf(b), Bytes: bytesOf(b, depth*tilePanel)},
			},
			Constant: func(address uint64) []byte { return memoryAt(uintptr(address), 64) },
		}
		rows := unsafe.Slice(c, (k.rows-1)*stride+k.columns)
		for r := range k.rows {
			row := &rows[r*stride]
			m.Memory = append(m.Memory, emulator.Region{Address: addressOf(row), Bytes: bytesOf(row, k.columns), Writable: true})
		}
		var arguments []byte
		for _, v := range []uint64{uint64(depth), addressOf(a), addressOf(b), addressOf(c), uint64(stride), uint64(ahead)} {
			arguments = binary.LittleEndian.AppendUint64(arguments, v)
		}
		arguments = append(arguments, 0)
		if add {
			arguments[48] = 1
		}
		if err := m.Call(uint64(entry), code, arguments); err != nil {
			panic(fmt.Sprintf("%s: depth %d, stride %d, add %v: %v", k.name, depth, stride, add, err))
		}
		runtime.KeepAlive([]any{a, b, c})
	}
}

// emulatedTiles are products of bytes on tiles in the emulator.
func emulatedTiles() *uint8Tiling {
	t := tilesUint8()
	for i := range t.tiling.micro {
		for j, f := range t.tiling.micro[i] {
			offset := slices.IndexFunc(tileKernels, func(k tileKernel) bool {
				return reflect.ValueOf(k.run).Pointer() == reflect.ValueOf(f).Pointer()
			})
			t.tiling.micro[i][j] = tileKernels[offset].emulated()
		}
	}
	return t
}

// The packing of tiles' panels needs AVX2.
func init() {
	if list := implementations(); len(list) > 1 {
		impl := *list[len(list)-1]
		impl.name, impl.uint8 = "emulated amx", emulatedTiles()
		emulatedImplementations = []*implementation{&impl}
	}
}

// TestTilesEmulated: every micro-kernel's code gives the sums of plain loops, for all depths of a block, and touches
// nothing but its operands. Addresses and rows are odd multiples of an element.
func TestTilesEmulated(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	for _, k := range tileKernels {
		run := k.emulated()
		for depth := 16; depth <= KC; depth += 16 {
			a, b := make([]uint32, tilePanel*depth+1)[1:], make([]uint32, tilePanel*depth+1)[1:]
			for i := range a {
				a[i], b[i] = r.Uint32(), r.Uint32()
				if depth == KC {
					a[i], b[i] = 0xffffffff, 0xffffffff
				}
			}
			stride := k.columns + r.IntN(40)
			c := make([]int32, k.rows*stride)
			for i := range c {
				c[i] = r.Int32() - 1<<30
			}
			for _, add := range []bool{false, true} {
				want := slices.Clone(c)
				for i := range k.rows {
					for j := range k.columns {
						if !add {
							want[i*stride+j] = 0
						}
						for d := range 4 * depth {
							x := a[d/64*16*tilePanel+i*16+d%64/4] >> (d % 4 * 8) & 255
							y := b[d/4*tilePanel+j] >> (d % 4 * 8) & 255
							want[i*stride+j] += int32(x * y)
						}
					}
				}
				run(depth, &a[0], &b[0], &c[0], stride, 0, add)
				if !slices.Equal(c, want) {
					t.Fatalf("%s: depth %d, stride %d, add %v: other numbers", k.name, depth, stride, add)
				}
			}
		}
	}
}

// TestTilesTwin: whole products of any shape, with the emulated tiles and with the portable kernels.
func TestTilesTwin(t *testing.T) {
	if emulatedImplementations == nil {
		t.Skip("the processor has no AVX2, with which panels are packed")
	}
	alwaysThreads(t)
	defer active.Store(active.Load())
	r := rand.New(rand.NewPCG(31, 32))
	for range 150 {
		m, n, k := 1+r.IntN(70), 1+r.IntN(110), 1+r.IntN(150)
		if r.IntN(8) == 0 {
			k += r.IntN(2200)
		}
		lda, ldb, ldc := k+r.IntN(70), k+r.IntN(70), n+r.IntN(20)
		a, b := make([]uint8, m*lda), make([]uint8, n*ldb)
		for i := range a {
			a[i] = uint8(r.Uint32())
		}
		for i := range b {
			b[i] = uint8(r.Uint32())
		}
		squares := make([]int32, max(m, n))
		for i := range squares {
			squares[i] = r.Int32N(1 << 20)
		}
		threads, squared := 1+r.IntN(3), r.IntN(2) == 1
		var got [2][]int32
		for i, impl := range []*implementation{&generic, emulatedImplementations[0]} {
			active.Store(impl)
			got[i] = make([]int32, m*ldc)
			p := Uint8Product[int32]{M: m, N: n, K: k, A: Uint8Rows(a, lda), B: Uint8Rows(b, ldb), C: got[i], Stride: ldc,
				Squared: squared, ASquares: squares, BSquares: squares, Threads: threads}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatalf("%d×%d×%d, strides %d, %d, %d, squared %v: other numbers than the twin's", m, n, k, lda, ldb, ldc, squared)
		}
	}
}

// TestTilesCheck: the check at the start passes with the code, and detects errors in other code.
func TestTilesCheck(t *testing.T) {
	t.Parallel()
	if emulatedImplementations == nil {
		t.Skip("the processor has no AVX2, with which panels are packed")
	}
	if err := checkTiles(emulatedTiles()); err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(right microKernel[uint32, int32]) microKernel[uint32, int32]{
		"signed bytes": func(right microKernel[uint32, int32]) microKernel[uint32, int32] {
			return func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool) {
				lowered := slices.Clone(unsafe.Slice(b, depth*tilePanel))
				for i := range lowered {
					lowered[i] ^= 0x80 // one wrong bit of a byte
				}
				right(depth, a, &lowered[0], c, stride, ahead, add)
			}
		},
		"add": func(right microKernel[uint32, int32]) microKernel[uint32, int32] {
			return func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, _ bool) {
				right(depth, a, b, c, stride, ahead, false)
			}
		},
		"last chunk": func(right microKernel[uint32, int32]) microKernel[uint32, int32] {
			return func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool) {
				right(max(16, depth-16), a, b, c, stride, ahead, add)
			}
		},
		"beyond": func(right microKernel[uint32, int32]) microKernel[uint32, int32] {
			return func(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool) {
				right(depth, a, b, c, stride, ahead, add)
				unsafe.Slice(c, stride)[stride-1] = 0
			}
		},
	} {
		for r := range 2 {
			for v := range 2 {
				tiles := emulatedTiles()
				tiles.tiling.micro[r][v] = wrong(tiles.tiling.micro[r][v])
				if err := checkTiles(tiles); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("tiles of %d×%d give", 16*(r+1), 16*(v+1))) {
					t.Errorf("%s in the tile of %d×%d: error %v", name, 16*(r+1), 16*(v+1), err)
				}
			}
		}
	}
}

// TestTilesDisassembled: a disassembler reads the code as the emulator does. It needs GNU objdump 2.35 or later.
func TestTilesDisassembled(t *testing.T) {
	t.Parallel()
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skipf("no disassembler: %v", err)
	}
	targets := regexp.MustCompile(`^(j\w+) 0x([0-9a-f]+)$`)
	for _, k := range tileKernels {
		_, code := machineCode(k.run)
		file := filepath.Join(t.TempDir(), "code")
		if err := os.WriteFile(file, code, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(objdump, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn",
			file).CombinedOutput()
		if err != nil {
			t.Skipf("%s: %v: %s", objdump, err, out)
		}
		if strings.Contains(string(out), "(bad)") && !strings.Contains(string(out), "tile") {
			t.Skipf("%s does not know tiles", objdump)
		}
		offset, products := 0, 0
		for line := range strings.Lines(string(out)) {
			address, text, ok := strings.Cut(strings.TrimSpace(line), ":\t")
			if !ok {
				continue
			}
			text, _, _ = strings.Cut(text, "#")
			text = strings.Join(strings.Fields(text), " ")
			text = strings.NewReplacer("BYTE PTR ", "", "QWORD PTR ", "", "+0x0]", "]").Replace(text)
			i, err := emulator.Decode(code[offset:])
			if err != nil {
				t.Fatalf("%s: byte %d: %v", k.name, offset, err)
			}
			if start, _ := strconv.ParseInt(address, 16, 64); int(start) != offset {
				t.Fatalf("%s: the disassembler is at byte %s, the emulator at %#x", k.name, address, offset)
			}
			offset += i.Length
			if jump := targets.FindStringSubmatch(text); jump != nil {
				target, _ := strconv.ParseInt(jump[2], 16, 64)
				text = fmt.Sprintf("%s %+d", jump[1], int(target)-offset)
			}
			if text != i.String() {
				t.Errorf("%s: the disassembler reads %q, the emulator %q", k.name, text, i)
			}
			if strings.HasPrefix(text, "tdpbuud ") {
				products++
			}
		}
		if want := k.rows * k.columns / 256; offset != len(code) || products != want {
			t.Errorf("%s: %d of %d bytes, %d products of tiles, want %d", k.name, offset, len(code), products, want)
		}
	}
}

// TestTiles runs the code on processors that have tiles, from many goroutines while memory is collected, against the
// portable twin.
func TestTiles(t *testing.T) {
	offset := slices.IndexFunc(implementations(), func(i *implementation) bool { return i.name == "amx" })
	if offset < 0 {
		t.Skipf("no tiles: amx-tile %v, amx-int8 %v, %q", cpu.X86.HasAMXTile, cpu.X86.HasAMXInt8, withoutTiles)
	}
	if err := checkTiles(tilesUint8()); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for g := range 4 * runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(41, uint64(g)))
			for range 200 {
				k := tileKernels[r.IntN(len(tileKernels))]
				depth := 16 * (1 + r.IntN(KC/16))
				a, b := make([]uint32, tilePanel*depth), make([]uint32, tilePanel*depth)
				for i := range a {
					a[i], b[i] = r.Uint32(), r.Uint32()
				}
				stride := k.columns + r.IntN(40)
				got, want := make([]int32, k.rows*stride), make([]int32, k.rows*stride)
				k.run(depth, &a[0], &b[0], &got[0], stride, 0, r.IntN(2) == 1)
				for i := range k.rows {
					for j := range k.columns {
						for d := range 4 * depth {
							x := a[d/64*16*tilePanel+i*16+d%64/4] >> (d % 4 * 8) & 255
							y := b[d/4*tilePanel+j] >> (d % 4 * 8) & 255
							want[i*stride+j] += int32(x * y)
						}
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: depth %d, stride %d: other numbers", k.name, depth, stride)
					return
				}
				runtime.Gosched()
			}
		})
	}
	wait.Wait()
}

// TestPermitTiles: the system refuses tiles that the processor does not have.
func TestPermitTiles(t *testing.T) {
	t.Parallel()
	if cpu.X86.HasAMXTile {
		t.Skip("the processor has tiles")
	}
	if err := permitTiles(); err == nil {
		t.Error("the system permits tiles that are not there")
	}
	if impl, reason := amxImplementation(&generic); impl != nil || reason != "" {
		t.Errorf("%v %q, want no implementation and nothing to say", impl, reason)
	}
}
