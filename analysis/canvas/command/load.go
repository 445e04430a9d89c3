// What a run reads: cases, and files that they share.

package command

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/benchmark"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/dataset"
	"repscope/internal/gunzip"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// load finds the cases.
func (s *settings) load(env *run.Env) (*canvas.Input, error) {
	in, err := s.loadCases(env)
	if err != nil || s.ratings == "" {
		return in, err
	}
	data, err := in.Read(s.ratings)
	if err != nil {
		return nil, fmt.Errorf("--ratings: %w", err)
	}
	env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "ratings", Path: s.ratings,
		SHA256: source.DigestOf(data)})
	if canvas.HasPreferences(s.ratings, data) {
		in.Preferences, err = canvas.ReadPreferences(s.ratings, data)
	} else {
		in.Ratings, err = canvas.ReadRatings(s.ratings, data)
	}
	return in, err
}

// loadCases finds the cases in files or in a tree.
func (s *settings) loadCases(env *run.Env) (*canvas.Input, error) {
	if s.single() {
		return s.loadOne()
	}
	t := s.tree()
	listing, err := t.Find(s.snapshots)
	if err != nil {
		return nil, err
	}
	if len(listing.Odd) > 0 {
		env.Warn("%s: %s left out, not named like cases: %s", t.Path(t.Results()), text.Count(len(listing.Odd), "name"),
			source.Few(listing.Odd))
	}
	cases, err := choose(listing.Cases, s.models, s.ids)
	return &canvas.Input{Cases: cases, Read: expanding(t.Reader())}, err
}

// expanding is a [source.Reader] that expands files that are compressed by gzip.
func expanding(read source.Reader) source.Reader {
	return func(path string) ([]byte, error) {
		data, err := read(path)
		if err == nil && gunzip.Is(data) {
			if data, err = gunzip.Bytes(data); err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
		}
		return data, err
	}
}

// The names of the case and of the model of the one-case form.
const oneCase, oneSample = "generated", "reference"

// loadOne is the case that the flags name. Files that are not there are found first.
func (s *settings) loadOne() (*canvas.Input, error) {
	c := s.one
	c.ID, c.Sample, c.Model, c.Snapshot = oneCase, oneSample, oneCase, -1
	for _, f := range s.caseFiles() {
		if *f.path == "" {
			continue
		}
		if err := dataset.Exists(*f.path); err != nil {
			return nil, fmt.Errorf("--%s: %w", f.name, err)
		}
	}
	return &canvas.Input{Cases: []source.Case{c}, Read: expanding(benchmark.ReadFile)}, nil
}

// open fills the settings that all cases share, and returns the metrics.
func (s *settings) open(env *run.Env, in *canvas.Input) ([]canvas.Kind, error) {
	s.shared.Definition, s.shared.Reports, s.shared.Seed = s.definition, s.reports, env.Options.Seed
	kinds := kindsOf(s.metrics)
	if err := env.Read(canvas.FilesOf(kinds, in.Cases)...); err != nil {
		return nil, err
	}
	threads := env.Options.Threads
	if uses(kinds, canvas.NeedPerceptual) {
		if err := enter(env)(s.shared.Images.Perceptual.Open(threads)); err != nil {
			return nil, err
		}
	}
	if uses(kinds, canvas.NeedSaliency|canvas.NeedFixations) {
		if s.saliency.plots {
			s.shared.Picture = saliencyPlot
		}
		if err := enter(env)(s.shared.Saliency.Open(in.Cases, in.Read, threads, env.Options.Memory)); err != nil {
			return nil, err
		}
	}
	if uses(kinds, canvas.NeedSemantic) {
		if s.semantic.precompute {
			env.Keeps(scoresFile)
		}
		s.shared.Semantic.Scores = s.semanticScores(env.Options.Out)
		if err := enter(env)(s.shared.Semantic.Open(in.Cases, in.Read, threads)); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// uses reports whether some metric reads one of some inputs.
func uses(kinds []canvas.Kind, needs canvas.Needs) bool {
	return slices.ContainsFunc(kinds, func(k canvas.Kind) bool { return k.Needs&needs != 0 })
}

// enter enters the opened files that all cases share into the run.
func enter(env *run.Env) func(*source.Opened, error) error {
	return func(o *source.Opened, err error) error {
		if o == nil {
			return err
		}
		env.CloseLater(o)
		env.Result.Inputs = append(env.Result.Inputs, o.Inputs...)
		for _, w := range o.Warnings {
			env.Warn("%s", w)
		}
		for _, n := range o.Notes {
			env.Note("%s", n)
		}
		return err
	}
}

// semanticScores is the file of scores that were computed earlier: in the folder of the run,
// else in the tree, if either exists.
func (s *settings) semanticScores(out string) string {
	if s.single() {
		return ""
	}
	t := s.tree()
	if path := filepath.Join(out, scoresFile); store.IsFile(path) && !t.Memory {
		return path
	}
	return t.Optional(path.Join(t.Outputs(), scoresFile), "")
}
