// From flags to datasets and models.

package sequence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
)

// loader opens the inputs of a run.
type loader struct {
	*settings
	env       *run.Env
	alphabet  *token.Alphabet
	in        *Input
	sequences map[string]*opened // by dataset
}

// opened is a file of sequences.
type opened struct {
	*FileSequences
	digest shard.Field
}

// load opens what the flags name.
func (s *settings) load(ctx context.Context, env *run.Env) (*Input, error) {
	if err := s.exist(); err != nil {
		return nil, err
	}
	l := &loader{settings: s, env: env, alphabet: token.Antibody(), in: &Input{}, sequences: map[string]*opened{}}
	for _, name := range s.datasets() {
		l.in.Datasets = append(l.in.Datasets, Dataset{Name: name, Choice: s.choice(&env.Options)})
	}
	if err := l.readVocabulary(); err != nil {
		return nil, err
	}
	l.in.Alphabet = l.alphabet
	if err := l.openSequences(); err != nil {
		return nil, err
	}
	for _, f := range s.dumps.All() {
		if err := l.openAnswers("dump", f, func(beside Sequences) (answers, error) { return OpenDump(f.Path, l.alphabet, beside) }); err != nil {
			return nil, err
		}
	}
	for _, f := range s.positions.All() {
		if err := l.openAnswers("positions", f, func(beside Sequences) (answers, error) { return OpenPositions(f.Path, l.alphabet, beside) }); err != nil {
			return nil, err
		}
	}
	for _, f := range s.models.All() {
		if err := l.openModel(ctx, f); err != nil {
			return nil, fmt.Errorf("model %s: %w", f.Name, err)
		}
	}
	return l.in, ctx.Err()
}

// readVocabulary reads the alphabet, if one is given.
func (l *loader) readVocabulary() error {
	if l.vocabulary == "" {
		return nil
	}
	v, err := dataset.ReadVocabulary(l.vocabulary)
	if err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	l.alphabet = (*token.Alphabet)(v)
	digest, err := dataset.FileSHA256(l.vocabulary)
	if err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	l.env.Result.Inputs = append(l.env.Result.Inputs, report.Input{Role: "vocabulary", Path: l.vocabulary, SHA256: digest})
	return nil
}

// enter puts a file into the inputs of the result.
func (l *loader) enter(role, name, path string, sum func() (string, error), shape []int) (shard.Field, error) {
	digest, err := sum()
	if err != nil {
		return shard.Field{}, fmt.Errorf("%s %s: %w", role, name, err)
	}
	l.env.Result.Inputs = append(l.env.Result.Inputs, report.Input{Role: role, Name: name, Path: path, SHA256: digest, Shape: shape})
	return shard.Field{Name: role, Value: digest}, nil
}

// openSequences opens the files of --sequences.
func (l *loader) openSequences() error {
	for _, f := range l.settings.sequences.files {
		s, err := OpenSequences(f.path, dataset.SequenceOptions{Columns: l.columns.values}, l.alphabet)
		if err != nil {
			return fmt.Errorf("sequences %s: %w", f.dataset, err)
		}
		l.env.CloseLater(s)
		digest, err := l.enter("sequences", f.dataset, f.path, s.SHA256, []int{s.Len()})
		if err != nil {
			return err
		}
		l.sequences[f.dataset] = &opened{s, digest}
	}
	return nil
}

// answers are a file of what a model answered, which holds the sequences too.
type answers interface {
	Sequences
	Source
	SHA256() (string, error)
	Notes() []string
	Close() error
}

// openAnswers opens a file of NAME=FILE or NAME/DATASET=FILE as a model of its dataset, the
// first one where none is named.
func (l *loader) openAnswers(role string, f input.File, open func(beside Sequences) (answers, error)) error {
	name, of, named := strings.Cut(f.Name, "/")
	if !named {
		of = l.in.Datasets[0].Name
	}
	var beside Sequences
	var digests []shard.Field
	if s := l.sequences[of]; s != nil {
		beside, digests = s, append(digests, s.digest)
	}
	a, err := open(beside)
	if err != nil {
		return fmt.Errorf("%s %s: %w", role, f.Name, err)
	}
	l.env.CloseLater(a)
	for _, note := range a.Notes() {
		l.env.Warn("%s %s: %s", role, f.Name, note)
	}
	if l.mask != maskAuto && l.mask != maskGiven {
		l.env.Warn("%s %s: --mask %s does not apply: the file says what was hidden", role, f.Name, l.mask)
	}
	digest, err := l.enter(role, f.Name, f.Path, a.SHA256, []int{a.Len()})
	if err != nil {
		return err
	}
	l.add(of, Model{Name: name, Sequences: a, Source: a, Inputs: func() ([]shard.Field, error) { return append(digests, digest), nil }})
	return nil
}

// add adds a model to a dataset.
func (l *loader) add(of string, m Model) {
	d := &l.in.Datasets[slices.IndexFunc(l.in.Datasets, func(d Dataset) bool { return d.Name == of })]
	d.Models = append(d.Models, m)
}

// openModel opens a model that is run on the sequences of all datasets.
func (l *loader) openModel(ctx context.Context, f input.File) error {
	return errors.New("this version runs no models")
}

// defaultDataset is the name of a dataset that has none.
const defaultDataset = "default"

// datasets are the names of the datasets: those of --sequences, then those that only dumps
// name.
func (s *settings) datasets() []string {
	var out []string
	for _, f := range s.sequences.files {
		out = append(out, f.dataset)
	}
	for _, name := range s.names() {
		if _, of, ok := strings.Cut(name, "/"); ok && !slices.Contains(out, of) {
			out = append(out, of)
		}
	}
	if len(out) == 0 {
		out = []string{defaultDataset}
	}
	return out
}

// exist finds files that are not there before any is read.
func (s *settings) exist() error {
	for _, files := range []*input.Files{s.dumps, s.positions, s.models} {
		if err := files.Exist(); err != nil {
			return err
		}
	}
	for _, f := range s.sequences.files {
		if err := dataset.Exists(f.path); err != nil {
			return fmt.Errorf("sequences: %w", err)
		}
	}
	if s.vocabulary != "" {
		if err := dataset.Exists(s.vocabulary); err != nil {
			return fmt.Errorf("vocabulary: %w", err)
		}
	}
	return nil
}
