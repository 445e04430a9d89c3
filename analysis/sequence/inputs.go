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
)

// load opens what the flags name.
func (s *settings) load(ctx context.Context, env *run.Env) (*Input, error) {
	if err := s.exist(); err != nil {
		return nil, err
	}
	in := &Input{Alphabet: token.Antibody()}
	for _, name := range s.datasets() {
		in.Datasets = append(in.Datasets, Dataset{Name: name, Choice: s.choice(&env.Options)})
	}
	return nil, errors.New("this version opens no files of sequences")
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
