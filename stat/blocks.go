// Blocks: how dependent observations are grouped for resampling.

package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"repscope/internal/text"
)

// BlockKind is a way of grouping observations.
type BlockKind int

const (
	// AutoBlocks takes whole episodes if there are at least 5 of them, else moving
	// blocks of automatic length.
	AutoBlocks BlockKind = iota
	// EpisodeBlocks resamples whole episodes.
	EpisodeBlocks
	// MovingBlocks resamples overlapping blocks of one length, circular inside
	// episodes.
	MovingBlocks
)

const (
	// minimumEpisodes is the number of episodes from which AutoBlocks takes whole
	// episodes: episodes differ, and pieces of them do not know how much.
	minimumEpisodes = 5
	// testedBlocks is the number of blocks from which differences are tested, and
	// testedPieces the number of pieces of episodes, whose ends depend on each other.
	testedBlocks, testedPieces = 6, 15
	// testedEqual is the number of equal blocks that unequal ones must be worth.
	testedEqual = 4
	// minimumSeries is the number of observations from which dependence is measured.
	minimumSeries = 9
	// piecesPerTau is the number of autocorrelation times that a piece should last.
	piecesPerTau = 3
	// longShare is the share of series with long memory from which the memory of statistics of unknown influence
	// counts as long: among many series of short memory a few are taken for long.
	longShare = 1.0 / 3
	// joinedPieces is the number of groups of neighboring pieces that give a second error: memory that lasts longer
	// than a piece shows in it. Where there is none, the interval is a fifth wider at most.
	joinedPieces = 10
)

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

// BlockSpec is a user's choice of blocks, the value of --block.
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
	cut      []int     // partition: block j is index.order[cut[j]:cut[j+1]]
	weights  []int     // moving: cumulative number of draws that start in episode ≤ e
	tau      float64   // moving: the longest autocorrelation time of the series; 0 where unknown
	pieces   *Pieces   // moving: how they follow each other
	series   int       // moving: how many series there are that vary
	long     int       // moving: how many of them have long memory
	slow     []*fading // moving: these
	owner    []int     // of every observation, where another grouping owns them; see Owning
	owned    *Blocks   // that grouping
	warnings []string
}

// NewBlocks groups n observations. episodes has one label per observation (equal labels form one
// episode, in index order), or is nil for one episode. series are sequences of n values whose
// dependence determines the automatic block length: the influence of every observation on the
// statistic, for each model and for their differences ([SumsInfluence], [Differences]). The length is
// the maximum of their optimalBlockLengths and of three times their autocorrelation times. Constant
// series are ignored.
//
// A choice that is impossible is replaced, with a warning in [Blocks.Warnings]: whole episodes if
// there is only one, or a block longer than the data. Errors: n < 3, labels or series of unequal
// length, NaN.
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
			b.warn("only one episode: its pieces are the blocks")
		}
	case MovingBlocks:
	default:
		return nil, Undefined(quantity, "unknown kind %d", int(spec.Kind))
	}
	automatic := b.kind == MovingBlocks && b.length == 0
	if b.kind == MovingBlocks {
		if err := b.setLength(episodes, series); err != nil {
			return nil, err
		}
	}
	b.partition()
	if b.kind == MovingBlocks {
		b.pieces = b.follow(automatic)
	}
	b.appraise()
	return b, nil
}

// Pieces say how blocks that are pieces of episodes follow each other in time. Its fields are exported so that
// jackknifes can be written to shards and caches.
type Pieces struct {
	Order  []int // the observations, episode by episode; nil: in their own order
	Start  []int // of the episodes in Order, and the number of observations
	Joined []int // the group of neighboring blocks that each block belongs to; nil: no groups
	Long   bool  // a third of the series or more have long memory
	// Automatic says that the blocks have an automatic length: memory that outlasts them widens intervals. Widening is the
	// median factor of the series, where their memory is long; see WithMemory.
	Automatic bool
	Widening  float64
	// Doubted says that blocks may be independent: Joined counts where neighbors are alike; see [Blocks.InOrder].
	Doubted bool
}

// follow returns the pieces, with groups of neighbors where these are asked for and there are more than joinedPieces.
func (b *Blocks) follow(groups bool) *Pieces {
	p := &Pieces{Start: b.index.start, Long: b.remembers(), Automatic: groups}
	for k, i := range b.index.order {
		if k != i {
			p.Order = b.index.order
			break
		}
	}
	if groups && b.Count() > joinedPieces {
		p.Joined = neighbors(b.cut)
	}
	if p.Automatic && p.Long {
		factors := make([]float64, len(b.slow))
		for i, s := range b.slow {
			factors[i] = s.widening(p.half(s.values, b.Sizes()))
		}
		p.Widening = Median(factors)
	}
	b.slow = nil
	return p
}

// remembers reports whether a third of the series or more have long memory.
func (b *Blocks) remembers() bool {
	return b.long > 0 && float64(b.long) >= longShare*float64(b.series)
}

// groups are the groups of blocks that give a second error to all statistics; nil: none.
func (p *Pieces) groups() []int {
	if p == nil || p.Doubted {
		return nil
	}
	return p.Joined
}

// half is the half width of the 95 % interval of a mean by its influence, over blocks of these sizes.
func (p *Pieces) half(influence []float64, sizes []int) float64 {
	n, first := float64(len(influence)), 0
	shares, weights := make([]float64, len(sizes)), make([]float64, len(sizes))
	order, mean := p.index().order, Mean(influence)
	for j, m := range sizes {
		for _, i := range order[first : first+m] {
			shares[j] += (influence[i] - mean) / n
		}
		weights[j] = float64(m) / n
		first += m
	}
	stdError, df := errorOf(shares, weights)
	half := halfWidth(stdError, df, 0.95)
	if groups := p.groups(); groups != nil {
		stdError, df = errorOf(grouped(groups, shares), grouped(groups, weights))
		half = max(half, halfWidth(stdError, df, 0.95))
	}
	return half
}

// fading says how the influence of the observations on a statistic fades; nil where it is not known.
func (p *Pieces) fading(influence []float64) *fading {
	if p == nil || p.Doubted || len(influence) != p.Start[len(p.Start)-1] {
		return nil
	}
	return fadingOf(p.index(), influence)
}

// widening is the factor by which memory that outlasts the blocks widens the interval of a statistic; 0 where there is
// none.
func (p *Pieces) widening(m *fading, sizes []int) float64 {
	if m == nil || !p.Automatic {
		return 0
	}
	return m.widening(p.half(m.values, sizes))
}

// remembers says why a difference, by its influence, is not tested: its memory is long, or unknown where the
// series have long memory. Empty if it is tested.
func (p *Pieces) remembers(influence []float64, m *fading) string {
	if p == nil {
		return ""
	}
	var subject string
	switch n := p.Start[len(p.Start)-1]; {
	case m.long(doubtedMemory):
		subject = "difference"
	case len(influence) != n && p.Long:
		subject = "states"
	default:
		return ""
	}
	return fmt.Sprintf("the autocorrelation of the %s fades too slowly for a test with blocks of one series (long "+
		"memory); at least %d episodes are needed", subject, testedBlocks)
}

func (p *Pieces) index() episodeIndex {
	order := p.Order
	if order == nil {
		order = make([]int, p.Start[len(p.Start)-1])
		for i := range order {
			order[i] = i
		}
	}
	return episodeIndex{order: order, start: p.Start}
}

// appraise warns of what intervals over these blocks do not cover.
func (b *Blocks) appraise() {
	episodes, count := b.index.count(), b.Count()
	if b.kind == EpisodeBlocks {
		if count < 2*minimumEpisodes {
			b.warn("intervals are based on only %s and are therefore wide; use at least %d",
				text.Count(count, "episode"), 2*minimumEpisodes)
		}
		if equal := b.equal(); equal < testedEqual && equal < float64(count)/2 {
			b.warn("intervals depend on the longest episodes: %d episodes of unequal length have an effective "+
				"number of %.1f; use at least %d episodes of similar length", count, equal, 2*minimumEpisodes)
		}
		return
	}
	if episodes > 1 {
		b.warn("intervals use pieces of %d episodes and do not generalize to other episodes; use at least 5 "+
			"episodes", episodes)
	} else {
		b.warn("intervals use pieces of one episode and do not generalize to other episodes; use at least 5 episodes")
	}
	if b.remembers() {
		b.warn("the autocorrelation of %d of %d series fades too slowly for any block (long memory): intervals follow "+
			"a model of that memory, and differences that remember so long have no p value; record at least %d episodes", b.long,
			b.series, testedBlocks)
	}
	if count < testedPieces {
		b.warn("%d blocks of %d are too few for intervals with nominal coverage; use at least %d states", count,
			b.length, testedPieces*b.length)
	} else if b.short() {
		b.warn("blocks of %s are short for an autocorrelation time of %.3g, so that intervals are too narrow; use "+
			"longer blocks (--block)", text.Count(b.length, "observation"), b.tau)
	}
}

// equal is the number of blocks of equal size that the blocks are worth, (Σ m)²/Σ m².
func (b *Blocks) equal() float64 {
	var total, squares float64
	for _, m := range b.Sizes() {
		total += float64(m)
		squares += float64(m) * float64(m)
	}
	return total * total / squares
}

// short reports whether the pieces of episodes depend on each other.
func (b *Blocks) short() bool { return float64(b.length) < piecesPerTau*b.tau*0.999 }

// Untestable returns the reason why these blocks allow no p value, or an empty string. With few
// blocks, or with blocks that are short compared with the autocorrelation time, a test does not keep
// its level.
func (b *Blocks) Untestable() string {
	if b.owned != nil {
		return b.owned.Untestable()
	}
	count := b.Count()
	switch {
	case b.kind == EpisodeBlocks && count < testedBlocks:
		return fmt.Sprintf("%d episodes are too few for a test, want at least %d", count, testedBlocks)
	case b.kind == EpisodeBlocks && b.equal() < testedEqual:
		return fmt.Sprintf(
			"%d episodes of unequal length have an effective number of %.1f, too few for a test", count, b.equal())
	case b.kind == EpisodeBlocks:
	case count < testedPieces:
		return fmt.Sprintf("%d blocks of %s are too few for a test, want at least %d", count,
			text.Count(b.length, "observation"), testedPieces)
	case b.short():
		return fmt.Sprintf("blocks of %s are too short for a test with an autocorrelation time of %.3g",
			text.Count(b.length, "observation"), b.tau)
	}
	return ""
}

// Differences returns the series and all their pairwise differences: models are
// compared by differences, which may depend longer on each other than the series.
func Differences(series ...[]float64) [][]float64 {
	out := append([][]float64(nil), series...)
	for i := range series {
		for j := i + 1; j < len(series); j++ {
			if d := subtract(series[i], series[j]); d != nil {
				out = append(out, d)
			}
		}
	}
	return out
}

func (b *Blocks) warn(format string, arguments ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, arguments...))
}

// setLength decides the length of moving blocks and the weights of episodes.
func (b *Blocks) setLength(episodes []int, series [][]float64) error {
	optimal, usable, err := b.dependence(episodes, series)
	if err != nil {
		return err
	}
	if b.length == 0 {
		b.length = optimal
		if usable == 0 {
			b.length = int(math.Ceil(math.Cbrt(float64(b.n))))
			b.warn("%s: blocks have length n^(1/3) = %d", b.unmeasured(series), b.length)
		}
		// Two blocks say nothing; the warnings say how short six are.
		b.length = min(b.length, max(1, b.n/testedBlocks))
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

// dependence returns the block length that the series ask for and how many of them
// are not constant, and keeps the longest autocorrelation time.
func (b *Blocks) dependence(episodes []int, series [][]float64) (length, usable int, err error) {
	for i, values := range series {
		if len(values) != b.n {
			return 0, 0, Undefined("blocks", "series %d has %d values for %d observations", i, len(values), b.n)
		}
		if err := checkFinite("blocks", fmt.Sprintf("series %d", i), values); err != nil {
			return 0, 0, err
		}
		if b.n < minimumSeries || isConstant(values) {
			continue
		}
		optimal, err := optimalBlockLength(values, episodes)
		if err != nil {
			return 0, 0, err
		}
		time, err := IntegratedAutocorrelationTime(values, episodes)
		if err != nil {
			return 0, 0, err
		}
		usable++
		b.series++
		if m := fadingOf(b.index, values); m.long(0) {
			b.long++
			b.slow = append(b.slow, m)
		}
		b.tau = max(b.tau, time.Tau)
		length = max(length, int(math.Ceil(optimal)))
		if time.Tau > 1.5 { // else independent observations would be grouped for nothing
			length = max(length, int(math.Ceil(piecesPerTau*time.Tau)))
		}
	}
	if b.tau <= 1.5 {
		b.tau = 0
	}
	return length, usable, nil
}

// unmeasured says why dependence could not be measured on any of the series.
func (b *Blocks) unmeasured(series [][]float64) string {
	switch {
	case len(series) == 0:
		return "no series to measure dependence"
	case b.n < minimumSeries:
		return fmt.Sprintf("%d observations are too few to measure dependence, want %d", b.n, minimumSeries)
	}
	return "every series to measure dependence is constant"
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

// Kind returns the kind of blocks in use, EpisodeBlocks or MovingBlocks.
func (b *Blocks) Kind() BlockKind { return b.kind }

// Length returns the length of moving blocks, 0 for episodes.
func (b *Blocks) Length() int {
	if b.kind == EpisodeBlocks {
		return 0
	}
	return b.length
}

// Warnings returns warnings about the grouping for the user.
func (b *Blocks) Warnings() []string { return append([]string(nil), b.warnings...) }

// String describes the grouping for a table or a caption.
func (b *Blocks) String() string {
	if b.owned != nil {
		return b.owned.String()
	}
	if b.kind == EpisodeBlocks {
		return text.Count(b.index.count(), "episode")
	}
	if b.index.count() == 1 {
		return fmt.Sprintf("moving blocks of %d", b.length)
	}
	return fmt.Sprintf("moving blocks of %d in %s", b.length, text.Count(b.index.count(), "episode"))
}

// Count returns the number of blocks of the disjoint partition that the
// delete-block jackknife and the permutation test use: episodes, or consecutive
// pieces of about the block length.
func (b *Blocks) Count() int { return len(b.cut) - 1 }

// Block returns the observations of block j of the partition.
func (b *Blocks) Block(j int) []int {
	return append([]int(nil), b.index.order[b.cut[j]:b.cut[j+1]]...)
}

// Owning groups other observations that each belong to one observation of this grouping: pairs
// of states by their first state, for example. Deleting a block deletes all observations that belong
// to its members. The jackknifes of both groupings have the same blocks, with sizes and influence in
// units of this grouping, so that they can be combined. owner[i] is an index below n. Errors: an owner
// out of range, no observations.
func (b *Blocks) Owning(owner []int) (*Blocks, error) {
	if len(owner) == 0 {
		return nil, Undefined("blocks", "no observations")
	}
	labels, count := b.Labels(), b.Count()
	start := make([]int, count+1)
	for i, o := range owner {
		if o < 0 || o >= b.n {
			return nil, Undefined("blocks", "observation %d belongs to block %d of %d", i, o, b.n)
		}
		start[labels[o]+1]++
	}
	for j := range count {
		start[j+1] += start[j]
	}
	next, order := slices.Clone(start), make([]int, len(owner))
	for i, o := range owner {
		order[next[labels[o]]] = i
		next[labels[o]]++
	}
	return &Blocks{n: len(owner), kind: EpisodeBlocks, index: episodeIndex{order: order, start: start}, cut: start,
		warnings: b.warnings, owner: owner, owned: b, pieces: b.pieces}, nil
}

// Sizes returns the number of observations of every block of the partition. For a grouping made by
// [Blocks.Owning], the observations of the original grouping are counted.
func (b *Blocks) Sizes() []int {
	if b.owned != nil {
		return b.owned.Sizes()
	}
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
// by joining neighboring blocks (across a border of episodes too): a jackknife
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
	if c.pieces != nil {
		c.pieces = &Pieces{Order: b.pieces.Order, Start: b.pieces.Start, Long: b.pieces.Long,
			Automatic: b.pieces.Automatic, Widening: b.pieces.Widening}
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

// drawRuns appends the spans of one resample of the stationary bootstrap. Whole laps
// of an episode are spans of their own, from its beginning.
func (b *Blocks) drawRuns(spans []span, random *Random, mean float64) []span {
	for missing := b.n; missing > 0; {
		position := random.Intn(b.n)
		e := sort.SearchInts(b.index.start, position+1) - 1
		lo, size := b.index.start[e], b.index.start[e+1]-b.index.start[e]
		length := 1
		if mean > 1 {
			// The inverse of 1 − (1 − 1/mean)^length.
			length += int(min(math.Log1p(-random.Float64())/math.Log1p(-1/mean), float64(b.n)))
		}
		length = min(length, missing)
		missing -= length
		for ; length >= size; length -= size {
			spans = append(spans, span{e, lo, size})
		}
		if length > 0 {
			spans = append(spans, span{e, position, length})
		}
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
	blocks     *Blocks
	count      int
	seed       uint64
	stationary float64 // mean length of the blocks of a stationary bootstrap; 0: none
}

// Resamples returns count resamples under a seed; count ≤ 0 means no bootstrap.
func (b *Blocks) Resamples(count int, seed uint64) *Resamples {
	return &Resamples{blocks: b, count: max(count, 0), seed: seed}
}

// Stationary returns as many resamples by the stationary bootstrap of Politis and Romano
// (1994, "The stationary bootstrap"): runs of a geometric length of the given mean (at
// least 1, see [StationaryBlockLength]) begin at any observation and wrap around inside
// its episode. All observations have the same expected weight.
func (r *Resamples) Stationary(length float64) *Resamples {
	return &Resamples{blocks: r.blocks, count: r.count, seed: r.seed, stationary: max(1, length)}
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
	random := NewRandom(StreamBootstrap.Key(r.seed, uint64(i)))
	if r.stationary > 0 {
		return r.blocks.drawRuns(dst[:0], random, r.stationary)
	}
	return r.blocks.draw(dst[:0], random)
}
