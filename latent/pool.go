// Pooling of sequence and token outputs to one vector per state.

package latent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repscope/model/graph"
)

// Pool is the reduction of the output [B, K, D] of an encoder (K time steps or tokens) to one vector per state:
// PoolLast, PoolMean, PoolCLS, PoolFlatten or PoolIndex(k). The empty Pool means the model's default, or none for an
// output [B, D].
type Pool string

const (
	PoolNone    Pool = ""
	PoolLast    Pool = "last"    // the last step or token
	PoolMean    Pool = "mean"    // the mean over steps or tokens
	PoolCLS     Pool = "cls"     // the first token
	PoolFlatten Pool = "flatten" // all of them, one after the other: [B, K·D]

	// PoolKeep leaves outputs of any shape as they are. Only a Stream knows it.
	PoolKeep Pool = "none"
	// poolPositions is PoolMean of a map [C, H, W].
	poolPositions Pool = "mean over positions"
)

// PoolIndex takes step or token k, from 0.
func PoolIndex(k int) Pool { return Pool("index:" + strconv.Itoa(k)) }

// ParsePool checks the spelling of a pooling option; "" is PoolNone.
func ParsePool(s string) (Pool, error) {
	switch p := Pool(s); p {
	case PoolNone, PoolLast, PoolMean, PoolCLS, PoolFlatten:
		return p, nil
	}
	if k := Pool(s).index(); k >= 0 {
		return PoolIndex(k), nil
	}
	return PoolNone, fmt.Errorf("pooling %q: want last, mean, cls, flatten or index:K with K ≥ 0", s)
}

// PoolError reports that a pooling does not fit an output.
type PoolError struct {
	Output []int // its shape [B, …]
	text   string
}

func (e *PoolError) Error() string { return e.text }

func poolError(output []int, format string, args ...any) error {
	return &PoolError{slices.Clone(output), fmt.Sprintf(format, args...)}
}

// Resolve checks the pooling against an output shape [B, …] (fallback is used if p is empty) and returns the pooling
// that applies and the pooled length D. An output [B, D] or [B, 1, D] needs none; [B, K, D] needs one; a higher rank
// takes only flatten. A mismatch is a PoolError.
func (p Pool) Resolve(output []int, fallback Pool) (Pool, int, error) {
	if _, err := ParsePool(string(p)); err != nil {
		return PoolNone, 0, err
	}
	total := graph.Count(output[min(1, len(output)):])
	switch {
	case len(output) <= 2:
		if p != PoolNone && p != PoolFlatten {
			return PoolNone, 0, poolError(output, "pooling %s: the output has shape %v, one vector per state already; leave the pooling out", p, output)
		}
		return PoolNone, total, nil
	case len(output) > 3:
		if p != PoolFlatten {
			instead := ""
			if p != PoolNone {
				instead = fmt.Sprintf(", not %s", p)
			}
			return PoolNone, 0, poolError(output, "the output has shape %v, maps of vectors: choose pooling flatten%s", output, instead)
		}
		return PoolFlatten, total, nil
	}
	k, d := output[1], output[2]
	if p == PoolNone {
		p = fallback
	}
	switch p {
	case PoolNone:
		if k != 1 {
			return PoolNone, 0, poolError(output, "the output has shape %v, %d vectors per state: choose pooling last, mean, cls, flatten or index:K (K < %d)",
				output, k, k)
		}
		return PoolFlatten, d, nil
	case PoolFlatten:
		return p, total, nil
	case PoolLast, PoolMean, PoolCLS:
		return p, d, nil
	}
	if p.index() >= k {
		return PoolNone, 0, poolError(output, "pooling %s: the output has shape %v, want an index below %d", p, output, k)
	}
	return p, d, nil
}

// resolveMap is Resolve for a layer that may be a map [B, C, H, W] or [B, H, W, C], with channels at the axis 1 or −1;
// its mean is that over positions. 0: the axis is unknown.
func (p Pool) resolveMap(output []int, fallback Pool, channels int) (Pool, int, error) {
	switch {
	case p != PoolMean || len(output) != 4 || channels == 0:
		return p.Resolve(output, fallback)
	case channels == 1:
		return poolPositions, output[1], nil
	}
	return PoolMean, output[3], nil
}

// index is the step or token of a PoolIndex, −1 for any other pooling.
func (p Pool) index() int {
	if text, ok := strings.CutPrefix(string(p), "index:"); ok {
		if k, err := strconv.Atoi(text); err == nil && k >= 0 {
			return k
		}
	}
	return -1
}

// ApplyPool pools one output row (row-major [K, D], or [D]) to the D values of dst. The
// pooling must have been resolved against the output's shape; see Pool.Resolve. The
// mean adds in float64 in the order of the steps or tokens and rounds once; NaN stays NaN.
func ApplyPool[T float32 | float64](p Pool, dst, row []T) {
	d := len(dst)
	switch p {
	case PoolNone, PoolFlatten:
		copy(dst, row)
	case PoolLast:
		copy(dst, row[len(row)-d:])
	case PoolCLS:
		copy(dst, row[:d])
	case poolPositions:
		k := len(row) / d
		for j := range dst {
			sum := 0.0
			for _, v := range row[j*k : (j+1)*k] {
				sum += float64(v)
			}
			dst[j] = T(sum / float64(k))
		}
	case PoolMean:
		k := len(row) / d
		for j := range dst {
			sum := 0.0
			for i := range k {
				sum += float64(row[i*d+j])
			}
			dst[j] = T(sum / float64(k))
		}
	default:
		k := p.index()
		copy(dst, row[k*d:(k+1)*d])
	}
}
