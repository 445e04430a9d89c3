// The baseline of random weights.

package latent

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/model/graph"
	"repscope/stat"
)

// DefaultDim is the default latent dimension of a baseline.
const DefaultDim = 64

// RandomOptions describes a random-weights encoder.
type RandomOptions struct {
	Dim     int    // latent dimension; 0 means 64
	Seed    uint64 // equal seeds give equal weights on every machine
	Threads int
	Backend *model.Backend
}

// RandomEncoder is an untrained ConvEncoder for states of this shape: frames [H W], windows [T H W] (each frame by
// itself, the last one by default) or clips [C T H W]. Weights and biases are uniform in ±1/√fan_in as PyTorch
// initializes them by default, layer norms are 1 and 0. It has four convolutions, fewer if a frame's side is below 16.
// It measures the effect of the architecture alone.
func RandomEncoder(state []int, o RandomOptions) (Encoder, error) {
	e, err := randomEncoder(state, o)
	if err != nil {
		return nil, fmt.Errorf("random encoder: %w", err)
	}
	return e, nil
}

func randomEncoder(state []int, o RandomOptions) (*modelEncoder, error) {
	if o.Dim == 0 {
		o.Dim = DefaultDim
	}
	if len(state) < 2 || len(state) > 4 || o.Dim < 0 {
		return nil, fmt.Errorf("states of shape %v and latents of %d dimensions: want frames [H W], [T H W] or [C T H W]",
			state, o.Dim)
	}
	channels, h, w := 1, state[len(state)-2], state[len(state)-1]
	if len(state) == 4 {
		channels = state[0]
	}
	weights, err := randomConvEncoder(channels, h, w, o)
	if err != nil {
		return nil, fmt.Errorf("states of shape %v: %w", state, err)
	}
	network, err := checkpoint.Build(weights.state, checkpoint.Options{})
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
	e.info.Identity = hashFloats("random encoder"+o.Backend.Identity(), state, weights.drawn)
	e.describe([]int{channels, 1, h, w})
	return e, nil
}

// randomWeights is a state dict under construction.
type randomWeights struct {
	seed  uint64
	state checkpoint.State
	drawn [][]float32 // the random tensors, in the order in which they were drawn
}

// draw adds a tensor of numbers uniform in ±1/√fanIn. Every tensor has its own stream, so its values do not depend on
// the others' sizes.
func (r *randomWeights) draw(name string, fanIn int, shape ...int) {
	values := make([]float32, graph.Count(shape))
	random := stat.NewRandom(stat.StreamRandomEncoder.Key(r.seed, uint64(len(r.drawn))))
	bound := 1 / math.Sqrt(float64(fanIn))
	for i := range values {
		values[i] = float32((2*random.Float64() - 1) * bound)
	}
	r.drawn = append(r.drawn, values)
	r.add(name, values, shape)
}

// fill adds a vector of equal numbers.
func (r *randomWeights) fill(name string, n int, v float32) {
	r.add(name, slices.Repeat([]float32{v}, n), []int{n})
}

func (r *randomWeights) add(name string, values []float32, shape []int) {
	r.state[name] = checkpoint.Tensor{Shape: shape, Read: func() ([]float32, error) { return values, nil }}
}

// randomConvEncoder draws the weights of a ConvEncoder for frames of h×w pixels.
func randomConvEncoder(channels, h, w int, o RandomOptions) (*randomWeights, error) {
	layers := 0
	for layers < 4 && min(h, w)>>(layers+1) > 0 {
		layers++
	}
	if layers == 0 {
		return nil, errors.New("want frames of at least 2×2")
	}
	r := &randomWeights{seed: o.Seed, state: checkpoint.State{}}
	in, out := channels, 32
	for i := range layers {
		conv, norm := fmt.Sprintf("conv_layers.%d.", i), fmt.Sprintf("layer_norms.%d.", i)
		r.draw(conv+"weight", in*16, out, in, 4, 4)
		r.draw(conv+"bias", in*16, out)
		r.fill(norm+"weight", out, 1)
		r.fill(norm+"bias", out, 0)
		in, out = out, 2*out
	}
	features := in * (h >> layers) * (w >> layers)
	r.fill("final_norm.weight", features, 1)
	r.fill("final_norm.bias", features, 0)
	r.draw("fc.weight", features, o.Dim, features)
	r.draw("fc.bias", features, o.Dim)
	return r, nil
}
