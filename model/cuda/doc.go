// Package cuda executes a graph on NVIDIA GPUs. It needs the build tag cuda
// (make cuda); without the tag it has the same functions, which say so.
//
//	x, err := cuda.New(g, contexts, cuda.Options{}) // g prepared with fuse.Rules(cpu.Evaluate)
//	defer x.Close()
//	out, err := x.Run(ctx, []*graph.Tensor{graph.Floats(frames, 64, 1, 64, 64)})
//
// A run binds the graph to the inputs' shapes (once per shape): every operator
// records its kernel launches, all intermediate values are laid out in one arena, and
// the launches are captured as a CUDA graph that later runs replay. Batches are
// pipelined: while one is computed the next is uploaded and the one before downloaded.
// Every output element is computed in an order that does not depend on the batch it
// is part of, nor on the number of GPUs.
package cuda

import (
	"fmt"
	"slices"
	"strings"

	"repscope/stat"
)

// Precision is what the factors of matrix products are rounded to; sums are
// float32 always, and so is everything else.
type Precision uint8

const (
	TF32 Precision = iota // 10 bits of mantissa; the default
	FP32                  // none: float32 products
	BF16                  // 7 bits of mantissa
)

var precisions = []string{TF32: "tf32", FP32: "fp32", BF16: "bf16"}

func (p Precision) String() string { return precisions[p] }

// Precisions lists the names of the precisions, the default first.
func Precisions() []string { return slices.Clone(precisions) }

// ParsePrecision reads "tf32", "fp32" or "bf16"; empty is TF32.
func ParsePrecision(text string) (Precision, error) {
	for p, name := range precisions {
		if text == name || text == "" {
			return Precision(p), nil
		}
	}
	return 0, fmt.Errorf("precision %q: want %s", text, strings.Join(precisions, ", "))
}

// Options says how an executor computes. The zero value is valid.
type Options struct {
	Precision Precision
	// Note, if not nil, is told what changes the run but not its results, such as
	// a batch that is halved to fit the GPU's memory. It is called once for each shape of state.
	Note func(string)
}

// Levels are the float32 values that uint8 inputs stand for, per channel:
// element i of a state becomes Values[(i/Plane mod channels)·256 + byte], where
// channels is len(Values)/256. Any function of a byte, computed once on the host,
// has the same bits on the device.
type Levels struct {
	Values []float32
	Plane  int // elements in a row of the same channel; a state has all channels equally often
}

// NoiseKind is how the pixels of a state change; analysis/robustness has the same.
type NoiseKind int32

const (
	// Gaussian adds float32(Level·(High − Low)) times the standard normal sequence of the state's stream.
	Gaussian NoiseKind = iota
	// SaltPepper sets pixels whose uniform number is below Level/2 to Low, and below Level to High.
	SaltPepper
	// Brightness adds ±Level·(High − Low) to the whole state; the sign is bit 0 of the stream.
	Brightness
)

// NoiseClip says what happens to changed pixels outside the range.
type NoiseClip int32

const (
	ClipNone    NoiseClip = iota // they stay
	ClipRange                    // they become the nearer end
	ClipReflect                  // they are reflected at the ends
)

// Noise is a change of states whose pixels range from Low to High. A state is changed by
// its own stream of random numbers (stat.Key) alone, whatever states are beside it.
type Noise struct {
	Kind      NoiseKind
	Clip      NoiseClip
	Low, High float32
	Level     float64 // of 0 the states stay as they are
}

// Scaling is what happens to pixels after the noise: v of channel c becomes
// ((v − Low)/Span − Mean[c])/Std[c], each operation rounded to float32. Without
// channels they stay as they are.
type Scaling struct {
	Low, Span float32
	Mean, Std []float32 // by channel
	Plane     int       // elements in a row of the same channel; a state has all channels equally often
}

// Noisy is a batch of states that noise changes on the device before they are encoded.
type Noisy struct {
	Bytes   []uint8    // the states, or
	Floats  []float32  // the states, if Bytes is nil
	Keys    []stat.Key // of their streams, one per state
	Noise   Noise
	Scaling Scaling
}
