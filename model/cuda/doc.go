// Package cuda executes a graph on NVIDIA GPUs. It needs the build tag cuda
// (make cuda); without the tag it has the same functions, which say so.
//
//	x, err := cuda.NewGroup(g, d.Contexts(), cuda.Options{}) // g prepared with fuse.Rules(cpu.Evaluate)
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
)

// Precision is the rounding of the factors of matrix products; sums and everything else are always float32.
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

// Options are the options of an executor. The zero value is valid.
type Options struct {
	Precision Precision
	// Note, if not nil, receives changes of the run that do not affect its results, such as a batch halved to fit the
	// GPU's memory. It is called once for each shape of state.
	Note func(string)
}
