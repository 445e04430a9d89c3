// The results of a run that did not come to its end, and continuing it.
//
// Running a model takes long, above all where every residue is hidden alone. The state of
// package shard of the results so far is written again every few seconds, and when the run
// is stopped; it names the work it is part of by the digests of all inputs, the options and
// the definition, and is merged as results of shards are, so that a run that is continued
// writes the bytes of one that was not stopped.

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"repscope/analysis/sequence"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/shard"
)

// keepEvery is about the longest time that results are not kept, unless writing it takes longer
// than a tenth of that. A test keeps each part.
var keepEvery = 2 * time.Second

// PartialFile is the name of the file with the results so far, in the output folder.
const PartialFile = "sequence.partial"

// partial is that file.
type partial struct {
	path  string
	state *shard.State
	kept  time.Time
	took  time.Duration // to write it
}

// afterPart, if not nil, is called with the number of groups of sequences that are done, after
// each part: a test stops runs there.
var afterPart func(groups int)

// clock tells the time, by which parts grow and are kept: a test stops it.
var clock = time.Now

// continued computes all units that an earlier run has not, keeps their results on the way,
// and merges them.
func continued(ctx context.Context, env *run.Env, p *sequence.Plan) (*sequence.Result, error) {
	work := p.Work()
	f := &partial{path: filepath.Join(env.Files.Dir(), PartialFile), kept: clock()}
	env.AfterCommit(func() error { return run.Remove(f.path) })
	identity := work.Identity()
	identity.Units = work.Units
	have := f.read(identity, work.Units, env.Note)
	total, size := 0, 1
	for u, done := range have {
		if done {
			total++
			p.Skip(u, u+1)
		}
	}
	remembers := shard.Remembers(ctx) // which it does by ranges: they must not depend on how long anything takes
	if remembers {
		size = max(1, work.Units/rememberedParts)
	}
	for lo := 0; lo < work.Units; {
		hi := lo
		for hi < work.Units && hi-lo < size && !have[hi] {
			hi++
		}
		if hi == lo {
			lo++
			continue
		}
		began := clock()
		unit, err := work.Compute(ctx, shard.Range{Lo: lo, Hi: hi})
		if err != nil {
			return nil, errors.Join(err, f.write())
		}
		f.state.Parts = append(f.state.Parts, unit.Parts...)
		if clock().Sub(f.kept) > max(keepEvery, 10*f.took) {
			if err := f.write(); err != nil {
				return nil, err
			}
		}
		if total += hi - lo; afterPart != nil {
			afterPart(total)
		}
		if !remembers && clock().Sub(began) < keepEvery/2 {
			size *= 2 // parts of many sequences run in larger batches
		}
		lo = hi
	}
	result, err := work.MergeStates(ctx, f.state)
	if errors.As(err, new(sequence.NothingError)) { // the same would come of it again
		return nil, errors.Join(err, run.Remove(f.path))
	}
	return result, err
}

// read reads the state of an earlier run of the same work, and says which units it has.
func (f *partial) read(identity shard.Identity, units int, note func(format string, args ...any)) []bool {
	f.state = &shard.State{Identity: identity, Source: f.path}
	file, err := regular.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.state.Has(units)
	}
	var state *shard.State
	if err == nil {
		state, err = shard.Read(file, f.path)
		err = errors.Join(err, file.Close())
	}
	if err == nil {
		if difference := identity.Difference(state.Identity); difference != "" {
			err = fmt.Errorf("it belongs to a different run: %s", difference)
		}
	}
	if err != nil {
		note("note: %s cannot be continued (%v); starting again", f.path, err)
		return f.state.Has(units)
	}
	f.state = state
	f.state.Source = f.path
	have, done := f.state.Has(units), 0
	for _, part := range state.Parts {
		done += part.Hi - part.Lo
	}
	note("note: %s has %d of %s of sequences; continuing", f.path, done, text.Count(units, "group"))
	return have
}

// write writes the results so far.
func (f *partial) write() error {
	if len(f.state.Parts) == 0 {
		return nil
	}
	began := clock()
	err := atomicfile.Write(f.path, atomicfile.Options{}, func(w io.Writer) error { return f.state.Write(w) })
	f.kept = clock()
	f.took = f.kept.Sub(began)
	return err
}

// rememberedParts is in about how many parts a study remembers the groups of all datasets.
const rememberedParts = 32
