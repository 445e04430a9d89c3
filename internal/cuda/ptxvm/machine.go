// Launches: the blocks one after the other, and their warps by turns.

package ptxvm

import (
	"fmt"
	"math"
	"slices"
)

// A Launch is one call of a kernel.
type Launch struct {
	Kernel      string
	Grid, Block [3]int
	Shared      int      // bytes of dynamic shared memory
	Arguments   []uint64 // the bits of the parameters
	Memory      []Region // memory accessible to the kernel
	Seed        uint64   // of the order of blocks and warps; 0: as they are counted
	Reverse     bool     // from the last to the first
	First       int      // the first block that runs, counted along x, then y, then z
	Blocks      int      // how many blocks run; 0: all that follow
	Limit       int      // instructions of a warp in a block before the kernel counts as endless; 0: 2^28

	// The barrier and the wait that are passed over, counted from 1 in the order in which
	// their lines are first met; 0: none.
	SkipBarrier, SkipWait int
}

// A Machine runs launches one after the other.
type Machine struct {
	clock
	sharedSpace space
	spaces      []*space
	last        *space
	shadows     map[uint64]*shadow // by base and granule
	atomic      bool               // the kernel has atomic operations
	files       map[*program][]*warp
	random      uint64
	limit       int

	skipBarrier, skipWait int

	Recorder *Recorder // of launches, or nil
	observe  bool      // record effects of instructions, without a recorder too
	seen     []byte    // effects of each instruction in this launch; nil: not recorded

	Barriers, Waits []int32 // their lines in the last launch, in order
	Instructions    int     // of warps, since the machine was made
}

// NewMachine makes a machine.
func NewMachine() *Machine {
	return &Machine{clock: clock{now: 1}, shadows: map[uint64]*shadow{}, files: map[*program][]*warp{}}
}

// Run executes a launch; a mistake of the kernel is a *Fault, and leaves memory as it was then.
func (m *Machine) Run(module *Module, l *Launch) (err error) {
	p, err := module.program(l.Kernel)
	if err != nil {
		return err
	}
	refuse := func(format string, a ...any) error {
		return &Fault{Kind: Refused, File: module.name, Kernel: l.Kernel, Warp: -1, Lane: -1, What: fmt.Sprintf(format, a...)}
	}
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	blocks := l.Grid[0]*l.Grid[1]*l.Grid[2] - l.First
	if l.Blocks > 0 {
		blocks = min(blocks, l.Blocks)
	}
	switch {
	case threads < 1 || blocks < 1 || min(l.Block[0], l.Block[1], l.Grid[0], l.Grid[1]) < 1:
		return refuse("a launch of %v blocks of %v threads", l.Grid, l.Block)
	case threads > p.most:
		return refuse("%d threads in a block, at most %d", threads, p.most)
	case len(l.Arguments) != len(p.parameters):
		return refuse("%d arguments, want %d", len(l.Arguments), len(p.parameters))
	}
	m.prepare(p, l)
	m.seen = nil
	if m.Recorder != nil || m.observe {
		m.seen = make([]byte, len(p.code))
	}
	if m.Recorder == nil {
		return m.runBlocks(p, l, blocks, threads)
	}
	copied, before := m.Recorder.before(l), m.Instructions
	err = m.runBlocks(p, l, blocks, threads)
	if failed := m.Recorder.after(m, p, l, copied, m.Instructions-before, err); failed != nil {
		return failed
	}
	return err
}

// runBlocks runs the blocks of a launch; a mistake is a *Fault.
func (m *Machine) runBlocks(p *program, l *Launch, blocks, threads int) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			panic(r)
		}
	}()
	warps := m.warps(p, l, (threads+31)/32)
	order := m.order(blocks, l)
	for i := range blocks {
		b := l.First + order(i)
		m.runBlock(p, l, warps, [3]int{b % l.Grid[0], b / l.Grid[0] % l.Grid[1], b / l.Grid[0] / l.Grid[1]}, threads)
	}
	return nil
}

// prepare sets out the memory of a launch.
func (m *Machine) prepare(p *program, l *Launch) {
	m.now++
	m.launchStart = m.now
	m.random = l.Seed
	m.limit = l.Limit
	if m.limit == 0 {
		m.limit = 1 << 28
	}
	m.skipBarrier, m.skipWait = l.SkipBarrier, l.SkipWait
	m.Barriers, m.Waits = m.Barriers[:0], m.Waits[:0]
	m.spaces = m.spaces[:0]
	shift := log2(p.granules[0])
	m.granule, m.atomic = shift, p.atomic
	for _, r := range l.Memory {
		m.spaces = append(m.spaces, &space{base: r.Base, data: r.Data, known: r.Known})
	}
	m.forget()
	slices.SortFunc(m.spaces, func(a, b *space) int {
		if a.base < b.base {
			return -1
		}
		return 1
	})
	m.last = &space{base: math.MaxUint64}
	end := max(p.static, sharedBase)
	if p.dynamic > 0 {
		end = p.dynamic + l.Shared
	}
	n := end - sharedBase
	m.sharedSpace = space{data: make([]byte, n), shadow: newShadow(n, log2(p.granules[1]), true)}
	inside := make([]bool, len(m.sharedSpace.writes))
	mark := func(offset, bytes int) {
		shift := m.sharedSpace.shift
		for g := (offset - sharedBase) >> shift; g < (offset-sharedBase+bytes+1<<shift-1)>>shift; g++ {
			inside[g] = true
		}
	}
	for _, v := range p.shared {
		mark(v.at, v.bytes)
	}
	if p.dynamic > 0 {
		mark(p.dynamic, l.Shared)
	}
	for g, in := range inside {
		if !in {
			m.sharedSpace.writes[g] = outside
		}
	}
}

// region finds global memory.
func (m *Machine) region(address uint64) *space {
	i, _ := slices.BinarySearchFunc(m.spaces, address, func(s *space, a uint64) int {
		if s.base <= a {
			return -1
		}
		return 1
	})
	if i == 0 || address-m.spaces[i-1].base >= uint64(len(m.spaces[i-1].data)) {
		return nil
	}
	s := m.spaces[i-1]
	if s.shadow != nil {
		return s
	}
	key := s.base<<8 | uint64(m.granule)
	s.shadow = m.shadows[key]
	if n := len(s.data)>>m.granule + 1; s.shadow == nil || len(s.writes) != n || m.atomic && s.atomics == nil {
		s.shadow = newShadow(len(s.data), m.granule, m.atomic)
		m.shadows[key] = s.shadow
	}
	return s
}

// forget drops the stamps of memory that is there no more.
func (m *Machine) forget() {
	if len(m.shadows) < 4*len(m.spaces)+16 {
		return
	}
	present := map[uint64]bool{}
	for _, s := range m.spaces {
		present[s.base] = true
	}
	for key := range m.shadows {
		if !present[key>>8] {
			delete(m.shadows, key)
		}
	}
}

// warps are the warps of a block, with the state that is the same in all blocks.
func (m *Machine) warps(p *program, l *Launch, n int) []*warp {
	all := m.files[p]
	for len(all) < n {
		w := &warp{machine: m, program: p, index: len(all), r32: make([]vec32, p.count[words]), r64: make([]vec64, p.count[doubles]),
			p: make([]uint32, p.count[predicates]), written: make([]uint32, len(p.names)), returns: make([][32]int32, p.functions)}
		for _, c := range p.constants {
			w.fill(c.register, func(int) uint64 { return c.value })
		}
		all = append(all, w)
	}
	m.files[p] = all
	for _, w := range all[:n] {
		for _, s := range p.special {
			w.fill(s.register, func(l2 int) uint64 { return uint64(specialValue(s.what, w.index, l2, l)) })
		}
	}
	return all[:n]
}

// fill sets all lanes of a register.
func (w *warp) fill(r register, value func(lane int) uint64) {
	for l := range 32 {
		switch r.class {
		case words:
			w.r32[r.number][l] = uint32(value(l))
		case doubles:
			w.r64[r.number][l] = value(l)
		default:
			w.p[r.number] = uint32(value(l))
		}
	}
}

// specialValue is the value of a special register, except the block's own.
func specialValue(what string, warp, lane int, l *Launch) int {
	thread := 32*warp + lane
	switch what {
	case "%laneid":
		return lane
	case "%tid.x":
		return thread % l.Block[0]
	case "%tid.y":
		return thread / l.Block[0] % l.Block[1]
	case "%tid.z":
		return thread / l.Block[0] / l.Block[1]
	case "%ntid.x", "%ntid.y", "%ntid.z":
		return l.Block[what[len(what)-1]-'x']
	case "%nctaid.x", "%nctaid.y", "%nctaid.z":
		return l.Grid[what[len(what)-1]-'x']
	}
	return 0
}

// order is an order of n things.
func (m *Machine) order(n int, l *Launch) func(int) int {
	switch {
	case l.Reverse:
		return func(i int) int { return n - 1 - i }
	case l.Seed == 0 || n > 1<<20:
		return func(i int) int { return i }
	}
	all := make([]int, n)
	for i := range all {
		j := m.draw(i + 1)
		all[i] = all[j]
		all[j] = i
	}
	return func(i int) int { return all[i] }
}

// draw is a number below n.
func (m *Machine) draw(n int) int {
	m.random += 0x9e3779b97f4a7c15
	z := m.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 33 % uint64(n))
}

func (m *Machine) runBlock(p *program, l *Launch, warps []*warp, block [3]int, threads int) {
	m.now++
	m.blockStart = m.now
	for i, w := range warps {
		n := min(32, threads-32*i)
		w.reset(block, uint32(uint64(1)<<n-1))
		w.left = m.limit
		for i, a := range p.parameters {
			w.fill(a.register, func(int) uint64 { return l.Arguments[i] & (1<<(8*a.bytes) - 1) })
			w.written[a.name] = allLanes
		}
		for _, s := range p.special {
			if what := s.what; what[:len(what)-1] == "%ctaid." {
				w.fill(s.register, func(int) uint64 { return uint64(block[what[len(what)-1]-'x']) })
			}
		}
	}
	able := make([]*warp, 0, len(warps))
	for {
		able = able[:0]
		for _, w := range warps {
			if w.status == running {
				able = append(able, w)
			}
		}
		if len(able) == 0 {
			if !m.release(warps) {
				return
			}
			continue
		}
		w, budget := able[0], math.MaxInt
		switch {
		case l.Reverse:
			w = able[len(able)-1]
		case l.Seed != 0:
			w = able[m.draw(len(able))]
			if m.draw(4) == 0 { // in pieces
				budget = 1 + m.draw(64)
			}
		}
		before := w.left
		w.run(min(budget, w.left))
		m.Instructions += before - w.left
	}
}

// release lets the warps pass the barrier at which all of them wait; it is false if they have ended.
func (m *Machine) release(warps []*warp) bool {
	var waiting, gone *warp
	for _, w := range warps {
		switch {
		case w.status == ended:
			gone = w
		case waiting != nil && waiting.line != w.line:
			w.fail(&instruction{line: w.line, op: "bar.sync"}, -1, Divergence,
				"the block's threads wait at different barriers, warp %d in line %d", waiting.index, waiting.line)
		default:
			waiting = w
		}
	}
	if waiting == nil {
		return false
	}
	if gone != nil {
		waiting.fail(&instruction{line: waiting.line, op: "bar.sync"}, -1, Divergence,
			"warp %d has ended and will never reach the barrier", gone.index)
	}
	m.now++
	for _, w := range warps {
		w.status, w.syncs = running, 0
	}
	return true
}

// skips counts the lines of barriers or waits, and reports whether one is skipped.
func (m *Machine) skips(lines *[]int32, line int32, skip int) bool {
	i := slices.Index(*lines, line)
	if i < 0 {
		i = len(*lines)
		*lines = append(*lines, line)
	}
	return i+1 == skip
}
