// Choice of the instruction set at run time.

package kernel

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// KC is the depth of one block of the summation. It is part of the numerical
// contract (see the package comment): another KC gives other float32 bits.
const KC = 256

// tileBlock is the depth in groups of a block of bytes for tiles, which multiply faster than C can be read and
// written for every KC.
const tileBlock = 2 * KC

// Environment is the variable that forces an implementation.
const Environment = "REPSCOPE_KERNEL"

// An implementation is one instruction set's kernels.
type implementation struct {
	name    string
	float32 *tiling[float32, float32]
	float64 *tiling[float64, float64]
	uint8   *uint8Tiling
	int16   *tiling[uint32, float32]
	// int16Time is the time of int16 relative to float32.
	int16Time float64
	rows      rowKernels
	gather    *gatherTiling
	quads     *quadTiling // nil if there is none
	reflect   reflectKernels
}

var generic = implementation{
	name:      "generic",
	float32:   &genericFloat32,
	float64:   &genericFloat64,
	uint8:     &uint8Tiling{tiling: genericUint8, group: 2},
	int16:     &genericInt16,
	int16Time: 2,
	rows:      genericRows,
	gather:    &genericGather,
	reflect:   genericReflect,
}

var (
	active      atomic.Pointer[implementation]
	selectedErr error
	// withoutTiles is the reason why a processor with AMX does not use it, "" without a reason.
	withoutTiles string
)

func init() {
	impl, err := choose(os.Getenv(Environment))
	active.Store(impl)
	selectedErr = err
}

// choose returns the implementation named by request, or the best one
// if request is empty or cannot be had; the latter is an error too.
func choose(request string) (*implementation, error) {
	available := implementations()
	best := available[len(available)-1]
	if request == "" {
		return best, nil
	}
	for _, impl := range available {
		if impl.name == request {
			return impl, nil
		}
	}
	var names []string
	for _, impl := range available {
		names = append(names, impl.name)
	}
	reason := "is unknown"
	switch {
	case request == "amx" && withoutTiles != "":
		reason = "cannot be used: " + withoutTiles
	case request == "avx2" || request == "avx512" || request == "amx":
		reason = "is not supported by this processor or build"
	}
	return best, fmt.Errorf("%s=%q %s; this build on this machine has %s",
		Environment, request, reason, strings.Join(names, ", "))
}

// Name is the implementation in use: "generic", "avx2", "avx512", or "amx", which is AVX-512 with products of bytes
// on tiles. It is fixed when the program starts, by the processor and by [Environment].
func Name() string { return active.Load().name }

// Selected is [Name] with an error if [Environment] names an implementation that is unknown, or unavailable on this
// machine or in this build; the products then run on the best available one.
func Selected() (string, error) { return Name(), selectedErr }

// floatTiling is the active implementation's tiling for T.
func floatTiling[T Float]() *tiling[T, T] {
	impl := active.Load()
	if t, ok := any(impl.float32).(*tiling[T, T]); ok {
		return t
	}
	return any(impl.float64).(*tiling[T, T])
}
