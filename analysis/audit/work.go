// The search for nearest training states, in units that merge to the same bytes.

package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/neighbors"
	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// unitRows is the number of queries in a unit.
const unitRows = 256

// byNumber orders names: numbers by value before texts.
func byNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

// search is one set of queries; each query has one nearest state.
type search struct {
	division int
	kind     searchKind
	queries  int
	units    int
	first    int // unit
}

type searchKind int

const (
	testToTrain searchKind = iota
	withinTrain            // references among all training states, without their own episodes; one unit
	trainToTest
)

// auditor holds what the units share.
type auditor struct {
	in        Input
	o         Options
	space     neighbors.Space // without sequences
	lookup    lookup
	names     []string
	divisions []division
	episode   []int // of each state, numbered from 0
	// orders are the training states of each division with the references first; references are their counts, 0 where
	// there are none for the reason in lacking.
	orders     [][]int
	references []int
	lacking    []string
	searches   []search
	steps      []float64 // from each state to the next one of its episode, NaN where there is none
}

// Found are nearest states of queries lo … lo+len−1 of a search, as positions in the list that is searched.
type Found struct {
	Search, Lo int
	Index      []int32
	Distance   []float64
}

// Outcome is the outcome of a range of units.
type Outcome struct{ Lists []Found }

// Work returns the audit in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Outcome, *Result], error) {
	a, err := newAuditor(in, o)
	if err != nil {
		return shard.Work[*Outcome, *Result]{}, err
	}
	return shard.Work[*Outcome, *Result]{Units: a.units(), Identity: a.identity, Map: a.search, Merge: a.merge}, nil
}

// units is the number of units of all searches.
func (a *auditor) units() int {
	if len(a.searches) == 0 {
		return 0
	}
	last := a.searches[len(a.searches)-1]
	return last.first + last.units
}

// Size is how much an audit compares: Pairs of states in the Units of [Work]. One unit of each division compares its
// references with its training states; Largest are the most pairs of such a unit. Pairs and Largest are 0 for
// sequences: few pairs of them are compared.
type Size struct{ Units, Pairs, Largest int }

// SizeOf returns the size of an audit, before any search. Errors are the errors of [Analyze].
func SizeOf(in Input, o Options) (Size, error) {
	a, err := newAuditor(in, o)
	if err != nil {
		return Size{}, err
	}
	size := Size{Units: a.units()}
	if in.Sequences != nil {
		return size, nil
	}
	for _, s := range a.searches {
		part := a.divisions[s.division]
		pairs := s.queries * len(part.train)
		switch s.kind {
		case trainToTest:
			pairs = s.queries * len(part.test)
		case withinTrain:
			size.Largest = max(size.Largest, pairs)
		}
		size.Pairs += pairs
	}
	return size, nil
}

func newAuditor(in Input, o Options) (*auditor, error) {
	o = o.withDefaults(&in)
	if err := in.check(); err != nil {
		return nil, err
	}
	a := &auditor{in: in, o: o}
	var err error
	if a.names, a.divisions, err = in.divide(); err != nil {
		return nil, err
	}
	if in.Sequences != nil {
		a.lookup = letters{a}
	} else {
		if a.space, err = neighbors.NewSpace(cmp.Or(in.Source, "states"), in.States, neighbors.Euclidean); err != nil {
			return nil, err
		}
		a.lookup = frames{a}
	}
	for _, m := range in.Latents {
		if err := neighbors.Check("latents "+m.Name, m.Latents, neighbors.Euclidean); err != nil {
			return nil, err
		}
	}
	a.episode = make([]int, in.count())
	for i := range a.episode {
		a.episode[i] = i
	}
	if in.Episode != nil {
		a.episode, _ = points.Numbered(in.Episode)
	}
	a.plan()
	return a, nil
}

// plan chooses references and lists the searches.
func (a *auditor) plan() {
	for d, part := range a.divisions {
		order, count, lacking := a.refer(part.train, uint64(d))
		a.orders, a.references, a.lacking = append(a.orders, order), append(a.references, count), append(a.lacking, lacking)
		a.add(d, testToTrain, len(part.test), unitRows)
		if count > 0 {
			a.add(d, withinTrain, count, count)
		}
		if a.predicts() {
			a.add(d, trainToTest, len(part.train), unitRows)
		}
	}
}

// predicts says whether probes are fitted.
func (a *auditor) predicts() bool { return len(a.in.Latents) > 0 && len(a.in.Targets) > 0 }

func (a *auditor) add(d int, kind searchKind, queries, rows int) {
	first := 0
	if n := len(a.searches); n > 0 {
		first = a.searches[n-1].first + a.searches[n-1].units
	}
	a.searches = append(a.searches, search{d, kind, queries, (queries + rows - 1) / rows, first})
}

// refer orders training states by episodes and returns how many of the first are references: all, or randomly chosen
// episodes with at least Options.References states.
func (a *auditor) refer(train []int, division uint64) (order []int, references int, lacking string) {
	byEpisode := map[int][]int{}
	var episodes []int
	for _, i := range train {
		e := a.episode[i]
		if byEpisode[e] == nil {
			episodes = append(episodes, e)
		}
		byEpisode[e] = append(byEpisode[e], i)
	}
	if len(train) > a.o.References {
		stat.NewRandom(stat.StreamAuditReferences.Key(a.o.Seed, division)).Shuffle(episodes)
	}
	for _, e := range episodes {
		if references < a.o.References {
			references += len(byEpisode[e])
		}
		order = append(order, byEpisode[e]...)
	}
	if a.in.Sequences != nil {
		return train, 0, ""
	}
	if len(episodes) < 2 {
		return order, 0, "the training states are of one episode"
	}
	return order, references, ""
}

// identity names everything that the numbers follow from.
func (a *auditor) identity() shard.Identity {
	o := a.o
	split := make([]int, len(a.in.Split))
	for i, name := range a.in.Split {
		split[i] = slices.Index(a.names, name)
	}
	id := shard.Identity{
		Analysis: "audit", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs: []shard.Field{
			{Name: "states", Value: shard.Digest(a.in.States, a.in.Episode)},
			{Name: "sequences", Value: digest(a.in.Sequences)},
			{Name: "split", Value: shard.Digest(points.Points{}, split, a.in.Group)},
		},
		Options: append(option.Of(&o).Identity(), o.Settings.Identity()...),
	}
	id.Options = append(id.Options, shard.Option("train", a.in.Train), shard.Option("range", a.o.Range))
	id.Inputs = append(id.Inputs, results.Digests(a.in.Latents)...)
	for _, t := range a.in.Targets {
		id.Inputs = append(id.Inputs, shard.Field{Name: "targets " + t.Name,
			Value: shard.Digest(points.Points{N: len(t.Values), Dim: 1, F64: t.Values}, t.Class)})
	}
	for _, s := range a.in.Scores {
		id.Inputs = append(id.Inputs, shard.Field{Name: "scores " + s.Name, Value: shard.Digest(points.Float64(s.Values, 1))})
	}
	return id
}

// search computes a range of units.
func (a *auditor) search(ctx context.Context, r shard.Range) (*Outcome, error) {
	out := &Outcome{}
	total, done := 0, 0
	for _, s := range a.searches {
		total += s.queries
	}
	for k, s := range a.searches {
		lo, hi := max(r.Lo, s.first)-s.first, min(r.Hi, s.first+s.units)-s.first
		if lo >= hi {
			continue
		}
		rows := unitRows
		if s.kind == withinTrain {
			rows = s.queries
		}
		first, end := lo*rows, min(hi*rows, s.queries)
		var progress func(n, _ int)
		if a.o.Progress != nil {
			base := done
			progress = func(n, _ int) { a.o.Progress(base+n, total) }
		}
		test, train := a.divisions[s.division].test, a.orders[s.division]
		list := Found{Search: k, Lo: first}
		var err error
		switch s.kind {
		case testToTrain:
			list.Index, list.Distance, err = a.lookup.nearest(ctx, test[first:end], train, progress)
		case trainToTest:
			list.Index, list.Distance, err = a.lookup.nearest(ctx, train[first:end], test, progress)
		default:
			list.Index, list.Distance, err = a.elsewhere(ctx, train, s.queries, progress)
		}
		if err != nil {
			return nil, err
		}
		done += end - first
		out.Lists = append(out.Lists, list)
	}
	return out, nil
}

// joined are the nearest states of all queries of a search, from all outcomes.
func joined(outcomes []*Outcome, k, queries int) (index []int32, distance []float64) {
	index, distance = make([]int32, queries), make([]float64, queries)
	for _, o := range outcomes {
		for _, f := range o.Lists {
			if f.Search == k {
				copy(index[f.Lo:], f.Index)
				copy(distance[f.Lo:], f.Distance)
			}
		}
	}
	return index, distance
}
