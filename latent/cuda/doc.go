// Package cuda executes a graph on NVIDIA GPUs. It needs the build tag cuda
// (make cuda); without the tag it has the same functions, which say so.
//
//	x, err := cuda.New(g, contexts, cuda.Options{}) // g prepared with cpu.Evaluate
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
	"math"
	"strings"
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

// check reports levels that do not fit states of so many elements.
func (l Levels) check(state int) error {
	if len(l.Values) == 0 || len(l.Values)%256 != 0 || l.Plane <= 0 || l.Plane > math.MaxInt32 || state%(l.Plane*(len(l.Values)/256)) != 0 {
		return fmt.Errorf("%d levels, 256 per channel, in planes of %d do not fit states of %d bytes", len(l.Values), l.Plane, state)
	}
	return nil
}
