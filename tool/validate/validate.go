// Package validate is the validate binary: whether numbers that need no labels predict an outcome, and what choosing by
// them costs.
//
//	in, _, err := validate.Read("checkpoints.csv", validate.Columns{Outcome: "success"}, nil)
//	result, err := validate.Analyze(ctx, in, validate.Options{Intervals: true, Permutations: 999, Seed: 42})
//
// [New] makes the command for the analyses whose metrics it knows.
package validate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/measure/selection"
	"repscope/report"
	"repscope/stat"
)

// Definition numbers the meaning of the numbers.
const Definition = 1

// Unknown is the direction of a number that nothing describes, or that is better neither higher nor lower.
const Unknown report.Direction = "unknown"

// Input is a table of checkpoints or models.
type Input struct {
	Labels []string // of rows
	Run    []string // of rows; nil: every row is a run
	// Step is the training step of every row; nil where rows have no order.
	Step     []float64
	StepName string

	OutcomeName string
	Outcome     []float64
	Lower       bool          // a lower outcome is better
	Errors      []float64     // standard errors of outcomes; nil: not known
	Halves      *[2][]float64 // outcomes on two halves of the evaluation; nil: not known

	Numbers []Candidate
	// ValidationLoss is the name of the number that is the reference; empty: none.
	ValidationLoss string

	// Empty is the number of rows that were left out because they have no outcome.
	Empty int
	notes []string
}

// Candidate is one number of every row; NaN where it is missing.
type Candidate struct {
	Name      string
	Values    []float64
	Direction report.Direction
	From      string // what the direction is from: "description", "flag" or "none"
}

// Options are the choices of an analysis.
type Options struct {
	Intervals    bool
	Permutations int // 0: no p values
	Seed         uint64
	Threads      int
}

// Number is the result for one number.
type Number struct {
	Name      string           `json:"-"`
	Direction report.Direction `json:"direction"`
	From      string           `json:"direction_from"`
	Rows      int              `json:"rows"`
	Missing   int              `json:"missing"`

	Spearman report.Estimate `json:"spearman"`
	Kendall  report.Estimate `json:"kendall"`
	// Partial is the correlation after the ranks are regressed on the step.
	Partial report.Estimate `json:"partial"`
	// Within is the mean correlation inside runs, Between the correlation of means of runs.
	Within  report.Estimate `json:"within"`
	Between report.Estimate `json:"between"`
	// Reversed says that the intervals of the correlations within and between runs lie on different sides of 0: Simpson's
	// paradox.
	Reversed bool `json:"reversed"`
	// Disattenuated is Spearman's correlation without the error of the outcome.
	Disattenuated report.Estimate `json:"disattenuated"`
	// Statistic is the correlation that is tested, see [selection.Null].
	Statistic report.Value `json:"statistic"`
	P         report.Value `json:"p"`
	PHolm     report.Value `json:"p_holm"`
	PMax      report.Value `json:"p_max"`

	// Regret is the mean over runs of the outcome of the oracle less the outcome of the row that the number chooses.
	Regret report.Estimate `json:"regret"`
	// RegretScaled is Regret in standard deviations of the outcome inside runs.
	RegretScaled report.Value `json:"regret_scaled"`
	// RegretOverall is the regret of one choice among all rows.
	RegretOverall report.Value `json:"regret_overall"`
	// The outcome of the chosen row less the outcome of a reference, larger is better.
	OverLast           report.Estimate `json:"over_last"`
	OverRandom         report.Estimate `json:"over_random"`
	OverValidationLoss report.Estimate `json:"over_validation_loss"`
	Chosen             []Chosen        `json:"chosen"`

	values  []float64 // of rows
	regrets []float64 // of runs
}

// Chosen is the row that a number chooses in a run.
type Chosen struct {
	Run     string       `json:"run"`
	Row     string       `json:"row"`
	Ties    int          `json:"ties"`
	Outcome report.Value `json:"outcome"`
	Regret  report.Value `json:"regret"`
}

// Standard is a rule of choice that needs no number, with which numbers are compared.
type Standard struct {
	Outcome report.Estimate `json:"outcome"`
	Regret  report.Estimate `json:"regret"`

	name     string
	outcomes []float64 // of runs
}

// Result is the result of an analysis.
type Result struct {
	Rows, Runs, Choices int
	// WithinSD is the standard deviation of outcomes inside runs, the root of the mean variance.
	WithinSD    report.Value
	Reliability report.Value
	// OracleFrom says how the outcome of the best row is found: "halves", "errors" or "maximum".
	OracleFrom string
	Test       string // how p values are computed, or why not
	References []*Standard
	Numbers    []*Number
	Sentence   string
	Warnings   []string

	in *Input
}

// alpha is the level of decisions.
const alpha = 0.05

// analyzer holds what all numbers share.
type analyzer struct {
	in     *Input
	o      Options
	sign   float64 // of the outcome
	y      []float64
	groups *selection.Grouping
	runs   []string
	// choices are the rows among which each choice is made: of a run, or all rows where runs have one row each.
	choices [][]int
	names   []string // of choices
	oracle  selection.Oracle
	best    []float64 // of choices
	overall *float64  // of all rows
	result  *Result
}

// Analyze computes all numbers. Errors: fewer than 3 rows, an outcome that does not vary, no numbers.
func Analyze(ctx context.Context, in *Input, o Options) (*Result, error) {
	a := &analyzer{in: in, o: o, sign: 1, result: &Result{in: in, Rows: len(in.Outcome)}}
	if in.Lower {
		a.sign = -1
	}
	switch {
	case len(in.Outcome) < 3:
		what := "an outcome"
		if in.Errors != nil {
			what = "an outcome and its error"
		}
		return nil, fmt.Errorf("%s with %s; want at least 3", text.Count(len(in.Outcome), "row"), what)
	case slices.Min(in.Outcome) == slices.Max(in.Outcome):
		return nil, fmt.Errorf("the outcome %s is %v in all %d rows; nothing can predict it", in.OutcomeName, in.Outcome[0],
			len(in.Outcome))
	case len(in.Numbers) == 0:
		return nil, fmt.Errorf("there is no number next to the outcome %s", in.OutcomeName)
	}
	a.group()
	a.judge()
	for _, c := range in.Numbers {
		n, err := a.associate(ctx, c)
		if err != nil {
			return nil, err
		}
		a.result.Numbers = append(a.result.Numbers, n)
	}
	if err := a.test(ctx); err != nil {
		return nil, err
	}
	a.refer()
	for _, n := range a.result.Numbers {
		a.choose(n)
	}
	a.result.Sentence = a.result.sentence()
	a.warn()
	return a.result, nil
}

// group groups rows by runs.
func (a *analyzer) group() {
	labels := make([]int, len(a.in.Outcome))
	index := map[string]int{}
	for i := range labels {
		labels[i] = i
		if a.in.Run == nil {
			continue
		}
		k, ok := index[a.in.Run[i]]
		if !ok {
			k = len(a.runs)
			index[a.in.Run[i]], a.runs = k, append(a.runs, a.in.Run[i])
		}
		labels[i] = k
	}
	a.groups = selection.NewGrouping(labels, a.in.Step)
	runs := a.groups.Runs()
	a.result.Runs = len(runs)
	if a.groups.Single() {
		a.choices, a.names = [][]int{slices.Concat(runs...)}, []string{"all rows"}
	} else {
		for k, rows := range runs {
			if len(rows) > 1 {
				a.choices, a.names = append(a.choices, rows), append(a.names, a.runs[k])
			}
		}
	}
	a.result.Choices = len(a.choices)
}

// judge prepares the outcome: more is better from here on.
func (a *analyzer) judge() {
	turned := func(values []float64) []float64 {
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = a.sign * v
		}
		return out
	}
	a.y = turned(a.in.Outcome)
	a.oracle = selection.Oracle{Outcome: a.y, Errors: a.in.Errors, Seed: a.o.Seed}
	r := a.result
	r.OracleFrom = "maximum"
	if a.in.Errors != nil {
		r.OracleFrom = "errors"
	}
	if a.in.Halves != nil {
		a.oracle.Halves = &[2][]float64{turned(a.in.Halves[0]), turned(a.in.Halves[1])}
		r.OracleFrom = "halves"
	}
	r.Reliability = report.Undefined("neither --outcome-se nor --outcome-halves is given")
	if r.OracleFrom != "maximum" {
		r.Reliability = report.NumberOr(a.oracle.Reliability(), "the halves of the outcome do not vary")
	}
	squares, free := 0.0, 0.0
	for _, rows := range a.choices {
		a.best = append(a.best, a.oracle.Of(rows))
		values := make([]float64, len(rows))
		for k, i := range rows {
			values[k] = a.y[i]
		}
		_, variance := stat.MeanVariance(values)
		squares, free = squares+variance*float64(len(rows)-1), free+float64(len(rows)-1)
	}
	r.WithinSD = report.NumberOr(math.Sqrt(squares/free), "there is one row a run")
}

// sense is 1 where more of a number is better, −1 where less is, 0 where that is not known.
func sense(d report.Direction) float64 {
	switch d {
	case report.Higher:
		return 1
	case report.Lower:
		return -1
	}
	return 0
}

// test fills in p values.
func (a *analyzer) test(ctx context.Context) error {
	r := a.result
	lack := func(reason string) {
		for _, n := range r.Numbers {
			none := report.Undefined("%s", reason)
			n.Statistic, n.P, n.PHolm, n.PMax = none, none, none, none
		}
		r.Test = "none: " + reason
	}
	if a.o.Permutations == 0 {
		lack("no permutations are drawn (--permutations 0)")
		return nil
	}
	null, err := a.groups.NewNull(a.y)
	if err != nil {
		lack(stat.Reason(err))
		return nil
	}
	numbers := make([]selection.Number, len(r.Numbers))
	for k, n := range r.Numbers {
		numbers[k] = selection.Number{Values: n.values, Sign: sense(n.Direction)}
	}
	tested, err := null.MaxT(ctx, numbers, a.o.Permutations, a.o.Seed, a.o.Threads)
	if err != nil {
		return err
	}
	p := make([]float64, len(tested))
	for k, t := range tested {
		p[k] = t.P
	}
	holm := stat.Holm(p)
	for k, t := range tested {
		n := r.Numbers[k]
		n.Statistic, n.P = report.NumberOr(a.sign*t.Statistic, t.Reason), report.NumberOr(t.P, t.Reason)
		n.PHolm, n.PMax = report.NumberOr(holm[k], t.Reason), report.NumberOr(t.PMax, t.Reason)
	}
	switch {
	case null.Shifts:
		r.Test = fmt.Sprintf("ranks over runs at each of %d shared steps, less the means of runs; outcomes of "+
			"each run are shifted in time", null.Steps)
	case !a.groups.Single() && len(a.groups.Runs()) > 1:
		r.Test = "correlation inside runs; outcomes are permuted inside runs"
	default:
		r.Test = "correlation over all rows; outcomes are permuted"
		if a.in.Step != nil && a.groups.Single() {
			r.Test = "correlation of the residuals of ranks after " + a.in.StepName + ", which are permuted"
		}
	}
	return nil
}

// predicts reports whether a number is found to predict the outcome.
func (n *Number) predicts() bool { return n.PMax.Defined() && n.PMax.V < alpha }

// sentence is the result in words.
func (r *Result) sentence() string {
	tested, good := 0, []*Number{}
	var last *Number
	for _, n := range r.Numbers {
		if n.P.Defined() {
			tested, last = tested+1, n
		}
		if n.predicts() {
			good = append(good, n)
		}
	}
	switch {
	case tested == 0:
		return "Whether a number predicts " + r.in.OutcomeName + " is not tested: " + r.Numbers[0].P.Reason + "."
	case len(good) == 0 && tested == 1:
		return fmt.Sprintf("%s is not found to predict %s.", last.Name, r.in.OutcomeName)
	case len(good) == 0:
		return fmt.Sprintf("None of %d numbers is found to predict %s.", tested, r.in.OutcomeName)
	}
	slices.SortStableFunc(good, func(x, y *Number) int { return cmp.Compare(x.PMax.V, y.PMax.V) })
	if tested == 1 {
		return fmt.Sprintf("%s predicts %s, with p = %.2g.", last.Name, r.in.OutcomeName, last.PMax.V)
	}
	s := fmt.Sprintf("%d of %d numbers predict %s", len(good), tested, r.in.OutcomeName)
	return s + fmt.Sprintf(", %s with p = %.2g over all numbers.", good[0].Name, good[0].PMax.V)
}

// warn says what makes numbers doubtful.
func (a *analyzer) warn() {
	r := a.result
	say := func(format string, arguments ...any) {
		r.Warnings = append(r.Warnings, fmt.Sprintf(format, arguments...))
	}
	if a.in.Empty > 0 {
		say("%s without an outcome left out", were(a.in.Empty, "row"))
	}
	var lacking []string
	for _, n := range r.Numbers {
		if n.Missing > 0 {
			lacking = append(lacking, fmt.Sprintf("%s (%d)", n.Name, n.Missing))
		}
	}
	if lacking != nil {
		say("rows without a number were left out for it: %s", text.Few(lacking, mostListed))
	}
	if r.OracleFrom == "maximum" {
		say("the best outcome is the largest of several, which errors make too large: regrets are too high by an unknown " +
			"amount; give --outcome-se or --outcome-halves")
	}
	if v := r.Reliability; v.Defined() && v.V < 0.5 {
		say("the outcome has a reliability of %.2g: most of its variance is error", v.V)
	}
	free := 0
	for _, n := range r.Numbers {
		if n.Direction == Unknown {
			free++
		}
	}
	if free > 0 {
		say("the direction of %d of %d numbers is not known: their p values are two-sided, and other runs choose the "+
			"direction; say it with --higher or --lower before you look", free, len(r.Numbers))
	}
	if a.in.Step == nil && !a.groups.Single() {
		say("rows of a run have no order: neighboring checkpoints are alike, and p values without --after are too " +
			"small if rows are checkpoints")
	}
}

func were(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}
