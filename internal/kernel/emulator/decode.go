// Instructions: from bytes, and to the text of a disassembler.

package emulator

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Numbers of registers besides AX … R15.
const (
	none        = -1
	stackBase   = 4
	framePtr    = 5
	goroutine   = 14
	nextAddress = 16 // RIP
)

var (
	names64 = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 rip")
	names32 = strings.Fields("eax ecx edx ebx esp ebp esi edi r8d r9d r10d r11d r12d r13d r14d r15d")
)

// address is base + index·scale + displacement; base and index may be none.
type address struct {
	base, index, scale int
	displacement       int64
}

// form is how an instruction's operands are written.
type form uint8

const (
	formNone        form = iota
	formRegisters        // rm, reg
	formRegister         // reg, [address]
	formImmediate        // rm, immediate
	formJump             // immediate is the distance
	formAddress          // [address]
	formTile             // tile reg
	formTileAddress      // tile reg, [address]
	formAddressTile
	formTiles // reg, rm, source
)

// Instruction is one instruction of the subset.
type Instruction struct {
	Name   string
	Length int
	form   form
	wide   bool // 64-bit registers
	// The fields of the encoding that the form uses.
	reg, rm, source int
	address         address
	immediate       int64
}

// decoder reads the bytes of one instruction.
type decoder struct {
	code []byte
	at   int
	err  error
}

func (d *decoder) next(n int) []byte {
	if d.err != nil || d.at+n > len(d.code) {
		if d.err == nil {
			d.err = fmt.Errorf("the code ends within an instruction: % x", d.code[:min(len(d.code), d.at)])
		}
		return make([]byte, n)
	}
	d.at += n
	return d.code[d.at-n : d.at]
}

func (d *decoder) byte() byte       { return d.next(1)[0] }
func (d *decoder) int8() int64      { return int64(int8(d.byte())) }
func (d *decoder) int32() int64     { return int64(int32(binary.LittleEndian.Uint32(d.next(4)))) }
func (d *decoder) fail(what string) { d.err = fmt.Errorf("%s: % x", what, d.code[:d.at]) }

// extensions are the fourth bits of register fields.
type extensions struct{ reg, index, base int }

// modRM reads the byte that locates the operands, and the address; rm is none for one in memory.
func (d *decoder) modRM(e extensions) (reg, rm int, a address) {
	b := int(d.byte())
	mode := b >> 6
	reg, rm = b>>3&7|e.reg, b&7
	if mode == 3 {
		return reg, rm | e.base, address{base: none, index: none}
	}
	a = address{base: rm | e.base, index: none, scale: 1}
	switch {
	case rm == 4:
		sib := int(d.byte())
		a.base, a.index, a.scale = sib&7|e.base, sib>>3&7|e.index, 1<<(sib>>6)
		if a.index == 4 {
			a.index = none
		}
		if sib&7 == 5 && mode == 0 {
			a.base, a.displacement = none, d.int32()
		}
	case rm == 5 && mode == 0:
		a.base, a.displacement = nextAddress, d.int32()
	}
	switch mode {
	case 1:
		a.displacement = d.int8()
	case 2:
		a.displacement = d.int32()
	}
	return reg, none, a
}

// Decode reads the first instruction of code.
func Decode(code []byte) (Instruction, error) {
	d := &decoder{code: code}
	i := d.instruction()
	i.Length = d.at
	return i, d.err
}

func (d *decoder) instruction() Instruction {
	first := d.byte()
	if first == 0xc4 {
		return d.tileInstruction()
	}
	var e extensions
	var i Instruction
	if first&0xf0 == 0x40 {
		i.wide = first&8 != 0
		e = extensions{int(first & 4 << 1), int(first & 2 << 2), int(first & 1 << 3)}
		first = d.byte()
	}
	operands := func(name string, memory bool) {
		i.Name = name
		i.reg, i.rm, i.address = d.modRM(e)
		i.form = formRegisters
		if i.rm == none {
			i.form = formRegister
		}
		if memory != (i.rm == none) {
			d.fail("not among the known forms of " + name)
		}
	}
	switch first {
	case 0x01:
		operands("add", false)
	case 0x85:
		operands("test", false)
	case 0x89:
		operands("mov", false)
	case 0x8b:
		operands("mov", true)
	case 0x8d:
		operands("lea", true)
	case 0x0f:
		return d.twoBytes(i, e)
	case 0x81, 0x83, 0xc1, 0xc7:
		d.immediate(&i, first, e)
	case 0x74, 0x75, 0x7f, 0xeb:
		i.Name, i.form = map[byte]string{0x74: "je", 0x75: "jne", 0x7f: "jg", 0xeb: "jmp"}[first], formJump
		i.immediate = d.int8()
	case 0xe9:
		i.Name, i.form, i.immediate = "jmp", formJump, d.int32()
	case 0xc3:
		i.Name = "ret"
	case 0xcc:
		i.Name = "int3"
	default:
		d.fail("unknown instruction")
	}
	return i
}

// immediate reads an operation of a register and a number.
func (d *decoder) immediate(i *Instruction, opcode byte, e extensions) {
	i.reg, i.rm, i.address = d.modRM(e)
	i.form = formImmediate
	operation := i.reg & 7
	switch {
	case (opcode == 0x81 || opcode == 0x83) && operation == 0:
		i.Name = "add"
	case (opcode == 0x81 || opcode == 0x83) && operation == 5:
		i.Name = "sub"
	case opcode == 0xc1 && operation == 4:
		i.Name = "shl"
	case opcode == 0xc7 && operation == 0:
		i.Name = "mov"
	}
	if i.immediate = 0; opcode == 0x81 || opcode == 0xc7 {
		i.immediate = d.int32()
	} else {
		i.immediate = d.int8()
	}
	if i.Name == "" || i.rm == none {
		d.fail("unknown operation with a number")
	}
}

// twoBytes reads an instruction of map 0F.
func (d *decoder) twoBytes(i Instruction, e extensions) Instruction {
	second := d.byte()
	switch second {
	case 0x84, 0x85, 0x8f:
		i.Name, i.form = map[byte]string{0x84: "je", 0x85: "jne", 0x8f: "jg"}[second], formJump
		i.immediate = d.int32()
		return i
	case 0x0d, 0x18, 0xb6:
	default:
		d.fail("unknown instruction")
		return i
	}
	i.reg, i.rm, i.address = d.modRM(e)
	i.form = formAddress
	switch {
	case second == 0xb6:
		i.Name, i.form = "movzx", formRegister
	case second == 0x0d && i.reg&7 == 1:
		i.Name = "prefetchw"
	case second == 0x18 && i.reg&7 == 1:
		i.Name = "prefetcht0"
	case second == 0x18 && i.reg&7 == 2:
		i.Name = "prefetcht1"
	}
	if i.Name == "" || i.rm != none {
		d.fail("unknown instruction")
	}
	return i
}

// tileInstruction reads the bytes after the first byte of a three-byte VEX prefix.
func (d *decoder) tileInstruction() Instruction {
	second, third, opcode := d.byte(), d.byte(), d.byte()
	e := extensions{int(^second >> 4 & 8), int(^second >> 3 & 8), int(^second >> 2 & 8)}
	source := int(^third >> 3 & 15)
	if second&31 != 2 || third&0x84 != 0 {
		d.fail("not an instruction of tiles (map 0F38, W0, 128 bits)")
		return Instruction{}
	}
	i := Instruction{source: source}
	start := d.at
	i.reg, i.rm, i.address = d.modRM(e)
	modRM := d.code[min(start, len(d.code)-1)]
	withIndex := i.rm == none && modRM&7 == 4
	prefix := third & 3
	switch {
	case opcode == 0x49 && prefix == 0 && modRM == 0xc0:
		i.Name = "tilerelease"
	case opcode == 0x49 && prefix == 0 && i.rm == none && i.reg == 0:
		i.Name, i.form = "ldtilecfg", formAddress
	case opcode == 0x49 && prefix == 3 && i.rm == 0:
		i.Name, i.form = "tilezero", formTile
	case opcode == 0x4b && prefix == 3 && withIndex:
		i.Name, i.form = "tileloadd", formTileAddress
	case opcode == 0x4b && prefix == 2 && withIndex:
		i.Name, i.form = "tilestored", formAddressTile
	case opcode == 0x5e && i.rm != none:
		i.Name, i.form = [4]string{"tdpbuud", "tdpbusd", "tdpbsud", "tdpbssd"}[prefix], formTiles
	default:
		d.fail("unknown instruction of tiles")
	}
	if i.form != formTiles && source != 0 {
		d.fail("VEX.vvvv names a register that the instruction does not have")
	}
	if max(i.reg, i.source) > 7 || i.form == formTiles && i.rm > 7 {
		d.fail("a tile beyond the eighth")
	}
	return i
}

// String is the instruction as a disassembler writes it (Intel's syntax) except for a jump's target, which it writes as
// a distance from the instruction's end.
func (i Instruction) String() string {
	names := names32
	if i.wide {
		names = names64
	}
	switch i.form {
	case formRegisters:
		return fmt.Sprintf("%s %s,%s", i.Name, names[i.rm], names[i.reg])
	case formRegister:
		return fmt.Sprintf("%s %s,[%v]", i.Name, names[i.reg], i.address)
	case formImmediate:
		return fmt.Sprintf("%s %s,%#x", i.Name, names[i.rm], i.immediate)
	case formJump:
		return fmt.Sprintf("%s %+d", i.Name, i.immediate)
	case formAddress:
		return fmt.Sprintf("%s [%v]", i.Name, i.address)
	case formTile:
		return fmt.Sprintf("%s tmm%d", i.Name, i.reg)
	case formTileAddress:
		return fmt.Sprintf("%s tmm%d,[%v]", i.Name, i.reg, i.address)
	case formAddressTile:
		return fmt.Sprintf("%s [%v],tmm%d", i.Name, i.address, i.reg)
	case formTiles:
		return fmt.Sprintf("%s tmm%d,tmm%d,tmm%d", i.Name, i.reg, i.rm, i.source)
	}
	return i.Name
}

func (a address) String() string {
	var parts []string
	if a.base != none {
		parts = append(parts, names64[a.base])
	}
	if a.index != none {
		parts = append(parts, fmt.Sprintf("%s*%d", names64[a.index], a.scale))
	}
	text := strings.Join(parts, "+")
	if a.displacement != 0 {
		text += fmt.Sprintf("%+#x", a.displacement)
	}
	return text
}
