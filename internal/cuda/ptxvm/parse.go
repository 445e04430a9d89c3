// Reading PTX: modules, functions, declarations and instructions with their operands.

package ptxvm

import (
	"fmt"
	"strconv"
	"strings"
)

// A Module is one file of PTX.
type Module struct {
	name      string
	functions map[string]*function
	kernels   []string
	shared    map[string]variable // declared outside of functions
	programs  map[string]*program // compiled kernels
}

// A variable is shared memory with a name, or a parameter.
type variable struct {
	name  string
	kind  string // its type
	bytes int    // −1: as many as the launch gives
	align int
}

type registers struct {
	kind  string // pred b16 b32 f32 b64 f64
	count int
}

type function struct {
	name       string
	line       int
	entry      bool
	parameters []variable
	registers  map[string]registers // by name without number
	shared     []variable
	most       int // threads of a block
	body       []statement
}

// A statement is an instruction, or a label if it has no operation.
type statement struct {
	line     int
	label    string
	guard    string // the predicate, or ""
	negated  bool
	op       string
	operands []operand
}

type operandKind uint8

const (
	isWord   operandKind = iota // a register, variable, label or parameter
	isNumber                    // integer, or the bits of a float
	isMemory                    // [word+offset]
	isList                      // {a, b}
)

type operand struct {
	kind   operandKind
	word   string
	number uint64 // of an address: the offset
	list   []operand
}

// typeBytes is the size of a type, 0 if there is none of that name.
func typeBytes(kind string) int {
	switch kind {
	case "b8", "u8", "s8":
		return 1
	case "b16", "u16", "s16":
		return 2
	case "b32", "u32", "s32", "f32":
		return 4
	case "b64", "u64", "s64", "f64":
		return 8
	}
	return 0
}

type parser struct {
	module *Module
	tokens []token
	at     int
}

// Parse reads a module. Unknown syntax is an error with the line.
func Parse(name, text string) (m *Module, err error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &parser{module: &Module{name: name, functions: map[string]*function{}, shared: map[string]variable{}, programs: map[string]*program{}}, tokens: tokens}
	defer func() {
		if r := recover(); r != nil {
			problem, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			m, err = nil, fmt.Errorf("%s: line %d: %s", name, problem.line, problem.what)
		}
	}()
	for p.at < len(p.tokens) {
		p.top()
	}
	if len(p.module.kernels) == 0 {
		return nil, fmt.Errorf("%s: no entry", name)
	}
	return p.module, nil
}

// Kernels lists the entries in their order.
func (m *Module) Kernels() []string { return m.kernels }

type parseError struct {
	line int
	what string
}

func (p *parser) line() int {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].line
	}
	if len(p.tokens) == 0 {
		return 1
	}
	return p.tokens[len(p.tokens)-1].line
}

func (p *parser) fail(format string, a ...any) {
	panic(parseError{p.line(), fmt.Sprintf(format, a...)})
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].text
	}
	return ""
}

func (p *parser) next() string {
	if p.at >= len(p.tokens) {
		p.fail("the file ends too early")
	}
	p.at++
	return p.tokens[p.at-1].text
}

func (p *parser) accept(text string) bool {
	if p.peek() != text || p.at >= len(p.tokens) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("%q, want %q", p.peek(), text)
	}
}

func (p *parser) integer() int {
	text := p.next()
	n, err := strconv.ParseInt(text, 0, 32)
	if err != nil || n < 0 {
		p.at--
		p.fail("%q is not a number", text)
	}
	return int(n)
}

// top reads one directive outside of functions.
func (p *parser) top() {
	switch word := p.next(); word {
	case ".version":
		if v := p.next(); v != "7.1" {
			p.fail("PTX version %s, want 7.1", v)
		}
	case ".target":
		if v := p.next(); v != "sm_80" {
			p.fail("target %s, want sm_80", v)
		}
	case ".address_size":
		if p.integer() != 64 {
			p.fail("addresses are not of 64 bits")
		}
	case ".visible", ".weak", ".extern":
	case ".shared":
		v := p.variable()
		p.expect(";")
		p.module.shared[v.name] = v
	case ".entry", ".func":
		p.function(word == ".entry")
	default:
		p.at--
		p.fail("unknown directive %q", word)
	}
}

// variable reads the rest after .shared or .param: .align n .type name[bytes].
func (p *parser) variable() variable {
	v := variable{}
	if p.accept(".align") {
		v.align = p.integer()
	}
	v.kind = strings.TrimPrefix(p.next(), ".")
	size := typeBytes(v.kind)
	if size == 0 {
		p.at--
		p.fail("unknown type %q", p.peek())
	}
	v.align = max(v.align, size)
	if v.align&(v.align-1) != 0 {
		p.fail("%d is no alignment", v.align)
	}
	v.name, v.bytes = p.next(), size
	if p.accept("[") {
		v.bytes = -1
		if p.peek() != "]" {
			v.bytes = size * p.integer()
		}
		p.expect("]")
	}
	return v
}

func (p *parser) function(entry bool) {
	f := &function{line: p.line(), entry: entry, registers: map[string]registers{}, most: 1024}
	f.name = p.next()
	p.expect("(")
	for !p.accept(")") {
		p.expect(".param")
		v := p.variable()
		if v.bytes != typeBytes(v.kind) {
			p.fail("parameter %s is an array", v.name)
		}
		f.parameters = append(f.parameters, v)
		if p.peek() != ")" {
			p.expect(",")
		}
	}
	for !p.accept("{") {
		switch word := p.next(); word {
		case ".maxntid":
			f.most = p.integer()
			for p.accept(",") {
				f.most *= p.integer()
			}
		case ".minnctapersm":
			p.integer()
		case ";": // a declaration
			return
		default:
			p.at--
			p.fail("unknown directive %q", word)
		}
	}
	p.body(f)
	if p.module.functions[f.name] != nil {
		p.fail("%s is there twice", f.name)
	}
	p.module.functions[f.name] = f
	if entry {
		p.module.kernels = append(p.module.kernels, f.name)
	}
}

// body reads statements to the closing brace. Inner scopes declare names that the code
// generator keeps apart, or temporary registers.
func (p *parser) body(f *function) {
	for depth := 1; depth > 0; {
		switch word := p.peek(); {
		case p.accept("{"):
			depth++
		case p.accept("}"):
			depth--
		case p.accept(".reg"):
			p.registers(f)
		case p.accept(".shared"):
			f.shared = append(f.shared, p.variable())
			p.expect(";")
		case p.accept(".param"):
			v := p.variable()
			p.expect(";")
			f.registers[v.name] = registers{v.kind, 0}
		case p.accept(".pragma"):
			if s := p.next(); s != `"nounroll"` {
				p.fail("unknown pragma %s", s)
			}
			p.expect(";")
		case strings.HasPrefix(word, "."):
			p.fail("unknown directive %q", word)
		case p.at+1 < len(p.tokens) && p.tokens[p.at+1].text == ":":
			f.body = append(f.body, statement{line: p.line(), label: word})
			p.at += 2
		default:
			f.body = append(f.body, p.statement())
		}
	}
}

func (p *parser) registers(f *function) {
	r := registers{kind: strings.TrimPrefix(p.next(), ".")}
	if r.kind != "pred" && typeBytes(r.kind) < 2 {
		p.at--
		p.fail("registers of type %q", p.peek())
	}
	name := p.next()
	if p.accept("<") {
		r.count = p.integer()
		p.expect(">")
	}
	p.expect(";")
	if old, ok := f.registers[name]; ok && old != r {
		p.fail("registers %s are declared twice", name)
	}
	f.registers[name] = r
}

func (p *parser) statement() statement {
	s := statement{line: p.line()}
	if p.accept("@") {
		s.negated = p.accept("!")
		s.guard = p.next()
	}
	s.op = p.next()
	for !p.accept(";") {
		if len(s.operands) > 0 {
			p.expect(",")
		}
		s.operands = append(s.operands, p.operand())
	}
	return s
}

func (p *parser) operand() operand {
	switch {
	case p.accept("["):
		o := operand{kind: isMemory, word: p.next()}
		if p.accept("+") {
			o.number = p.number()
		}
		p.expect("]")
		return o
	case p.peek() == "{" || p.peek() == "(":
		end := map[string]string{"{": "}", "(": ")"}[p.next()]
		o := operand{kind: isList}
		for !p.accept(end) {
			if len(o.list) > 0 {
				p.expect(",")
			}
			o.list = append(o.list, p.operand())
		}
		return o
	}
	if c := p.peek(); c == "-" || c != "" && c[0] >= '0' && c[0] <= '9' {
		return operand{kind: isNumber, number: p.number()}
	}
	o := operand{kind: isWord, word: p.next()}
	if !wordCharacter(o.word[0]) {
		p.at--
		p.fail("%q is no operand", o.word)
	}
	return o
}

// number reads an integer, or the bits of a float: 0f and 8, or 0d and 16 digits.
func (p *parser) number() uint64 {
	negative := p.accept("-")
	text := p.next()
	var n uint64
	var err error
	switch {
	case strings.HasPrefix(text, "0f") && len(text) == 10, strings.HasPrefix(text, "0d") && len(text) == 18:
		n, err = strconv.ParseUint(text[2:], 16, 64)
		if negative {
			p.fail("a negative float")
		}
	default:
		n, err = strconv.ParseUint(text, 0, 64)
	}
	if err != nil || negative && n > 1<<63 {
		p.at--
		p.fail("%q is not a number", text)
	}
	if negative {
		return -n
	}
	return n
}
