// Cross products of two spaces in float64 or float32, whole and by folds.

package similarity

import (
	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/measure/internal/matrix"
)

// side is what a space contributes to products of a precision.
type side[T kernel.Float] struct {
	x        []T                // centered points
	whitened []T                // components divided by their size
	turns    []kernel.Packed[T] // eigenvectors of each fold of the regression from the space
}

// newSide is of the first or the second space.
func newSide[T kernel.Float](w *crossWork, number int) (*side[T], error) {
	p := []*Prepared{w.c.a, w.c.b}[number]
	out := &side[T]{x: rounded[T](p.x.Data)}
	out.whitened = rounded[T]([]matrix.Matrix{w.whitenFirst, w.whitenOther}[number].Data)
	if r := w.regressions[number]; r != nil {
		out.turns = make([]kernel.Packed[T], len(r.folds))
		for f, fold := range r.folds {
			rows := kernel.Rows(rounded[T](fold.turn.Data), fold.turn.Dim)
			if err := out.turns[f].Left(rows, fold.turn.N, fold.turn.Dim); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rounded are numbers in a precision.
func rounded[T kernel.Float](data []float64) []T {
	if same, ok := any(data).([]T); ok {
		return same
	}
	out := make([]T, len(data))
	for i, v := range data {
		out[i] = T(v)
	}
	return out
}

// crossThread is the memory of a thread.
type crossThread[T kernel.Float] struct {
	*crossWork
	sides     [2]*side[T]
	workspace kernel.Workspace[T]
	rows      [2][]T // points in the order of the products
	cross     []T    // XᵀY in the order
	// With regressions: by direction and fold, the cross product of the test points, and the sum of the other space's.
	folded      [2][][]T
	sums        [2]matrix.Matrix
	cell        []T
	raw, turned [2][]T
	inner       []T // and weights: products of turned points
	weights     []float64
}

// product is C = A·B of m × n numbers.
func (t *crossThread[T]) product(c []T, m, n, depth int, a, b kernel.Operand[T], upper bool) error {
	p := kernel.Product[T]{
		M: m, N: n, K: depth, A: a, B: b, C: c, Stride: n, Upper: upper, Threads: 1, Workspace: &t.workspace,
	}
	return p.Run()
}

// widened are numbers as a matrix.
func (t *crossThread[T]) widened(data []T, n, dim int) matrix.Matrix {
	out := matrix.Matrix{N: n, Dim: dim}
	switch data := any(data).(type) {
	case []float64:
		out.Data = data
	case []float32:
		out.Data = make([]float64, len(data))
		kernel.Widen(out.Data, data)
	}
	return out
}

// multiply computes the cross product in an order. In float64 its bits do not depend on the measures; in float32 it is
// the sum over folds where regressions need these.
func (t *crossThread[T]) multiply(order []int) error {
	p, q, n := t.c.a.Dim(), t.c.b.Dim(), t.c.a.n()
	if t.cross == nil {
		t.cross = make([]T, p*q)
	}
	_, exact := any(t.cross).([]float64)
	predicts := t.regressions[0] != nil
	if exact || !predicts {
		y := t.sides[1].x
		if order != nil {
			y = t.gather(1, order)
		}
		err := t.product(t.cross, p, q, n, kernel.Columns(t.sides[0].x, p), kernel.Columns(y, q), false)
		if err != nil || !predicts {
			return err
		}
	}
	if err := t.multiplyFolds(order); err != nil || exact {
		return err
	}
	clear(t.cross)
	for _, part := range t.folded[0] {
		addTo(t.cross, part)
	}
	return nil
}

// gather copies points of a space in an order.
func (t *crossThread[T]) gather(number int, index []int) []T {
	dim := []*Prepared{t.c.a, t.c.b}[number].Dim()
	if t.rows[number] == nil {
		t.rows[number] = make([]T, len(index)*dim)
	}
	for i, j := range index {
		copy(t.rows[number][i*dim:(i+1)*dim], t.sides[number].x[j*dim:])
	}
	return t.rows[number]
}

// multiplyFolds computes the cross products of points by their folds in both directions, from cross products of points
// with the same folds.
func (t *crossThread[T]) multiplyFolds(order []int) error {
	first, second, p, q := t.regressions[0], t.regressions[1], t.c.a.Dim(), t.c.b.Dim()
	if t.cell == nil {
		t.cell = make([]T, p*q)
		for d, r := range t.regressions {
			for range r.folds {
				t.folded[d] = append(t.folded[d], make([]T, p*q))
			}
			t.sums[d] = matrix.New(len(r.folds), []int{q, p}[d])
			t.raw[d], t.turned[d] = make([]T, p*q), make([]T, p*q)
		}
		largest := max(p, q)
		t.inner, t.weights = make([]T, largest*largest), make([]float64, largest*largest)
	}
	cells := make([][2][]int, len(first.folds)*len(second.folds)) // the points of both spaces
	for i, f := range first.fold {
		j := ordered(order, i)
		c := &cells[f*len(second.folds)+second.fold[j]]
		c[0], c[1] = append(c[0], i), append(c[1], j)
	}
	for d := range 2 {
		clear(t.sums[d].Data)
		for _, part := range t.folded[d] {
			clear(part)
		}
	}
	var index [2][]int
	for _, c := range cells {
		index[0], index[1] = append(index[0], c[0]...), append(index[1], c[1]...)
	}
	x, y := t.gather(0, index[0]), t.gather(1, index[1])
	from := 0
	for number, c := range cells {
		count, f, g := len(c[0]), number/len(second.folds), number%len(second.folds)
		if count == 0 {
			continue
		}
		addRows(t.sums[0].Row(f), y[from*q:(from+count)*q])
		addRows(t.sums[1].Row(g), x[from*p:(from+count)*p])
		err := t.product(t.cell, p, q, count, kernel.Columns(x[from*p:], p), kernel.Columns(y[from*q:], q), false)
		if err != nil {
			return err
		}
		addTo(t.folded[0][f], t.cell)
		addTo(t.folded[1][g], t.cell)
		from += count
	}
	return nil
}

func addTo[T kernel.Float](dst, src []T) {
	if narrow, ok := any(dst).([]float32); ok {
		vector.AddRows(narrow, narrow, any(src).([]float32), 1, 1)
		return
	}
	for i, v := range src {
		dst[i] += v
	}
}

// addRows adds rows of the length of sum, one after the other.
func addRows[T kernel.Float](sum []float64, rows []T) {
	dim := len(sum)
	for ; len(rows) >= 4*dim; rows = rows[4*dim:] {
		first, second, third, fourth := rows[:dim], rows[dim:2*dim], rows[2*dim:3*dim], rows[3*dim:4*dim]
		for k := range sum {
			sum[k] = sum[k] + float64(first[k]) + float64(second[k]) + float64(third[k]) + float64(fourth[k])
		}
	}
	for len(rows) > 0 {
		for k, v := range rows[:len(sum)] {
			sum[k] += float64(v)
		}
		rows = rows[len(sum):]
	}
}
