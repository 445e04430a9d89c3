// Captions, scores and embeddings that are given, by case.

package semantic

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/dataset/casefile"
	"repscope/internal/regular"
	"repscope/internal/text"
	"repscope/internal/tokenizer"
	"repscope/latent"
)

// opened are the opened inputs of [Options]. Several goroutines may ask them.
type opened struct {
	o        *Options
	captions map[string]*casefile.Captions
	scores   map[string]*casefile.SemanticScore
	listed   []casefile.SemanticScore // scores in the order of their file
	texts    *embeddings
	images   *embeddings
	models
	source.Opened
}

// knownCases are the names by which files may call the cases of a run.
func knownCases(cases []source.Case) map[string]bool {
	names := map[string]bool{}
	for i := range cases {
		names[cases[i].FileName()] = true
		if cases[i].Base != (source.Side{}) {
			names[cases[i].Sample+source.BaseSuffix] = true
		}
	}
	return names
}

// unknown says how many cases of a file are none of the run; empty: all are known.
func unknown(path string, ids []string, names map[string]bool) string {
	n, first := 0, ""
	for _, id := range ids {
		if !names[id] {
			if n++; n == 1 {
				first = id
			}
		}
	}
	switch n {
	case 0:
		return ""
	case len(ids):
		return fmt.Sprintf("%s: none of its %s is a case of this run; cases are named like "+
			"%s", path, text.Count(len(ids), "case"), first)
	}
	return fmt.Sprintf("%s: %d of its %s are not in this run, such as %s", path, n, text.Count(len(ids), "case"), first)
}

// warn adds a warning that is not empty.
func (s *opened) warn(text string) {
	if text != "" {
		s.Warnings = append(s.Warnings, text)
	}
}

// loadCaptions reads the table of captions and returns its cases in their order.
func (s *opened) loadCaptions(names map[string]bool, read source.Reader) ([]string, error) {
	if s.o.Captions == "" {
		return nil, nil
	}
	data, err := read(s.o.Captions)
	if err != nil {
		return nil, fmt.Errorf("captions: %w", regular.PathError(err))
	}
	list, err := casefile.ParseCaptions(s.o.Captions, data)
	if err != nil {
		return nil, fmt.Errorf("captions: %w", err)
	}
	s.Enter("captions", s.o.Captions, source.DigestOf(data))
	s.captions = map[string]*casefile.Captions{}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].Case
		s.captions[ids[i]] = &list[i]
	}
	s.warn(unknown(s.o.Captions, ids, names))
	return ids, nil
}

// loadScores reads the scores that were computed earlier, if there are any.
func (s *opened) loadScores(names map[string]bool, read source.Reader) error {
	if s.o.Scores == "" {
		return nil
	}
	data, err := read(s.o.Scores)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scores of captions: %w", regular.PathError(err))
	}
	if s.listed, err = casefile.ParseSemanticScores(s.o.Scores, data); err != nil {
		return fmt.Errorf("scores of captions: %w", err)
	}
	s.Enter("scores of captions", s.o.Scores, source.DigestOf(data))
	s.scores = map[string]*casefile.SemanticScore{}
	ids := make([]string, len(s.listed))
	for i := range s.listed {
		ids[i] = s.listed[i].Case
		s.scores[ids[i]] = &s.listed[i]
	}
	// The file was found, not given: cases beyond those that were chosen are ordinary.
	if note := unknown(s.o.Scores, ids, names); note != "" {
		s.Notes = append(s.Notes, note)
	}
	return nil
}

// loadRows reads which cases the rows of embeddings belong to.
func (s *opened) loadRows(names map[string]bool, read source.Reader) ([]string, error) {
	data, err := read(s.o.Rows)
	if err != nil {
		return nil, fmt.Errorf("cases of embeddings: %w", regular.PathError(err))
	}
	ids, err := casefile.ParseCases(s.o.Rows, data)
	if err != nil {
		return nil, fmt.Errorf("cases of embeddings: %w", err)
	}
	s.Enter("cases of embeddings", s.o.Rows, source.DigestOf(data))
	s.warn(unknown(s.o.Rows, ids, names))
	return ids, nil
}

// embeddings are two matrices of one row per case.
type embeddings struct {
	arrays [2]*dataset.Array
	row    map[string]int
}

// openEmbeddings opens a pair of matrices whose rows are the cases of order, or the only case.
func (s *opened) openEmbeddings(flag string, files [2]string, order []string,
	cases []source.Case) (*embeddings, error) {
	if files[0] == "" {
		return nil, nil
	}
	e := &embeddings{row: map[string]int{}}
	for k, file := range files {
		name := flag + "-" + Sides[k]
		a, err := dataset.Open(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Closers = append(s.Closers, a.Close)
		digest, err := a.SHA256()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Enter(strings.TrimPrefix(name, "--"), file, digest)
		if len(a.Shape()) != 2 || a.RowLen() == 0 {
			return nil, fmt.Errorf("%s: %s has shape %v, want [cases, dimensions]", name, a.Name(), a.Shape())
		}
		e.arrays[k] = a
	}
	if a, b := e.arrays[0].Shape(), e.arrays[1].Shape(); !slices.Equal(a, b) {
		return nil, fmt.Errorf("%s has shape %v and %s has %v, want equal ones", e.arrays[0].Name(), a, e.arrays[1].Name(), b)
	}
	if err := e.arrays[1].Columns().Pair(e.arrays[0].Columns()); err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return e, e.order(flag, order, cases)
}

// order finds the row of each case.
func (e *embeddings) order(flag string, order []string, cases []source.Case) error {
	n := e.arrays[0].Len()
	if order == nil {
		names := knownCases(cases)
		if n != 1 || len(names) != 1 {
			return text.WithHint(fmt.Errorf("%s has %s, but their cases are unknown", e.arrays[0].Name(),
				text.Count(n, "row")),
				"name them in the order of the rows with --embeddings-ids, or in --captions")
		}
		for id := range names {
			order = []string{id}
		}
	}
	if len(order) != n {
		return fmt.Errorf("%s has %s for %s: %s wants one row for each case", e.arrays[0].Name(), text.Count(n, "row"), text.Count(len(order), "case"), flag)
	}
	for i, id := range order {
		e.row[id] = i
	}
	return nil
}

// similarity is the cosine of both embeddings of a case.
func (e *embeddings) similarity(id, what string) (float64, error) {
	row, ok := e.row[id]
	if !ok {
		return 0, source.Absentf("the embeddings of %s have no row for %s", what, id)
	}
	var v [2][]float64
	for k, a := range e.arrays {
		v[k] = make([]float64, a.RowLen())
		if err := a.ReadFloat64(v[k], row, row+1); err != nil {
			return 0, err
		}
		if i := slices.IndexFunc(v[k], func(x float64) bool { return x-x != 0 }); i >= 0 {
			return 0, fmt.Errorf("%s: element %d of row %d (%s) is %g", a.Name(), i, row, id, v[k][i])
		}
	}
	return cosine(v[0], v[1])
}

// cosine is ⟨a, b⟩ / (|a| |b|), exactly 1 of equal vectors; of a vector of zeros it is not
// defined. Both are scaled by their largest element first, so that no square overflows.
func cosine(a, b []float64) (float64, error) {
	scale := func(v []float64) float64 {
		m := 0.0
		for _, x := range v {
			m = max(m, math.Abs(x))
		}
		return m
	}
	ma, mb := scale(a), scale(b)
	if ma == 0 || mb == 0 {
		return 0, source.Absentf("an embedding is zero and has no direction")
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]/ma, b[i]/mb
		ab += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	return min(max(ab/math.Sqrt(aa*bb), -1), 1), nil
}

// models are the models of a run; nil where none is given. Each runs one text or screen
// at a time, alone, with all its threads: what it answers depends on no other, and is computed
// once for equal texts and screens.
type models struct {
	sentence  *latent.SentenceModel
	tokens    *tokenizer.Tokenizer
	vision    *latent.VisionModel
	captioner *latent.Captioner

	sentenceMutex, visionMutex, captionMutex sync.Mutex

	sentences, screens *source.Cache[[]float64] // by captions, and by the digests of pixels
	captionsMade       *source.Cache[string]
}

// mostAnswers bounds the answers of a model that are kept: those that were asked for last.
const mostAnswers = 4096

func newModels() models {
	return models{sentences: source.NewCache[[]float64](mostAnswers), screens: source.NewCache[[]float64](mostAnswers),
		captionsMade: source.NewCache[string](mostAnswers)}
}
