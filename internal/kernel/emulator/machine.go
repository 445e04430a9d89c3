// Registers, memory and the instructions that are not of tiles.

package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Region is memory that the machine has.
type Region struct {
	Address  uint64
	Bytes    []byte
	Writable bool
}

// Machine is a processor with its memory.
type Machine struct {
	Memory []Region
	// Constant gives the memory at an address relative to the code, to be read only.
	Constant func(address uint64) []byte
	// Trace, if not nil, sees every instruction before it is executed.
	Trace func(address uint64, i Instruction)

	registers            [16]uint64
	zero, sign, overflow bool
	tiles                tiles
}

const (
	stackAddress = 0x7fff_0000_0000
	maxSteps     = 1 << 20
	untouched    = 0xdead_beef_0bad_cafe
)

// Call runs code, whose first byte has the address entry, as a function of Go's assembler without local variables:
// arguments are in memory, above the return address. It is an error if the function leaves tiles configured, or changes
// the stack, frame pointer or goroutine.
func (m *Machine) Call(entry uint64, code, arguments []byte) error {
	for i := range m.registers {
		m.registers[i] = untouched + uint64(i)
	}
	m.registers[stackBase] = stackAddress
	m.tiles = tiles{}
	before := m.registers
	memory := m.Memory
	defer func() { m.Memory = memory }()
	m.Memory = append(append([]Region{}, memory...), Region{Address: stackAddress + 8, Bytes: arguments})
	pc := entry
	for range maxSteps {
		if pc < entry || pc-entry >= uint64(len(code)) {
			return fmt.Errorf("jump to %#x, out of the function", pc)
		}
		i, err := Decode(code[pc-entry:])
		if err != nil {
			return fmt.Errorf("byte %d: %w", pc-entry, err)
		}
		if m.Trace != nil {
			m.Trace(pc, i)
		}
		if i.Name == "ret" {
			return m.returned(before)
		}
		next := pc + uint64(i.Length)
		target, err := m.execute(i, next)
		if err != nil {
			return fmt.Errorf("byte %d: %v: %w", pc-entry, i, err)
		}
		pc = target
	}
	return fmt.Errorf("no return after %d instructions", maxSteps)
}

func (m *Machine) returned(before [16]uint64) error {
	for _, r := range []int{stackBase, framePtr, goroutine} {
		if m.registers[r] != before[r] {
			return fmt.Errorf("returns with another %s", names64[r])
		}
	}
	if m.tiles.configured {
		return errors.New("returns with tiles configured")
	}
	return nil
}

// at is the n bytes of memory at an address.
func (m *Machine) at(address uint64, n int, write bool) ([]byte, error) {
	for _, r := range m.Memory {
		if address >= r.Address && address-r.Address <= uint64(len(r.Bytes)) && uint64(n) <= uint64(len(r.Bytes))-(address-r.Address) {
			if write && !r.Writable {
				return nil, fmt.Errorf("writes %d bytes at %#x, which are not to be written", n, address)
			}
			return r.Bytes[address-r.Address:][:n:n], nil
		}
	}
	return nil, fmt.Errorf("%d bytes at %#x are not the function's (write: %v)", n, address, write)
}

func (m *Machine) effective(a address, next uint64) uint64 {
	e := uint64(a.displacement)
	switch a.base {
	case none:
	case nextAddress:
		e += next
	default:
		e += m.registers[a.base]
	}
	if a.index != none {
		e += m.registers[a.index] * uint64(a.scale)
	}
	return e
}

// execute returns the address of the instruction that follows.
func (m *Machine) execute(i Instruction, next uint64) (uint64, error) {
	switch i.form {
	case formJump:
		taken := i.Name == "jmp" || i.Name == "je" && m.zero || i.Name == "jne" && !m.zero ||
			i.Name == "jg" && !m.zero && m.sign == m.overflow
		if taken {
			return next + uint64(i.immediate), nil
		}
		return next, nil
	case formRegisters:
		return next, m.registerOperation(i)
	case formRegister:
		return next, m.fetch(i, next)
	case formImmediate:
		return next, m.numberOperation(i)
	}
	return next, m.tileOperation(i, next)
}

func (m *Machine) registerOperation(i Instruction) error {
	x, y := m.registers[i.rm], m.registers[i.reg]
	switch {
	case i.Name == "test":
		if !i.wide {
			x, y = uint64(int64(int32(x))), uint64(int64(int32(y)))
		}
		m.zero, m.sign, m.overflow = x&y == 0, int64(x&y) < 0, false
	case i.Name == "mov" && i.wide:
		m.registers[i.rm] = y
	case i.Name == "add" && i.wide:
		m.registers[i.rm] = m.add(x, y)
	default:
		return errors.New("not among the known forms")
	}
	return nil
}

func (m *Machine) add(x, y uint64) uint64 {
	sum := x + y
	m.zero, m.sign, m.overflow = sum == 0, int64(sum) < 0, int64((x^sum)&(y^sum)) < 0
	return sum
}

func (m *Machine) numberOperation(i Instruction) error {
	x, y := m.registers[i.rm], uint64(i.immediate)
	if !i.wide {
		return errors.New("not among the known forms")
	}
	switch i.Name {
	case "mov":
		m.registers[i.rm] = y
	case "add":
		m.registers[i.rm] = m.add(x, y)
	case "sub":
		d := x - y
		m.zero, m.sign, m.overflow = x == y, int64(d) < 0, int64((x^y)&(x^d)) < 0
		m.registers[i.rm] = d
	case "shl":
		m.registers[i.rm] = x << (y & 63)
		m.zero, m.sign = m.registers[i.rm] == 0, int64(m.registers[i.rm]) < 0
	}
	return nil
}

// fetch executes instructions that read memory, or its address, into a register.
func (m *Machine) fetch(i Instruction, next uint64) error {
	e := m.effective(i.address, next)
	switch {
	case i.Name == "lea" && i.wide:
		if i.address.base == nextAddress && m.Constant != nil {
			m.Memory = append(m.Memory, Region{Address: e, Bytes: m.Constant(e)})
		}
		m.registers[i.reg] = e
	case i.Name == "mov" && i.wide:
		b, err := m.at(e, 8, false)
		if err != nil {
			return err
		}
		m.registers[i.reg] = binary.LittleEndian.Uint64(b)
	case i.Name == "movzx":
		b, err := m.at(e, 1, false)
		if err != nil {
			return err
		}
		m.registers[i.reg] = uint64(b[0])
	default:
		return errors.New("not among the known forms")
	}
	return nil
}

// tileOperation executes instructions on tiles, and prefetches, which do nothing for any address.
func (m *Machine) tileOperation(i Instruction, next uint64) error {
	stride := uint64(0)
	if i.address.index != none && i.form != formNone {
		stride = m.registers[i.address.index] * uint64(i.address.scale)
	}
	base := m.effective(address{base: i.address.base, index: none, displacement: i.address.displacement}, next)
	switch i.Name {
	case "prefetcht0", "prefetcht1", "prefetchw":
		return nil
	case "ldtilecfg":
		c, err := m.at(m.effective(i.address, next), configBytes, false)
		if err != nil {
			return err
		}
		return m.tiles.configure(c)
	case "tilerelease":
		m.tiles = tiles{}
		return nil
	case "tilezero":
		return m.tiles.zero(i.reg)
	case "tileloadd":
		return m.tiles.load(i.reg, base, stride, m.at)
	case "tilestored":
		return m.tiles.store(i.reg, base, stride, m.at)
	case "tdpbuud", "tdpbusd", "tdpbsud", "tdpbssd":
		return m.tiles.multiply(i.reg, i.rm, i.source, i.Name[4] == 's', i.Name[5] == 's')
	}
	return errors.New("not known")
}
