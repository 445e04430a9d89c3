// The memory plan: where in one arena per element type each value lies, so
// that memory is used again as soon as its value is dead.

package graph

import (
	"cmp"
	"slices"
)

// Layout assigns memory to the values of a program. Offsets and sizes count elements of the value's own type; a value
// that is a constant, a program input or a view has offset −1.
type Layout struct {
	Offset []int
	Size   [4]int // arena length by DType
}

// align keeps float32 values on cache lines.
const align = 16

// buffer is memory in use from one step to another, both included: for one value or for several computed in place.
type buffer struct {
	first, last  int
	size, offset int
}

// maxPlanned bounds the buffers whose offsets are searched among all others.
const maxPlanned = 1 << 12

// Plan computes the layout.
func (p *Program) Plan() Layout { return p.PlanOver(func(*Step) int { return -1 }) }

// PlanOver computes a layout in which output 0 of a step may overwrite one more of its inputs than [Operator.InPlace]
// says: the one that over returns, or none if that is negative. The step must read each of its elements before it
// writes the element at the same index.
func (p *Program) PlanOver(over func(*Step) int) Layout {
	buffers, byValue := p.buffers(over)
	var l Layout
	for t := range l.Size {
		l.Size[t] = inOrder(buffers[t], len(p.Steps))
		if len(buffers[t]) > maxPlanned {
			continue
		}
		for _, measure := range []func(b *buffer) int{bySize, byTime} {
			before := make([]int, len(buffers[t]))
			for i, b := range buffers[t] {
				before[i] = b.offset
			}
			if size := largestFirst(buffers[t], measure); size < l.Size[t] {
				l.Size[t] = size
				continue
			}
			for i, b := range buffers[t] {
				b.offset = before[i]
			}
		}
	}
	l.Offset = make([]int, len(byValue))
	for id, b := range byValue {
		if l.Offset[id] = -1; b != nil {
			l.Offset[id] = b.offset
		}
	}
	return l
}

// buffers finds the values in the memory of the arenas, and their lifetimes: the buffers by type and in the order of
// their first step, and the buffer of each value, or nil.
func (p *Program) buffers(over func(*Step) int) (all [4][]*buffer, byValue []*buffer) {
	lastUse := make([]int, len(p.Values)) // by root
	for i, s := range p.Steps {
		for _, id := range slices.Concat(s.In, s.Out) {
			if id >= 0 {
				lastUse[p.Values[id].Root] = i
			}
		}
	}
	for _, id := range p.Outputs {
		lastUse[p.Values[id].Root] = len(p.Steps)
	}
	byValue = make([]*buffer, len(p.Values))
	for i, s := range p.Steps {
		if s.Op.View {
			continue
		}
		for k, id := range s.Out {
			if id < 0 {
				continue
			}
			if k == 0 && s.Op.InPlace && s.In[0] >= 0 {
				root := p.Values[s.In[0]].Root
				// Other operands of the same memory are read in step, which an elementwise operator allows
				// only if they are not broadcast: then they would be this very value.
				shared := slices.ContainsFunc(s.In[1:], func(o int) bool {
					return o >= 0 && p.Values[o].Root == root && !slices.Equal(p.Values[o].Shape, p.Values[id].Shape)
				})
				if b := byValue[root]; b != nil && lastUse[root] == i && !shared && p.alike(root, id) &&
					Count(p.Values[s.In[0]].Shape) == Count(p.Values[id].Shape) && p.room(root) == p.room(id) {
					byValue[id], b.last = b, lastUse[id]
					continue
				}
			}
			if k == 0 {
				if b := p.overwritten(&s, i, over(&s), byValue, lastUse); b != nil {
					byValue[id], b.last = b, lastUse[id]
					continue
				}
			}
			t := p.Values[id].DType
			byValue[id] = &buffer{first: i, last: lastUse[id], size: p.room(id)}
			all[t] = append(all[t], byValue[id])
		}
	}
	return all, byValue
}

// room is the number of elements of the arena that a value takes.
func (p *Program) room(id int) int {
	n := Count(p.Values[id].Shape)
	if p.Values[id].Levels != nil {
		n = (n+byteSlack)/Float32.Size() + 1
	}
	return max(1, (n+align-1)/align) * align
}

// byteSlack is the number of bytes after a value that is kept as bytes.
const byteSlack = 16

// alike reports whether two values are kept in the same form.
func (p *Program) alike(a, b int) bool {
	return p.Values[a].DType == p.Values[b].DType && (p.Values[a].Levels == nil) == (p.Values[b].Levels == nil)
}

// overwritten is the memory of operand k of step i, if output 0 of the same size may take it: nothing else reads it,
// in this step or later.
func (p *Program) overwritten(s *Step, i, k int, byValue []*buffer, lastUse []int) *buffer {
	if k < 0 || s.In[k] < 0 {
		return nil
	}
	x, y := p.Values[s.In[k]], p.Values[s.Out[0]]
	for j, o := range s.In {
		if j != k && o >= 0 && p.Values[o].Root == x.Root {
			return nil
		}
	}
	if lastUse[x.Root] != i || !p.alike(x.Root, s.Out[0]) || !slices.Equal(x.Shape, y.Shape) || p.room(x.Root) != p.room(s.Out[0]) {
		return nil
	}
	return byValue[x.Root]
}

// Priorities of buffers: their size, or their size and lifetime, which puts parts of a long concatenation before
// short-lived values.
func bySize(b *buffer) int { return b.size }
func byTime(b *buffer) int { return b.size * (b.last - b.first + 1) }

// largestFirst places buffers in order of falling measure, each at the best fit among earlier ones with overlapping
// lifetimes, and returns the arena's size.
func largestFirst(buffers []*buffer, measure func(b *buffer) int) (size int) {
	sorted := slices.Clone(buffers)
	slices.SortStableFunc(sorted, func(a, b *buffer) int { return cmp.Compare(measure(b), measure(a)) })
	placed := make([]*buffer, 0, len(sorted)) // by offset
	for _, b := range sorted {
		best, least, end := -1, 0, 0
		for _, o := range placed {
			if o.first > b.last || b.first > o.last {
				continue
			}
			if gap := o.offset - end; gap >= b.size && (best < 0 || gap < least) {
				best, least = end, gap
			}
			end = max(end, o.offset+o.size)
		}
		if b.offset = best; best < 0 {
			b.offset = end
		}
		size = max(size, b.offset+b.size)
		at, _ := slices.BinarySearchFunc(placed, b, func(o, b *buffer) int { return cmp.Compare(o.offset, b.offset) })
		placed = slices.Insert(placed, at, b)
	}
	return size
}

// inOrder places buffers in the order of the steps, in the smallest free gap, and returns the arena's size.
func inOrder(buffers []*buffer, steps int) int {
	var a arena
	ends := make([][]*buffer, steps+1)
	for i := range steps {
		for len(buffers) > 0 && buffers[0].first == i {
			b := buffers[0]
			b.offset = a.take(b.size)
			ends[b.last] = append(ends[b.last], b)
			buffers = buffers[1:]
		}
		for _, b := range ends[i] {
			a.give(b.offset, b.size)
		}
	}
	return a.size
}

type block struct{ lo, hi int }

// arena allocates offsets, best fit, and grows at its end.
type arena struct {
	free []block // ascending, never adjacent
	size int
}

func (a *arena) take(n int) int {
	best := -1
	for i, b := range a.free {
		if b.hi-b.lo >= n && (best < 0 || b.hi-b.lo < a.free[best].hi-a.free[best].lo) {
			best = i
		}
	}
	if best >= 0 {
		lo := a.free[best].lo
		a.free[best].lo += n
		if a.free[best].lo == a.free[best].hi {
			a.free = slices.Delete(a.free, best, best+1)
		}
		return lo
	}
	lo := a.size
	if k := len(a.free); k > 0 && a.free[k-1].hi == a.size {
		lo = a.free[k-1].lo // extend the block at the end
		a.free = a.free[:k-1]
	}
	a.size = lo + n
	return lo
}

func (a *arena) give(lo, n int) {
	i, _ := slices.BinarySearchFunc(a.free, lo, func(b block, lo int) int { return b.lo - lo })
	a.free = slices.Insert(a.free, i, block{lo, lo + n})
	if i+1 < len(a.free) && a.free[i].hi == a.free[i+1].lo {
		a.free[i].hi = a.free[i+1].hi
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].hi == a.free[i].lo {
		a.free[i-1].hi = a.free[i].hi
		a.free = slices.Delete(a.free, i, i+1)
	}
}
