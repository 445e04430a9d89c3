// The epilogue of a product while its result is still in the cache: bias and activation.

package cpu

import (
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// epilogue is a bias, the addition of another matrix and an activation. bias may read as nil.
type epilogue struct {
	bias      func() []float32
	cut       bool // Relu and Clip: to low … high
	low, high float32
	function  function // any other activation, or nil
	then      []followUp
	last      followUp // the last operations if the result becomes bytes
}

// followUp is some of operator.FollowUp.
type followUp struct {
	// apply applies them to rows × cols elements, stride apart, beginning at column first.
	apply followUpFunc
	// pass, if not nil, does them to whole rows: of columns elements, or of any if that is 1.
	pass    *vector.Requantizer
	columns int
	// bytes, if not nil, replaces pass for rows that become the bytes of the step's result.
	bytes *vector.ByteRequantizer
}

type followUpFunc = func(c []float32, stride, rows, cols, first int)

func newEpilogue(b *builder, a operator.Activation, bias func() []float32) *epilogue {
	e := &epilogue{bias: bias}
	switch p := b.Step.Params.(type) {
	case *operator.ConvParams:
		e.then = followUps(p.FollowUps)
	case *operator.GemmParams:
		e.then = followUps(p.FollowUps)
	}
	e.then, e.last = b.ending(e.then)
	switch a.Op {
	case "":
	case "Relu":
		e.cut, e.high = true, float32(math.Inf(1))
	case "Clip":
		e.cut, e.low, e.high = true, a.Alpha, a.Beta
	default:
		e.function = functionOf(a)
	}
	return e
}

// within adds to the product the operations possible while the sums are in registers, for columns first … first+g.N−1;
// other is nil or has the layout of g.C. activate does the rest.
func (e *epilogue) within(g *kernel.Gathered, other []float32, first int) {
	g.Bias, g.Other = nil, other
	if v := e.bias(); v != nil {
		g.Bias = v[first:]
	}
	g.Cut, g.Low, g.High = e.cut, e.low, e.high
}

// activate applies an activation that within leaves, and the follow-ups, to columns from first on.
func (e *epilogue) activate(c []float32, stride, rows, cols int) {
	e.activateFrom(c, stride, rows, cols, 0)
}

// activateFrom is activate for columns from another one on.
func (e *epilogue) activateFrom(c []float32, stride, rows, cols, first int) {
	if e.function != nil {
		eachRow(e.function, c, stride, rows, cols)
	}
	for _, then := range e.then {
		then.apply(c, stride, rows, cols, first)
	}
}

// eachRow applies a function to rows.
func eachRow(f function, c []float32, stride, rows, cols int) {
	if stride == cols {
		f(c[:rows*cols], c[:rows*cols])
		return
	}
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		f(row, row)
	}
}

// followUps makes functions of the follow-ups, joining several steps if possible.
func followUps(list []operator.FollowUp) (then []followUp) {
	single := singleSteps(list)
	for len(list) > 0 {
		n, columns, q := requantize(list)
		if n < 2 {
			then, list, single = append(then, single[0]), list[1:], single[1:]
			continue
		}
		then, list, single = append(then, together(vector.NewRequantizer(q, columns), columns, single[:n])), list[n:], single[n:]
	}
	return then
}

// together does several steps in one pass; one by one to a part of the columns.
func together(q *vector.Requantizer, columns int, steps []followUp) followUp {
	apply := func(c []float32, stride, rows, cols, first int) {
		if stride == cols && (columns == 1 || cols == columns && first == 0) {
			q.Rows(c[:rows*cols])
			return
		}
		for _, step := range steps {
			step.apply(c, stride, rows, cols, first)
		}
	}
	return followUp{apply: apply, pass: q, columns: columns}
}

// requantize is the number of first steps that one pass can do, and the number of columns, 1 if these do not matter.
func requantize(list []operator.FollowUp) (n, columns int, q vector.Requantize) {
	columns = 1
	for _, f := range list {
		extended := q
		step, ok := nextStep(&extended, f)
		if !ok || step <= q.Steps {
			break
		}
		q = extended
		if step == vector.Factored || step == vector.Termed {
			columns = len(f.Operand)
		}
		q.Steps |= step
		n++
	}
	return n, columns, q
}

// nextStep is the next step of a pass after the steps of q, whose operands it adds.
func nextStep(q *vector.Requantize, f operator.FollowUp) (step vector.Steps, ok bool) {
	later := q.Steps >= vector.Divided
	switch {
	case f.Table != nil:
		q.Table, q.First = &f.Table.Values, f.Table.First
		return vector.Looked, true
	case f.Operand == nil && f.Activation.Op == "Round":
		return vector.Rounded, true
	case f.Operand == nil && (f.Activation.Op == "Relu" || f.Activation.Op == "Clip"):
		low, high := f.Alpha, f.Beta
		if f.Activation.Op == "Relu" {
			low, high = 0, float32(math.Inf(1))
		}
		if later {
			q.Least, q.Most = low, high
			return vector.Raised2 | vector.Lowered2, true
		}
		q.Low, q.High = low, high
		return vector.Raised | vector.Lowered, true
	case f.Operand == nil:
		return 0, false
	case len(f.Operand) > 1 && f.Op == "Mul":
		q.Factors = f.Operand
		return vector.Factored, true
	case len(f.Operand) > 1 && f.Op == "Add":
		q.Terms = f.Operand
		return vector.Termed, true
	case len(f.Operand) > 1:
		return 0, false
	case f.Op == "Div":
		q.Divisor = f.Operand[0]
		return vector.Divided, true
	case f.Op == "Add":
		q.Zero = f.Operand[0]
		return vector.Shifted, true
	case f.Op == "Sub":
		q.Less = f.Operand[0]
		return vector.Centered, true
	case f.Op == "Mul":
		q.Scale = f.Operand[0]
		return vector.Scaled, true
	}
	return 0, false
}

// singleSteps makes a function of each step.
func singleSteps(list []operator.FollowUp) (then []followUp) {
	for _, f := range list {
		switch {
		case f.Table != nil:
			look := vector.NewRequantizer(vector.Requantize{Steps: vector.Looked, Table: &f.Table.Values, First: f.Table.First}, 1)
			then = append(then, followUp{apply: func(c []float32, stride, rows, cols, _ int) {
				eachRow(func(dst, _ []float32) { look.Rows(dst) }, c, stride, rows, cols)
			}, pass: look, columns: 1})
		case f.Operand == nil:
			apply := functionOf(f.Activation)
			then = append(then, followUp{apply: func(c []float32, stride, rows, cols, _ int) { eachRow(apply, c, stride, rows, cols) }})
		case len(f.Operand) == 1:
			operation := arithmetic[f.Op]
			apply := func(dst, src []float32) { operation(dst, src, f.Operand, 1, 0) }
			then = append(then, followUp{apply: func(c []float32, stride, rows, cols, _ int) { eachRow(apply, c, stride, rows, cols) }})
		default:
			then = append(then, followUp{apply: columnwise(f)})
		}
	}
	return then
}

// columnwise is an operation with a number for each column.
func columnwise(f operator.FollowUp) followUpFunc {
	operation, operand := arithmetic[f.Op], f.Operand
	switch f.Op {
	case "Sub": // the same bits
		operand = make([]float32, len(f.Operand))
		vector.Negate(operand, f.Operand)
		fallthrough
	case "Add":
		return func(c []float32, stride, rows, cols, first int) {
			vector.FinishRows(c, operand[first:first+cols], nil, stride, cols, rows, false)
		}
	case "Mul":
		return func(c []float32, stride, rows, cols, first int) {
			if stride == cols {
				vector.ScaleRows(c, c, operand[first:first+cols], rows)
				return
			}
			for i := range rows {
				row := c[i*stride : i*stride+cols]
				vector.MulRows(row, row, operand[first:], 1, 1)
			}
		}
	}
	return func(c []float32, stride, rows, cols, first int) {
		for i := range rows {
			row := c[i*stride : i*stride+cols]
			operation(row, row, operand[first:], 1, 1)
		}
	}
}

// finish does all of it to rows that are no product's; other is nil or lies as c does.
func (e *epilogue) finish(c, other []float32, rows, cols int) {
	c = c[:rows*cols]
	relu := e.cut && e.low == 0 && math.IsInf(float64(e.high), 1)
	if v := e.bias(); v != nil {
		vector.FinishRows(c, v, other, cols, cols, rows, relu)
		if relu {
			e.activate(c, cols, rows, cols)
			return
		}
	} else if other != nil {
		vector.AddRows(c, c, other, 1, 1)
	}
	if e.cut {
		vector.Clip(c, c, e.low, e.high)
	}
	e.activate(c, cols, rows, cols)
}
