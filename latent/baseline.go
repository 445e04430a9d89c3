// Baselines that stand beside trained encoders: random weights and pixel PCA.

package latent

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/model/graph"
	"repscope/stat"
)

// RandomOptions describes a random-weights encoder.
type RandomOptions struct {
	Dim     int    // latent dimension; 0 means 64
	Seed    uint64 // equal seeds give equal weights on every machine
	Threads int
	Backend *model.Backend
}

// RandomEncoder is an untrained ConvEncoder for states of the given shape:
// frames [H W], windows [T H W] (each frame by itself, the last one by
// default) or clips [C T H W]. Weights and biases are uniform in ±1/√fan_in as
// PyTorch initialises them by default, layer norms are 1 and 0. It has four
// convolutions, fewer if a frame's side is below 16. It shows what the
// architecture alone preserves.
func RandomEncoder(state []int, o RandomOptions) (Encoder, error) {
	e, err := randomEncoder(state, o)
	if err != nil {
		return nil, fmt.Errorf("random encoder: %w", err)
	}
	return e, nil
}

func randomEncoder(state []int, o RandomOptions) (*modelEncoder, error) {
	if o.Dim == 0 {
		o.Dim = 64
	}
	if len(state) < 2 || len(state) > 4 || o.Dim < 0 {
		return nil, fmt.Errorf("states of shape %v and latents of %d dimensions: want frames [H W], [T H W] or [C T H W]", state, o.Dim)
	}
	channels, h, w := 1, state[len(state)-2], state[len(state)-1]
	if len(state) == 4 {
		channels = state[0]
	}
	layers := 0
	for layers < 4 && min(h, w)>>(layers+1) > 0 {
		layers++
	}
	if layers == 0 {
		return nil, fmt.Errorf("states of shape %v: want frames of at least 2×2", state)
	}
	s := checkpoint.State{}
	var all [][]float32
	// Every tensor has its own stream, so that its values do not depend on the others' sizes.
	put := func(name string, fanIn int, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		random := stat.NewRandom(stat.StreamRandomEncoder.Key(o.Seed, uint64(len(all))))
		bound := 1 / math.Sqrt(float64(fanIn))
		for i := range values {
			values[i] = float32((2*random.Float64() - 1) * bound)
		}
		all = append(all, values)
		s[name] = checkpoint.Tensor{Shape: shape, Read: func() ([]float32, error) { return values, nil }}
	}
	fill := func(name string, n int, v float32) {
		values := slices.Repeat([]float32{v}, n)
		s[name] = checkpoint.Tensor{Shape: []int{n}, Read: func() ([]float32, error) { return values, nil }}
	}
	in, out := channels, 32
	for i := range layers {
		conv, norm := fmt.Sprintf("conv_layers.%d.", i), fmt.Sprintf("layer_norms.%d.", i)
		put(conv+"weight", in*16, out, in, 4, 4)
		put(conv+"bias", in*16, out)
		fill(norm+"weight", out, 1)
		fill(norm+"bias", out, 0)
		in, out = out, 2*out
	}
	features := in * (h >> layers) * (w >> layers)
	fill("final_norm.weight", features, 1)
	fill("final_norm.bias", features, 0)
	put("fc.weight", features, o.Dim, features)
	put("fc.bias", features, o.Dim)
	network, err := checkpoint.Build(s, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	e, err := graphEncoder(network.Graph, o.Threads, o.Backend)
	if err != nil {
		return nil, err
	}
	e.check = network.Check
	e.info.Name, e.info.Format, e.info.Architecture = "random", "random", "ConvEncoder with random weights"
	e.info.Parameters, e.info.DefaultPool = network.Parameters, PoolLast
	e.info.Identity = hashFloats("random encoder"+o.Backend.Identity(), state, all)
	e.describe([]int{channels, 1, h, w})
	return e, nil
}

// hashFloats identifies an encoder by its weights.
func hashFloats(kind string, shape []int, all [][]float32) string {
	hash := sha256.New()
	fmt.Fprint(hash, kind, shape)
	var buffer []byte
	for _, values := range all {
		buffer = buffer[:0]
		for _, v := range values {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
		}
		hash.Write(buffer)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// PCAOptions describes a pixel-PCA encoder.
type PCAOptions struct {
	Dim     int // latent dimension; 0 means 64
	Fit     int // states the components are fitted on, evenly spaced; 0 or more than 2,000 means 2,000
	Threads int
	Backend *model.Backend
}

// maxFit bounds the Gram matrix of PCAEncoder.
const maxFit = 2000

// PCAEncoder projects centred states on their leading principal components,
// z = Vᵀ(x − mean), fitted on states of src. The components are orthonormal, in
// the order of falling variance, the element of largest modulus positive. If the
// states have fewer directions than Dim asks for, there are fewer latent
// dimensions, and Info.Warnings says so.
func PCAEncoder(ctx context.Context, src Source, o PCAOptions) (Encoder, error) {
	e, err := pcaEncoder(ctx, src, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("PCA encoder: %w", err)
	}
	return e, nil
}

func pcaEncoder(ctx context.Context, src Source, o PCAOptions) (*modelEncoder, error) {
	if o.Dim == 0 {
		o.Dim = 64
	}
	total, state := src.Len(), src.Shape()
	width := 1
	for _, d := range state {
		width *= d
	}
	if o.Fit <= 0 || o.Fit > maxFit {
		o.Fit = maxFit
	}
	n := min(o.Fit, total)
	if n < 2 || width == 0 || o.Dim < 0 {
		return nil, fmt.Errorf("%d states of shape %v and %d dimensions: want at least 2 states", total, state, o.Dim)
	}
	x := make([]float64, n*width)
	row := make([]float32, width)
	mean := make([]float64, width)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := i
		if n < total && n > 1 {
			at = int(int64(i) * int64(total-1) / int64(n-1))
		}
		if err := src.Float32(row, at, at+1); err != nil {
			return nil, fmt.Errorf("state %d: %w", at, err)
		}
		for j, v := range row {
			if v-v != 0 {
				return nil, fmt.Errorf("state %d: element %d is %g", at, j, v)
			}
			x[i*width+j] = float64(v)
			mean[j] += float64(v)
		}
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	for i := range x {
		x[i] -= mean[i%width]
	}
	components, err := principal(ctx, x, n, width, o.Dim, o.Threads)
	if err != nil {
		return nil, err
	}
	dim := len(components) / width
	if dim == 0 {
		return nil, errors.New("the states do not differ")
	}

	v, m := make([]float32, len(components)), make([]float32, width)
	for i, c := range components {
		v[i] = float32(c)
	}
	for i, c := range mean {
		m[i] = float32(c)
	}
	dims := []graph.Dim{{Name: "batch", Size: -1}}
	for _, d := range state {
		dims = append(dims, graph.Dim{Size: d})
	}
	g := &graph.Graph{
		Name: "PCA", Opset: 17,
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32, Dims: dims}},
		Outputs:   []graph.Port{{Name: "z", DType: graph.Float32}},
		Constants: map[string]*graph.Tensor{"mean": graph.Floats(m, width), "components": graph.Floats(v, dim, width)},
		Nodes: []*graph.Node{
			{Op: "Flatten", Inputs: []string{"x"}, Outputs: []string{"flat"}},
			{Op: "Sub", Inputs: []string{"flat", "mean"}, Outputs: []string{"centred"}},
			{Op: "Gemm", Inputs: []string{"centred", "components"}, Outputs: []string{"z"},
				Attributes: map[string]graph.Attribute{"transB": {Kind: graph.AttributeInt, Int: 1}}},
		},
	}
	e, err := graphEncoder(g, o.Threads, o.Backend)
	if err != nil {
		return nil, err
	}
	e.info.Name, e.info.Format, e.info.Architecture = "pca", "pca", "principal components of pixels"
	e.info.Parameters = len(v) + width
	e.info.Identity = hashFloats("pca"+o.Backend.Identity(), state, [][]float32{m, v})
	if dim < o.Dim {
		e.info.Warnings = append(e.info.Warnings, fmt.Sprintf("pca: %d states span %d directions; the latents have %d dimensions, not %d", n, dim, dim, o.Dim))
	}
	e.describe(nil)
	return e, nil
}

// principal returns up to dim principal directions of the n centred rows of x
// as rows [dim, width]. It diagonalises the smaller of XXᵀ and XᵀX.
func principal(ctx context.Context, x []float64, n, width, dim, threads int) ([]float64, error) {
	size, operand := n, kernel.Rows(x, width)
	depth := width
	if width < n {
		size, operand, depth = width, kernel.Columns(x, width), n
	}
	gram := make([]float64, size*size)
	product := kernel.Product[float64]{M: size, N: size, K: depth, A: operand, B: operand, C: gram, Stride: size, Threads: threads}
	if err := product.Run(); err != nil {
		return nil, err
	}
	values, vectors, err := leading(ctx, gram, size, min(dim, size), threads)
	if err != nil {
		return nil, err
	}
	kept := 0
	for kept < len(values) && values[kept] > 1e-10*values[0] && values[kept] > 0 {
		kept++
	}
	directions := make([]float64, kept*width)
	if width < n {
		copy(directions, vectors[:kept*width])
	} else {
		// v = Xᵀu/√λ
		product = kernel.Product[float64]{M: kept, N: width, K: n, A: kernel.Rows(vectors, n), B: kernel.Columns(x, width), C: directions, Stride: width, Threads: threads}
		if err := product.Run(); err != nil {
			return nil, err
		}
	}
	for k := range kept {
		d := directions[k*width : (k+1)*width]
		norm, peak := 0.0, 0.0
		for _, c := range d {
			norm += c * c
			if math.Abs(c) > math.Abs(peak) {
				peak = c
			}
		}
		scale := math.Copysign(1/math.Sqrt(norm), peak)
		for j := range d {
			d[j] *= scale
		}
	}
	return directions, nil
}

// leading returns the dim largest eigenvalues of a symmetric positive
// semidefinite matrix, falling, and their eigenvectors as rows [dim, size]. A
// large matrix is treated by subspace iteration from a fixed start with
// Rayleigh–Ritz steps (G. Golub, C. Van Loan, Matrix Computations, §8.2), until the
// eigenvalues stand still to 1e-9 of the largest.
func leading(ctx context.Context, a []float64, size, dim, threads int) ([]float64, []float64, error) {
	block := min(dim+max(16, dim/2), size)
	if size <= 300 || 2*block >= size {
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(size, a), true) {
			return nil, nil, errors.New("the eigenvalues do not converge")
		}
		values := eigen.Values(nil)
		var v mat.Dense
		eigen.VectorsTo(&v)
		return top(values, &v, size, dim)
	}
	random := stat.NewRandom(stat.StreamSubspace.Key(0))
	q := make([]float64, block*size) // rows are the basis
	for i := range q {
		q[i] = random.Normal()
	}
	y := make([]float64, block*size)
	ritz := make([]float64, block*block)
	multiply := func(dst, rows []float64) error {
		p := kernel.Product[float64]{M: block, N: size, K: size, A: kernel.Rows(rows, size), B: kernel.Rows(a, size), C: dst, Stride: size, Threads: threads}
		return p.Run()
	}
	orthonormal(q, block, size)
	var previous []float64
	const most = 300
	for iteration := range most {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := multiply(y, q); err != nil {
			return nil, nil, err
		}
		if iteration%4 != 3 {
			q, y = y, q
			orthonormal(q, block, size)
			continue
		}
		// The best approximation within the subspace: eigenvectors of Q A Qᵀ.
		p := kernel.Product[float64]{M: block, N: block, K: size, A: kernel.Rows(q, size), B: kernel.Rows(y, size), C: ritz, Stride: block, Threads: threads}
		if err := p.Run(); err != nil {
			return nil, nil, err
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(block, ritz), true) {
			return nil, nil, errors.New("the eigenvalues do not converge")
		}
		values := eigen.Values(nil)
		var v mat.Dense
		eigen.VectorsTo(&v)
		small, rotation, err := top(values, &v, block, block)
		if err != nil {
			return nil, nil, err
		}
		p = kernel.Product[float64]{M: block, N: size, K: block, A: kernel.Rows(rotation, block), B: kernel.Columns(q, size), C: y, Stride: size, Threads: threads}
		if err := p.Run(); err != nil {
			return nil, nil, err
		}
		q, y = y, q
		settled := previous != nil
		for k := range dim {
			settled = settled && math.Abs(small[k]-previous[k]) <= 1e-9*small[0]
		}
		if settled || iteration == most-1 {
			return small[:dim], q[:dim*size], nil
		}
		previous = small
	}
	return nil, nil, errors.New("the eigenvalues do not converge")
}

// top orders eigenpairs by falling value and turns the vectors into rows.
func top(values []float64, v *mat.Dense, size, count int) ([]float64, []float64, error) {
	out, rows := make([]float64, count), make([]float64, count*size)
	for k := range count {
		from := size - 1 - k // gonum sorts them rising
		out[k] = values[from]
		for i := range size {
			rows[k*size+i] = v.At(i, from)
		}
	}
	return out, rows, nil
}

// orthonormal applies modified Gram–Schmidt twice to the rows of q.
func orthonormal(q []float64, count, size int) {
	for k := range count {
		row := q[k*size : (k+1)*size]
		for range 2 {
			for l := range k {
				other := q[l*size : (l+1)*size]
				dot := 0.0
				for i, v := range row {
					dot += float64(v * other[i])
				}
				for i := range row {
					row[i] -= float64(dot * other[i])
				}
			}
		}
		norm := 0.0
		for _, v := range row {
			norm += float64(v * v)
		}
		if norm == 0 {
			continue // fewer directions than rows
		}
		norm = 1 / math.Sqrt(norm)
		for i := range row {
			row[i] *= norm
		}
	}
}
