// From the statements of a kernel, and of the functions that it calls, to instructions
// with numbered registers.

package ptxvm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type control uint8

const (
	plain      control = iota
	branch             // to target
	leave              // the kernel or function
	call               // the function at target
	barrier            // of the block
	collective         // all lanes of a mask together
)

// An instruction's registers are numbers in the files of their width; need and sets are the numbers of the registers it
// reads and writes.
type instruction struct {
	run        func(w *warp, in *instruction, m uint32)
	line       int32
	guard      int32 // the predicate, or −1
	guardName  int32
	negated    bool
	control    control
	target     int32
	d, a, b, c int32
	need, sets []int32
	access     *access
	function   int32 // whose return addresses a call or a return uses
	op         string
	compared   byte // the type of a comparison's operands: s or u and f for integers and floats, 0 for other instructions
	class      int  // of these operands
}

// A program is a kernel with all functions that it calls; callees precede their callers, so that lanes in a function
// run before lanes that wait behind the call.
type program struct {
	module     *Module
	name       string
	most       int // threads of a block
	code       []instruction
	start      int32
	count      [3]int   // registers by class
	names      []string // by number of need and sets
	constants  []constant
	special    []special
	parameters []parameter
	functions  int
	shared     []placed // static variables with their addresses
	static     int      // the end of static shared memory
	dynamic    int      // the address of dynamic shared memory, 0: none
	granules   [2]int   // the least access to global and to shared memory
	atomic     bool     // there are atomic operations on global memory
}

// The classes of registers.
const (
	words      = iota // of 16 and 32 bits
	doubles           // of 64
	predicates        // a bit per lane
)

type register struct {
	class  int
	number int32
	name   int32  // in need and sets, −1: always there
	kind   string // its type
}

type constant struct {
	register
	value uint64
}

type special struct {
	register
	what string
}

type parameter struct {
	register
	bytes int
}

type placed struct {
	variable
	at int
}

const sharedBase = 1 << 10 // where shared memory begins, so that 0 is no address in it

// sharedWindow is where generic addresses of shared memory begin.
const sharedWindow = 1 << 56

type compiler struct {
	*program
	f         *function
	registers map[string]register // of f
	labels    map[string]int32
	constant  map[constant]register
	specials  map[string]register
	shared    map[string]int
	compiled  map[string]callee
	jumps     map[int32]string
	s         *statement
}

type callee struct {
	start, number int32
	parameters    []register
}

// program compiles a kernel.
func (m *Module) program(kernel string) (p *program, err error) {
	if p := m.programs[kernel]; p != nil {
		return p, nil
	}
	f := m.functions[kernel]
	if f == nil || !f.entry {
		return nil, fmt.Errorf("%s: no kernel %s", m.name, kernel)
	}
	c := &compiler{program: &program{module: m, name: kernel, most: f.most, granules: [2]int{16, 16}}, constant: map[constant]register{},
		specials: map[string]register{}, shared: map[string]int{}, compiled: map[string]callee{}}
	defer func() {
		if r := recover(); r != nil {
			problem, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s: line %d: %s: %s", m.name, problem.line, kernel, problem.what)
		}
	}()
	c.place(f, map[string]bool{})
	entry := c.function(f, nil)
	c.start = entry.start
	for i, r := range entry.parameters {
		c.program.parameters = append(c.program.parameters, parameter{r, f.parameters[i].bytes})
	}
	m.programs[kernel] = c.program
	return c.program, nil
}

func (c *compiler) fail(format string, a ...any) {
	line := c.f.line
	if c.s != nil {
		line = c.s.line
	}
	panic(parseError{line, fmt.Sprintf(format, a...)})
}

// place lays out the shared memory of a function and its callees, with unowned gaps between variables.
func (c *compiler) place(f *function, seen map[string]bool) {
	if seen[f.name] {
		return
	}
	seen[f.name] = true
	const gap = 16
	add := func(v variable) {
		if _, ok := c.shared[v.name]; ok || v.bytes < 0 {
			return
		}
		offset := (max(c.static, sharedBase) + gap + v.align - 1) / v.align * v.align
		c.shared[v.name] = offset
		c.program.shared = append(c.program.shared, placed{v, offset})
		c.static = offset + v.bytes
	}
	for _, v := range f.shared {
		add(v)
	}
	var callees []string
	for i := range f.body {
		s := &f.body[i]
		if s.op == "call.uni" && len(s.operands) > 0 {
			callees = append(callees, s.operands[0].word)
		}
		for _, o := range s.operands {
			if v, ok := c.module.shared[o.word]; ok {
				add(v)
				if v.bytes < 0 {
					c.dynamic = max(c.dynamic, v.align)
				}
			}
		}
	}
	for _, name := range callees {
		if g := c.module.functions[name]; g != nil {
			c.place(g, seen)
		}
	}
	if f.entry && c.dynamic > 0 {
		align := c.dynamic
		c.dynamic = (max(c.static, sharedBase) + gap + align - 1) / align * align
	}
}

// function compiles one function after the compiled ones, callees first.
func (c *compiler) function(f *function, callers []string) callee {
	if slices.Contains(callers, f.name) {
		c.fail("%s calls itself", f.name)
	}
	for i := range f.body {
		s := &f.body[i]
		if s.op != "call.uni" || len(s.operands) == 0 {
			continue
		}
		name := s.operands[0].word
		c.f, c.s = f, s
		g := c.module.functions[name]
		if g == nil {
			c.fail("%s is not a function of the module", name)
		}
		if _, ok := c.compiled[name]; !ok {
			c.compiled[name] = c.function(g, append(callers, f.name))
		}
	}
	c.f, c.s = f, nil
	c.registers, c.labels, c.jumps = map[string]register{}, map[string]int32{}, map[int32]string{}
	this := callee{start: int32(len(c.code)), number: int32(c.functions)}
	c.functions++
	for _, v := range f.parameters {
		r := c.add(classOf(v.kind), v.name, v.kind)
		c.registers[v.name] = r
		this.parameters = append(this.parameters, r)
	}
	if len(f.body) == 0 {
		c.fail("%s has no instructions", f.name)
	}
	for i := range f.body {
		c.s = &f.body[i]
		if c.s.label != "" {
			if _, ok := c.labels[c.s.label]; ok {
				c.fail("label %s is there twice", c.s.label)
			}
			c.labels[c.s.label] = int32(len(c.code))
			continue
		}
		c.statement(this)
	}
	if last := &c.code[len(c.code)-1]; int32(len(c.code)) == this.start || last.guard >= 0 || last.control != leave && last.control != branch {
		c.fail("%s has no end", f.name)
	}
	for _, jump := range slices.Sorted(maps.Keys(c.jumps)) {
		target, ok := c.labels[c.jumps[jump]]
		if !ok || int(target) >= len(c.code) {
			c.s.line = int(c.code[jump].line)
			c.fail("no label %s", c.jumps[jump])
		}
		c.code[jump].target = target
	}
	return this
}

func classOf(kind string) int {
	switch {
	case kind == "pred":
		return predicates
	case typeBytes(kind) == 8:
		return doubles
	}
	return words
}

// add makes a register that must be written before it is read.
func (c *compiler) add(class int, name, kind string) register {
	r := c.unnamed(class, kind)
	r.name = int32(len(c.names))
	c.names = append(c.names, name)
	return r
}

func (c *compiler) unnamed(class int, kind string) register {
	r := register{class, int32(c.count[class]), -1, kind}
	c.count[class]++
	return r
}

// number makes a constant.
func (c *compiler) number(class int, value uint64) register {
	key := constant{register{class: class}, value}
	if r, ok := c.constant[key]; ok {
		return r
	}
	r := c.unnamed(class, "")
	c.constant[key] = r
	c.constants = append(c.constants, constant{r, value})
	return r
}

// word is the value of a name: a register, special register or address.
func (c *compiler) word(name string, class int) register {
	if r, ok := c.registers[name]; ok {
		return r
	}
	base, number := strings.TrimRight(name, "0123456789"), ""
	if base != name {
		number = name[len(base):]
	}
	for _, declared := range []string{name, base} {
		d, ok := c.f.registers[declared]
		if !ok {
			continue
		}
		if declared == base && declared != name {
			n := 0
			if _, err := fmt.Sscan(number, &n); err != nil || n >= d.count || number[0] == '0' && len(number) > 1 {
				continue
			}
		} else if d.count != 0 {
			continue
		}
		r := c.add(classOf(d.kind), name, d.kind)
		c.registers[name] = r
		return r
	}
	switch name {
	case "%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid":
		r, ok := c.specials[name]
		if !ok {
			r = c.unnamed(words, "u32")
			c.specials[name] = r
			c.special = append(c.special, special{r, name})
		}
		return r
	}
	if v, ok := c.address(name); ok {
		return c.number(class, uint64(v))
	}
	c.fail("%s is not declared", name)
	return register{}
}

// address is an address of shared memory.
func (c *compiler) address(name string) (int, bool) {
	if at, ok := c.shared[name]; ok {
		return at, true
	}
	if v, ok := c.module.shared[name]; ok && v.bytes < 0 {
		return c.dynamic, true
	}
	return 0, false
}

// value is an operand of a class.
func (c *compiler) value(o operand, class int, narrow bool) register {
	switch o.kind {
	case isNumber:
		switch {
		case class == predicates:
			if o.number != 0 {
				return c.number(class, 0xffffffff)
			}
			return c.number(class, 0)
		case class == words:
			if high := o.number >> 32; high != 0 && high != 0xffffffff {
				c.fail("%#x has more than 32 bits", o.number)
			}
			if narrow {
				return c.number(class, o.number&0xffff)
			}
			return c.number(class, o.number&0xffffffff)
		}
		return c.number(class, o.number)
	case isWord:
		r := c.word(o.word, class)
		if r.class != class {
			c.fail("%s: %s is of another size", c.s.op, o.word)
		}
		return r
	}
	c.fail("%s: a value is wanted", c.s.op)
	return register{}
}

// target is a register to write.
func (c *compiler) target(o operand, class int) register {
	if o.kind != isWord {
		c.fail("%s: a register is wanted", c.s.op)
	}
	r := c.word(o.word, class)
	if r.class != class || r.name < 0 {
		c.fail("%s: %s is no register for it", c.s.op, o.word)
	}
	return r
}
