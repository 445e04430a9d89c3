// Loads, stores, atomic operations and asynchronous copies.

package ptxvm

import (
	"encoding/binary"
	"strings"
)

// An access is the memory of an instruction: count values of size bytes from an address in a register of 32 or 64 bits
// and an offset.
type access struct {
	space    string // global, shared or generic
	base     int32  // the register, or the mask of a warp operation
	wide     bool   // of 64 bits
	offset   uint64
	size     int
	count    int
	signed   bool
	atomic   bool
	aligned  bool // a warp operation of all 32 lanes
	values   []int32
	double   bool // values are registers of 64 bits
	operator func(old, v uint64) uint64
}

type purpose uint8

const (
	reading purpose = iota
	writing
	changing
)

// pointer compiles an address.
func (c *compiler) pointer(in *instruction, o operand, ac *access) {
	if o.kind != isMemory {
		c.fail("%s: an address is wanted", c.s.op)
	}
	ac.offset = o.number
	var r register
	if offset, ok := c.address(o.word); ok {
		r = c.number(doubles, uint64(offset))
	} else {
		r = c.word(o.word, doubles)
	}
	if r.class == predicates || r.class == words && ac.space != "shared" {
		c.fail("%s: %s is no address", c.s.op, o.word)
	}
	ac.base, ac.wide = r.number, r.class == doubles
	in.needs(r)
	in.access = ac
	for i, space := range []string{"global", "shared"} {
		if ac.space == space || ac.space == "generic" {
			c.granules[i] = min(c.granules[i], ac.size)
		}
	}
}

// memory reads the parts of the name: space, vector, type.
func (c *compiler) memory() *access {
	ac := &access{space: "generic", count: 1}
	for _, part := range strings.Split(c.s.op, ".")[1:] {
		switch {
		case part == "global" || part == "shared":
			ac.space = part
		case part == "v2" || part == "v4":
			ac.count = suffix(part)
		case typeBytes(part) > 0 && ac.size == 0:
			ac.size, ac.signed = typeBytes(part), part[0] == 's'
		default:
			c.fail("unknown instruction %s", c.s.op)
		}
	}
	if ac.size == 0 || ac.size*ac.count > 16 {
		c.fail("unknown instruction %s", c.s.op)
	}
	return ac
}

// values are the registers of a load or store: one or a list.
func (c *compiler) values(o operand, ac *access, value func(operand, int) register) []register {
	list := []operand{o}
	if ac.count > 1 || o.kind == isList {
		list = o.list
	}
	if len(list) != ac.count {
		c.fail("%s with %d values, want %d", c.s.op, len(list), ac.count)
	}
	var all []register
	for _, o := range list {
		class := words
		if ac.size == 8 || o.kind == isWord && c.word(o.word, words).class == doubles {
			class = doubles
		}
		r := value(o, class)
		if len(all) > 0 && r.class != all[0].class {
			c.fail("%s with registers of two sizes", c.s.op)
		}
		ac.double = class == doubles
		ac.values = append(ac.values, r.number)
		all = append(all, r)
	}
	return all
}

func compileLoad(c *compiler, in *instruction) bool {
	c.wants(2)
	ac := c.memory()
	in.writes(c.values(c.s.operands[0], ac, c.target)...)
	c.pointer(in, c.s.operands[1], ac)
	in.run = load
	return true
}

func compileStore(c *compiler, in *instruction) bool {
	c.wants(2)
	ac := c.memory()
	in.needs(c.values(c.s.operands[1], ac, func(o operand, class int) register { return c.value(o, class, false) })...)
	c.pointer(in, c.s.operands[0], ac)
	in.run = store
	return true
}

// atomicOperators by name and type.
var atomicOperators = map[string]func(old, v uint64) uint64{
	"add.u32": func(old, v uint64) uint64 { return old + v },
	"add.u64": func(old, v uint64) uint64 { return old + v },
	"max.u64": func(old, v uint64) uint64 { return max(old, v) },
	"min.u64": func(old, v uint64) uint64 { return min(old, v) },
}

// compileAtomic is atom.SPACE.OP.TYPE d, [a], b, or red… [a], b without the old value.
func compileAtomic(c *compiler, in *instruction) bool {
	parts := strings.Split(c.s.op, ".")
	if len(parts) < 3 {
		c.fail("unknown instruction %s", c.s.op)
	}
	name, kind := strings.Join(parts[len(parts)-2:], "."), parts[len(parts)-1]
	ac := &access{space: "generic", count: 1, size: typeBytes(kind), atomic: true, operator: atomicOperators[name]}
	if len(parts) == 4 && (parts[1] == "global" || parts[1] == "shared") {
		ac.space = parts[1]
	} else if len(parts) != 3 {
		c.fail("unknown instruction %s", c.s.op)
	}
	if ac.operator == nil {
		c.fail("unknown instruction %s", c.s.op)
	}
	operands := c.s.operands
	in.d = -1
	class := classOf(kind)
	if parts[0] == "atom" {
		c.wants(3)
		d := c.target(operands[0], class)
		in.writes(d)
		in.d = d.number
		operands = operands[1:]
	} else {
		c.wants(2)
	}
	v := c.value(operands[1], class, false)
	in.needs(v)
	in.a, ac.double = v.number, class == doubles
	c.pointer(in, operands[0], ac)
	c.atomic = c.atomic || ac.space != "shared"
	in.run = change
	return true
}

// address is where a lane's access begins.
func (w *warp) address(ac *access, l int) uint64 {
	if ac.wide {
		return w.r64[ac.base][l] + ac.offset
	}
	return uint64(w.r32[ac.base][l] + uint32(ac.offset))
}

func (w *warp) stamp(l int) stamp {
	return stamp(w.machine.now<<stampInterval | w.syncs&0xffff<<stampSync | uint64(w.index<<5|l)<<stampThread)
}

// find is the space of an address, and the interval from which on its stamps count.
func (w *warp) find(in *instruction, l int, space string, address uint64, n int) (s *space, offset, start uint64) {
	m := w.machine
	if address%uint64(n) != 0 {
		w.fail(in, l, Misaligned, "%s touches %#x, which is not a multiple of %d", in.op, address, n)
	}
	shared := space == "shared"
	if space == "generic" && address>>56 == sharedWindow>>56 {
		shared, address = true, address-sharedWindow
	}
	if shared {
		offset = address - sharedBase
		if offset >= uint64(len(m.sharedSpace.data)) || offset+uint64(n) > uint64(len(m.sharedSpace.data)) {
			w.fail(in, l, Bounds, "%s touches %#x, outside of the shared memory %#x … %#x", in.op, address, sharedBase,
				sharedBase+len(m.sharedSpace.data))
		}
		return &m.sharedSpace, offset, m.blockStart
	}
	s = m.last
	if offset = address - s.base; offset >= uint64(len(s.data)) {
		s = m.region(address)
		if s == nil {
			w.fail(in, l, Bounds, "%s touches %#x, which is not its memory", in.op, address)
		}
		m.last, offset = s, address-s.base
	}
	if offset+uint64(n) > uint64(len(s.data)) {
		w.fail(in, l, Bounds, "%s touches %d bytes at %#x, with only %d left", in.op, n, address, uint64(len(s.data))-offset)
	}
	return s, offset, m.launchStart
}

// reach checks an access of n bytes and records it; the bytes are the accessed memory.
func (w *warp) reach(in *instruction, l int, space string, address uint64, n int, why purpose) []byte {
	s, offset, start := w.find(in, l, space, address, n)
	if why != writing && s.known != nil && !allKnown(s.known[offset:], n) {
		w.fail(in, l, Unwritten, "%s reads %#x, which nobody has written", in.op, address)
	}
	me := w.stamp(l)
	for g, end := offset>>s.shift, (offset+uint64(n)-1)>>s.shift; g <= end; g++ {
		var kind string
		var other stamp
		switch why {
		case reading:
			kind, other = w.machine.readBy(s, g, me, start)
		case writing:
			kind, other = w.machine.writtenBy(s, g, me, start)
		default:
			kind, other = w.machine.changedBy(s, g, me, start)
		}
		if kind != "" {
			w.clash(in, l, kind, other, address+(g-offset>>s.shift)<<s.shift)
		}
	}
	if why == writing && s.known != nil {
		copy(s.known[offset:offset+uint64(n)], eightKnown)
	}
	return s.data[offset : offset+uint64(n)]
}

// clash reports a conflict of reading, writing or changing a granule.
func (w *warp) clash(in *instruction, l int, kind string, other stamp, address uint64) {
	m := w.machine
	switch {
	case other == outside:
		w.fail(in, l, Bounds, "%s touches %#x, between two variables", in.op, address)
	case kind == Unwritten:
		w.fail(in, l, kind, "%s reads %#x of shared memory, which nobody has written", in.op, address)
	case kind == Pending:
		w.fail(in, l, kind, "%s of %#x, to which an asynchronous copy of warp %d lane %d is under way", in.op, address,
			other.thread()>>5, other.thread()&31)
	case other&severalBlocks != 0 || other.interval() < m.blockStart:
		w.fail(in, l, kind, "race: %s of %#x, which another block has touched", in.op, address)
	}
	w.fail(in, l, kind, "race: %s of %#x, which warp %d lane %d has touched since the last barrier", in.op, address,
		other.thread()>>5, other.thread()&31)
}

func decode(p []byte, size int, signed bool) uint64 {
	switch size {
	case 1:
		if signed {
			return uint64(int8(p[0]))
		}
		return uint64(p[0])
	case 2:
		v := binary.LittleEndian.Uint16(p)
		if signed {
			return uint64(int16(v))
		}
		return uint64(v)
	case 4:
		v := binary.LittleEndian.Uint32(p)
		if signed {
			return uint64(int32(v))
		}
		return uint64(v)
	}
	return binary.LittleEndian.Uint64(p)
}

func encode(p []byte, size int, v uint64) {
	switch size {
	case 1:
		p[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(v))
	default:
		binary.LittleEndian.PutUint64(p, v)
	}
}

func load(w *warp, in *instruction, m uint32) {
	ac := in.access
	n := ac.size * ac.count
	for l := range lanes(m) {
		p := w.reach(in, l, ac.space, w.address(ac, l), n, reading)
		if ac.size == 4 && !ac.double {
			for i, r := range ac.values {
				w.r32[r][l] = binary.LittleEndian.Uint32(p[4*i:])
			}
			continue
		}
		for i, r := range ac.values {
			v := decode(p[i*ac.size:], ac.size, ac.signed)
			if ac.double {
				w.r64[r][l] = v
			} else {
				w.r32[r][l] = uint32(v)
			}
		}
	}
}

func store(w *warp, in *instruction, m uint32) {
	ac := in.access
	n := ac.size * ac.count
	for l := range lanes(m) {
		p := w.reach(in, l, ac.space, w.address(ac, l), n, writing)
		for i, r := range ac.values {
			if ac.double {
				encode(p[i*ac.size:], ac.size, w.r64[r][l])
			} else {
				encode(p[i*ac.size:], ac.size, uint64(w.r32[r][l]))
			}
		}
	}
}

func change(w *warp, in *instruction, m uint32) {
	ac := in.access
	for l := range lanes(m) {
		p := w.reach(in, l, ac.space, w.address(ac, l), ac.size, changing)
		old := decode(p, ac.size, false)
		v := uint64(w.r32At(in.a, l, ac.double))
		encode(p, ac.size, ac.operator(old, v))
		if in.d >= 0 {
			if ac.double {
				w.r64[in.d][l] = old
			} else {
				w.r32[in.d][l] = uint32(old)
			}
		}
	}
}

func (w *warp) r32At(r int32, l int, double bool) uint64 {
	if double {
		return w.r64[r][l]
	}
	return uint64(w.r32[r][l])
}

// A copying is an asynchronous copy of one lane under way. Its bytes come at the wait.
type copying struct {
	lane   int
	group  uint32
	to     uint64
	from   uint64
	n, has int // bytes to write, and to read; the others become 0
	in     *instruction
}

// compileCopy is cp.async [to], [from], bytes, bytes to read.
func compileCopy(c *compiler, in *instruction) bool {
	c.wants(4)
	n := c.s.operands[2]
	sizes := map[uint64]bool{4: true, 8: true, 16: true}
	if strings.HasPrefix(c.s.op, "cp.async.cg") {
		sizes = map[uint64]bool{16: true}
	}
	if n.kind != isNumber || !sizes[n.number] {
		c.fail("%s of another number of bytes", c.s.op)
	}
	from := &access{space: "global", size: int(n.number), count: 1}
	c.pointer(in, c.s.operands[1], from)
	to := &access{space: "shared", size: int(n.number), count: 1}
	c.pointer(in, c.s.operands[0], to)
	has := c.value(c.s.operands[3], words, false)
	in.needs(has)
	in.a = has.number
	in.run = func(w *warp, in *instruction, m uint32) {
		for l := range lanes(m) {
			w.begin(in, l, w.address(to, l), w.address(from, l), to.size, int(w.r32[in.a][l]))
		}
	}
	return true
}

// begin starts a copy: the bytes at its target are undefined until the wait.
func (w *warp) begin(in *instruction, l int, to, from uint64, n, has int) {
	if has > n {
		w.fail(in, l, Bounds, "%s reads %d bytes for %d", in.op, has, n)
	}
	if from%uint64(n) != 0 {
		w.fail(in, l, Misaligned, "%s reads %#x, which is not a multiple of the size %d", in.op, from, n)
	}
	if has > 0 {
		w.reachPart(in, l, from, has)
	}
	w.reach(in, l, "shared", to, n, writing)
	s, offset, _ := w.find(in, l, "shared", to, n)
	for g, end := offset>>s.shift, (offset+uint64(n)-1)>>s.shift; g <= end; g++ {
		s.writes[g] |= pending
	}
	w.copies = append(w.copies, copying{l, w.groups[l], to, from, n, has, in})
}

// reachPart reads the first bytes of a source, which may be fewer than a power of two.
func (w *warp) reachPart(in *instruction, l int, from uint64, n int) {
	if n&(n-1) == 0 {
		w.reach(in, l, "global", from, n, reading)
		return
	}
	for i := range n {
		w.reach(in, l, "global", from+uint64(i), 1, reading)
	}
}

func compileCommit(c *compiler, in *instruction) bool {
	c.wants(0)
	in.run = func(w *warp, in *instruction, m uint32) {
		for l := range lanes(m) {
			w.groups[l]++
		}
	}
	return true
}

func compileWait(c *compiler, in *instruction) bool {
	c.wants(1)
	o := c.s.operands[0]
	if o.kind != isNumber || o.number > 1<<20 {
		c.fail("%s without a number", c.s.op)
	}
	in.d = int32(o.number)
	in.run = func(w *warp, in *instruction, m uint32) {
		if !w.machine.skips(&w.machine.Waits, in.line, w.machine.skipWait) {
			w.finish(m, uint32(in.d))
		}
	}
	return true
}

// finish ends the copies of lanes, except the last committed groups.
func (w *warp) finish(m, keep uint32) {
	kept := w.copies[:0]
	for _, c := range w.copies {
		if m>>c.lane&1 == 0 || c.group+keep >= w.groups[c.lane] {
			kept = append(kept, c)
			continue
		}
		s, offset, _ := w.find(c.in, c.lane, "shared", c.to, c.n)
		for g, end := offset>>s.shift, (offset+uint64(c.n)-1)>>s.shift; g <= end; g++ {
			s.writes[g] = w.stamp(c.lane)
		}
		to := s.data[offset : offset+uint64(c.n)]
		clear(to)
		if c.has > 0 {
			w.reachPart(c.in, c.lane, c.from, c.has)
			g, from, _ := w.find(c.in, c.lane, "global", c.from, 1)
			copy(to, g.data[from:from+uint64(c.has)])
		}
	}
	w.copies = kept
}
