// What an analysis is given and returns.

package sequence

import (
	"repscope/analysis"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Model is what one model says of the sequences of a dataset.
type Model struct {
	Name string
	// Sequences are the sequences of the dataset, as this model was shown them: a dump says which
	// positions were hidden. All models of a dataset have the same sequences.
	Sequences Sequences
	Source    Source
	// Inputs are the digests of everything that the answers follow from.
	Inputs func() ([]shard.Field, error)
}

// Masker chooses the positions that the standard mask hides, ascending.
type Masker func(r *Record) []int

// Choice is what may be chosen for every dataset.
type Choice struct {
	Metrics []string // names in the registry; nil: all
	// Asked are the ones of Metrics that are asked for by name, which are computed however long they take;
	// nil: all of Metrics.
	Asked   []string
	Mode    string   // of regions; empty: RegionStandard
	Regions []string // names of regions and aggregates; nil: all
	// Mask chooses the hidden positions of records that do not say which they are; Masking is
	// its text for the identity of the work.
	Mask    Masker
	Masking string
	// Set are the options of metrics.
	Set map[string]map[string]any
	// Substitutions are measured variants of the sequences; nil: none.
	Substitutions *Substitutions
}

// Dataset is a dataset with the models that are evaluated on it.
type Dataset struct {
	Name   string
	Models []Model
	Choice Choice
}

// Input are the datasets and models.
type Input struct {
	Registry Registry        // of the metrics that may be computed
	Alphabet *token.Alphabet // nil: token.Antibody
	Datasets []Dataset
}

// Options are the options of all datasets.
type Options struct {
	// Settings has a Block that chooses what intervals delete: clusters, or with a length that many sequences that
	// follow each other. Memory of 0 is 1 GiB.
	analysis.Settings
}

// Result is the result of all datasets.
type Result struct {
	Datasets []DatasetResult
	Warnings []string
	// Unmeasured are models that could not be evaluated; NAME/DATASET where there are several
	// datasets. They are in none.
	Unmeasured []report.Unmeasured
	Planned    []*Kind  // metrics that were to be computed of some model
	Paired     []string // keys that other runs are paired by
}

// DatasetResult is the result of one dataset.
type DatasetResult struct {
	Name        string
	Sequences   int
	Blocks      string // what intervals delete in turn; empty without intervals
	Models      []ModelResult
	Comparisons []report.Comparison
	Group       []int // of every sequence: sequences of a group are deleted together
}

// ModelResult is the result of one model.
type ModelResult struct {
	Name string
	// Object is the part of the result file: numbers under the keys of the registry, and
	// "skipped".
	Object report.Object
	// Skipped says by metric why it was not computed.
	Skipped report.Object
	// Metrics are those that were computed.
	Metrics []string
	Tables  []*Table
	Scores  []SequenceScores
	Samples []SequenceScores // see [Key].Paired
	Kept    map[string]any   // what metrics keep for figures: see [Summary.Keep]

	warnings   []string
	jackknifes map[string]*stat.Jackknifed
	deleted    map[string]string // see [Summary.Deleted]
}

// Number is a number of the registry with its interval; ok is false of one that was not
// computed.
func (m *ModelResult) Number(key string) (v report.Value, ci report.Interval, ok bool) {
	value, _ := m.Object.Get(key)
	e, ok := value.(report.Estimate)
	return e.Value, e.CI, ok
}

// Table are the rows of a model in a file of [Kind.Files].
type Table struct {
	File string
	Rows [][]any
}

// Row adds a row.
func (t *Table) Row(cells ...any) { t.Rows = append(t.Rows, cells) }

// SequenceScores are scores of single sequences, in the order of the dataset; NaN where
// undefined.
type SequenceScores struct {
	Key    string
	Values []float64
}
