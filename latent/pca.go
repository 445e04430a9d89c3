// The baseline of principal components of pixels.

package latent

import (
	"context"
	"errors"
	"fmt"

	"repscope/internal/share"
	"repscope/latent/internal/principal"
	"repscope/model"
	"repscope/model/graph"
)

// PCAOptions describes a pixel-PCA encoder.
type PCAOptions struct {
	Dim     int // latent dimension; 0 means 64
	Fit     int // states the components are fitted on, evenly spaced; 0 or more than 2,000 means 2,000
	Threads int
	Backend *model.Backend
}

// maxFit bounds the Gram matrix of PCAEncoder.
const maxFit = 2000

// PCAEncoder projects centered states on their leading principal components, z = Vᵀ(x − mean), fitted on states of src.
// The components are orthonormal, in the order of falling variance, the element of largest modulus positive. If the
// states have fewer directions than Dim, there are fewer latent dimensions, and Info.Warnings says so.
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
		o.Dim = DefaultDim
	}
	if o.Fit <= 0 || o.Fit > maxFit {
		o.Fit = maxFit
	}
	state := src.Shape()
	width, n := graph.Count(state), min(o.Fit, src.Len())
	if n < 2 || width == 0 || o.Dim < 0 {
		return nil, fmt.Errorf("%d states of shape %v and %d dimensions: want at least 2 states", src.Len(), state, o.Dim)
	}
	fitted, err := fitPCA(ctx, src, n, o)
	if err != nil {
		return nil, err
	}
	v, m := fitted.components, fitted.mean
	dim := len(v) / width
	if dim == 0 {
		return nil, errors.New("the states do not differ")
	}
	e, err := graphEncoder(projection(state, v, m), o.Threads, o.Backend)
	if err != nil {
		return nil, err
	}
	e.info.Name, e.info.Format, e.info.Architecture = "pca", "pca", "principal components of pixels"
	e.info.Parameters = len(v) + width
	e.info.Identity = hashFloats("pca"+o.Backend.Identity(), state, [][]float32{m, v})
	if dim < o.Dim {
		e.info.Warnings = append(e.info.Warnings,
			fmt.Sprintf("pca: %d states span %d directions; the latents have %d dimensions instead of %d", n, dim, dim, o.Dim))
	}
	e.describe(nil)
	return e, nil
}

// fittedPCA are components [dim, width] and the mean.
type fittedPCA struct{ components, mean []float32 }

// fitPCA fits to n states of src, once for all concurrent runs.
func fitPCA(ctx context.Context, src Source, n int, o PCAOptions) (fittedPCA, error) {
	key := ""
	if share.In(ctx) {
		states, err := src.Fingerprint()
		if err != nil {
			return fittedPCA{}, fmt.Errorf("hashing the states: %w", err)
		}
		if states != "" {
			key = fmt.Sprint("pca ", states, src.Len(), src.Shape(), n, o.Dim)
		}
	}
	return share.Do(ctx, key, func() (fittedPCA, error) {
		width := graph.Count(src.Shape())
		x, mean, err := centered(ctx, src, n, width)
		if err != nil {
			return fittedPCA{}, err
		}
		components, err := principal.Directions(ctx, x, n, width, o.Dim, o.Threads)
		return fittedPCA{narrow(components), narrow(mean)}, err
	}, func(f fittedPCA) int64 { return 4 * int64(len(f.components)+len(f.mean)) })
}

// centered reads n evenly spaced states of this width as rows [n, width] and subtracts their mean, which it also
// returns.
func centered(ctx context.Context, src Source, n, width int) (x, mean []float64, err error) {
	total := src.Len()
	x, mean = make([]float64, n*width), make([]float64, width)
	row := make([]float32, width)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		state := i
		if n < total {
			state = int(int64(i) * int64(total-1) / int64(n-1))
		}
		if err := src.Float32(row, state, state+1); err != nil {
			return nil, nil, fmt.Errorf("state %d: %w", state, err)
		}
		for j, v := range row {
			if v-v != 0 {
				return nil, nil, fmt.Errorf("state %d: element %d is %g", state, j, v)
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
	return x, mean, nil
}

func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// projection is the graph z = V(x − mean) for states of this shape; the rows of V are the components.
func projection(state []int, components, mean []float32) *graph.Graph {
	dims := []graph.Dim{{Name: "batch", Size: -1}}
	for _, d := range state {
		dims = append(dims, graph.Dim{Size: d})
	}
	width := len(mean)
	return &graph.Graph{
		Name: "PCA", Opset: 17,
		Inputs:  []graph.Port{{Name: "x", DType: graph.Float32, Dims: dims}},
		Outputs: []graph.Port{{Name: "z", DType: graph.Float32}},
		Constants: map[string]*graph.Tensor{"mean": graph.Floats(mean, width),
			"components": graph.Floats(components, len(components)/width, width)},
		Nodes: []*graph.Node{
			{Op: "Flatten", Inputs: []string{"x"}, Outputs: []string{"flat"}},
			{Op: "Sub", Inputs: []string{"flat", "mean"}, Outputs: []string{"centred"}},
			{Op: "Gemm", Inputs: []string{"centred", "components"}, Outputs: []string{"z"},
				Attributes: map[string]graph.Attribute{"transB": {Kind: graph.AttributeInt, Int: 1}}},
		},
	}
}
