// Measures that follow from the cross product XᵀY: CKA, CCA, Procrustes, the match of units, and predictivity.

package similarity

import (
	"context"
	"math"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/box"
	"repscope/measure/internal/matrix"
)

// crossNames are the scores of crossProducts.
var crossNames = []string{
	"cka", "cka_debiased", "svcca", "pwcca", "procrustes", "shape_angle", "unit_match", "predictivity_ab",
	"predictivity_ba",
}

// crossProducts computes them, with one cross product in each order.
func crossProducts(ctx context.Context, c *comparison) error {
	work, err := newCrossWork(c)
	if err != nil {
		return err
	}
	rows := 1 + len(c.o.Orders)
	scores := map[string][]float64{}
	for _, name := range crossNames {
		scores[name] = make([]float64, rows)
	}
	err = parallel.With(ctx, c.o.Threads, rows, func() func(int) error {
		room := []float64(nil)
		cross := matrix.New(c.a.x.Dim, c.b.x.Dim)
		t := &crossThread{crossWork: work}
		return func(row int) error {
			order := c.order(row)
			if err := crossProduct(cross, c.a.x, c.b.ordered(order, &room), 1, &t.workspace); err != nil {
				return err
			}
			values, err := t.score(cross, order)
			for name, v := range values {
				scores[name][row] = v
			}
			return err
		}
	})
	if err != nil {
		return err
	}
	for _, name := range crossNames {
		c.enter(name, scores[name])
	}
	c.enterAlignment(scores["cka"], scores["cka_debiased"])
	if s := c.series["unit_match"]; s != nil && math.IsNaN(s.Value) {
		s.Reason = "a space has no unit that varies"
	}
	return c.withoutBlocks(ctx, c.deleting(crossNames...), crossProducts)
}

// enterAlignment takes over rows of both linear CKA.
func (c *comparison) enterAlignment(biased, debiased []float64) {
	c.enter("cka", biased)
	c.enter("cka_debiased", debiased)
	if s := c.series["cka_debiased"]; s != nil && math.IsNaN(s.Value) {
		s.Reason = "the unbiased HSIC of a space is not positive"
	}
}

// crossWork is what all orders share.
type crossWork struct {
	c                        *comparison
	aBiased, aUnbiased       float64
	bBiased, bUnbiased       float64
	first, second            components
	whitenFirst, whitenOther matrix.Matrix // components divided by their size
	weighed                  matrix.Matrix // the first space's components times their size, transposed: [K, D]
	swapped                  bool          // the second space has fewer components, so that PWCCA weighs by it
	unitsA, unitsB           []int         // units that vary
	lengthA, lengthB         []float64     // of these, as columns
	regressions              [2]*regression
}

// crossThread is the memory of a thread.
type crossThread struct {
	*crossWork
	workspace kernel.Workspace[float64]
	whole     matrix.Matrix // the cross product of the other direction
}

func newCrossWork(c *comparison) (*crossWork, error) {
	w := &crossWork{c: c}
	var err error
	if w.aBiased, w.aUnbiased, err = c.a.own(); err != nil {
		return nil, err
	}
	if w.bBiased, w.bUnbiased, err = c.b.own(); err != nil {
		return nil, err
	}
	if c.wants("svcca") || c.wants("pwcca") {
		if w.first, err = c.a.principal(); err != nil {
			return nil, err
		}
		if w.second, err = c.b.principal(); err != nil {
			return nil, err
		}
		w.whitenFirst, w.whitenOther = w.first.whitened(), w.second.whitened()
		smaller := w.first
		if w.swapped = len(w.second.size) < len(w.first.size); w.swapped {
			smaller = w.second
		}
		w.weighed = matrix.New(len(smaller.size), smaller.basis.N)
		for k := range smaller.basis.N {
			for i, v := range smaller.basis.Row(k) {
				w.weighed.Row(i)[k] = v * smaller.size[i]
			}
		}
	}
	if c.wants("predictivity_ab") || c.wants("predictivity_ba") {
		if err := w.regress(); err != nil {
			return nil, err
		}
	}
	w.unitsA, w.lengthA = c.a.units()
	w.unitsB, w.lengthB = c.b.units()
	return w, nil
}

// whitened is the basis with each component divided by its size.
func (c components) whitened() matrix.Matrix {
	out := matrix.New(c.basis.N, c.basis.Dim)
	for k := range c.basis.N {
		for i, v := range c.basis.Row(k) {
			out.Row(k)[i] = v / c.size[i]
		}
	}
	return out
}

// units are the coordinates that vary, and the lengths of their columns.
func (p *Prepared) units() (index []int, length []float64) {
	squares := make([]float64, p.x.Dim)
	for i := range p.x.N {
		for k, v := range p.x.Row(i) {
			squares[k] += float64(v * v)
		}
	}
	for k, square := range squares {
		if square > 0 {
			index, length = append(index, k), append(length, math.Sqrt(square))
		}
	}
	return index, length
}

// score computes the scores of one cross product.
func (w *crossThread) score(cross matrix.Matrix, order []int) (map[string]float64, error) {
	c := w.c
	out := map[string]float64{}
	if c.wants("cka") || c.wants("cka_debiased") {
		biased := matrix.Dot(cross.Data, cross.Data)
		squares := 0.0
		for i, v := range c.a.square {
			j := i
			if order != nil {
				j = order[i]
			}
			squares += float64(v * c.b.square[j])
		}
		out["cka"] = alignment(biased, w.aBiased, w.bBiased)
		shared := unbiasedHSIC(biased, squares, c.a.total, c.b.total, c.a.n())
		out["cka_debiased"] = alignment(shared, w.aUnbiased, w.bUnbiased)
	}
	if c.wants("procrustes") || c.wants("shape_angle") {
		values, _, err := singular(cross, cross.N <= cross.Dim, false)
		if err != nil {
			return nil, err
		}
		nuclear := 0.0
		for _, v := range values {
			nuclear += v
		}
		s := min(nuclear/math.Sqrt(c.a.total*c.b.total), 1)
		out["procrustes"], out["shape_angle"] = s, math.Acos(s)
	}
	if c.wants("svcca") || c.wants("pwcca") {
		if err := w.canonical(cross, out); err != nil {
			return nil, err
		}
	}
	if c.wants("unit_match") {
		v, err := w.matched(cross)
		if err != nil {
			return nil, err
		}
		out["unit_match"] = v
	}
	if w.regressions[0] != nil {
		if err := w.predict(cross, order, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// canonical enters both means of the canonical correlations: the singular values of UᵀV, where U and V are the
// whitened components of the two spaces.
func (w *crossThread) canonical(cross matrix.Matrix, out map[string]float64) error {
	half := matrix.New(w.whitenFirst.Dim, cross.Dim)
	if err := crossProduct(half, w.whitenFirst, cross, 1, nil); err != nil {
		return err
	}
	both, err := rowProduct(half, w.whitenOther, 1)
	if err != nil {
		return err
	}
	correlations, directions, err := singular(both, !w.swapped, w.c.wants("pwcca"))
	if err != nil {
		return err
	}
	sum := 0.0
	for i, v := range correlations {
		correlations[i] = min(v, 1)
		sum += correlations[i]
	}
	out["svcca"] = sum / float64(len(correlations))
	if directions.N == 0 {
		return nil
	}
	// The weight of a canonical variate h is Σ_j |h·x_j| over the units x_j of the space with fewer components.
	projections, err := rowProduct(directions, w.weighed, 1)
	if err != nil {
		return err
	}
	var up, down float64
	for i, v := range correlations {
		weight := 0.0
		for _, p := range projections.Row(i) {
			weight += math.Abs(p)
		}
		up += float64(weight * v)
		down += weight
	}
	out["pwcca"] = up / down
	return nil
}

// matched is the mean absolute correlation of units that are assigned to each other.
func (w *crossWork) matched(cross matrix.Matrix) (float64, error) {
	if len(w.unitsA) == 0 || len(w.unitsB) == 0 {
		return math.NaN(), nil
	}
	cost := make([]float64, 0, len(w.unitsA)*len(w.unitsB))
	for i, a := range w.unitsA {
		for j, b := range w.unitsB {
			cost = append(cost, -min(math.Abs(cross.Row(a)[b])/(w.lengthA[i]*w.lengthB[j]), 1))
		}
	}
	_, total, err := box.Assign(cost, len(w.unitsA), len(w.unitsB))
	return -total / float64(min(len(w.unitsA), len(w.unitsB))), err
}
