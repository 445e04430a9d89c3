// The results of a run that did not come to its end, and continuing it.
//
// The files of a run appear together when it is complete, so that a folder never holds the numbers of two runs. What
// is computed before that is in a file next to them, written again after metrics, sooner where they take long, but
// never for a tenth of the time; and when the run is stopped: the result so far without comparisons, readable as any
// result file, with the state of package shard that it was made of. That state names the work it is part of by the
// digests of all inputs, the options and the definition, and is merged as results of shards are, so that a run that is
// continued writes the bytes of one that was not stopped.

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"repscope/analysis/generation"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
	"repscope/shard"
)

// keepEvery is the longest time that results are not kept, once a metric of a generator
// is done; but computing since the last time takes keepRatio times as long as keeping it.
const (
	keepEvery = 2 * time.Second
	keepRatio = 10
)

// PartialFile is the name of the file with the result so far, in the output folder.
const PartialFile = "generation.json.partial"

// partial is that file.
type partial struct {
	path string
	base *report.Result // all of the result but the numbers
	// objects are the parts of generators in a result.
	objects func(*generation.Result) report.Object

	parts []*generation.Part // the first of the state, decoded
	took  time.Duration      // to keep them
}

// partialState is what stands under "partial" in the file.
type partialState struct {
	Done  int    `json:"done"`
	Units int    `json:"units"` // metrics of generators
	State []byte `json:"state"` // of package shard
}

// newPartial is the file of a run.
func newPartial(env *run.Env, objects func(*generation.Result) report.Object) *partial {
	return &partial{path: partialPath(env), base: env.Result, objects: objects}
}

// partialPath is its path.
func partialPath(env *run.Env) string { return filepath.Join(env.Files.Dir(), PartialFile) }

// read is the state of an earlier run of the same work; nil where there is none, with a note
// why what there is cannot be continued.
func (p *partial) read(identity shard.Identity) (state *shard.State, note string) {
	data, err := regular.Read(p.path, regular.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	var file struct{ Partial *partialState }
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && file.Partial == nil {
		err = errors.New("it contains no state")
	}
	if err == nil {
		state, err = shard.Read(bytes.NewReader(file.Partial.State), p.path)
	}
	if err != nil {
		return nil, fmt.Sprintf("%s cannot be continued (%v); starting again", p.path, err)
	}
	if difference := identity.Difference(state.Identity); difference != "" {
		return nil, fmt.Sprintf("%s belongs to a different run (%s); starting again", p.path, difference)
	}
	return state, ""
}

// write writes the result so far.
func (p *partial) write(r *generation.Result, state *shard.State) error {
	var text bytes.Buffer
	if err := state.Write(&text); err != nil {
		return err
	}
	out := *p.base
	out.Definition, out.Models, out.Extra = generation.Definition, p.objects(r), report.Object{}
	var part report.Object
	part.Set("done", len(state.Parts))
	part.Set("units", state.Identity.Units)
	encoded, err := json.Marshal(text.Bytes())
	if err != nil {
		return err
	}
	part.Set("state", json.RawMessage(encoded))
	out.Extra.Set("partial", part)
	return atomicfile.Write(p.path, atomicfile.Options{}, func(w io.Writer) error { return out.Write(w) })
}

// continued computes all units that an earlier run has not, keeps their results on the way,
// and merges them. done, if not nil, is told how many units there are now.
func (p *partial) continued(ctx context.Context, in generation.Input, o generation.Options,
	note func(format string, args ...any), done func(done, total int)) (*generation.Result, error) {
	work, err := generation.Work(in, o)
	if err != nil {
		return nil, err
	}
	if o, err = o.WithDefaults(); err != nil {
		return nil, err
	}
	identity := work.Identity()
	identity.Units = work.Units
	state, why := p.read(identity)
	switch {
	case why != "":
		note("note: %s", why)
	case state != nil:
		note("note: %s has %d of %d metrics of generators; continuing", p.path, len(state.Parts), work.Units)
	}
	if state == nil {
		state = &shard.State{Identity: identity}
	}
	state.Source = p.path
	have := state.Has(work.Units)
	kept := time.Now()
	for u := range work.Units {
		if have[u] {
			continue
		}
		unit, err := work.Compute(ctx, shard.Range{Lo: u, Hi: u + 1})
		if err != nil {
			return nil, errors.Join(err, p.keep(in, o, state))
		}
		state.Parts = append(state.Parts, unit.Parts...)
		since, ends := time.Since(kept), (u+1)%len(in.Generators) == 0
		if since > keepRatio*p.took && (ends || since > keepEvery) {
			begin := time.Now()
			if err := p.keep(in, o, state); err != nil {
				return nil, err
			}
			kept = time.Now()
			p.took = kept.Sub(begin)
		}
		if done != nil {
			done(len(state.Parts), work.Units)
		}
	}
	result, err := work.MergeStates(ctx, state)
	if err != nil && ctx.Err() != nil {
		return nil, errors.Join(err, p.keep(in, o, state))
	}
	return result, err
}

// keep writes what the parts of a state make.
func (p *partial) keep(in generation.Input, o generation.Options, state *shard.State) error {
	if len(state.Parts) == 0 {
		return nil
	}
	for _, part := range state.Parts[len(p.parts):] {
		var decoded *generation.Part
		if err := shard.Decode(part.Data, &decoded); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		p.parts = append(p.parts, decoded)
	}
	return p.write(generation.Collect(in, o, p.parts), state)
}
