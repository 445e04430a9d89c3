// The micro-kernels of uint8 products for processors with AMX, whose tile registers hold 16 rows of 64 bytes.
//
// A chunk of the depth is 64 bytes. The left panel holds, chunk after chunk, 32 rows of 64 bytes; the right panel holds
// 32 columns of four bytes at each of the chunk's 16 groups of depths, as the products of AVX-512 have it. T0 … T3 are
// the sums, T4 and T5 two times 16 rows, T6 and T7 two times 16 columns.

package kernels

import "fmt"

const (
	tileRows    = 16
	tileBytes   = 64 // of a row
	chunkGroups = tileBytes / 4
	tilePanel   = 2 * tileRows          // vectors of a panel of either side
	chunkBytes  = tilePanel * tileBytes // of either panel
	tileSize    = tileRows * tileBytes  // bytes of a tile
	secondTile  = tileRows * 4          // bytes from a group's first 16 columns, or sums, to its others
	tileConfig  = "tileConfig<>(SB)"    // 64 bytes: see tileConfigTable
	tilesUsed   = 8
	firstSum    = 0
	firstRow    = 4
	firstColumn = 6
)

// general are the numbers by which instructions know the registers that tile operands use.
var general = map[string]int{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SI": 6, "DI": 7,
	"R8": 8, "R9": 9, "R10": 10, "R11": 11, "R12": 12, "R13": 13}

// tileOp distinguishes the instructions of tiles: the prefix in the VEX encoding, and the opcode of map 0F38.
type tileOp struct {
	name           string
	prefix, opcode byte
}

// The values of a VEX prefix's pp.
const (
	prefixNone = iota
	prefix66
	prefixF3
	prefixF2
)

var (
	loadConfig   = tileOp{"LDTILECFG", prefixNone, 0x49}
	releaseTiles = tileOp{"TILERELEASE", prefixNone, 0x49}
	zeroTile     = tileOp{"TILEZERO", prefixF2, 0x49}
	loadTile     = tileOp{"TILELOADD", prefixF2, 0x4b}
	storeTile    = tileOp{"TILESTORED", prefixF3, 0x4b}
	multiplyTile = tileOp{"TDPBUUD", prefixNone, 0x5e} // unsigned by unsigned bytes
)

// vex is the three-byte prefix of map 0F38 with 128 bits, W0, and the opcode: index and base extend those fields of the
// address, source is the register named by the prefix.
func (o tileOp) vex(index, base, source int) []byte {
	second := byte(0xe2)
	if index > 7 {
		second &^= 0x40
	}
	if base > 7 {
		second &^= 0x20
	}
	return []byte{0xc4, second, byte(^source&15)<<3 | o.prefix, o.opcode}
}

// registers encodes an operation on tiles alone: the middle operand of a product is in rm, its last in the prefix.
func (o tileOp) registers(destination, rm, source int) []byte {
	return append(o.vex(0, 0, source), byte(0xc0|destination<<3|rm))
}

// rows encodes the load or store of a tile whose rows begin at displacement(base) and lie index bytes apart.
func (o tileOp) rows(tile, displacement int, base, index string) []byte {
	b, x := general[base], general[index]
	code := o.vex(x, b, 0)
	sib := byte(x&7<<3 | b&7)
	switch {
	case displacement == 0 && b&7 != 5: // without displacement, this field of the base has another meaning
		return append(code, byte(tile<<3|4), sib)
	case displacement == int(int8(displacement)):
		return append(code, byte(0x40|tile<<3|4), sib, byte(displacement))
	}
	return append(code, byte(0x80|tile<<3|4), sib, byte(displacement), byte(displacement>>8), byte(displacement>>16),
		byte(displacement>>24))
}

// at encodes an operation on the memory that a register points to; R12 and R13, whose fields mean
// something else, are not for it.
func (o tileOp) at(base string) []byte {
	b := general[base]
	return append(o.vex(0, b, 0), byte(b&7))
}

// bytes emits an instruction that Go's assembler does not know.
func (a *assembler) bytes(code []byte, format string, args ...any) {
	for i, b := range code {
		if i > 0 {
			a.Write("; ")
		} else {
			a.Write("\t")
		}
		a.Write("BYTE $0x%02x", b)
	}
	a.Write(" // "+format+"\n", args...)
}

func (a *assembler) moveTile(o tileOp, tile, displacement int, base, index string) {
	a.bytes(o.rows(tile, displacement, base, index), "%s T%d, %d(%s)(%s*1)", o.name, tile, displacement, base, index)
}

// tileConfigTable is the memory that LDTILECFG reads: palette 1, and for all tiles 16 rows of 64 bytes.
func tileConfigTable() []byte {
	table := make([]byte, 64)
	table[0] = 1
	for i := range tilesUsed {
		table[16+2*i] = tileBytes
		table[48+i] = tileRows
	}
	return table
}

// uint8Tiles writes the micro-kernels of 16 or 32 rows and columns.
func (a *assembler) uint8Tiles() {
	a.Write("\n")
	table := tileConfigTable()
	for i := 0; i < len(table); i += 8 {
		var word uint64
		for j := range 8 {
			word |= uint64(table[i+j]) << (8 * j)
		}
		a.Write("DATA tileConfig<>+%d(SB)/8, $%#016x\n", i, word)
	}
	a.Write("GLOBL tileConfig<>(SB), RODATA|NOPTR, $64\n")
	for rows := 1; rows <= 2; rows++ {
		for columns := 1; columns <= 2; columns++ {
			a.uint8Tile(rows, columns)
		}
	}
	a.Function("enabledState", "() uint64",
		"is the register that says which parts of the processor's state the system keeps (XCR0).", 8)
	a.Emit("XORL CX, CX")
	a.Emit("XGETBV")
	a.Emit("SHLQ $32, DX")
	a.Emit("ORQ DX, AX")
	a.Emit("MOVQ AX, ret+0(FP)")
	a.Emit("RET")
}

// uint8Tile multiplies 16·rows rows by 16·columns columns. The configuration of the tiles belongs to the thread, and
// with it a switch between threads costs more: a call loads it and releases it. depth is a multiple of 16 groups, at
// least that.
func (a *assembler) uint8Tile(rows, columns int) {
	a.Function(fmt.Sprintf("uint8AMXR%dV%d", tileRows*rows, columns),
		"(depth int, a, b *uint32, c *int32, stride int, ahead uintptr, add bool)",
		fmt.Sprintf("multiplies panels into a %d×%d tile; see microKernel.", tileRows*rows, tileRows*columns), 49)
	a.Emit("MOVQ depth+0(FP), CX")
	a.Emit("MOVQ a+8(FP), SI")
	a.Emit("MOVQ b+16(FP), DX")
	a.Emit("MOVQ c+24(FP), DI")
	a.Emit("MOVQ stride+32(FP), R8")
	a.Emit("MOVQ ahead+40(FP), R10")
	a.Emit("MOVBLZX add+48(FP), AX")
	a.Emit("LEAQ %s, R9", tileConfig)
	a.bytes(loadConfig.at("R9"), "LDTILECFG (R9)")
	a.Emit("SHLQ $2, R8")
	a.Emit("MOVQ $%d, R11", tileBytes)   // from row to row of A
	a.Emit("MOVQ $%d, R12", tilePanel*4) // from group to group of B
	a.Emit("MOVQ R8, R13")
	a.Emit("SHLQ $4, R13")
	a.Emit("ADDQ DI, R13") // row 16 of C
	sums := func(o tileOp) {
		for r := range rows {
			for c := range columns {
				a.moveTile(o, firstSum+2*r+c, c*secondTile, []string{"DI", "R13"}[r], "R8")
			}
		}
	}
	a.Emit("LEAQ (R13)(R8*8), R9")
	a.Emit("LEAQ (R9)(R8*8), R9") // row 32 of C, where the next tile begins
	a.Emit("TESTL AX, AX")
	a.Emit("JZ zero")
	sums(loadTile)
	a.Emit("JMP loop")
	a.Label("zero")
	for r := range rows {
		for c := range columns {
			a.bytes(zeroTile.registers(firstSum+2*r+c, 0, 0), "TILEZERO T%d", firstSum+2*r+c)
		}
	}
	a.Label("loop")
	for r := range rows {
		a.moveTile(loadTile, firstRow+r, r*tileSize, "SI", "R11")
		for c := range columns {
			if r == 0 {
				a.moveTile(loadTile, firstColumn+c, c*secondTile, "DX", "R12")
			}
			a.bytes(multiplyTile.registers(firstSum+2*r+c, firstRow+r, firstColumn+c),
				"TDPBUUD T%d, T%d, T%d", firstSum+2*r+c, firstRow+r, firstColumn+c)
		}
	}
	a.prefetchTiles(rows)
	a.Emit("ADDQ $%d, SI", chunkBytes)
	a.Emit("ADDQ $%d, DX", chunkBytes)
	a.Emit("SUBQ $%d, CX", chunkGroups)
	a.Emit("JGT loop")
	sums(storeTile)
	a.bytes(releaseTiles.registers(0, 0, 0), "TILERELEASE")
	a.Emit("RET")
}

// prefetchTiles prefetches in each turn of the loop. It takes the rows of the next chunk, a part of the next panel of
// B, and two rows of the next tile of C, which is loaded at once, if at all.
func (a *assembler) prefetchTiles(rows int) {
	for at := 0; at < rows*tileSize; at += 64 {
		a.Emit("PREFETCHT0 %d(SI)", chunkBytes+at)
	}
	for range chunkGroups / 8 {
		a.Emit("PREFETCHT1 (R10)")
		a.Emit("ADDQ $64, R10")
	}
	for range tilePanel * chunkGroups / 256 {
		for _, offset := range []int{0, 64, 127} {
			a.prefetchWrite(offset)
		}
		a.Emit("ADDQ R8, R9")
	}
}
