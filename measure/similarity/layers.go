// The scores of every layer of one model with every layer of another, which share their orders. Linear CKA comes from
// tiles of inner products of points, so that its time does not grow with the dimensions of the layers.

package similarity

import (
	"context"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
)

// ScoreLayers computes [Score] of every space of a with every space of b: element [i][j] has the scores of a[i] and
// b[j]. Where it is faster, cka and cka_debiased come from float32 inner products, with an error below 1e-6. Without
// spaces there are no scores. Errors as for Score.
func ScoreLayers(ctx context.Context, a, b []*Prepared, o Options) ([][][]Series, error) {
	if o = o.withDefaults(); len(a) == 0 || len(b) == 0 {
		return nil, nil
	}
	for _, p := range slices.Concat(a, b) {
		if err := o.check(a[0].n(), p.n()); err != nil {
			return nil, err
		}
	}
	var aligned *alignments
	rest := o
	if names := alignedNames(&o); len(names) > 0 && o.Blocks == nil && faster(a, b, &o) {
		aligned = &alignments{a: a, b: b, o: &o}
		if err := aligned.compute(ctx); err != nil {
			return nil, err
		}
		rest.Measures = slices.DeleteFunc(slices.Clone(o.Measures), func(name string) bool {
			return slices.Contains(names, name)
		})
	}
	out := make([][][]Series, len(a))
	for i := range a {
		out[i] = make([][]Series, len(b))
		for j := range b {
			series, err := Score(ctx, a[i], b[j], rest)
			if err != nil {
				return nil, err
			}
			if aligned != nil {
				series = o.inOrder(append(series, aligned.series(i, j)...))
			}
			out[i][j] = series
		}
	}
	return out, nil
}

// alignedNames are the chosen measures that inner products of points give.
func alignedNames(o *Options) []string {
	return slices.DeleteFunc([]string{"cka", "cka_debiased"}, func(name string) bool {
		return !slices.Contains(o.Measures, name)
	})
}

// inOrder sorts scores into the order of results.
func (o *Options) inOrder(series []Series) []Series {
	names := ScoreNames(*o)
	slices.SortFunc(series, func(x, y Series) int { return slices.Index(names, x.Name) - slices.Index(names, y.Name) })
	return series
}

// faster says whether the n² inner products of points, for all layers, take less time than the cross products of all
// pairs of layers, and whether memory holds them for one layer.
func faster(a, b []*Prepared, o *Options) bool {
	var first, second float64
	for _, p := range a {
		first += float64(p.Dim())
	}
	for _, p := range b {
		second += float64(p.Dim())
	}
	n := float64(a[0].n())
	return a[0].n() >= 4 && first*second > n*float64(len(a)*len(b)) && o.layersAtOnce(a[0].n(), len(b)) > 0
}

// layersAtOnce is the number of layers whose inner products memory holds.
func (o *Options) layersAtOnce(n, layers int) int {
	return int(min(o.Memory/(4*int64(n)*int64(n)), int64(layers)))
}

const (
	tileSide     = 64   // points of a side of a tile of inner products
	rowsTogether = 8    // points whose inner products with all points are computed together
	depth        = 4096 // inner products that are added in float32
	bands        = 32   // parts of the sum over points, added in their order, so that results do not depend on threads
)

// alignments are ‖XᵀY‖² and what CKA is made of besides, of all pairs of layers in all orders.
type alignments struct {
	a, b []*Prepared
	o    *Options
	// cross[row][i·len(b)+j] is the sum of K_uv·L_uv over pairs u ≠ v of points, with the inner products K of a[i] and L
	// of b[j] in the order of the row, the first as the points are. own is the same of a space with itself.
	cross      [][]float64
	ownA, ownB []float64
	squares    [][]float64 // Σ_u K_uu·L_uu, as cross
}

func (w *alignments) rows() int { return 1 + len(w.o.Orders) }

func (w *alignments) order(row int) []int {
	if row == 0 {
		return nil
	}
	return w.o.Orders[row-1]
}

func (w *alignments) compute(ctx context.Context) error {
	w.ownA, w.ownB = make([]float64, len(w.a)), make([]float64, len(w.b))
	for range w.rows() {
		w.cross = append(w.cross, make([]float64, len(w.a)*len(w.b)))
		w.squares = append(w.squares, make([]float64, len(w.a)*len(w.b)))
	}
	together := w.o.layersAtOnce(w.a[0].n(), len(w.b))
	narrow := make([][]float32, len(w.a))
	for i, p := range w.a {
		narrow[i] = rounded[float32](p.x.Data)
	}
	for first := 0; first < len(w.b); first += together {
		if err := w.group(ctx, narrow, first, min(first+together, len(w.b))); err != nil {
			return err
		}
	}
	return parallel.For(ctx, w.o.Threads, w.rows(), func(_, row int) {
		order, moved := w.order(row), make([]float64, w.a[0].n())
		for j, y := range w.b {
			copy(moved, y.square)
			for u, v := range order {
				moved[u] = y.square[v]
			}
			for i, x := range w.a {
				w.squares[row][i*len(w.b)+j] = matrix.Dot(x.square, moved)
			}
		}
	})
}

// group adds up the pairs with the layers [first, last) of b.
func (w *alignments) group(ctx context.Context, narrow [][]float32, first, last int) error {
	n, size := w.a[0].n(), last-first
	tiles := (n + tileSide - 1) / tileSide
	products := make([]float32, n*n*size) // of points u and v of layer k at (u·n + v)·size + k
	err := parallel.With(ctx, w.o.Threads, size, func() func(int) error {
		block, workspace := make([]float32, tileSide*tileSide), &kernel.Workspace[float32]{}
		return func(k int) error {
			x, dim := rounded[float32](w.b[first+k].x.Data), w.b[first+k].Dim()
			for t := range tiles * tiles {
				i0, j0 := t/tiles*tileSide, t%tiles*tileSide
				i1, j1 := min(i0+tileSide, n), min(j0+tileSide, n)
				if j0 < i0 {
					continue
				}
				product := kernel.Product[float32]{
					M: i1 - i0, N: j1 - j0, K: dim, A: kernel.Rows(x[i0*dim:], dim), B: kernel.Rows(x[j0*dim:], dim),
					C: block, Stride: tileSide, Threads: 1, Workspace: workspace,
				}
				if err := product.Run(); err != nil {
					return err
				}
				for u := i0; u < i1; u++ {
					for v := max(j0, u+1); v < j1; v++ {
						p := block[(u-i0)*tileSide+v-j0]
						products[(u*n+v)*size+k], products[(v*n+u)*size+k] = p, p
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	back := make([][]int, w.rows())
	for row := range back {
		back[row] = inverse(w.order(row))
	}
	parts := make([]*bandSums, bands)
	err = parallel.With(ctx, w.o.Threads, bands, func() func(int) error {
		t := &rowWork{w: w, narrow: narrow, products: products, n: n, size: size, back: back}
		return func(band int) error {
			t.sums = newBandSums(w.rows(), len(w.a), size)
			parts[band] = t.sums
			for i0 := band * rowsTogether; i0 < n; i0 += bands * rowsTogether {
				if err := t.add(i0, min(i0+rowsTogether, n)); err != nil {
					return err
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	clear(w.ownA)
	for _, part := range parts { // each pair of points counts twice
		for row, sums := range part.cross {
			for c, v := range sums {
				w.cross[row][c/size*len(w.b)+first+c%size] += 2 * v
			}
		}
		matrix.Axpy(w.ownA, 2, part.ownA)
		matrix.Axpy(w.ownB[first:last], 2, part.ownB)
	}
	return nil
}

// bandSums are the sums over the pairs of points of a band.
type bandSums struct {
	cross      [][]float64
	ownA, ownB []float64
}

func newBandSums(rows, a, b int) *bandSums {
	s := &bandSums{ownA: make([]float64, a), ownB: make([]float64, b)}
	for range rows {
		s.cross = append(s.cross, make([]float64, a*b))
	}
	return s
}

// rowWork is what a thread holds.
type rowWork struct {
	w        *alignments
	narrow   [][]float32
	products []float32 // of the layers of b
	n, size  int
	sums     *bandSums
	back     [][]int // the inverse of the order of each row

	first  []float32 // inner products of points [i0, i1) with all points, by layer of a
	second []float32 // of one point, in an order, by layer of b
	block  []float32
	packed kernel.Packed[float32]

	product   []float32
	workspace kernel.Workspace[float32]
}

// add adds the pairs of points u < v for u in [i0, i1).
func (t *rowWork) add(i0, i1 int) error {
	layers := len(t.w.a)
	if t.first == nil {
		t.first, t.second = make([]float32, rowsTogether*t.n*layers), make([]float32, t.n*t.size)
		t.block, t.product = make([]float32, rowsTogether*t.n), make([]float32, layers*t.size)
	}
	for k, x := range t.narrow {
		dim := t.w.a[k].Dim()
		product := kernel.Product[float32]{
			M: i1 - i0, N: t.n - i0, K: dim, A: kernel.Rows(x[i0*dim:], dim), B: kernel.Rows(x[i0*dim:], dim),
			C: t.block, Stride: t.n, Threads: 1, Workspace: &t.workspace,
		}
		if err := product.Run(); err != nil {
			return err
		}
		for u := i0; u < i1; u++ {
			for v := u + 1; v < t.n; v++ {
				p := t.block[(u-i0)*t.n+v-i0]
				t.first[((u-i0)*t.n+v)*layers+k] = p
				t.sums.ownA[k] += float64(float64(p) * float64(p))
			}
		}
	}
	for u := i0; u < i1; u++ {
		for from := u + 1; from < t.n; from += depth {
			if err := t.addPairs(u, t.first[(u-i0)*t.n*layers:], from, min(from+depth, t.n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPairs adds the pairs of point u with points [from, to), whose inner products are in line.
func (t *rowWork) addPairs(u int, line []float32, from, to int) error {
	layers := len(t.w.a)
	if err := t.packed.Left(kernel.Columns(line[from*layers:to*layers], layers), layers, to-from); err != nil {
		return err
	}
	for row := range t.w.rows() {
		t.gather(row, u, from, to)
		if row == 0 {
			for v := range to - from {
				for k, p := range t.second[v*t.size : (v+1)*t.size] {
					t.sums.ownB[k] += float64(float64(p) * float64(p))
				}
			}
		}
		product := kernel.Product[float32]{
			M: layers, N: t.size, K: to - from, A: t.packed.Operand(0), B: kernel.Columns(t.second, t.size),
			C: t.product, Stride: t.size, Threads: 1, Workspace: &t.workspace,
		}
		if err := product.Run(); err != nil {
			return err
		}
		for c, v := range t.product {
			t.sums.cross[row][c] += float64(v)
		}
	}
	return nil
}

// gather copies the inner products of the layers of b of point order[u] with points order[from], …, order[to − 1]. They
// are read in their order in memory, in runs of points that follow each other in both.
func (t *rowWork) gather(row, u, from, to int) {
	order, back := t.w.order(row), t.back[row]
	if order == nil {
		copy(t.second, t.products[(u*t.n+from)*t.size:(u*t.n+to)*t.size])
		return
	}
	line := t.products[order[u]*t.n*t.size : (order[u]+1)*t.n*t.size]
	for v := 0; v < t.n; {
		w := back[v]
		if w < from || w >= to {
			v++
			continue
		}
		length := 1
		for v+length < t.n && w+length < to && back[v+length] == w+length {
			length++
		}
		copy(t.second[(w-from)*t.size:], line[v*t.size:(v+length)*t.size])
		v += length
	}
}

// series are the scores of two layers.
func (w *alignments) series(i, j int) []Series {
	x, y := w.a[i], w.b[j]
	squaresA, squaresB := matrix.Dot(x.square, x.square), matrix.Dot(y.square, y.square)
	ownA := unbiasedHSIC(w.ownA[i]+squaresA, squaresA, x.total, x.total, x.n())
	ownB := unbiasedHSIC(w.ownB[j]+squaresB, squaresB, y.total, y.total, y.n())
	var biased, unbiased []float64
	for row := range w.rows() {
		c := i*len(w.b) + j
		squares := w.squares[row][c]
		sum := w.cross[row][c] + squares
		biased = append(biased, alignment(sum, w.ownA[i]+squaresA, w.ownB[j]+squaresB))
		unbiased = append(unbiased, alignment(unbiasedHSIC(sum, squares, x.total, y.total, x.n()), ownA, ownB))
	}
	c := &comparison{a: x, b: y, o: w.o, series: map[string]*Series{}}
	var out []Series
	for _, name := range alignedNames(w.o) {
		m, _ := Find(name)
		c.series[name] = &Series{Name: name, Measure: m}
	}
	c.enterAlignment(biased, unbiased, ownA, ownB)
	for _, name := range alignedNames(w.o) {
		if reason := c.undefined(); reason != "" {
			c.refuse(name, reason)
		}
		out = append(out, c.series[name].settled())
	}
	return out
}
