// A pass: the compared spaces, their checks, and the counts made before any distance is computed.

package neighbors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Compare measures how well each embedded space preserves the neighborhoods of original. All spaces
// have the same number n ≥ 3 of points, and point i of each belongs together. The distances of the
// original are computed once.
//
// Errors name the value found and the value expected: unequal n, k outside 1..n−2, NaN or Inf with its
// index, too few candidates of a point because of an exclusion window or a deleted block. Cancelling
// ctx returns its error.
func Compare(ctx context.Context, original points.Points, embedded []points.Points, o Options) ([]Preservation, error) {
	p, err := NewPass(original, embedded, o)
	if err != nil {
		return nil, err
	}
	return p.Compare(ctx)
}

// Compare computes all points and merges them; see the function of the same name.
func (p *Pass) Compare(ctx context.Context) ([]Preservation, error) {
	part, err := p.Map(ctx, 0, p.n)
	if err != nil {
		return nil, err
	}
	return p.Merge(part)
}

// Pass is a validated comparison that can be computed in parts: Map on ranges
// of points, in any order, anywhere, then Merge.
type Pass struct {
	n        int
	original Space
	embedded []Space
	options  Options
	ks       []int // in the order of the options
	sorted   []int // ascending
	order    []int // sorted[order[q]] == ks[q]
	kmax     int
	curves   bool

	permutations []permutation

	blockIDs   []int   // ascending, nil without blocks
	group      []int32 // block of each point, an index into blockIDs
	groupSizes []int

	// candidates counts, for all points, how many have each number of
	// candidates; deleted[b] the same among the points outside block b.
	candidates map[int]int64
	deleted    []map[int]int64
	least      int // smallest number of candidates

	known    sync.Mutex         // guards values computed once
	equal    []*rows.Duplicates // of the original and the embedded spaces
	identity *Identity
}

// NewPass validates a comparison; see Compare.
func NewPass(original points.Points, embedded []points.Points, o Options) (*Pass, error) {
	first, err := NewSpace("original space", original, o.Metric)
	if err != nil {
		return nil, err
	}
	if err := checkSpaces(original.N, len(embedded)); err != nil {
		return nil, err
	}
	if o.EmbeddedMetrics != nil && len(o.EmbeddedMetrics) != len(embedded) {
		return nil, fmt.Errorf("%d metrics for %d embedded spaces", len(o.EmbeddedMetrics), len(embedded))
	}
	spaces := make([]Space, len(embedded))
	for e, pts := range embedded {
		if m := o.embeddedMetric(e); m > Precomputed {
			return nil, fmt.Errorf("embedded space %d: metric: unknown %v", e, m)
		}
		if err := checkEmbedded(e, pts.N, original.N); err != nil {
			return nil, err
		}
		if spaces[e], err = NewSpace(fmt.Sprintf("embedded space %d", e), pts, o.embeddedMetric(e)); err != nil {
			return nil, err
		}
	}
	return newPass(first, spaces, o)
}

// NewPassOf is NewPass for spaces that have been checked. Metric and EmbeddedMetrics of o are ignored;
// every space has its metric.
func NewPassOf(original Space, embedded []Space, o Options) (*Pass, error) {
	if err := checkSpaces(original.points.N, len(embedded)); err != nil {
		return nil, err
	}
	for e, s := range embedded {
		if err := checkEmbedded(e, s.points.N, original.points.N); err != nil {
			return nil, err
		}
	}
	o.Metric, o.EmbeddedMetrics = original.metric, nil
	return newPass(original, embedded, o)
}

func checkSpaces(n, embedded int) error {
	if n < 3 {
		return fmt.Errorf("original space: %d points, want at least 3", n)
	}
	if embedded == 0 {
		return errors.New("no embedded space")
	}
	return nil
}

func checkEmbedded(e, n, want int) error {
	if n != want {
		return fmt.Errorf("embedded space %d: %d points, want %d as in the original space", e, n, want)
	}
	return nil
}

func newPass(original Space, embedded []Space, o Options) (*Pass, error) {
	p := &Pass{n: original.points.N, original: original, embedded: embedded, options: o, ks: o.Ks}
	if p.ks == nil {
		p.ks = []int{5, 10, 20}
	}
	if err := o.check(p.n); err != nil {
		return nil, err
	}
	if err := checkKs(p.ks, p.n); err != nil {
		return nil, err
	}
	var err error
	if p.permutations, err = newPermutations(p.n, o.Permutations); err != nil {
		return nil, err
	}
	p.sorted = slices.Sorted(slices.Values(p.ks))
	p.kmax = p.sorted[len(p.sorted)-1]
	for _, k := range p.ks {
		p.order = append(p.order, slices.Index(p.sorted, k))
	}
	p.curves = o.CoRanking == CoRankingFull || o.CoRanking == CoRankingAuto && p.n <= AutoCoRankingPoints
	if o.Blocks != nil {
		p.setBlocks()
	}
	p.equal = make([]*rows.Duplicates, 1+len(embedded))
	return p, p.countCandidates()
}

// Points is the number n of points; Map takes ranges of 0 … n.
func (p *Pass) Points() int { return p.n }

// setBlocks numbers the blocks 0, 1, … by ascending id.
func (p *Pass) setBlocks() {
	p.blockIDs = slices.Compact(slices.Sorted(slices.Values(p.options.Blocks)))
	p.group = make([]int32, p.n)
	p.groupSizes = make([]int, len(p.blockIDs))
	for i, id := range p.options.Blocks {
		g, _ := slices.BinarySearch(p.blockIDs, id)
		p.group[i] = int32(g)
		p.groupSizes[g]++
	}
}

// countCandidates fills the counts of candidates and checks that every point
// keeps more than kmax of them.
func (p *Pass) countCandidates() error {
	if len(p.blockIDs) == 1 {
		return fmt.Errorf("blocks: all points are in block %d: the jackknife needs at least two blocks", p.blockIDs[0])
	}
	b := p.among()
	p.candidates = make(map[int]int64)
	p.deleted = make([]map[int]int64, len(p.blockIDs))
	for g := range p.deleted {
		p.deleted[g] = make(map[int]int64)
	}
	p.least = p.n
	out := make([]int, len(p.blockIDs)) // excluded points of each block
	for i := range p.n {
		m := p.n
		clear(out)
		b.Exclusions(i, func(j int) {
			m--
			if p.group != nil {
				out[p.group[j]]++
			}
		})
		p.candidates[m]++
		p.least = min(p.least, m)
		if m <= p.kmax {
			return fmt.Errorf("k = %d: point %d has only %d candidates outside the exclusion window %d, want at least k+1",
				p.kmax, i, m, p.options.ExcludeWindow)
		}
		for g, size := range p.groupSizes {
			if g == int(p.group[i]) {
				continue
			}
			rest := m - size + out[g]
			p.deleted[g][rest]++
			if rest <= p.kmax {
				return fmt.Errorf("k = %d: with block %d (%d points) deleted, point %d has only %d candidates, want at least k+1",
					p.kmax, p.blockIDs[g], size, i, rest)
			}
		}
	}
	return nil
}

// among returns the candidates of all points.
func (p *Pass) among() rows.Candidates {
	return rows.Candidates{N: p.n, Self: true, Window: p.options.ExcludeWindow, Episode: p.options.Episode, Time: p.options.Time}
}

// rowOptions are the options of the rows of a space.
func (p *Pass) rowOptions(ctx context.Context, s Space) *rows.Options {
	o := p.options.rows(ctx, s.metric)
	o.Group, o.Groups = p.group, len(p.blockIDs)
	return o
}

// threads is the number of goroutines.
func (p *Pass) threads() int { return p.options.rows(context.Background(), Euclidean).ThreadCount() }

// duplicates looks for the duplicates of all spaces, the original first, if that has not been done.
func (p *Pass) duplicates(ctx context.Context) ([]*rows.Duplicates, error) {
	p.known.Lock()
	defer p.known.Unlock()
	for s, space := range append([]Space{p.original}, p.embedded...) {
		if p.equal[s] != nil {
			continue
		}
		var err error
		if p.equal[s], err = rows.FindDuplicates(ctx, space.points, space.metric, p.options.rows(ctx, space.metric).ThreadCount()); err != nil {
			return nil, err
		}
	}
	return p.equal, nil
}
