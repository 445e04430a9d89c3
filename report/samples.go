// This file is for scores per sample: the CSV file that two results are paired by.

package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/regular"
)

// Samples is what a result file says of its file of scores per sample. That file has
// the columns model, sample, group, and one for each metric, named by the path of the
// number ([Object.Number]) that is the mean of the column over the model's samples. A
// score that is undefined is empty and counts in no mean.
type Samples struct {
	File   string `json:"file"`             // beside the result file
	Sample string `json:"sample"`           // what a sample is: "state"
	Group  string `json:"group,omitempty"`  // what a group is: "episode"; groups are independent of each other
	Rows   int    `json:"rows"`             // of all models
	SHA256 string `json:"sha256,omitempty"` // of the file's bytes
	Extra  Object `json:",inline"`          // keys that this version does not know, of a file that was read
}

// SampleTable holds scores per sample.
type SampleTable struct {
	Metrics []string
	Models  []ModelSamples // in the order in which they begin in the file
	SHA256  string         // of the bytes that were read
}

// ModelSamples are the scores of one model.
type ModelSamples struct {
	Model  string
	Sample []string    // names of the samples, each once
	Group  []string    // of each sample
	Scores [][]float64 // by metric, then by sample; NaN where undefined
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

// ReadSamples reads the file of scores per sample at path. See [ReadSamplesFrom].
func ReadSamples(path string) (*SampleTable, error) {
	Recover(filepath.Dir(path))
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadSamplesFrom(path, f)
}

// ReadSamplesFrom reads scores per sample; name stands for the file in errors. Empty
// cells and nan are undefined.
//
// Errors, with the file and the line: [ErrTruncated], columns other than model,
// sample, group and at least one metric, a metric that has two columns, a row of
// another length, a score that is no number, a sample that a model has twice.
func ReadSamplesFrom(name string, r io.Reader) (*SampleTable, error) {
	data, err := regular.All(context.Background(), name, r, regular.Table)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s := &sampleReader{name: name, csv: csv.NewReader(bytes.NewReader(data)), table: &SampleTable{SHA256: hex.EncodeToString(sum[:])}, models: map[string]int{}}
	s.csv.ReuseRecord = true
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: %w: the file is empty", name, ErrTruncated)
	case data[len(data)-1] != '\n':
		return nil, fmt.Errorf("%s: %w: its last line does not end", name, ErrTruncated)
	}
	if err := s.header(); err != nil {
		return nil, err
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
	return s.table, nil
}

// sampleReader reads one file of scores per sample.
type sampleReader struct {
	name   string
	csv    *csv.Reader
	table  *SampleTable
	models map[string]int // position in the table
	seen   []map[string]bool
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
		return fmt.Errorf("%s:%d: the row has another number of cells than the %d columns", s.name, parse.Line, len(sampleColumns)+len(s.table.Metrics))
	}
	return fmt.Errorf("%s:%d:%d: no CSV: %w", s.name, parse.Line, parse.Column, parse.Err)
}

func (s *sampleReader) header() error {
	record, err := s.read()
	if err != nil {
		return s.failed(err)
	}
	if len(record) < 3 || !slices.Equal(record[:3], sampleColumns) {
		return s.errorf("want the columns model, sample, group and metrics, got %.80q", strings.Join(record, ","))
	}
	s.table.Metrics = slices.Clone(record[3:])
	for i, metric := range s.table.Metrics {
		if metric == "" {
			return s.errorf("column %d has no name", 4+i)
		}
		if slices.Contains(s.table.Metrics[:i], metric) {
			return s.errorf("the metric %q has two columns", metric)
		}
	}
	if len(s.table.Metrics) == 0 {
		return s.errorf("there is no column of a metric")
	}
	return nil
}

func (s *sampleReader) row(record []string) error {
	model, sample := record[0], record[1]
	at, known := s.models[model]
	if !known {
		at = len(s.table.Models)
		s.models[strings.Clone(model)] = at
		s.table.Models = append(s.table.Models, ModelSamples{Model: strings.Clone(model), Scores: make([][]float64, len(s.table.Metrics))})
		s.seen = append(s.seen, map[string]bool{})
	}
	m := &s.table.Models[at]
	if s.seen[at][sample] {
		return s.errorf("%s has the sample %q twice", model, sample)
	}
	sample = strings.Clone(sample)
	s.seen[at][sample] = true
	m.Sample = append(m.Sample, sample)
	if n := len(m.Group); n > 0 && m.Group[n-1] == record[2] {
		m.Group = append(m.Group, m.Group[n-1])
	} else {
		m.Group = append(m.Group, strings.Clone(record[2]))
	}
	for k, cell := range record[3:] {
		v := math.NaN()
		if cell != "" {
			var err error
			if v, err = strconv.ParseFloat(cell, 64); err != nil {
				return s.errorf("%s of %s, sample %s: %q is no number", s.table.Metrics[k], model, sample, cell)
			}
		}
		m.Scores[k] = append(m.Scores[k], v)
	}
	return nil
}
