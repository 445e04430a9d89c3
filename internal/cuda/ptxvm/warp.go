// A warp: 32 lanes, their registers, and where they are.

package ptxvm

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// lanes are the numbers of the bits of m.
func lanes(m uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros32(m)) {
				return
			}
		}
	}
}

// A group is lanes at one instruction.
type group struct {
	at    int32
	lanes uint32
}

// The state of a warp.
type status uint8

const (
	running status = iota
	atBarrier
	ended
)

type warp struct {
	machine *Machine
	program *program
	index   int
	block   [3]int

	r32     []vec32
	r64     []vec64
	p       []uint32
	written []uint32 // lanes of each named register
	part32  vec32
	part64  vec64

	at      int32  // of the lanes that run
	active  uint32 // the lanes that run
	next    int32  // the least instruction of waiting lanes
	all     uint32 // the lanes that the warp began with
	alive   uint32 // that have not ended
	waiting []group
	stuck   []group // at an operation that lanes are missing from
	returns [][32]int32

	status status
	line   int32  // of the barrier
	syncs  uint64 // warp barriers since the last barrier of the block
	copies []copying
	groups [32]uint32 // of asynchronous copies, committed by each lane
	left   int        // instructions before the kernel counts as endless
}

// reset puts the warp at the beginning of a block.
func (w *warp) reset(block [3]int, lanes uint32) {
	w.block, w.all, w.alive, w.active = block, lanes, lanes, lanes
	w.at, w.next = w.program.start, math.MaxInt32
	w.waiting, w.stuck, w.copies = w.waiting[:0], w.stuck[:0], w.copies[:0]
	w.status, w.syncs, w.groups = running, 0, [32]uint32{}
	clear(w.written)
}

// run executes at most this many instructions, up to a barrier or the end.
func (w *warp) run(budget int) {
	code, seen := w.program.code, w.machine.seen
	start := budget
	for ; budget > 0 && w.status == running; budget-- {
		if w.at >= w.next {
			w.meet()
		}
		in := &code[w.at]
		m := w.active
		if seen != nil {
			seen[w.at] |= executed
		}
		if in.guard >= 0 {
			if m&^w.writtenLanes(in.guardName) != 0 {
				w.unwritten(in, in.guardName, m)
			}
			p := w.p[in.guard]
			if in.negated {
				p = ^p
			}
			m &= p
		}
		if in.control != plain {
			w.steer(in, m)
			continue
		}
		if m != 0 {
			for _, n := range in.need {
				if m&^w.written[n] != 0 {
					w.unwritten(in, n, m)
				}
			}
			in.run(w, in, m)
			for _, n := range in.sets {
				w.written[n] |= m
			}
		}
		if seen != nil {
			seen[w.at] |= w.observed(in, m)
		}
		w.at++
	}
	w.left -= start - budget
	if w.left <= 0 {
		w.fail(&code[w.at], -1, Endless, "the kernel does not end: more than %d instructions of a warp", w.machine.limit)
	}
}

func (w *warp) writtenLanes(name int32) uint32 {
	if name < 0 {
		return allLanes
	}
	return w.written[name]
}

func (w *warp) unwritten(in *instruction, name int32, m uint32) {
	missing := m &^ w.written[name]
	w.fail(in, bits.TrailingZeros32(missing), Unwritten, "%s reads %s, which %s not written", in.op, w.program.names[name],
		these(missing, "has", "have"))
}

// these names lanes.
func these(m uint32, one, several string) string {
	if bits.OnesCount32(m) == 1 {
		return fmt.Sprintf("lane %d %s", bits.TrailingZeros32(m), one)
	}
	return fmt.Sprintf("%d lanes (%#08x) %s", bits.OnesCount32(m), m, several)
}

// meet runs the lanes at the lowest instruction: all that wait there.
func (w *warp) meet() {
	w.wait(group{w.at, w.active})
	w.resume()
}

// wait adds lanes to the waiting ones, in the order of their instructions.
func (w *warp) wait(g group) {
	i, ok := slices.BinarySearchFunc(w.waiting, g, func(a, b group) int { return int(a.at - b.at) })
	if ok {
		w.waiting[i].lanes |= g.lanes
	} else {
		w.waiting = slices.Insert(w.waiting, i, g)
	}
	w.next = w.waiting[0].at
}

// resume takes the first of the waiting lanes.
func (w *warp) resume() {
	w.at, w.active = w.waiting[0].at, w.waiting[0].lanes
	w.waiting = slices.Delete(w.waiting, 0, 1)
	w.next = math.MaxInt32
	if len(w.waiting) > 0 {
		w.next = w.waiting[0].at
	}
}

// steer executes instructions that are more than an operation of each lane; m are the lanes whose predicate holds.
func (w *warp) steer(in *instruction, m uint32) {
	rest := w.active &^ m
	switch in.control {
	case branch:
		if seen := w.machine.seen; seen != nil {
			if m != 0 {
				seen[w.at] |= taken
			}
			if rest != 0 {
				seen[w.at] |= passed
			}
		}
		if m == 0 {
			w.at++
			return
		}
		if rest != 0 {
			w.wait(group{w.at + 1, rest})
		}
		w.at, w.active = in.target, m
	case call:
		for l := range lanes(m) {
			w.returns[in.function][l] = w.at + 1
		}
		w.at = in.target
	case leave:
		w.leave(in, m, rest)
	default:
		if rest != 0 {
			if m == 0 {
				w.at++
				return
			}
			w.wait(group{w.at + 1, rest})
			w.active = m
		}
		w.together(in)
	}
}

// leave ends lanes, or returns from a function.
func (w *warp) leave(in *instruction, m, rest uint32) {
	if rest != 0 {
		w.wait(group{w.at + 1, rest})
	}
	if in.function >= 0 {
		for l := range lanes(m) {
			w.wait(group{w.returns[in.function][l], 1 << l})
		}
		w.resume()
		return
	}
	w.alive &^= m
	w.active = 0
	w.proceed(in)
}

// proceed runs other lanes if none is active.
func (w *warp) proceed(in *instruction) {
	switch {
	case len(w.waiting) > 0:
		w.resume()
	case len(w.stuck) > 0:
		w.divergent()
	default:
		w.status = ended
	}
}

// divergent reports lanes that wait for each other.
func (w *warp) divergent() {
	first := w.stuck[0]
	in := &w.program.code[first.at]
	text := []string{fmt.Sprintf("divergent warp: %s at %s", these(first.lanes, "waits", "wait"), in.op)}
	for _, g := range w.stuck[1:] {
		other := &w.program.code[g.at]
		text = append(text, fmt.Sprintf("%s at %s in line %d", these(g.lanes, "waits", "wait"), other.op, other.line))
	}
	if gone := w.all &^ w.alive; gone != 0 {
		text = append(text, these(gone, "has ended", "have ended"))
	}
	if w.all != allLanes {
		text = append(text, fmt.Sprintf("the warp has %d lanes", bits.OnesCount32(w.all)))
	}
	w.fail(in, bits.TrailingZeros32(first.lanes), Divergence, "%s", strings.Join(text, ", "))
}

// together executes a barrier or an operation of lanes together, once all of them are there.
func (w *warp) together(in *instruction) {
	for i, g := range w.stuck {
		if g.at == w.at {
			w.active |= g.lanes
			w.stuck = slices.Delete(w.stuck, i, i+1)
			break
		}
	}
	want := w.all
	if in.control == collective {
		want = allLanes
		if in.access == nil || !in.access.aligned {
			want = w.mask(in)
		}
	}
	if want&^w.active != 0 {
		w.stuck = append(w.stuck, group{w.at, w.active})
		w.active = 0
		if len(w.waiting) == 0 {
			w.divergent()
		}
		w.resume()
		return
	}
	if in.control == barrier {
		w.reachBarrier(in)
		return
	}
	for _, n := range in.need {
		if w.active&^w.written[n] != 0 {
			w.unwritten(in, n, w.active)
		}
	}
	in.run(w, in, w.active)
	for _, n := range in.sets {
		w.written[n] |= w.active
	}
	w.at++
}

// mask is the operand of a warp operation that names its lanes, the same in all of them.
func (w *warp) mask(in *instruction) uint32 {
	masks := &w.r32[in.access.base]
	first := bits.TrailingZeros32(w.active)
	for l := range lanes(w.active) {
		if masks[l] != masks[first] {
			w.fail(in, l, Mask, "%s with the mask %#x, lane %d with %#x", in.op, masks[l], first, masks[first])
		}
	}
	if outside := w.active &^ masks[first]; outside != 0 {
		w.fail(in, bits.TrailingZeros32(outside), Mask, "%s with the mask %#x, in which %s not", in.op, masks[first],
			these(outside, "is", "are"))
	}
	if gone := masks[first] &^ w.alive; gone != 0 {
		w.fail(in, bits.TrailingZeros32(gone), Mask, "divergent warp: %s with the mask %#x: %s ended or never been", in.op,
			masks[first], these(gone, "has", "have"))
	}
	return masks[first]
}

// reachBarrier stops the warp at a barrier.
func (w *warp) reachBarrier(in *instruction) {
	w.at++
	if w.machine.skips(&w.machine.Barriers, in.line, w.machine.skipBarrier) {
		return
	}
	w.status, w.line = atBarrier, in.line
}

// compileWarpBarrier is bar.warp.sync mask.
func compileWarpBarrier(c *compiler, in *instruction) bool {
	c.wants(1)
	c.masked(in, c.s.operands[0])
	in.run = func(w *warp, in *instruction, m uint32) { w.syncs++ }
	return true
}

// masked makes an instruction one of the lanes of a mask.
func (c *compiler) masked(in *instruction, mask operand) {
	r := c.value(mask, words, false)
	in.needs(r)
	in.control = collective
	in.access = &access{base: r.number}
}

func compileBallot(c *compiler, in *instruction) bool {
	c.wants(3)
	d, p := c.target(c.s.operands[0], words), c.value(c.s.operands[1], predicates, false)
	c.masked(in, c.s.operands[2])
	in.needs(p)
	in.writes(d)
	in.d, in.a = d.number, p.number
	in.run = func(w *warp, in *instruction, m uint32) {
		votes := w.p[in.a] & m
		for l := range lanes(m) {
			w.r32[in.d][l] = votes
		}
	}
	return true
}

// compileShuffle is shfl.sync.MODE.b32 d, a, b, c, mask. Lane i takes a of the lane determined by b and the clamp and
// segments of c, or its own if that is out of range.
func compileShuffle(c *compiler, in *instruction) bool {
	c.wants(5)
	mode := strings.Split(c.s.op, ".")[2]
	d, a := c.target(c.s.operands[0], words), c.value(c.s.operands[1], words, false)
	b, clamp := c.value(c.s.operands[2], words, false), c.value(c.s.operands[3], words, false)
	c.masked(in, c.s.operands[4])
	in.needs(a, b, clamp)
	in.writes(d)
	in.d, in.a, in.b, in.c = d.number, a.number, b.number, clamp.number
	in.run = func(w *warp, in *instruction, m uint32) {
		from := w.r32[in.a]
		for l := range lanes(m) {
			j := shuffled(mode, uint32(l), w.r32[in.b][l], w.r32[in.c][l])
			if m>>j&1 == 0 {
				w.fail(in, l, Mask, "%s from lane %d, which does not take part", in.op, j)
			}
			w.r32[in.d][l] = from[j]
		}
	}
	return true
}

// shuffled is the lane that a lane reads.
func shuffled(mode string, lane, b, c uint32) uint32 {
	b &= 31
	segments, clamp := c>>8&31, c&31
	highest := lane&segments | clamp&^segments
	j, inside := lane, false
	switch mode {
	case "up":
		j = lane - b
		inside = int32(j) >= int32(highest)
	case "down":
		j = lane + b
		inside = j <= highest
	case "bfly":
		j = lane ^ b
		inside = j <= highest
	case "idx":
		j = lane&segments | b&^segments
		inside = j <= highest
	}
	if !inside {
		return lane
	}
	return j
}
