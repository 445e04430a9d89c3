// Elementwise operations in one pass over a part of the elements that stays in the first-level cache.

package cpu

import (
	"slices"

	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// chainBlock is about how many elements all operations are done to before the next ones.
const chainBlock = 1 << 12

// chain is operations on rows of cols elements.
type chain struct {
	cols      int
	before    [2][]followUp
	then      []followUp
	last      followUp
	combine   func(dst, x, y []float32, stepX, stepY int) // of two operands
	broadcast *broadcast
	// Of images with a row of factors for each one: which operand these are, and the pixels of an image.
	factors, pixels int
}

func newChain(b *builder, p *operator.ChainParams) *chain {
	c := &chain{cols: 1}
	c.then, c.last = b.ending(followUps(p.FollowUps))
	// Numbers for columns, or none.
	for _, f := range slices.Concat(p.FollowUps, p.Before[0], p.Before[1]) {
		if n := len(f.Operand); n > 1 {
			c.cols = n
		}
	}
	if p.Op == "" {
		return c
	}
	for k := range c.before {
		c.before[k] = followUps(p.Before[k])
	}
	w := newBroadcast(b.OutShape(0), b.Shape(0), b.Shape(1))
	c.combine, c.broadcast = arithmetic[p.Op], w
	if k := len(w.shape) - 1; k >= 0 && p.Op == "Mul" && w.step[0] == 1 && w.step[1] == 1 {
		for factors := range 2 {
			if w.strides[factors][k] == 0 && w.strides[1-factors][k] == w.row {
				c.factors, c.pixels = factors, w.shape[k]
			}
		}
	}
	return c
}

// span calls f for parts of n elements that are whole units, each of about chainBlock elements.
func (c *chain) span(b *builder, n, unit int, f func(s *scratch, from, to int)) func() error {
	weights, part := b.weights, max(1, chainBlock/unit)
	return b.span(n/unit, max(1, grain/unit), func(worker, lo, hi int) {
		for ; lo < hi; lo += part {
			f(weights.scratch[worker], lo*unit, min(lo+part, hi)*unit)
		}
	})
}

// load copies elements of an operand from index from on.
func (c *chain) load(dst []float32, x *operand, from int) {
	if x.levels == nil {
		copy(dst, x.memory.f32[x.id][from:])
		return
	}
	x.levels.decode(dst, x.memory.u8[x.id][from:from+len(dst)])
}

// apply does operations to rows.
func (c *chain) apply(list []followUp, dst []float32) {
	for _, then := range list {
		then.apply(dst, c.cols, len(dst)/c.cols, c.cols, 0)
	}
}

// rows combines the operands of the elements of dst, which begin at index from; operand k has moved by moved[k]
// elements.
func (c *chain) rows(dst []float32, operands [2][]float32, from int, moved [2]int) {
	w := c.broadcast
	if w.rows() == 1 {
		c.combine(dst, operands[0][from*w.step[0]+moved[0]:], operands[1][from*w.step[1]+moved[1]:], w.step[0], w.step[1])
		return
	}
	for r := from / w.row; len(dst) > 0; {
		x := [2][]float32{operands[0][w.offset(0, r)+moved[0]:], operands[1][w.offset(1, r)+moved[1]:]}
		n := 1
		if c.pixels > 0 {
			n = min(c.pixels-r%c.pixels, len(dst)/w.row)
			vector.ScaleRows(dst, x[1-c.factors], x[c.factors][:w.row], n)
		} else {
			c.combine(dst[:w.row], x[0], x[1], w.step[0], w.step[1])
		}
		dst, r = dst[n*w.row:], r+n
	}
}
