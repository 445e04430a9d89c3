// The inputs of a run.

package semantic

import (
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset/casefile"
)

// Open loads what all cases share, such as a model, before any case is scored. Errors name the
// file: it cannot be read, its rows do not tell their cases.
func (o *Options) Open(cases []source.Case, read source.Reader, threads int) (*source.Opened, error) {
	s := &opened{o: o, models: newModels()}
	if err := s.load(cases, read, threads); err != nil {
		_ = s.Close() // it was only read
		return nil, err
	}
	o.opened = s
	return &s.Opened, nil
}

// Identity are the files that all cases share, as path and digest.
func (o *Options) Identity() []string {
	if o.opened == nil {
		return nil
	}
	var out []string
	for _, f := range o.opened.Inputs {
		out = append(out, f.Path+" "+f.SHA256)
	}
	return out
}

// Stored are the scores that were computed earlier, in the order of their file; of settings that are open.
func (o *Options) Stored() []casefile.SemanticScore { return o.opened.listed }

// load reads the files.
func (s *opened) load(cases []source.Case, read source.Reader, threads int) error {
	names := knownCases(cases)
	order, err := s.loadCaptions(names, read)
	if err != nil {
		return err
	}
	if err := s.loadScores(names, read); err != nil {
		return err
	}
	if s.o.Rows != "" {
		if order, err = s.loadRows(names, read); err != nil {
			return err
		}
	}
	if s.texts, err = s.openEmbeddings("--embeddings", s.o.Embeddings, order, cases); err != nil {
		return err
	}
	if s.images, err = s.openEmbeddings("--image-embeddings", s.o.ImageEmbeddings, order, cases); err != nil {
		return err
	}
	return s.openModels(read, threads)
}
