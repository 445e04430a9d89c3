// What an analysis is given and returns.

package canvas

import (
	"context"

	"repscope/analysis"
	"repscope/report"
)

// Input are the cases to score.
type Input struct {
	// Cases in the order of the result. Their IDs are unique but for snapshots.
	Cases []Case
	Read  Reader
	// Ratings are what people think of cases; nil: see [Agreement].
	Ratings []Rating
}

// Options are the options of a run.
type Options struct {
	// Settings has a Block that chooses the units that intervals delete in turn: samples, or with a length, that many
	// consecutive samples. Draws come from the seed of Setting.
	analysis.Settings
	Setting *Setting
	// Kinds are the metrics that are computed, in the order of the registry; nil: all.
	Kinds []Kind
	// Models is the order of models, by name; others follow in the order in which their cases
	// begin.
	Models []string
	// Workers is how many cases are scored at a time, and so how many are held; 0: one for each
	// processor. It changes no number.
	Workers int
	// Done is told the row of a case when it is finished, with [Row.Reports], which are not kept;
	// it may be nil. It is called in any order, but never twice at a time. An error ends the run.
	Done func(i int, row *CaseRow) error
	// Known returns rows of earlier runs by the name of a kind, used instead of computing them;
	// base asks for the rows of the design that a modification began with. It may be nil,
	// and is called from several goroutines.
	Known func(i int, base bool) map[string]*Row
}

// CaseRow is a case with its numbers.
type CaseRow struct {
	Case *Case
	Row  *Row
	// Base are the numbers of the design that a modification began with, against the same
	// reference: of kinds that have a key with Improved, and of the kinds before them that these
	// read; nil if there is none.
	Base *Row
}

// Result is the result of all cases.
type Result struct {
	Rows        []CaseRow // in the order of the input
	Models      []ModelResult
	Comparisons []report.Comparison
	Agreement   *Agreement // with ratings; nil without
	Warnings    []string

	// Blocks says what intervals delete in turn; empty without intervals.
	Blocks string
}

// Analyze scores all cases and summarizes them by model. Errors of one case are in its
// row; errors of Analyze: no cases, no metrics, two cases of one ID and snapshot, a row that Done
// refuses, and the end of the context.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}
