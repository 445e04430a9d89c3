package graph

// The memory plan: where in one arena per element type each value lies, so
// that a buffer is used again as soon as its value is dead.

import "slices"

// Layout places the values of a program. Offsets and sizes count elements of
// the value's own type; a value that is a constant, a program input or a view has offset −1.
type Layout struct {
	Offset []int
	Size   [4]int // arena length by DType
}

// align keeps float32 values on cache lines.
const align = 16

type block struct{ lo, hi int }

// arena hands out offsets, best fit, and grows at its end.
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

// Plan computes the layout.
func (p *Program) Plan() Layout {
	lastUse := make([]int, len(p.Values)) // by root
	fixed := make([]bool, len(p.Values))
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
	for _, id := range p.Inputs {
		fixed[id] = true
	}
	l := Layout{Offset: slices.Repeat([]int{-1}, len(p.Values))}
	var arenas [4]arena
	room := func(id int) int { return max(1, (elements(p.Values[id].Shape)+align-1)/align) * align }
	for i, s := range p.Steps {
		if s.Op.View {
			// Dead inputs of a view are freed with their root, below.
		} else {
			for k, id := range s.Out {
				if id < 0 {
					continue
				}
				t := p.Values[id].DType
				if k == 0 && s.Op.InPlace && s.In[0] >= 0 {
					root := p.Values[s.In[0]].Root
					// Other operands of the same memory are read in step, which an elementwise operator allows
					// only if they are not broadcast: then they would be this very value.
					shared := slices.ContainsFunc(s.In[1:], func(o int) bool {
						return o >= 0 && p.Values[o].Root == root && !slices.Equal(p.Values[o].Shape, p.Values[id].Shape)
					})
					if l.Offset[root] >= 0 && lastUse[root] == i && !shared && p.Values[root].DType == t &&
						elements(p.Values[s.In[0]].Shape) == elements(p.Values[id].Shape) && room(root) == room(id) {
						l.Offset[id] = l.Offset[root]
						lastUse[root] = -1 // its memory lives on under the new name
						continue
					}
				}
				l.Offset[id] = arenas[t].take(room(id))
			}
		}
		for _, id := range slices.Concat(s.In, s.Out) {
			if id < 0 {
				continue
			}
			root := p.Values[id].Root
			if lastUse[root] == i && l.Offset[root] >= 0 && !fixed[root] {
				arenas[p.Values[root].DType].give(l.Offset[root], room(root))
				lastUse[root] = -1
			}
		}
	}
	for t := range arenas {
		l.Size[t] = arenas[t].size
	}
	return l
}
