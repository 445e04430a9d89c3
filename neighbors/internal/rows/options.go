// The metrics that distances are measured in, the options of rows of distances, and hooks for tests.

package rows

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
)

// Options say how rows of distances are computed.
type Options struct {
	Metric        Metric
	Threads       int   // 0: GOMAXPROCS
	Memory        int64 // in bytes; 0: a quarter of the machine's
	ExcludeWindow int   // pairs of an episode at most so far apart are no neighbors
	Episode       []int // of each point; nil: one episode
	Time          []int // of each point, strictly ascending, in which the window counts; nil: positions

	// Group is the block of each point, below Groups, in which closer points are
	// counted; nil without blocks.
	Group  []int32
	Groups int

	// Narrow has Search go through tiles of float32 values where it can, whatever the type and the dimension, without
	// a count of duplicates.
	Narrow bool

	// ManyRanks says that ranks of many points anywhere in each row are needed. float32 rows then take a little longer and
	// are more exact; see kernel.Product.Links.
	ManyRanks bool

	// Progress, if not nil, is called with the number of finished rows and their total.
	Progress func(done, total int)

	Hooks
}

// Hooks are settings for tests; see WithHooks. The zero value changes nothing.
type Hooks struct {
	MaxRows  int           // bounds the rows of a block; 0 leaves it to the memory
	Computed *atomic.Int64 // counts the distances computed in spaces where keeping them pays; nil: not
}

type hooksKey struct{}

// WithHooks is a context for rows with the hooks of a test.
func WithHooks(ctx context.Context, h Hooks) context.Context {
	return context.WithValue(ctx, hooksKey{}, h)
}

// HooksOf are the hooks of a context.
func HooksOf(ctx context.Context) Hooks {
	h, _ := ctx.Value(hooksKey{}).(Hooks)
	return h
}

// ThreadCount is the number of goroutines.
func (o *Options) ThreadCount() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Among are the candidates among n points.
func (o *Options) Among(n int) Candidates {
	return Candidates{N: n, Self: true, Window: o.ExcludeWindow, Episode: o.Episode, Time: o.Time}
}

// With are the options with another metric.
func (o *Options) With(metric Metric) *Options {
	out := *o
	out.Metric = metric
	return &out
}

// Metric is the measure of the distance of two points.
type Metric uint8

const (
	// Euclidean is the L2 distance ‖x−y‖.
	Euclidean Metric = iota
	// Cosine is 1 − x·y/(‖x‖‖y‖), in [0, 2]; a point of norm zero is an error.
	Cosine
	// Precomputed means that the points are a matrix of distances: float32 or float64 [n, n], row i holding the distances
	// from point i. They must be finite, not negative and symmetric up to a rounding of 1e-4 relative. Rows are used
	// unchanged; the diagonal is ignored.
	Precomputed
)

// String returns the metric's name as it is written on the command line.
func (m Metric) String() string {
	switch m {
	case Euclidean:
		return "euclidean"
	case Cosine:
		return "cosine"
	case Precomputed:
		return "precomputed"
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// ParseMetric returns the metric of that name, "euclidean", "cosine" or "precomputed".
func ParseMetric(name string) (Metric, error) {
	for _, m := range []Metric{Euclidean, Cosine, Precomputed} {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("metric %q: want euclidean, cosine or precomputed", name)
}

// Distance turns a key into the distance.
func (m Metric) Distance(key float64) float64 {
	if m != Euclidean {
		return key
	}
	return math.Sqrt(key)
}
