// This file is for scores per sample: the CSV file that two results are paired by.

package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"repscope/internal/escape"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// Samples describes the file of scores per sample of a result. That file has
// the columns model, sample, group, and one for each metric, named by the path of the
// number ([Object.Number]) that is the mean of the column over the model's samples.
// Undefined scores are empty and excluded from means.
type Samples struct {
	File   string `json:"file"`             // next to the result file
	Sample string `json:"sample"`           // what a sample is: "state"
	Group  string `json:"group,omitempty"`  // what a group is: "episode"; groups are independent of each other
	Rows   int    `json:"rows"`             // of all models
	SHA256 string `json:"sha256,omitempty"` // of the file's bytes, before they are compressed
	Extra  Object `json:",inline"`          // keys that this version does not know, of a file that was read
}

// SampleTable holds scores per sample.
type SampleTable struct {
	Metrics []string
	Models  []ModelSamples // in the order in which they begin in the file
	SHA256  string         // of the bytes that were read, expanded

	places map[string]int // of models that were read
}

// ModelSamples are the scores of one model.
type ModelSamples struct {
	Model  string
	Sample []string    // names of the samples, each once
	Group  []string    // of each sample
	Scores [][]float64 // by metric, then by sample; NaN where undefined
	// Reasons count, by metric, the cells that say why there is no score; nil where none does. See [ReadGraded].
	Reasons []map[string]int
}

// Rows is the number of samples of all models.
func (t *SampleTable) Rows() int {
	n := 0
	for _, m := range t.Models {
		n += len(m.Sample)
	}
	return n
}

// Model returns the samples of a model, nil if there are none.
func (t *SampleTable) Model(name string) *ModelSamples {
	if i, ok := t.places[name]; ok && i < len(t.Models) && t.Models[i].Model == name {
		return &t.Models[i]
	}
	for i := range t.Models {
		if t.Models[i].Model == name {
			return &t.Models[i]
		}
	}
	return nil
}

// sampleColumns are the first columns of the file.
var sampleColumns = []string{"model", "sample", "group"}

// WriteSamples writes the table as CSV. Errors: unequal numbers of samples, groups
// and scores; a failed write.
func WriteSamples(w io.Writer, t *SampleTable) error {
	out, err := NewCSV(w, append(slices.Clone(sampleColumns), t.Metrics...)...)
	if err != nil {
		return err
	}
	cells := make([]any, len(sampleColumns)+len(t.Metrics))
	for _, m := range t.Models {
		if err := m.check(len(t.Metrics)); err != nil {
			return err
		}
		for i, sample := range m.Sample {
			cells[0], cells[1], cells[2] = m.Model, sample, m.Group[i]
			for k := range t.Metrics {
				cells[3+k] = m.Scores[k][i]
			}
			if err := out.Row(cells...); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func (m *ModelSamples) check(metrics int) error {
	if len(m.Scores) != metrics || len(m.Group) != len(m.Sample) {
		return fmt.Errorf("samples of %s: %d lists of scores for %d metrics, %d groups for %d samples", m.Model, len(m.Scores), metrics, len(m.Group), len(m.Sample))
	}
	for _, scores := range m.Scores {
		if len(scores) != len(m.Sample) {
			return fmt.Errorf("samples of %s: %d scores for %d samples", m.Model, len(scores), len(m.Sample))
		}
	}
	return nil
}

// Samples writes a table of scores per sample into the transaction and returns what
// the result file says of it, but for what samples and groups are.
func (t *Transaction) Samples(name string, table *SampleTable) (Samples, error) {
	sum := sha256.New()
	err := t.File(name, func(w io.Writer) error { return WriteSamples(io.MultiWriter(w, sum), table) })
	return Samples{File: name, Rows: table.Rows(), SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

// ReadSamples reads the file of scores per sample at path, or if there is none a compressed one: see [Open] and
// [ReadSamplesFrom].
func ReadSamples(path string) (*SampleTable, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadSamplesFrom(f.Name(), f)
}

// ReadSamplesFrom reads scores per sample; name stands for the file in errors. Empty
// cells and nan are undefined.
//
// Columns may stand in any order. Cells are parted by commas where these give the columns model, sample
// and group, else by what the first line has most of commas, semicolons (then also with decimal commas),
// tabs and bars. A table may have no metric: of a run none of whose numbers is
// a mean over samples. Errors, with the file and the line: [ErrTruncated], no column model, sample
// or group, two columns of one name, a row of another length, a score that is no number, a sample
// that a model has twice.
func ReadSamplesFrom(name string, r io.Reader) (*SampleTable, error) {
	return readSamples(name, r, false)
}

// ReadGraded is [ReadSamplesFrom] of scores that people or judges gave: a cell that begins with a letter, such as
// timeout, is the reason why there is no score. Other cells that are no numbers are errors still.
func ReadGraded(name string, r io.Reader) (*SampleTable, error) { return readSamples(name, r, true) }

func readSamples(name string, r io.Reader, reasons bool) (*SampleTable, error) {
	data, err := all(name, r)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	s := &sampleReader{name: name, reasons: reasons, table: &SampleTable{SHA256: hex.EncodeToString(sum[:])},
		models: map[string]int{}}
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: %w: the file is empty", name, ErrTruncated)
	}
	if err := s.header(data); err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	if s.csv.Comma == ',' && data[len(data)-1] != '\n' { // as of a killed run
		return nil, fmt.Errorf("%s: %w: its last line does not end", name, ErrTruncated)
	}
	for {
		record, err := s.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, s.failed(err)
		}
		if err := s.row(record); err != nil {
			return nil, err
		}
	}
	for i := range s.table.Models {
		if scores := s.table.Models[i].Scores; scores == nil {
			s.table.Models[i].Scores = make([][]float64, len(s.table.Metrics))
		}
	}
	s.table.places = s.models
	return s.table, nil
}

// sampleReader reads one file of scores per sample.
type sampleReader struct {
	name     string
	reasons  bool // cells may say why there is no score
	csv      *csv.Reader
	decimals tabular.Decimals
	table    *SampleTable
	models   map[string]int // position in the table
	first    []int          // places of model, sample and group
	scores   []int          // places of the metrics
	seen     []map[string]bool
}

// read reads a row as it was before it became cells.
func (s *sampleReader) read() ([]string, error) {
	record, err := s.csv.Read()
	for i, cell := range record {
		record[i] = escape.Uncell(cell)
	}
	return record, err
}

func (s *sampleReader) errorf(format string, args ...any) error {
	line, _ := s.csv.FieldPos(0)
	return fmt.Errorf("%s:%d: %w", s.name, line, fmt.Errorf(format, args...))
}

// failed describes an error of the CSV reader.
func (s *sampleReader) failed(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		return fmt.Errorf("%s:%d: the number of cells differs from the %d columns", s.name, parse.Line, len(sampleColumns)+len(s.table.Metrics))
	}
	return fmt.Errorf("%s:%d:%d: not CSV: %w", s.name, parse.Line, parse.Column, parse.Err)
}

// sampleRows opens a table by commas, as they are written, if it has all of these columns then: names of metrics hold
// semicolons. Else by what parts its first line.
func sampleRows(name string, data []byte) (rows *csv.Reader, names []string, err error) {
	for _, separator := range []rune{',', 0} {
		rows, names, err = tabular.Open(name, bytes.NewReader(data), tabular.Options{Separator: separator, Exact: true})
		if err != nil {
			continue
		}
		for i, name := range names {
			if names[i] = escape.Uncell(name); names[i] != "" && slices.Contains(names[:i], names[i]) {
				err = fmt.Errorf("two columns are named %q", names[i])
			}
		}
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(sampleColumns, func(column string) bool { return !slices.Contains(names, column) }) {
			break
		}
	}
	return rows, names, err
}

// IsSamples reports whether text is a table with the columns model, sample and group; name is the name of its file.
func IsSamples(name string, data []byte) bool {
	_, names, err := sampleRows(name, data)
	return err == nil && !slices.ContainsFunc(sampleColumns, func(column string) bool { return !slices.Contains(names, column) })
}

// missingSampleColumn is the error for a table of scores per sample without one of its first columns.
func missingSampleColumn(name string, names []string) error {
	err := tabular.Missing(name, names)
	if name != "group" {
		return err
	}
	return text.WithHint(err, "add a column group that names the episode, document or other unit of each sample; "+
		"if samples are independent, repeat the column sample as group")
}

func (s *sampleReader) header(data []byte) error {
	rows, names, err := sampleRows(s.name, data)
	if err != nil {
		return err
	}
	for _, name := range sampleColumns {
		k := slices.Index(names, name)
		if k < 0 {
			return missingSampleColumn(name, names)
		}
		s.first = append(s.first, k)
	}
	s.csv, s.decimals.Comma = rows, rows.Comma == ';'
	for i, name := range names {
		if name != "" && !slices.Contains(s.first, i) { // pandas writes an index without a name
			s.scores, s.table.Metrics = append(s.scores, i), append(s.table.Metrics, name)
		}
	}
	return nil
}

func (s *sampleReader) row(record []string) error {
	model, sample, group := record[s.first[0]], record[s.first[1]], record[s.first[2]]
	index, ok := s.models[model]
	if !ok {
		index = len(s.table.Models)
		s.models[strings.Clone(model)] = index
		s.table.Models = append(s.table.Models, ModelSamples{Model: strings.Clone(model), Scores: make([][]float64, len(s.table.Metrics))})
		s.seen = append(s.seen, map[string]bool{})
	}
	m := &s.table.Models[index]
	if s.seen[index][sample] {
		return s.errorf("%s has the sample %q twice", model, sample)
	}
	sample = strings.Clone(sample)
	s.seen[index][sample] = true
	m.Sample = append(m.Sample, sample)
	if n := len(m.Group); n > 0 && m.Group[n-1] == group {
		m.Group = append(m.Group, m.Group[n-1])
	} else {
		m.Group = append(m.Group, strings.Clone(group))
	}
	for k, place := range s.scores {
		cell, v := record[place], math.NaN()
		if cell != "" {
			var err error
			v, err = s.decimals.Score(cell)
			if errors.Is(err, tabular.ErrDecimals) {
				return s.errorf("%s of %s, sample %s: %w", s.table.Metrics[k], model, sample, err)
			}
			if err != nil && s.reasons && m.reason(k, len(s.scores), cell) {
				v = math.NaN()
			} else if err != nil {
				return s.errorf("%s of %s, sample %s: %q is not a number", s.table.Metrics[k], model, sample, cell)
			}
		}
		m.Scores[k] = append(m.Scores[k], v)
	}
	return nil
}

// mostReasons is how many different reasons of a metric are counted; further ones count as other.
const mostReasons = 64

// reason counts a cell of the metric k of n that says why there is no score; ok is false for a cell that is no word.
func (m *ModelSamples) reason(k, n int, cell string) (ok bool) {
	cell = strings.Join(strings.Fields(cell), " ")
	if first, _ := utf8.DecodeRuneInString(cell); !unicode.IsLetter(first) {
		return false
	}
	if m.Reasons == nil {
		m.Reasons = make([]map[string]int, n)
	}
	if m.Reasons[k] == nil {
		m.Reasons[k] = map[string]int{}
	}
	counts := m.Reasons[k]
	if runes := []rune(cell); len(runes) > 60 {
		cell = string(runes[:59]) + "…"
	}
	if _, known := counts[cell]; !known && len(counts) >= mostReasons {
		cell = "other"
	}
	counts[strings.Clone(cell)]++
	return true
}
