// Work that is divided into units: computing parts and merging them.

package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Range is the units Lo … Hi−1.
type Range struct {
	Lo int `json:"lo"`
	Hi int `json:"hi"`
}

func (r Range) String() string {
	if r.Hi == r.Lo+1 {
		return fmt.Sprintf("unit %d", r.Lo)
	}
	return fmt.Sprintf("units %d to %d", r.Lo, r.Hi-1)
}

// Task is the units of task i of n: i, i + n, i + 2n …, which spreads work whose
// units cost more towards one end. It is empty where there are fewer units.
func Task(i, n, units int) []Range {
	var ranges []Range
	for u := i; u < units; u += n {
		ranges = append(ranges, Range{u, u + 1})
	}
	return ranges
}

// Work is an analysis divided into units. P is the outcome of a range of units, which must be a type
// that [Encode] accepts; R is the result.
type Work[P, R any] struct {
	// Units is the number of units, at least 1. It follows from the data and the
	// options alone.
	Units int
	// Identity identifies the work, except for the number of units. It reads all inputs, and is called only when a state
	// is made or merged.
	Identity func() Identity
	// Map computes the part of a range of units, using whatever threads and
	// devices there are.
	Map func(ctx context.Context, units Range) (P, error)
	// Join joins two adjacent parts, and may change the first: states of large parts are merged one after the other. It
	// may be nil.
	Join func(a, b P) (P, error)
	// Merge makes the result of parts in the order of their units, which cover all
	// units once. It must not change the parts.
	Merge func(ctx context.Context, parts []P) (R, error)
}

// identity is the whole identity of the work.
func (w Work[P, R]) identity() Identity {
	identity := w.Identity()
	identity.Units = w.Units
	return identity
}

// Run computes all units in one part and merges it. With a [Job] in the context, it follows the job
// instead.
func (w Work[P, R]) Run(ctx context.Context) (R, error) {
	if job, ok := ctx.Value(jobKey{}).(*Job); ok {
		return carryOut(ctx, job, w)
	}
	part, err := w.Map(ctx, Range{0, w.Units})
	if err != nil {
		var none R
		return none, err
	}
	return w.Merge(ctx, []P{part})
}

// Compute returns the state of a task: the parts of these ranges. It is an error if one is empty, outside the units, or
// overlaps another.
func (w Work[P, R]) Compute(ctx context.Context, ranges ...Range) (*State, error) {
	state := &State{Identity: w.identity()}
	for _, r := range ranges {
		if r.Lo < 0 || r.Lo >= r.Hi || r.Hi > w.Units {
			return nil, fmt.Errorf("units %d to %d: want a range within 0 to %d", r.Lo, r.Hi-1, w.Units-1)
		}
		p, err := w.Map(ctx, r)
		if err != nil {
			return nil, err
		}
		if err := state.add(r, p); err != nil {
			return nil, err
		}
	}
	return state, state.check()
}

// MergeStates makes the result of states that together hold all units of this
// work. Their order does not matter, nor do parts that several hold alike.
// Errors: a state of other work; parts that overlap, or differ on the same units;
// missing units; a part that does not decode.
func (w Work[P, R]) MergeStates(ctx context.Context, states ...*State) (R, error) {
	var none R
	identity := w.identity()
	parts, err := Union(identity, states...)
	if err != nil {
		return none, err
	}
	var decoded []P
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		p, err := decode[P](&parts[i])
		if err != nil {
			return none, err
		}
		if w.Join == nil || i == 0 {
			decoded = append(decoded, p)
		} else if decoded[0], err = w.Join(decoded[0], p); err != nil {
			return none, fmt.Errorf("%s of %s: %w", parts[i].Range, parts[i].from, err)
		}
	}
	return w.Merge(ctx, decoded)
}

// decode is the outcome that a part holds.
func decode[P any](part *Part) (p P, err error) {
	data, err := part.data()
	if err != nil {
		return p, err
	}
	if err := Decode(data, &p); err != nil {
		return p, fmt.Errorf("%s of %s: %w", part.Range, part.from, err)
	}
	return p, nil
}

// ErrForeign is wrapped by errors of merging for a state of different work.
var ErrForeign = errors.New("belongs to a different run")

// Union returns the parts of states in the order of their units, each once; see [Work.MergeStates] for
// its errors.
func Union(identity Identity, states ...*State) ([]Part, error) {
	var parts []Part
	for i, s := range states {
		from := s.Source
		if from == "" {
			from = fmt.Sprintf("state %d", i)
		}
		if d := identity.Difference(s.Identity); d != "" {
			return nil, fmt.Errorf("%s %w: %s", from, ErrForeign, d)
		}
		for _, p := range s.Parts {
			p.from = from
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return a.Range.compare(b.Range) })
	return cover(parts, identity.Units)
}

func (r Range) compare(s Range) int {
	if r.Lo != s.Lo {
		return r.Lo - s.Lo
	}
	return r.Hi - s.Hi
}

// cover drops equal parts of sorted ones and finds overlaps, conflicts and gaps.
func cover(parts []Part, units int) ([]Part, error) {
	var kept []Part
	next := 0
	for _, p := range parts {
		if len(kept) > 0 {
			switch last := kept[len(kept)-1]; {
			case p.Range == last.Range && p.SHA256 == last.SHA256:
				continue
			case p.Range == last.Range:
				return nil, fmt.Errorf("%s differ between %s and %s", p.Range, last.from, p.from)
			case p.Lo < last.Hi:
				return nil, fmt.Errorf("%s of %s overlap %s of %s", p.Range, p.from, last.Range, last.from)
			}
		}
		if p.Lo != next {
			return nil, missing(Range{next, p.Lo}, kept, &p)
		}
		next = p.Hi
		kept = append(kept, p)
	}
	if next != units {
		return nil, missing(Range{next, units}, kept, nil)
	}
	return kept, nil
}

// missing names a gap and its neighbors on both sides.
func missing(gap Range, before []Part, after *Part) error {
	preceding, right := "the beginning", "the end"
	if len(before) > 0 {
		last := before[len(before)-1]
		preceding = fmt.Sprintf("%s of %s", last.Range, last.from)
	}
	if after != nil {
		right = fmt.Sprintf("%s of %s", after.Range, after.from)
	}
	return fmt.Errorf("%s missing between %s and %s", is(gap), preceding, right)
}

func is(r Range) string {
	if r.Hi == r.Lo+1 {
		return r.String() + " is"
	}
	return r.String() + " are"
}
