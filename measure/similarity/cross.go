// Measures that follow from the cross product XᵀY: CKA, CCA, Procrustes, the match of units, and predictivity.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	values := make([]map[string]float64, 1+len(c.o.Orders))
	exact := []int{0}
	var rounded []int
	for row := 1; row < len(values); row++ {
		if work.narrow() {
			rounded = append(rounded, row)
		} else {
			exact = append(exact, row)
		}
	}
	if err := crossRows[float64](ctx, work, exact, values); err != nil {
		return err
	}
	if err := crossRows[float32](ctx, work, rounded, values); err != nil {
		return err
	}
	again := slices.DeleteFunc(rounded, func(row int) bool { return !near(values[row], values[0]) })
	if err := crossRows[float64](ctx, work, again, values); err != nil {
		return err
	}
	scores := map[string][]float64{}
	for _, name := range crossNames {
		for _, row := range values {
			scores[name] = append(scores[name], row[name])
		}
		c.enter(name, scores[name])
	}
	c.enterAlignment(scores["cka"], scores["cka_debiased"], work.aUnbiased, work.bUnbiased)
	if reason := work.degenerate(); reason != "" {
		c.refuse("svcca", reason)
		c.refuse("pwcca", reason)
	}
	if s := c.series["unit_match"]; s != nil && math.IsNaN(s.Value) {
		s.Reason = c.because("no unit varies", !slices.Contains(c.a.constant, false), !slices.Contains(c.b.constant, false))
	}
	n, p, q := int64(c.a.n()), int64(c.a.Dim()), int64(c.b.Dim())
	coordinates, squares := int64(16), int64(64) // bytes of each; of products of units
	if work.regressions[0] != nil {
		coordinates, squares = 24, 48*predictionFolds
	}
	need := coordinates*n*(p+q) + squares*(p*p+q*q)
	return c.withoutBlocks(ctx, c.deleting(crossNames...), need, crossProducts)
}

// narrowFrom is the number of multiplications of a cross product from which orders of the null are computed in float32.
const narrowFrom = 1 << 26

func (w *crossWork) narrow() bool {
	return w.byUnits && float64(w.c.a.n())*float64(w.c.a.Dim())*float64(w.c.b.Dim()) >= narrowFrom
}

// nearValue is above the error of a score by products in float32, which is below 1e-7 in [TestRoundedScores].
const nearValue = 1.5e-7

// near says whether rounding may decide if a score of an order is above the score of the points as they are.
func near(order, asTheyAre map[string]float64) bool {
	for name, v := range order {
		if !(math.Abs(v-asTheyAre[name]) > nearValue*max(1, math.Abs(v))) {
			return true
		}
	}
	return false
}

// crossRows computes the scores of some orders by products of a precision.
func crossRows[T kernel.Float](ctx context.Context, w *crossWork, rows []int, values []map[string]float64) error {
	if len(rows) == 0 {
		return nil
	}
	var sides [2]*side[T]
	for number := range sides {
		var err error
		if sides[number], err = newSide[T](w, number); err != nil {
			return err
		}
	}
	return parallel.With(ctx, w.c.o.Threads, len(rows), func() func(int) error {
		t := &crossThread[T]{crossWork: w, sides: sides}
		return func(i int) (err error) {
			values[rows[i]], err = t.score(w.c.order(rows[i]))
			return err
		}
	})
}

// enterAlignment takes over rows of both linear CKA. ownA and ownB are the unbiased HSICs of the spaces with
// themselves.
func (c *comparison) enterAlignment(biased, debiased []float64, ownA, ownB float64) {
	c.enter("cka", biased)
	c.enter("cka_debiased", debiased)
	if s := c.series["cka_debiased"]; s != nil && math.IsNaN(s.Value) {
		s.Reason = c.because("the unbiased HSIC with itself is not positive", !(ownA > 0), !(ownB > 0))
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
	byUnits                  bool             // a score needs the cross product
	inner                    [2]matrix.Matrix // inner products of the points for CKA, without byUnits
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
	return w, w.choose()
}

// choose decides whether orders need the cross product of the spaces. CKA follows from inner products of points, too,
// which is faster with many dimensions.
func (w *crossWork) choose() error {
	c := w.c
	angles := (c.wants("procrustes") || c.wants("shape_angle")) && c.a.Dim() < c.a.n() && c.b.Dim() < c.b.n()
	canonical := (c.wants("svcca") || c.wants("pwcca")) && w.degenerate() == ""
	alignments := c.wants("cka") || c.wants("cka_debiased")
	w.byUnits = angles || canonical || c.wants("unit_match") || w.regressions[0] != nil ||
		alignments && !c.fasterByPoints()
	if w.byUnits || !alignments {
		return nil
	}
	for side, p := range []*Prepared{c.a, c.b} {
		var err error
		if w.inner[side], err = p.inner(c.o.Threads); err != nil {
			return err
		}
	}
	return nil
}

// readCost is the time of a product of two numbers, one of them read in an order, in units of a matrix product.
const readCost = 64

// fasterByPoints says whether CKA takes less time from inner products of points, n² numbers read in each order, than
// from cross products of p·q numbers, and no more memory than the spaces.
func (c *comparison) fasterByPoints() bool {
	n, p, q := float64(c.a.n()), float64(c.a.Dim()), float64(c.b.Dim())
	orders := float64(1 + len(c.o.Orders))
	return n <= p+q && n*(p+q)+readCost*orders*n < orders*p*q
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

// degenerate says why there are no canonical correlations: components of one space that span all centered points hold
// every component of the other, in any order.
func (w *crossWork) degenerate() string {
	n, first, second := w.c.a.n(), len(w.first.size), len(w.second.size)
	if most := max(first, second); most >= n-1 {
		return w.c.because(fmt.Sprintf("%d components of %d points: every canonical correlation is 1 in any order of the "+
			"points; want more points than dimensions", most, n), first >= n-1, second >= n-1)
	}
	return ""
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

// score computes the scores of one order.
func (t *crossThread[T]) score(order []int) (map[string]float64, error) {
	w, c := t.crossWork, t.c
	out := map[string]float64{}
	var cross matrix.Matrix
	if w.byUnits {
		if err := t.multiply(order); err != nil {
			return nil, err
		}
		cross = t.widened(t.cross, c.a.Dim(), c.b.Dim())
	}
	if c.wants("cka") || c.wants("cka_debiased") {
		w.align(out, cross, order)
	}
	if c.wants("procrustes") || c.wants("shape_angle") {
		varying, err := t.spanning(cross, order)
		if err != nil {
			return nil, err
		}
		values, _, err := singular(varying, varying.N <= varying.Dim, false)
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
	if w.degenerate() == "" && (c.wants("svcca") || c.wants("pwcca")) {
		if err := t.canonical(out); err != nil {
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
	for d, name := range []string{"predictivity_ab", "predictivity_ba"} {
		if w.regressions[d] != nil {
			var err error
			if out[name], err = t.explained(d, order); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// align enters both linear CKA of an order with its cross product, which is empty where inner products of points stand
// for it.
func (w *crossWork) align(out map[string]float64, cross matrix.Matrix, order []int) {
	c, biased := w.c, matrix.Dot(cross.Data, cross.Data)
	if !w.byUnits {
		biased = innerProduct(w.inner[0].Data, w.inner[1].Data, order, c.a.n())
	}
	squares := 0.0
	for i, v := range c.a.square {
		squares += float64(v * c.b.square[ordered(order, i)])
	}
	out["cka"] = alignment(biased, w.aBiased, w.bBiased)
	shared := unbiasedHSIC(biased, squares, c.a.total, c.b.total, c.a.n())
	out["cka_debiased"] = alignment(shared, w.aUnbiased, w.bUnbiased)
}

// ordered is entry i of an order, nil for the points as they are.
func ordered(order []int, i int) int {
	if order == nil {
		return i
	}
	return order[i]
}

// spanning is a matrix with the singular values of the cross product, but for some that are 0 and take long: the cross
// product of units that vary, or of the points in fewer coordinates.
func (t *crossThread[T]) spanning(cross matrix.Matrix, order []int) (matrix.Matrix, error) {
	w, first, second := t.crossWork, t.c.a.spanned(), t.c.b.spanned()
	if first.Dim < t.c.a.Dim() || second.Dim < t.c.b.Dim() {
		y := second
		if order != nil {
			y = second.Select(order)
		}
		out := matrix.New(first.Dim, second.Dim)
		return out, crossProduct(out, first, y, 1, nil)
	}
	if len(w.unitsA) == cross.N && len(w.unitsB) == cross.Dim {
		return cross, nil
	}
	out := matrix.New(len(w.unitsA), len(w.unitsB))
	for i, k := range w.unitsA {
		for j, l := range w.unitsB {
			out.Row(i)[j] = cross.Row(k)[l]
		}
	}
	return out, nil
}

// canonical enters both means of the canonical correlations: the singular values of UᵀV, where U and V are the
// whitened components of the two spaces.
func (t *crossThread[T]) canonical(out map[string]float64) error {
	w, p, q := t.crossWork, t.c.a.Dim(), t.c.b.Dim()
	first, second := w.whitenFirst.Dim, w.whitenOther.Dim
	half, whole := make([]T, first*q), make([]T, first*second)
	err := t.product(half, first, q, p, kernel.Columns(t.sides[0].whitened, first), kernel.Columns(t.cross, q), false)
	if err != nil {
		return err
	}
	err = t.product(whole, first, second, q, kernel.Rows(half, q), kernel.Columns(t.sides[1].whitened, second), false)
	if err != nil {
		return err
	}
	correlations, directions, err := singular(t.widened(whole, first, second), !w.swapped, w.c.wants("pwcca"))
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
