// The options of rows of distances, and hooks for tests.

package rows

import (
	"context"
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
