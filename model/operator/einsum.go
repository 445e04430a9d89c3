// Einsum, written as sums, transpositions, products and matrix products.

package operator

import (
	"slices"
	"strings"

	"repscope/model/graph"
)

var einsumRows = []tableRow{
	{Name: "Einsum", Since: 12, Types: "fi", Inputs: atLeast(1), Outputs: 1, Attributes: []string{"equation"},
		infer: inferEinsum},
}

// einsumTerm is an operand with one label per axis. The axes of an ellipsis
// have negative labels, −1 the last one.
type einsumTerm struct {
	name          string
	labels, shape []int
}

// einsum is a node under replacement.
type einsum struct {
	c    *context
	l    *lowering
	size map[int]int // by label
}

// inferEinsum implements the equation of operands and result, "bij,bjk->bik": axes with the same letter are multiplied
// together, and summed over if the result lacks them. "..." represents leading or inner axes that are broadcast.
// Without "->" the result has the letters that occur once, sorted.
func inferEinsum(c *context) {
	equation := strings.ReplaceAll(c.text("equation", ""), " ", "")
	left, right, explicit := strings.Cut(equation, "->")
	parts := strings.Split(left, ",")
	if len(parts) != len(c.In) {
		c.failf("equation %q has %d operands, the node %d", equation, len(parts), len(c.In))
	}
	e := &einsum{c: c, l: c.lower(), size: map[int]int{}}
	terms, count, ellipsis := e.operands(equation, parts)
	var result []int
	if explicit {
		result = e.parse(equation, right, ellipsis)
		for i, label := range result {
			if count[label] == 0 || slices.Contains(result[:i], label) {
				c.failf("equation %q: the result has an axis twice, or an axis that no operand has", equation)
			}
		}
	} else {
		for label, n := range count {
			if label < 0 || n == 1 {
				result = append(result, label)
			}
		}
		slices.Sort(result) // the ellipsis first: its labels are negative
	}
	value := e.contract(terms, result)
	// Axes that every operand broadcasts have size 1 and may be gone.
	present := slices.DeleteFunc(slices.Clone(result), func(label int) bool { return !slices.Contains(value.labels, label) })
	value = e.order(value, present)
	shape := e.shape(result)
	if len(present) != len(result) {
		value.name = e.l.reshape(value.name, shape)
	}
	e.l.finish(value.name)
	c.emitLike(0, shape...)
}

// operands labels the axes of the node's inputs. It counts the axes of each label, and of the longest ellipsis.
func (e *einsum) operands(equation string, parts []string) (terms []einsumTerm, count map[int]int, ellipsis int) {
	c := e.c
	terms, count = make([]einsumTerm, len(parts)), map[int]int{}
	for i, part := range parts {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
		if c.In[0].DType != graph.Int64 {
			c.want(i, graph.Float32)
		} else {
			c.alike(i, 0)
		}
		shape := c.shape(i)
		letters := len(strings.Replace(part, "...", "", 1))
		if letters > len(shape) {
			c.failf("equation %q gives operand %d %d axes, it has shape %v", equation, i, letters, shape)
		}
		labels := e.parse(equation, part, len(shape)-letters)
		if len(labels) != len(shape) {
			c.failf("equation %q gives operand %d %d axes, it has shape %v", equation, i, len(labels), shape)
		}
		if strings.Contains(part, "...") {
			ellipsis = max(ellipsis, len(shape)-letters)
		}
		for a, label := range labels {
			count[label]++
			switch size, ok := e.size[label]; {
			case !ok || size == 1:
				e.size[label] = shape[a]
			case shape[a] != size && shape[a] != 1:
				c.failf("equation %q: an axis of operand %d has size %d, elsewhere %d", equation, i, shape[a], size)
			}
		}
		terms[i] = einsumTerm{c.Node.Inputs[i], labels, shape}
	}
	return terms, count, ellipsis
}

// contract multiplies the terms and sums over axes missing from the result, as early as it can.
func (e *einsum) contract(terms []einsumTerm, result []int) einsumTerm {
	for i := range terms {
		terms[i] = e.dropUnits(e.diagonal(terms[i]))
	}
	needed := func(others []einsumTerm) func(int) bool {
		return func(label int) bool {
			return slices.Contains(result, label) ||
				slices.ContainsFunc(others, func(t einsumTerm) bool { return slices.Contains(t.labels, label) })
		}
	}
	for i := range terms {
		terms[i] = e.sum(terms[i], needed(slices.Concat(terms[:i], terms[i+1:])))
	}
	value := terms[0]
	for i := 1; i < len(terms); i++ {
		value = e.multiply(value, terms[i], needed(terms[i+1:]))
	}
	return value
}

// parse turns a term into labels; its ellipsis has this number of axes.
func (e *einsum) parse(equation, part string, ellipsis int) []int {
	var labels []int
	before, after, dots := strings.Cut(part, "...")
	letters := func(text string) {
		for _, r := range text {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
				e.c.failf("equation %q: %q is not a letter", equation, r)
			}
			labels = append(labels, int(r))
		}
	}
	letters(before)
	if dots {
		for i := range ellipsis {
			labels = append(labels, i-ellipsis)
		}
	}
	letters(after)
	return labels
}

func (e *einsum) shape(labels []int) []int {
	shape := make([]int, len(labels))
	for i, label := range labels {
		shape[i] = e.size[label]
	}
	return shape
}

// diagonal keeps the elements for which axes with the same label have the same index.
func (e *einsum) diagonal(t einsumTerm) einsumTerm {
	for i := 0; i < len(t.labels); i++ {
		j := i + 1 + slices.Index(t.labels[i+1:], t.labels[i])
		if j == i {
			continue
		}
		n := t.shape[i]
		if t.shape[j] != n {
			e.c.failf("a diagonal of axes of sizes %d and %d", n, t.shape[j])
		}
		var perm, shape, labels []int
		for a := range t.shape {
			if a != i && a != j {
				perm, shape, labels = append(perm, a), append(shape, t.shape[a]), append(labels, t.labels[a])
			}
		}
		name := e.l.transpose(t.name, append(perm, i, j))
		name = e.l.reshape(name, append(slices.Clone(shape), n*n))
		// The diagonal of an n×n matrix is every (n+1)-th element.
		constant := func(v int) string { return e.l.constant(graph.Ints(int64(v))) }
		name = e.l.add("Slice", nil, name, constant(0), constant(n*n), constant(len(shape)), constant(n+1))
		t = einsumTerm{name, append(labels, t.labels[i]), append(shape, n)}
		i = -1
	}
	return t
}

// dropUnits removes axes of size 1 that are longer in another operand.
func (e *einsum) dropUnits(t einsumTerm) einsumTerm {
	var labels, shape []int
	for a, label := range t.labels {
		if t.shape[a] == e.size[label] {
			labels, shape = append(labels, label), append(shape, t.shape[a])
		}
	}
	if len(labels) == len(t.labels) {
		return t
	}
	return einsumTerm{e.l.reshape(t.name, shape), labels, shape}
}

// sum adds up the axes whose labels are not kept.
func (e *einsum) sum(t einsumTerm, keep func(label int) bool) einsumTerm {
	var labels, axes []int
	for a, label := range t.labels {
		if keep(label) {
			labels = append(labels, label)
		} else {
			axes = append(axes, a)
		}
	}
	if len(axes) == 0 {
		return t
	}
	list := graph.Ints()
	for _, a := range axes {
		list.I64 = append(list.I64, int64(a))
	}
	list.Shape[0] = len(axes)
	name := e.l.add("ReduceSum", map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}, t.name, e.l.constant(list))
	return einsumTerm{name, labels, e.shape(labels)}
}

// order permutes the axes of a term.
func (e *einsum) order(t einsumTerm, labels []int) einsumTerm {
	if slices.Equal(t.labels, labels) {
		return t
	}
	perm := make([]int, len(labels))
	for i, label := range labels {
		perm[i] = slices.Index(t.labels, label)
	}
	return einsumTerm{e.l.transpose(t.name, perm), labels, e.shape(labels)}
}

// reshaped gives a term's axes another grouping.
func (e *einsum) reshaped(t einsumTerm, shape []int) string {
	if slices.Equal(t.shape, shape) {
		return t.name
	}
	return e.l.reshape(t.name, shape)
}

// multiply is the product of two terms, summed over the labels that are not needed afterwards.
func (e *einsum) multiply(a, b einsumTerm, needed func(label int) bool) einsumTerm {
	var batch, left, depth, right []int
	for _, label := range a.labels {
		switch both := slices.Contains(b.labels, label); {
		case both && needed(label):
			batch = append(batch, label)
		case both:
			depth = append(depth, label)
		default:
			left = append(left, label)
		}
	}
	for _, label := range b.labels {
		if !slices.Contains(a.labels, label) {
			right = append(right, label)
		}
	}
	outer := e.shape(batch)
	product := func(labels []int) int { return graph.Count(e.shape(labels)) }
	labels := slices.Concat(batch, left, right)
	result := einsumTerm{labels: labels, shape: e.shape(labels)}
	for _, shape := range [][]int{result.shape, e.shape(slices.Concat(batch, left, depth)), e.shape(slices.Concat(batch, depth, right))} {
		if _, err := graph.Elements(shape); err != nil {
			e.c.failf("%w", err)
		}
	}
	if len(depth) == 0 {
		// Nothing to sum: an elementwise product.
		x := e.reshaped(e.order(a, slices.Concat(batch, left)), slices.Concat(outer, e.shape(left), slices.Repeat([]int{1}, len(right))))
		y := e.reshaped(e.order(b, slices.Concat(batch, right)), slices.Concat(outer, slices.Repeat([]int{1}, len(left)), e.shape(right)))
		result.name = e.l.add("Mul", nil, x, y)
		return result
	}
	x := e.reshaped(e.order(a, slices.Concat(batch, left, depth)), append(slices.Clone(outer), product(left), product(depth)))
	y := e.reshaped(e.order(b, slices.Concat(batch, depth, right)), append(slices.Clone(outer), product(depth), product(right)))
	z := einsumTerm{e.l.add("MatMul", nil, x, y), labels, append(slices.Clone(outer), product(left), product(right))}
	result.name = e.reshaped(z, result.shape)
	return result
}
