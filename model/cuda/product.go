//go:build cuda

// Matrix products: Linear, Gemm, MatMul.

package cuda

import (
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

var productOperators = map[string]constructor{
	"repscope.Linear": buildLinear, ".Gemm": buildGemm, ".MatMul": buildMatMul,
}

// tile is the part of a result that one block of threads computes; see kernels/tile.h.
type tile struct{ rows, columns, threads, stages int }

// step is the number of terms that a tile adds at a time; packed rows are padded to it.
const step = 32

func (t tile) String() string { return fmt.Sprintf("%dx%d", t.rows, t.columns) }

// shared is the dynamic shared memory of a block: its stages and, if sums of slices
// are added up, these.
func (t tile) shared(sliced bool) int {
	bytes := t.stages * (t.rows + t.columns) * step * 4
	if sliced {
		bytes += t.rows * t.columns * 4
	}
	return bytes
}

func (t tile) blocks(m, n int) int { return ceil(m, t.rows) * ceil(n, t.columns) }

func ceil(n, d int) int { return (n + d - 1) / d }

func roundUp(n, multiple int) int { return ceil(n, multiple) * multiple }

// processors is the number of blocks from which on a GPU is busy: H100's
// multiprocessors. Tests change it to meet every tile.
var processors = 132

// sharedLimit is the dynamic shared memory of a block that every GPU has from compute capability 8.0 on.
const sharedLimit = 99 << 10

// choose takes the largest tile that yields enough tiles for the GPU, or else the smallest; copies is the number of
// results. The choice changes no number: every element is summed in the same order in any tile.
func choose(tiles []tile, m, n, copies int, sliced bool) tile {
	for _, t := range tiles {
		if t.blocks(m, n)*copies >= processors && t.columns < 2*max(n, 32) && t.rows < 2*max(m, 16) &&
			t.shared(sliced)+t.rows*patchBytes <= sharedLimit {
			return t
		}
	}
	return tiles[len(tiles)-1]
}

// productTiles are the tiles of kernels product_, matmulTiles of matmul_, by descending size.
func productTiles(p Precision) []tile {
	tiles := []tile{{128, 128, 256, 3}, {64, 64, 128, 3}, {16, 32, 128, 8}}
	if p == TF32 {
		tiles = []tile{tiles[0], tiles[1], {64, 32, 128, 4}, tiles[2]}
	}
	return tiles
}

var matmulTiles = []tile{{64, 64, 128, 3}, {16, 32, 128, 4}}

// Sums of more than manyTerms for at most fewColumns are cut into slices of about sliceTerms.
const (
	manyTerms  = 2048
	fewColumns = 512
	sliceTerms = 512
)

// sliceSteps is how the terms of a long sum are cut, where there are so few columns that
// one row's would not keep the GPU busy: the number of slices and the steps in each. It
// depends on nothing but the weights' shape, so that the sum does not either.
func sliceSteps(terms, columns int) (count, steps int) {
	total := ceil(terms, step)
	if terms <= manyTerms || columns > fewColumns {
		return 1, math.MaxInt32
	}
	steps = ceil(total, ceil(terms, sliceTerms))
	return ceil(total, steps), steps
}

// activation is the number of a function in kernels/tile.h.
func activation(a operator.Activation) (kind int, known bool) {
	kind, known = map[string]int{"": 0, "Relu": 1, "Silu": 2, "Gelu": 3, "GeluTanh": 4, "Tanh": 5, "Sigmoid": 6}[a.Op]
	return kind, known
}

// fits fails if numbers of rows or columns are beyond the kernels' integers.
func fits(sizes ...int) error {
	for _, n := range sizes {
		if n > math.MaxInt32-256 {
			return fmt.Errorf("a matrix with an axis of %d elements is too large for the GPU's kernels", n)
		}
	}
	return nil
}

// packRows is a right factor in the layout of the kernels: n rows of depth elements, zeros beyond k, rounded to the
// precision of the tensor cores. at is the offset of element (i, j) of k×n.
func packRows(p Precision, elements []float32, n, k, depth int, offset func(i, j int) int) []float32 {
	rows := make([]float32, n*depth)
	for j := range n {
		row := rows[j*depth : (j+1)*depth]
		for i := range k {
			row[i] = rounded(p, elements[offset(i, j)])
		}
	}
	return rows
}

// rounded is v to the nearest tf32, halves away from zero, in that mode.
func rounded(p Precision, v float32) float32 {
	b := math.Float32bits(v)
	if p != TF32 || b&0x7f800000 == 0x7f800000 {
		return v
	}
	return math.Float32frombits((b + 0x1000) & 0xffffe000)
}

// order maps the elements of a permuted array to the array of this shape.
func order(shape, perm []int) []int {
	strides, n := graph.RowMajor(shape), graph.Count(shape)
	offsets := make([]int, 1, n)
	for _, a := range perm {
		next := make([]int, 0, n)
		for _, from := range offsets {
			for i := range shape[a] {
				next = append(next, from+i*strides[a])
			}
		}
		offsets = next
	}
	return offsets
}

func buildLinear(b *builder) error {
	p := b.Step.Params.(*operator.GemmParams)
	out, in := b.OutShape(0), b.Shape(0)
	n, k := out[len(out)-1], in[len(in)-1]
	m := graph.Count(in[:len(in)-1])
	if err := fits(m, n, k); err != nil {
		return err
	}
	depth, mode := roundUp(k, step), b.precision()
	w := b.weight(fmt.Sprint("rows of a product ", mode, n, k, p.TransB, p.Shape, p.Perm), b.Constant(1), func(elements []float32) []float32 {
		offset := func(i, j int) int { return i*n + j }
		if p.TransB {
			offset = func(i, j int) int { return j*k + i }
		}
		if p.Perm == nil {
			return packRows(mode, elements, n, k, depth, offset)
		}
		to := make([]int, k) // the row of the weights that belongs to an element of the input
		for i, from := range order(p.Shape, p.Perm) {
			to[from] = i
		}
		return packRows(mode, elements, n, k, depth, func(i, j int) int { return offset(to[i], j) })
	})
	kind, supported := activation(p.Activation)
	if k%4 == 0 {
		b.product(b.in(0), w, b.in(2), b.in(3), b.out(0), m, n, k, depth, kind)
	} else {
		b.matmul(matmul{a: b.in(0), b: w, bias: b.in(2), other: b.in(3), c: b.out(0), m: m, n: n, k: k,
			aRow: k, aColumn: 1, bRow: 1, bColumn: depth, batch: 1, activation: kind, alpha: 1})
	}
	if !supported {
		return b.function(p.Activation, b.out(0), b.out(0), m*n)
	}
	return nil
}

// product records C[m,n] = activation(A[m,k]·Bᵀ + bias) or A·Bᵀ + bias + other with packed B; k is a multiple of 4.
func (b *builder) product(a, w, bias, other, c operand, m, n, k, depth, activation int) {
	count, steps := sliceSteps(k, n)
	t := choose(productTiles(b.precision()), m, n, count, count > 1)
	kernel := fmt.Sprintf("product_%v_%v", b.precision(), t)
	grid, block := [3]int{t.blocks(m, n), 1, 1}, [3]int{t.threads, 1, 1}
	if count == 1 || t.blocks(m, n) >= processors {
		b.launch(kernel, grid, block, t.shared(count > 1), a, w, bias, other, c, m, n, k, depth, steps, activation)
		return
	}
	// Few tiles: a block for each slice, whose sums are added up afterwards.
	grid[2] = count
	sums := b.scratch(4 * m * n * count)
	b.launch(kernel, grid, block, t.shared(false), a, w, operand{}, operand{}, sums, m, n, k, depth, steps, 0)
	b.launch("finish_elements", [3]int{ceil(m*n, 256), 1, 1}, [3]int{256, 1, 1}, 0, sums, bias, other, c, count, n, activation, m*n)
}

// matmul is a product of factors with any strides; see kernels/product.cu.
type matmul struct {
	a, b, add, bias, other, c operand
	m, n, k                   int
	aRow, aColumn             int // strides
	bRow, bColumn             int
	addRow, addColumn         int
	batch                     int
	offsets                   []int64 // of the factors of each element of the batch, in pairs; nil: 0
	activation                int
	alpha, beta               float32
}

func (b *builder) matmul(p matmul) {
	count, steps := sliceSteps(p.k, p.n)
	t := choose(matmulTiles, p.m, p.n, p.batch, count > 1)
	kernel := fmt.Sprintf("matmul_%v_%v", b.precision(), t)
	// A grid has at most 65,535 elements of a batch.
	for first := 0; first < p.batch; first += 65535 {
		n := min(p.batch-first, 65535)
		var offsets operand
		if p.offsets != nil {
			offsets = table(b, p.offsets[2*first:2*(first+n)])
		}
		b.launch(kernel, [3]int{t.blocks(p.m, p.n), n, 1}, [3]int{t.threads, 1, 1}, t.shared(count > 1),
			p.a, p.b, p.add, p.bias, p.other, p.c.at(4*first*p.m*p.n), offsets, p.aRow, p.aColumn, p.bRow, p.bColumn, p.addRow, p.addColumn,
			p.m, p.n, p.k, steps, p.activation, p.alpha, p.beta)
	}
}

func buildGemm(b *builder) error {
	p := b.Step.Params.(*operator.GemmParams)
	m, n := b.OutShape(0)[0], b.OutShape(0)[1]
	g := matmul{a: b.in(0), b: b.in(1), add: b.in(2), c: b.out(0), m: m, n: n, k: b.Shape(0)[1], batch: 1, alpha: p.Alpha, beta: p.Beta}
	g.aRow, g.aColumn = g.k, 1
	if p.TransA {
		g.k = b.Shape(0)[0]
		g.aRow, g.aColumn = 1, m
	}
	g.bRow, g.bColumn = n, 1
	if p.TransB {
		g.bRow, g.bColumn = 1, g.k
	}
	g.addRow, g.addColumn = p.Row, p.Column
	if err := fits(m, n, g.k); err != nil {
		return err
	}
	kind, supported := activation(p.Activation)
	g.activation = kind
	b.matmul(g)
	if !supported {
		return b.function(p.Activation, b.out(0), b.out(0), m*n)
	}
	return nil
}

func buildMatMul(b *builder) error {
	f := b.Step.Params.(*operator.MatMulParams)
	m, k, n := f.M, f.K, f.N
	if err := fits(m, n, k); err != nil {
		return err
	}
	p := matmul{a: b.in(0), b: b.in(1), c: b.out(0), m: m, n: n, k: k, aRow: k, aColumn: 1, bRow: n, bColumn: 1, alpha: 1}
	p.offsets = batchOffsets(f)
	p.batch = len(p.offsets) / 2
	if !slices.ContainsFunc(f.Right, func(stride int) bool { return stride != 0 }) {
		// One right factor for all: the rows of the batch are one matrix.
		p.m, p.batch, p.offsets = m*p.batch, 1, nil
		if err := fits(p.m); err != nil {
			return err
		}
	}
	b.matmul(p)
	return nil
}

// batchOffsets is where the factors of each element of a batch begin, in pairs.
func batchOffsets(f *operator.MatMulParams) []int64 {
	offsets, steps := []int64{0, 0}, [2]int{f.M * f.K, f.K * f.N}
	// From the innermost axis outwards: each axis repeats the axes inside it.
	for axis, n := range slices.Backward(f.Batch) {
		inner := offsets
		offsets = make([]int64, 0, len(inner)*n)
		for i := range n {
			for at := 0; at < len(inner); at += 2 {
				offsets = append(offsets, inner[at]+int64(i*f.Left[axis]*steps[0]), inner[at+1]+int64(i*f.Right[axis]*steps[1]))
			}
		}
	}
	return offsets
}
