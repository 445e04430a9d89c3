// The options of a pass and their validation.

package neighbors

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/internal/device"
	"repscope/neighbors/internal/rows"
)

// CoRanking selects whether the curves over all neighborhood sizes are computed. They need the full
// ranking of every row: O(n² log n).
type CoRanking uint8

const (
	// CoRankingAuto computes the curves for up to AutoCoRankingPoints points.
	CoRankingAuto CoRanking = iota
	// CoRankingFull always computes them.
	CoRankingFull
	// CoRankingOff never does.
	CoRankingOff
)

// AutoCoRankingPoints is the largest number of points for which CoRankingAuto
// computes the co-ranking curves.
const AutoCoRankingPoints = 5000

// String returns the name as it is written on the command line.
func (c CoRanking) String() string {
	switch c {
	case CoRankingAuto:
		return "auto"
	case CoRankingFull:
		return "full"
	case CoRankingOff:
		return "off"
	}
	return fmt.Sprintf("CoRanking(%d)", uint8(c))
}

// Options are the settings of a pass. The zero value is usable: k = 5, 10, 20,
// Euclidean, all cores, a quarter of the machine's memory.
type Options struct {
	// Ks are the neighborhood sizes, each in 1..n−2, or less where the
	// exclusion window or the deleted blocks leave fewer candidates. nil means
	// 5, 10, 20. The order is kept; a repeated k is an error.
	Ks []int

	// Threads is the number of cores used; 0 means GOMAXPROCS. It changes no result.
	Threads int

	// Memory bounds the working memory of the pass in bytes, the input not
	// counted; 0 means a quarter of the machine's. It changes no result.
	Memory int64

	// Metric is applied to the original and to the embedded spaces.
	Metric Metric

	// EmbeddedMetrics, if not nil, is the metric of each embedded space instead of Metric.
	EmbeddedMetrics []Metric

	// ExcludeWindow w > 0 leaves the pairs with |i−j| ≤ w of the same episode
	// out of the neighbor lists and out of the ranks (Theiler window): they
	// are neighbors in time, whatever the embedding does.
	ExcludeWindow int

	// Episode is the episode of each point; nil means one episode.
	Episode []int

	// Time, if not nil, is the time of each point, strictly ascending, and ExcludeWindow
	// leaves out the pairs with |Time[i]−Time[j]| ≤ w of the same episode: for points of
	// which some in between are missing. Such a window is the processor's.
	Time []int

	// Ties defines how points at equal distances are ordered; the zero value averages over all orders. Seed is the seed of
	// TiesRandom.
	Ties Ties
	Seed uint64

	// CoRanking selects whether the curves over all K are computed.
	CoRanking CoRanking

	// Blocks is the block id of each point. When set, every score is also
	// computed with each block deleted in turn, exactly as if its points had
	// never been there: the replicates of a delete-one-block jackknife.
	Blocks []int

	// Permutations requests the scores under each of these permutations of the embedded points, exactly as if point i had
	// the embedding of point Permutations[p][i]: the chance level. No distance is computed again for them.
	Permutations [][]int

	// PerPoint keeps the penalties of each point.
	PerPoint bool

	// Device computes distances, lists and ranks on GPUs where the pass allows it: not
	// for co-ranking curves, precomputed distances and windows in Time. nil is the processor. It
	// changes no result but the method named in the counts.
	Device *device.Device

	// Progress, when set, is called with the number of finished rows and their
	// total, from one goroutine at a time.
	Progress func(done, total int)
}

// embeddedMetric is the metric of embedded space e.
func (o *Options) embeddedMetric(e int) Metric {
	if o.EmbeddedMetrics != nil {
		return o.EmbeddedMetrics[e]
	}
	return o.Metric
}

// rows are the options of rows of distances under a metric.
func (o *Options) rows(ctx context.Context, metric Metric) *rows.Options {
	return &rows.Options{
		Metric: metric, Threads: o.Threads, Memory: o.Memory, ExcludeWindow: o.ExcludeWindow, Episode: o.Episode, Time: o.Time,
		Progress: o.Progress, Hooks: rows.HooksOf(ctx),
	}
}

// check validates the options common to every kind of pass for n points.
func (o *Options) check(n int) error {
	switch {
	case o.Threads < 0:
		return fmt.Errorf("threads: %d, want 0 (all cores) or more", o.Threads)
	case o.Memory < 0:
		return fmt.Errorf("memory: %d bytes, want 0 (a quarter of RAM) or more", o.Memory)
	case o.ExcludeWindow < 0:
		return fmt.Errorf("exclude window: %d, want 0 or more", o.ExcludeWindow)
	case o.Episode != nil && len(o.Episode) != n:
		return fmt.Errorf("episodes: %d entries for %d points", len(o.Episode), n)
	case o.Time != nil && len(o.Time) != n:
		return fmt.Errorf("times: %d entries for %d points", len(o.Time), n)
	case o.Blocks != nil && len(o.Blocks) != n:
		return fmt.Errorf("blocks: %d entries for %d points", len(o.Blocks), n)
	case o.Metric > Precomputed:
		return fmt.Errorf("metric: unknown %v", o.Metric)
	case o.Ties > TiesIndex:
		return fmt.Errorf("ties: unknown %v", o.Ties)
	case o.CoRanking > CoRankingOff:
		return fmt.Errorf("co-ranking: unknown %v", o.CoRanking)
	}
	for i := 1; i < len(o.Time); i++ {
		if o.Time[i] <= o.Time[i-1] {
			return fmt.Errorf("times: point %d has time %d and point %d has time %d, want strictly ascending "+
				"times", i-1, o.Time[i-1], i, o.Time[i])
		}
	}
	return nil
}

// checkKs validates the neighborhood sizes against n points.
func checkKs(ks []int, n int) error {
	if len(ks) == 0 {
		return errors.New("k: no neighborhood size")
	}
	for index, k := range ks {
		if k < 1 || k > n-2 {
			return fmt.Errorf("k = %d: want 1 ≤ k ≤ n−2 = %d for n = %d points", k, n-2, n)
		}
		if slices.Contains(ks[:index], k) {
			return fmt.Errorf("k = %d occurs twice", k)
		}
	}
	return nil
}
