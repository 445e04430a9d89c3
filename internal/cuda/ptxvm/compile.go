// Instructions by their names.

package ptxvm

import (
	"strconv"
	"strings"
)

var classes = map[byte]int{'w': words, 'd': doubles, 'p': predicates}

// statement compiles one instruction.
func (c *compiler) statement(this callee) {
	s := c.s
	in := instruction{line: int32(s.line), guard: -1, op: s.op, negated: s.negated, function: this.number}
	if s.guard != "" {
		r := c.value(operand{kind: isWord, word: s.guard}, predicates, false)
		in.guard, in.guardName = r.number, r.name
	}
	for _, table := range []map[string]operation{integers, moves, comparisons, floats, conversions} {
		if o, ok := table[s.op]; ok && c.matches(o.form) {
			if wide, ok := fromWide[s.op]; ok && s.operands[1].kind == isWord && c.word(s.operands[1].word, doubles).class == doubles {
				o = wide
			}
			c.operation(&in, o)
			c.code = append(c.code, in)
			return
		}
	}
	compile, ok := others[s.op]
	for prefix, f := range families {
		if !ok && strings.HasPrefix(s.op, prefix) {
			compile, ok = f, true
		}
	}
	if !ok {
		c.fail("unknown instruction %s", s.op)
	}
	if compile(c, &in) {
		c.code = append(c.code, in)
	}
}

// matches reports whether the instruction matches a form of the table; mov.b64 also takes lists.
func (c *compiler) matches(form string) bool {
	for _, o := range c.s.operands {
		if o.kind == isList {
			return false
		}
	}
	if len(c.s.operands) != len(form) {
		c.fail("%s with %d operands, want %d", c.s.op, len(c.s.operands), len(form))
	}
	return true
}

// wants ends the compilation if the number of operands is another.
func (c *compiler) wants(n int) {
	if len(c.s.operands) != n {
		c.fail("%s with %d operands, want %d", c.s.op, len(c.s.operands), n)
	}
}

func (in *instruction) needs(rs ...register) {
	for _, r := range rs {
		if r.name >= 0 {
			in.need = append(in.need, r.name)
		}
	}
}

func (in *instruction) writes(rs ...register) {
	for _, r := range rs {
		in.sets = append(in.sets, r.name)
	}
}

// operation compiles an instruction of the tables.
func (c *compiler) operation(in *instruction, o operation) {
	op, operands := c.s.op, c.s.operands
	narrow := strings.HasSuffix(op, "16")
	d := c.target(operands[0], classes[o.form[0]])
	var r [3]register
	for i, operand := range operands[1:] {
		class := classes[o.form[i+1]]
		r[i] = c.value(operand, class, narrow)
		in.needs(r[i])
	}
	in.writes(d)
	in.d, in.a, in.b, in.c = d.number, r[0].number, r[1].number, r[2].number
	in.class = classes[o.form[len(o.form)-1]]
	if strings.HasPrefix(op, "setp.") {
		in.compared = op[strings.LastIndexByte(op, '.')+1]
	}
	in.run = runner(o)
	if in.run == nil {
		c.fail("%s: no runner for its form", op)
	}
	if strings.HasPrefix(op, "div.") && !strings.Contains(op, ".f") || strings.HasPrefix(op, "rem.") {
		in.run = divides(in.run, r[1].class)
	}
}

// divides checks the divisor first.
func divides(run func(*warp, *instruction, uint32), class int) func(*warp, *instruction, uint32) {
	return func(w *warp, in *instruction, m uint32) {
		for l := range lanes(m) {
			if class == words && w.r32[in.b][l] == 0 || class == doubles && w.r64[in.b][l] == 0 {
				w.fail(in, l, Division, "%s divides by zero", in.op)
			}
		}
		run(w, in, m)
	}
}

const allLanes = 0xffffffff

// runner calls an operation on the registers of an instruction, for the lanes of m.
func runner(o operation) func(w *warp, in *instruction, m uint32) {
	switch f := o.run.(type) {
	case func(d, a *vec32):
		return func(w *warp, in *instruction, m uint32) { d := w.to32(in, m); f(d, &w.r32[in.a]); w.done32(in, m) }
	case func(d, a, b *vec32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to32(in, m), &w.r32[in.a], &w.r32[in.b])
			w.done32(in, m)
		}
	case func(d, a, b, c *vec32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to32(in, m), &w.r32[in.a], &w.r32[in.b], &w.r32[in.c])
			w.done32(in, m)
		}
	case func(d, a, b *vec32, p *uint32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to32(in, m), &w.r32[in.a], &w.r32[in.b], &w.p[in.c])
			w.done32(in, m)
		}
	case func(d *vec32, a *vec64):
		return func(w *warp, in *instruction, m uint32) { f(w.to32(in, m), &w.r64[in.a]); w.done32(in, m) }
	case func(d *uint32, a, b *vec32):
		return func(w *warp, in *instruction, m uint32) {
			var p uint32
			f(&p, &w.r32[in.a], &w.r32[in.b])
			w.p[in.d] = w.p[in.d]&^m | p&m
		}
	case func(d *uint32, a, b *vec64):
		return func(w *warp, in *instruction, m uint32) {
			var p uint32
			f(&p, &w.r64[in.a], &w.r64[in.b])
			w.p[in.d] = w.p[in.d]&^m | p&m
		}
	case func(d, a *uint32):
		return func(w *warp, in *instruction, m uint32) {
			var p uint32
			f(&p, &w.p[in.a])
			w.p[in.d] = w.p[in.d]&^m | p&m
		}
	case func(d, a, b *uint32):
		return func(w *warp, in *instruction, m uint32) {
			var p uint32
			f(&p, &w.p[in.a], &w.p[in.b])
			w.p[in.d] = w.p[in.d]&^m | p&m
		}
	}
	return runner64(o)
}

// runner64 does so with results of 64 bits.
func runner64(o operation) func(w *warp, in *instruction, m uint32) {
	switch f := o.run.(type) {
	case func(d, a *vec64):
		return func(w *warp, in *instruction, m uint32) { f(w.to64(in, m), &w.r64[in.a]); w.done64(in, m) }
	case func(d, a, b *vec64):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to64(in, m), &w.r64[in.a], &w.r64[in.b])
			w.done64(in, m)
		}
	case func(d, a, b, c *vec64):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to64(in, m), &w.r64[in.a], &w.r64[in.b], &w.r64[in.c])
			w.done64(in, m)
		}
	case func(d, a, b *vec64, p *uint32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to64(in, m), &w.r64[in.a], &w.r64[in.b], &w.p[in.c])
			w.done64(in, m)
		}
	case func(d, a *vec64, b *vec32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to64(in, m), &w.r64[in.a], &w.r32[in.b])
			w.done64(in, m)
		}
	case func(d *vec64, a *vec32):
		return func(w *warp, in *instruction, m uint32) { f(w.to64(in, m), &w.r32[in.a]); w.done64(in, m) }
	case func(d *vec64, a, b *vec32):
		return func(w *warp, in *instruction, m uint32) {
			f(w.to64(in, m), &w.r32[in.a], &w.r32[in.b])
			w.done64(in, m)
		}
	}
	return nil
}

// to32 is the target of an operation: the register, or a buffer from which done32 copies the active lanes.
func (w *warp) to32(in *instruction, m uint32) *vec32 {
	if m == allLanes {
		return &w.r32[in.d]
	}
	return &w.part32
}

func (w *warp) done32(in *instruction, m uint32) {
	if m != allLanes {
		d := &w.r32[in.d]
		for l := range lanes(m) {
			d[l] = w.part32[l]
		}
	}
}

func (w *warp) to64(in *instruction, m uint32) *vec64 {
	if m == allLanes {
		return &w.r64[in.d]
	}
	return &w.part64
}

func (w *warp) done64(in *instruction, m uint32) {
	if m != allLanes {
		d := &w.r64[in.d]
		for l := range lanes(m) {
			d[l] = w.part64[l]
		}
	}
}

// others and families are instructions whose operands are not values alone, by name and by
// the beginning of the name. They say whether there is anything to execute.
var others map[string]func(*compiler, *instruction) bool
var families map[string]func(*compiler, *instruction) bool

func init() {
	others = map[string]func(*compiler, *instruction) bool{
		"bra": compileBranch, "bra.uni": compileBranch,
		"ret":                compileReturn,
		"call.uni":           compileCall,
		"bar.sync":           compileBarrier,
		"bar.warp.sync":      compileWarpBarrier,
		"mov.b64":            compileSplit,
		"cvta.to.global.u64": compileAddress, "cvta.global.u64": compileAddress, "cvta.shared.u64": compileAddress,
		"vote.sync.ballot.b32": compileBallot,
		"shfl.sync.bfly.b32":   compileShuffle, "shfl.sync.idx.b32": compileShuffle, "shfl.sync.up.b32": compileShuffle, "shfl.sync.down.b32": compileShuffle,
		"cp.async.cg.shared.global": compileCopy, "cp.async.ca.shared.global": compileCopy,
		"cp.async.commit_group": compileCommit, "cp.async.wait_group": compileWait,
	}
	families = map[string]func(*compiler, *instruction) bool{
		"ld.param.": compileParameter, "st.param.": compileArgument,
		"ld.global.": compileLoad, "ld.shared.": compileLoad, "ld.f": compileLoad, "ld.v": compileLoad,
		"st.global.": compileStore, "st.shared.": compileStore, "st.f": compileStore, "st.v": compileStore,
		"atom.": compileAtomic, "red.": compileAtomic,
		"ldmatrix.sync.aligned.m8n8.": compileMatrixLoad, "mma.sync.aligned.": compileProduct,
	}
}

func compileBranch(c *compiler, in *instruction) bool {
	c.wants(1)
	in.control = branch
	c.jumps[int32(len(c.code))] = c.s.operands[0].word
	return true
}

func compileReturn(c *compiler, in *instruction) bool {
	c.wants(0)
	in.control = leave
	if c.f.entry {
		in.function = -1
	}
	return true
}

// compileCall moves the arguments to the function's parameters first.
func compileCall(c *compiler, in *instruction) bool {
	c.wants(2)
	name, arguments := c.s.operands[0].word, c.s.operands[1]
	f, ok := c.compiled[name]
	if !ok || arguments.kind != isList || len(arguments.list) != len(f.parameters) {
		c.fail("%s is not called with its parameters", name)
	}
	if in.guard >= 0 {
		c.fail("a call with a predicate")
	}
	for i, o := range arguments.list {
		to := f.parameters[i]
		from := c.value(o, to.class, false)
		move := instruction{line: in.line, guard: -1, op: "an argument of call.uni", d: to.number, a: from.number}
		move.needs(from)
		move.writes(to)
		move.run = runner(operation{"ww", move32})
		if to.class == doubles {
			move.run = runner(operation{"dd", move64})
		}
		c.code = append(c.code, move)
	}
	in.control, in.target, in.function = call, f.start, f.number
	return true
}

func compileBarrier(c *compiler, in *instruction) bool {
	c.wants(1)
	if o := c.s.operands[0]; o.kind != isNumber || o.number != 0 {
		c.fail("a barrier other than 0")
	}
	in.control = barrier
	return true
}

// compileSplit is mov.b64 {low, high}, d.
func compileSplit(c *compiler, in *instruction) bool {
	c.wants(2)
	if o := c.s.operands[0]; o.kind != isList || len(o.list) != 2 {
		c.fail("mov.b64 to an operand that is not a pair")
	}
	from := c.value(c.s.operands[1], doubles, false)
	low, high := c.target(c.s.operands[0].list[0], words), c.target(c.s.operands[0].list[1], words)
	in.needs(from)
	in.writes(low, high)
	in.d, in.c, in.a = low.number, high.number, from.number
	in.run = func(w *warp, in *instruction, m uint32) {
		for l := range lanes(m) {
			v := w.r64[in.a][l]
			w.r32[in.d][l], w.r32[in.c][l] = uint32(v), uint32(v>>32)
		}
	}
	return true
}

// compileAddress converts between addresses of a space and generic ones.
func compileAddress(c *compiler, in *instruction) bool {
	c.wants(2)
	d, a := c.target(c.s.operands[0], doubles), c.value(c.s.operands[1], doubles, false)
	in.needs(a)
	in.writes(d)
	in.d, in.a = d.number, a.number
	shift := uint64(0)
	if c.s.op == "cvta.shared.u64" {
		shift = sharedWindow
	}
	in.run = runner(operation{"dd", func(d, a *vec64) { loop64(d, func(i int) uint64 { return a[i] + shift }) }})
	return true
}

// compileParameter reads a parameter of the kernel or function.
func compileParameter(c *compiler, in *instruction) bool {
	c.wants(2)
	kind, o := strings.TrimPrefix(c.s.op, "ld.param."), c.s.operands[1]
	from, ok := c.registers[o.word]
	declared := false
	for _, v := range c.f.parameters {
		declared = declared || v.name == o.word
	}
	if o.kind != isMemory || !ok || !declared || o.number != 0 {
		c.fail("%s is no parameter", o.word)
	}
	if typeBytes(kind) != typeBytes(from.kind) {
		c.fail("%s of a parameter of type %s", c.s.op, from.kind)
	}
	d := c.target(c.s.operands[0], c.word(c.s.operands[0].word, from.class).class)
	if d.class == predicates || d.class < from.class {
		c.fail("%s to a register of another size", c.s.op)
	}
	in.needs(from)
	in.writes(d)
	in.d, in.a = d.number, from.number
	switch {
	case d.class == words:
		in.run = runner(moves["mov.u32"])
	case from.class == doubles:
		in.run = runner(moves["mov.u64"])
	case kind[0] == 's':
		in.run = runner(conversions["cvt.s64.s32"])
	default:
		in.run = runner(conversions["cvt.u64.u32"])
	}
	return true
}

// compileArgument writes an argument of a call, which is a register of its own.
func compileArgument(c *compiler, in *instruction) bool {
	c.wants(2)
	o := c.s.operands[0]
	if o.kind != isMemory || o.number != 0 {
		c.fail("an argument in parts")
	}
	to := c.word(o.word, words)
	if to.name < 0 || typeBytes(strings.TrimPrefix(c.s.op, "st.param.")) != typeBytes(to.kind) {
		c.fail("%s to %s", c.s.op, o.word)
	}
	from := c.value(c.s.operands[1], to.class, false)
	in.needs(from)
	in.writes(to)
	in.d, in.a = to.number, from.number
	in.run = runner(moves["mov.u32"])
	if to.class == doubles {
		in.run = runner(moves["mov.u64"])
	}
	return true
}

// suffix is the number at the end of a part like x4 or v2.
func suffix(part string) int {
	n, err := strconv.Atoi(strings.TrimLeft(part, "xv"))
	if err != nil {
		return 0
	}
	return n
}
