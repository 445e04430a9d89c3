// The result file, the CSV files and the console.

package validate

import (
	"cmp"
	"math"
	"slices"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// outcomePart is what the result file says of the outcome.
type outcomePart struct {
	Name        string           `json:"name"`
	Direction   report.Direction `json:"direction"`
	Rows        int              `json:"rows"`
	LeftOut     int              `json:"left_out"`
	Runs        int              `json:"runs"`
	WithinSD    report.Value     `json:"within_sd"`
	Reliability report.Value     `json:"reliability"`
	OracleFrom  string           `json:"oracle_from"`
	Step        string           `json:"step,omitempty"`            // the column of steps
	Loss        string           `json:"validation_loss,omitempty"` // the column of the validation loss
}

// direction is which outcomes are better.
func (r *Result) direction() report.Direction {
	if r.in.Lower {
		return report.Lower
	}
	return report.Higher
}

// write puts the result into the result file, the CSV files, the console and the figure.
func (r *Result) write(env *run.Env) error {
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	extra := &env.Result.Extra
	extra.Set("outcome", outcomePart{Name: r.in.OutcomeName, Direction: r.direction(), Rows: r.Rows, LeftOut: r.in.Empty,
		Runs: r.Runs, WithinSD: r.WithinSD, Reliability: r.Reliability, OracleFrom: r.OracleFrom,
		Step: r.in.StepName, Loss: r.in.ValidationLoss})
	var references, numbers report.Object
	for _, ref := range r.References {
		references.Set(ref.name, ref)
	}
	for _, n := range r.Numbers {
		numbers.Set(n.Name, n)
	}
	extra.Set("reference", &references)
	extra.Set("numbers", &numbers)
	extra.Set("test", r.Test)
	extra.Set("sentence", r.Sentence)
	if err := r.writeNumbers(env); err != nil {
		return err
	}
	if err := r.writeChoices(env); err != nil {
		return err
	}
	if err := r.print(env); err != nil {
		return err
	}
	return env.Figure("validate", r.Figure())
}

// quantity is one result for a number.
type quantity struct {
	name string
	e    report.Estimate
}

// quantities are all that is found of a number.
func (n *Number) quantities() []quantity {
	plain := func(v report.Value) report.Estimate { return report.Estimate{Value: v} }
	return []quantity{{"spearman", n.Spearman}, {"kendall", n.Kendall}, {"partial", n.Partial}, {"within", n.Within},
		{"between", n.Between}, {"disattenuated", n.Disattenuated}, {"statistic", plain(n.Statistic)}, {"p", plain(n.P)},
		{"p_holm", plain(n.PHolm)}, {"p_max", plain(n.PMax)}, {"regret", n.Regret}, {"regret_scaled", plain(n.RegretScaled)},
		{"regret_overall", plain(n.RegretOverall)}, {"over_last", n.OverLast}, {"over_random", n.OverRandom},
		{"over_validation_loss", n.OverValidationLoss}}
}

// writeNumbers writes a row for each quantity of each number, and of each reference.
func (r *Result) writeNumbers(env *run.Env) error {
	columns := []string{"Kind", "Name", "Direction", "Quantity", "Estimate", "Low", "High", "Reason"}
	return env.Files.CSV(tables[0], columns, func(csv *report.CSV) error {
		row := func(kind, name, direction string, q quantity) error {
			low, high := ends(q.e.CI)
			reason := cmp.Or(q.e.Reason, q.e.CI.Reason)
			return csv.Row(kind, name, direction, q.name, report.Number(q.e.Float()), low, high, reason)
		}
		for _, n := range r.Numbers {
			for _, q := range n.quantities() {
				if err := row("number", n.Name, string(n.Direction), q); err != nil {
					return err
				}
			}
		}
		for _, ref := range r.References {
			for _, q := range []quantity{{"outcome", ref.Outcome}, {"regret", ref.Regret}} {
				if err := row("reference", ref.name, "", q); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ends are the ends of an interval, NaN without one.
func ends(i report.Interval) (low, high float64) {
	if !i.Defined() {
		return math.NaN(), math.NaN()
	}
	return i.Low, i.High
}

// writeChoices writes the row that each number chooses in each run.
func (r *Result) writeChoices(env *run.Env) error {
	columns := []string{"Number", "Run", "Row", "Ties", "Outcome", "Regret"}
	return env.Files.CSV(tables[1], columns, func(csv *report.CSV) error {
		for _, n := range r.Numbers {
			for _, c := range n.Chosen {
				if err := csv.Row(n.Name, c.Run, c.Row, c.Ties, c.Outcome, c.Regret); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ordered are the numbers by their regret, those without one last.
func (r *Result) ordered() []*Number {
	key := func(n *Number) float64 {
		if !n.Regret.Defined() {
			return math.Inf(1)
		}
		return n.Regret.V
	}
	out := slices.Clone(r.Numbers)
	slices.SortStableFunc(out, func(x, y *Number) int { return cmp.Compare(key(x), key(y)) })
	return out
}

// mostPrinted is the most numbers of the console.
const mostPrinted = 20

// print writes the tables of the console.
func (r *Result) print(env *run.Env) error {
	t := report.NewTable("", "Number", "Spearman", "After step", "Within runs", "p", "p (all numbers)", "Regret",
		"Regret/SD", "Over last")
	for i, n := range r.ordered() {
		if i == mostPrinted {
			t.Note("%d more numbers are in %s", len(r.Numbers)-i, tables[0])
			break
		}
		t.Row(n.Name+n.Direction.Arrow(), n.Spearman, n.Partial, n.Within, report.Probability(n.P),
			report.Probability(n.PMax), n.Regret, n.RegretScaled, n.OverLast)
	}
	t.Note("outcome: %s%s, %s, %s; [95 %% intervals]", r.in.OutcomeName, r.direction().Arrow(),
		text.Count(r.Rows, "row"), text.Count(r.Runs, "run"))
	t.Note("p: %s", r.Test)
	if err := env.Table(t); err != nil {
		return err
	}
	t = report.NewTable("References", "Choice", "Outcome", "Regret")
	for _, ref := range r.References {
		if ref.outcomes != nil {
			t.Row(referenceNames[ref.name], ref.Outcome, ref.Regret)
		}
	}
	t.Note("oracle: %s", oracleWords[r.OracleFrom])
	if err := env.Table(t); err != nil {
		return err
	}
	env.Print("%s\n", r.Sentence)
	for _, n := range r.Numbers {
		if n.Reversed {
			env.Print("%s: %.2f within runs, but %.2f between them (Simpson's paradox).\n", n.Name, n.Within.V, n.Between.V)
		}
	}
	return nil
}

// referenceNames are the references in words.
var referenceNames = map[string]string{"oracle": "best checkpoint", "last": "last checkpoint",
	"random": "random checkpoint", "validation_loss": "least validation loss"}

// oracleWords say how the best outcome is found.
var oracleWords = map[string]string{
	"halves":  "the best row by one half of the evaluation, judged by the other half",
	"errors":  "the best row by a half of the evaluation that is drawn from the errors, judged by the other half",
	"maximum": "the largest outcome, which is too large if outcomes have errors",
}
