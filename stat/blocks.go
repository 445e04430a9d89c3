// Blocks: how dependent observations are grouped for resampling.

package stat

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// BlockKind is a way of grouping observations.
type BlockKind int

const (
	// AutoBlocks takes whole episodes if there are at least 20 of them, else moving
	// blocks of automatic length.
	AutoBlocks BlockKind = iota
	// EpisodeBlocks resamples whole episodes.
	EpisodeBlocks
	// MovingBlocks resamples overlapping blocks of one length, circular inside
	// episodes.
	MovingBlocks
)

// minimumEpisodes is the number of episodes from which AutoBlocks resamples whole
// episodes; with fewer the percentiles of the bootstrap are too coarse.
const minimumEpisodes = 20

// String returns "auto", "episode" or "moving".
func (k BlockKind) String() string {
	switch k {
	case AutoBlocks:
		return "auto"
	case EpisodeBlocks:
		return "episode"
	case MovingBlocks:
		return "moving"
	}
	return "BlockKind(" + strconv.Itoa(int(k)) + ")"
}

// BlockSpec is what a user asks for: the value of --block.
type BlockSpec struct {
	Kind   BlockKind
	Length int // of MovingBlocks; 0: automatic
}

// ParseBlockSpec reads "auto", "episode" or a block length ("1" resamples
// single observations).
func ParseBlockSpec(text string) (BlockSpec, error) {
	switch strings.TrimSpace(text) {
	case "", "auto":
		return BlockSpec{Kind: AutoBlocks}, nil
	case "episode", "episodes":
		return BlockSpec{Kind: EpisodeBlocks}, nil
	}
	length, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || length < 1 {
		return BlockSpec{}, fmt.Errorf("block %q: want episode, auto or a number of observations of at least 1", text)
	}
	return BlockSpec{Kind: MovingBlocks, Length: length}, nil
}

// String returns the text that [ParseBlockSpec] reads.
func (s BlockSpec) String() string {
	if s.Kind == MovingBlocks && s.Length > 0 {
		return strconv.Itoa(s.Length)
	}
	return s.Kind.String()
}

// Blocks groups n observations for resampling and for the delete-block
// jackknife. It is immutable and safe for concurrent use.
type Blocks struct {
	n        int
	kind     BlockKind // EpisodeBlocks or MovingBlocks
	length   int       // of moving blocks
	index    episodeIndex
	cut      []int // partition: block j is index.order[cut[j]:cut[j+1]]
	weights  []int // moving: cumulative number of draws that start in episode ≤ e
	warnings []string
}

// NewBlocks groups n observations. episodes has a label per observation (equal
// labels are one episode, in index order), or is nil for one episode. series are
// the sequences of n values whose dependence decides the automatic block length
// (the longest of their [OptimalBlockLength]s); constant ones are passed over.
//
// What was asked for and cannot be is replaced, with a warning in
// [Blocks.Warnings]: whole episodes where there is only one, a block longer than
// the data. Errors: n < 3, labels or series of another length, NaN.
func NewBlocks(n int, episodes []int, spec BlockSpec, series ...[]float64) (*Blocks, error) {
	const quantity = "blocks"
	if n < 3 {
		return nil, Undefined(quantity, "%d observations, want at least 3", n)
	}
	index, err := newEpisodeIndex(quantity, n, episodes)
	if err != nil {
		return nil, err
	}
	if spec.Length < 0 {
		return nil, Undefined(quantity, "block length %d, want at least 1", spec.Length)
	}
	b := &Blocks{n: n, kind: spec.Kind, length: spec.Length, index: index}
	switch spec.Kind {
	case AutoBlocks:
		b.kind, b.length = MovingBlocks, 0
		if index.count() >= minimumEpisodes {
			b.kind = EpisodeBlocks
		}
	case EpisodeBlocks:
		if index.count() == 1 {
			b.kind, b.length = MovingBlocks, 0
			b.warn("one episode only: moving blocks are resampled instead of episodes")
		} else if index.count() < minimumEpisodes {
			b.warn("only %d episodes: their bootstrap intervals are rough; moving blocks would be finer", index.count())
		}
	case MovingBlocks:
	default:
		return nil, Undefined(quantity, "unknown kind %d", int(spec.Kind))
	}
	if b.kind == MovingBlocks {
		if err := b.setLength(episodes, series); err != nil {
			return nil, err
		}
	}
	b.partition()
	return b, nil
}

func (b *Blocks) warn(format string, arguments ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, arguments...))
}

// setLength decides the length of moving blocks and the weights of episodes.
func (b *Blocks) setLength(episodes []int, series [][]float64) error {
	if b.length == 0 {
		usable := 0
		for i, values := range series {
			if len(values) != b.n {
				return Undefined("blocks", "series %d has %d values for %d observations", i, len(values), b.n)
			}
			if err := checkFinite("blocks", fmt.Sprintf("series %d", i), values); err != nil {
				return err
			}
			if b.n < 9 || isConstant(values) {
				continue
			}
			length, err := OptimalBlockLength(values, episodes)
			if err != nil {
				return err
			}
			usable++
			b.length = max(b.length, int(math.Ceil(length)))
		}
		if usable == 0 {
			b.length = int(math.Ceil(math.Cbrt(float64(b.n))))
			b.warn("no series to measure dependence on: blocks have length n^(1/3) = %d", b.length)
		}
	}
	if limit := b.n / 2; b.length > limit {
		b.warn("block length %d is more than half of %d observations: %d is used", b.length, b.n, limit)
		b.length = limit
	}
	b.weights = make([]int, b.index.count())
	total := 0
	for e := range b.weights {
		total += max(b.index.start[e+1]-b.index.start[e], b.length)
		b.weights[e] = total
	}
	return nil
}

// partition cuts the observations into disjoint blocks: the episodes, or pieces of
// the block length with the remainder shared out.
func (b *Blocks) partition() {
	b.cut = []int{0}
	for e := range b.index.count() {
		lo, hi := b.index.start[e], b.index.start[e+1]
		pieces := 1
		if b.kind == MovingBlocks {
			pieces = max(1, int(math.Round(float64(hi-lo)/float64(b.length))))
		}
		for p := 1; p <= pieces; p++ {
			b.cut = append(b.cut, lo+(hi-lo)*p/pieces)
		}
	}
}

// Episodes returns the number of episodes.
func (b *Blocks) Episodes() int { return b.index.count() }

// Kind returns EpisodeBlocks or MovingBlocks: what is really done.
func (b *Blocks) Kind() BlockKind { return b.kind }

// Length returns the length of moving blocks, 0 for episodes.
func (b *Blocks) Length() int {
	if b.kind == EpisodeBlocks {
		return 0
	}
	return b.length
}

// Warnings returns what the user should know about the grouping.
func (b *Blocks) Warnings() []string { return append([]string(nil), b.warnings...) }

// String describes the grouping for a table or a caption.
func (b *Blocks) String() string {
	if b.kind == EpisodeBlocks {
		return fmt.Sprintf("%d episodes", b.index.count())
	}
	if b.index.count() == 1 {
		return fmt.Sprintf("moving blocks of %d", b.length)
	}
	return fmt.Sprintf("moving blocks of %d in %d episodes", b.length, b.index.count())
}

// Count returns the number of blocks of the disjoint partition that the
// delete-block jackknife and the permutation test use: episodes, or consecutive
// pieces of about the block length.
func (b *Blocks) Count() int { return len(b.cut) - 1 }

// Block returns the observations of block j of the partition.
func (b *Blocks) Block(j int) []int {
	return append([]int(nil), b.index.order[b.cut[j]:b.cut[j+1]]...)
}

// Sizes returns the number of observations of every block of the partition.
func (b *Blocks) Sizes() []int {
	sizes := make([]int, b.Count())
	for j := range sizes {
		sizes[j] = b.cut[j+1] - b.cut[j]
	}
	return sizes
}

// Labels returns the block number of every observation.
func (b *Blocks) Labels() []int {
	labels := make([]int, b.n)
	for j := range b.Count() {
		for _, i := range b.index.order[b.cut[j]:b.cut[j+1]] {
			labels[i] = j
		}
	}
	return labels
}

// Coarsen returns the same grouping with a partition of at most count blocks, made
// by joining neighbouring blocks (across a border of episodes too): a jackknife
// grouping for statistics that are expensive to recompute. Resamples do not
// change.
func (b *Blocks) Coarsen(count int) *Blocks {
	if count < 1 || count >= b.Count() {
		return b
	}
	c := *b
	c.cut = make([]int, count+1)
	for j := range c.cut {
		c.cut[j] = b.cut[b.Count()*j/count]
	}
	return &c
}

// span is a run of observations: length entries of index.order from position
// start, wrapping around at the end of the episode.
type span struct {
	episode, start, length int
}

// draw appends the spans of one resample.
func (b *Blocks) draw(spans []span, random *Random) []span {
	if b.kind == EpisodeBlocks {
		for range b.index.count() {
			e := random.Intn(b.index.count())
			spans = append(spans, span{e, b.index.start[e], b.index.start[e+1] - b.index.start[e]})
		}
		return spans
	}
	total := b.weights[len(b.weights)-1]
	for missing := b.n; missing > 0; {
		v := random.Intn(total)
		e := 0
		if len(b.weights) > 1 {
			e = sort.SearchInts(b.weights, v+1)
		}
		if e > 0 {
			v -= b.weights[e-1]
		}
		lo, size := b.index.start[e], b.index.start[e+1]-b.index.start[e]
		s := span{e, lo, min(size, b.length)}
		if size > b.length {
			s.start += v
		}
		s.length = min(s.length, missing)
		missing -= s.length
		spans = append(spans, s)
	}
	return spans
}

// appendIndex appends the observations of a span.
func (b *Blocks) appendIndex(index []int, s span) []int {
	end := b.index.start[s.episode+1]
	first := min(s.length, end-s.start)
	index = append(index, b.index.order[s.start:s.start+first]...)
	lo := b.index.start[s.episode]
	return append(index, b.index.order[lo:lo+s.length-first]...)
}

// Resamples is a family of bootstrap resamples of the same observations. Each is
// a function of (blocks, seed, number), computed when asked for: all models and
// statistics that are given the same family see the same resamples, so their
// differences are paired. Safe for concurrent use.
//
// A resample of episodes has as many episodes as the data. A resample of moving
// blocks has exactly n observations, the last block cut short: a block starts at
// any observation and wraps around inside its episode; an episode shorter than
// the block length is taken whole, with a probability that gives all
// observations the same expected weight.
type Resamples struct {
	blocks *Blocks
	count  int
	seed   uint64
}

// Resamples returns count resamples under a seed; count ≤ 0 means no bootstrap.
func (b *Blocks) Resamples(count int, seed uint64) *Resamples {
	return &Resamples{blocks: b, count: max(count, 0), seed: seed}
}

// Blocks returns the grouping.
func (r *Resamples) Blocks() *Blocks { return r.blocks }

// Count returns the number of resamples B.
func (r *Resamples) Count() int { return r.count }

// Index appends the observations of resample i to dst[:0] and returns it.
func (r *Resamples) Index(dst []int, i int) []int {
	dst = dst[:0]
	for _, s := range r.spans(nil, i) {
		dst = r.blocks.appendIndex(dst, s)
	}
	return dst
}

func (r *Resamples) spans(dst []span, i int) []span {
	return r.blocks.draw(dst[:0], NewRandom(StreamBootstrap.Key(r.seed, uint64(i))))
}

// same reports whether two families are the same resamples.
func (r *Resamples) same(o *Resamples) bool {
	return r == o || (r.blocks == o.blocks && r.count == o.count && r.seed == o.seed)
}
