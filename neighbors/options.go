package neighbors

// This file holds the options of a pass and their validation.

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"repscope/internal/device"
	"repscope/points"
)

// Metric says how the distance of two points is measured.
type Metric uint8

const (
	// Euclidean is the L2 distance ‖x−y‖.
	Euclidean Metric = iota
	// Cosine is 1 − x·y/(‖x‖‖y‖), in [0, 2]; a point of norm zero is an error.
	Cosine
	// Precomputed says that the points are a matrix of distances: float32 or
	// float64 [n, n], row i holding the distances from point i. They must be
	// finite, not negative, 0 on the diagonal and symmetric up to a rounding of
	// 1e-4 relative; row i is used as given.
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

// CoRanking says whether the curves over all neighbourhood sizes are computed.
// They need the full ranking of every row: O(n² log n).
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

// ParseCoRanking returns the setting of that name, "auto", "full" or "off".
func ParseCoRanking(name string) (CoRanking, error) {
	for _, c := range []CoRanking{CoRankingAuto, CoRankingFull, CoRankingOff} {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("co-ranking %q: want full, auto or off", name)
}

// Options are the settings of a pass. The zero value is usable: k = 5, 10, 20,
// Euclidean, all cores, a quarter of the machine's memory.
type Options struct {
	// Ks are the neighbourhood sizes, each in 1..n−2, or less where the
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

	// EmbeddedMetrics, if not nil, has the metric of each embedded space in place of Metric.
	EmbeddedMetrics []Metric

	// ExcludeWindow w > 0 leaves the pairs with |i−j| ≤ w of the same episode
	// out of the neighbour lists and out of the ranks (Theiler window): they
	// are neighbours in time, whatever the embedding does.
	ExcludeWindow int

	// Episode is the episode of each point; nil means one episode.
	Episode []int

	// CoRanking says whether the curves over all K are computed.
	CoRanking CoRanking

	// Blocks is the block id of each point. When set, every score is also
	// computed with each block deleted in turn, exactly as if its points had
	// never been there: the replicates of a delete-one-block jackknife.
	Blocks []int

	// Permutations asks for the scores under each of these permutations of the embedded
	// points, exactly as if point i had the embedding of point Permutations[p][i]: what
	// chance gives. No distance is computed again for them.
	Permutations [][]int

	// PerPoint keeps the penalties of each point.
	PerPoint bool

	// Device computes distances, lists and ranks on GPUs where the pass allows it: not
	// for co-ranking curves and precomputed distances. nil is the processor. It
	// changes no result but the method named in the counts.
	Device *device.Device

	// Progress, when set, is called with the number of finished rows and their
	// total, from one goroutine at a time.
	Progress func(done, total int)

	// maxRows bounds the rows of a block, for tests; 0 leaves it to Memory.
	maxRows int
	// computed, if not nil, counts the distances computed in spaces where keeping
	// them pays, for tests.
	computed *atomic.Int64
}

// threads returns the number of workers.
func (o *Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Check reports the first thing that makes points unusable under a metric: NaN or
// Inf, a zero norm under Cosine, under Precomputed what is no matrix of distances. The
// error begins with role, which says what the points are.
func Check(role string, pts points.Points, metric Metric) error {
	return checkPoints(role, pts, metric)
}

// checkPoints reports the first thing that makes p unusable as a point set:
// a shape that cannot be, NaN or Inf, or a zero norm under the cosine metric.
func checkPoints(role string, p points.Points, metric Metric) error {
	set, length := 0, 0
	if p.U8 != nil {
		set, length = set+1, len(p.U8)
	}
	if p.F32 != nil {
		set, length = set+1, len(p.F32)
	}
	if p.F64 != nil {
		set, length = set+1, len(p.F64)
	}
	switch {
	case p.N == 0:
		return fmt.Errorf("%s: no points", role)
	case set != 1:
		return fmt.Errorf("%s: want exactly one of uint8, float32 and float64 data, found %d", role, set)
	case p.N < 0 || p.Dim <= 0 || length/p.Dim != p.N || length%p.Dim != 0:
		return fmt.Errorf("%s: %d values for %d points of dimension %d", role, length, p.N, p.Dim)
	case p.N > math.MaxInt32:
		return fmt.Errorf("%s: %d points, want at most %d", role, p.N, math.MaxInt32)
	}
	if metric == Precomputed {
		return checkDistances(role, p)
	}
	// NaN and Inf have the largest bits. Squared distances must not overflow: 4·D·max² < MaxFloat64.
	largest, limit := magnitude(p), math.Sqrt(math.MaxFloat64/8/float64(p.Dim))
	if !(largest <= limit) {
		for at := range length {
			v := 0.0
			if p.F32 != nil {
				v = float64(p.F32[at])
			} else {
				v = p.F64[at]
			}
			switch {
			case v-v != 0:
				return fmt.Errorf("%s: point %d, coordinate %d is %v: want finite values", role, at/p.Dim, at%p.Dim, v)
			case math.Abs(v) > limit && largest <= math.MaxFloat64:
				return fmt.Errorf("%s: point %d, coordinate %d is %v: squared distances would overflow beyond ±%.3g", role, at/p.Dim, at%p.Dim, v, limit)
			}
		}
	}
	if metric == Cosine {
		return checkNorms(role, p)
	}
	return nil
}

// magnitude is the largest absolute coordinate, NaN if there is one.
func magnitude(p points.Points) float64 {
	if p.U8 != nil {
		return math.MaxUint8
	}
	// The bits of absolute values order like the values, NaN above all.
	const part = 1 << 20
	length := p.N * p.Dim
	largest := make([]float64, (length+part-1)/part)
	_ = parallel(context.Background(), runtime.GOMAXPROCS(0), len(largest), func(_, i int) {
		lo, hi := i*part, min(length, (i+1)*part)
		if p.F32 != nil {
			largest[i] = float64(math.Float32frombits(largestBits(p.F32[lo:hi])))
			return
		}
		var m uint64
		for _, v := range p.F64[lo:hi] {
			m = max(m, math.Float64bits(v)&(1<<63-1))
		}
		largest[i] = math.Float64frombits(m)
	})
	m := 0.0
	for _, v := range largest {
		m = max(m, v)
	}
	return m
}

// largestBits is the largest of the bits of absolute values.
func largestBits(x []float32) uint32 {
	var m0, m1, m2, m3 uint32
	for ; len(x) >= 4; x = x[4:] {
		m0 = max(m0, math.Float32bits(x[0])&(1<<31-1))
		m1 = max(m1, math.Float32bits(x[1])&(1<<31-1))
		m2 = max(m2, math.Float32bits(x[2])&(1<<31-1))
		m3 = max(m3, math.Float32bits(x[3])&(1<<31-1))
	}
	for _, v := range x {
		m0 = max(m0, math.Float32bits(v)&(1<<31-1))
	}
	return max(m0, m1, m2, m3)
}

// embeddedMetric is the metric of embedded space e.
func (o *Options) embeddedMetric(e int) Metric {
	if o.EmbeddedMetrics != nil {
		return o.EmbeddedMetrics[e]
	}
	return o.Metric
}

// embedded is o for embedded space e.
func (o *Options) embedded(e int) *Options {
	out := *o
	out.Metric = o.embeddedMetric(e)
	return &out
}

// checkCounts validates what every kind of pass shares for n points.
func (o *Options) checkCounts(n int) error {
	switch {
	case o.Threads < 0:
		return fmt.Errorf("threads: %d, want 0 (all cores) or more", o.Threads)
	case o.Memory < 0:
		return fmt.Errorf("memory: %d bytes, want 0 (a quarter of the machine's) or more", o.Memory)
	case o.ExcludeWindow < 0:
		return fmt.Errorf("exclude window: %d, want 0 or more", o.ExcludeWindow)
	case o.Episode != nil && len(o.Episode) != n:
		return fmt.Errorf("episodes: %d entries for %d points", len(o.Episode), n)
	case o.Blocks != nil && len(o.Blocks) != n:
		return fmt.Errorf("blocks: %d entries for %d points", len(o.Blocks), n)
	case o.Metric > Precomputed:
		return fmt.Errorf("metric: unknown %v", o.Metric)
	case o.CoRanking > CoRankingOff:
		return fmt.Errorf("co-ranking: unknown %v", o.CoRanking)
	}
	return nil
}

// checkKs validates the neighbourhood sizes against n points.
func checkKs(ks []int, n int) error {
	if len(ks) == 0 {
		return fmt.Errorf("k: no neighbourhood size given")
	}
	for at, k := range ks {
		if k < 1 || k > n-2 {
			return fmt.Errorf("k = %d: want 1 ≤ k ≤ n−2 = %d for n = %d points", k, n-2, n)
		}
		if slices.Contains(ks[:at], k) {
			return fmt.Errorf("k = %d is given twice", k)
		}
	}
	return nil
}
