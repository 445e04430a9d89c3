// What a comparison leaves: the result file, CSV files, figures and the console.

package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// modelPart is what the result file says of one model.
type modelPart struct {
	Files        []string     `json:"files"`
	Runs         []string     `json:"runs"`
	Metrics      int          `json:"metrics"`
	Best         int          `json:"best"`       // metrics in which it may be the best, and some other model may not
	BestAlone    int          `json:"best_alone"` // in which no other model may be
	Better       int          `json:"better"`     // than the baseline, decided
	Worse        int          `json:"worse"`
	AveragePlace report.Value `json:"average_rank"` // over the metrics that are ranked
}

// ranked is a row of the ranking.
type ranked struct {
	Task      string           `json:"task,omitempty"`
	Analysis  string           `json:"analysis,omitempty"`
	Metric    string           `json:"metric"`
	Direction report.Direction `json:"direction"`
	Order     []place          `json:"order"`
	Ties      [][]string       `json:"ties"` // groups of models that do not differ from each other
}

// place is the place of one model.
type place struct {
	Model  string       `json:"model"`
	Value  report.Value `json:"value"`
	Rank   int          `json:"rank"`
	Places []int        `json:"places"`
}

// bound is a bound of --fail-if-worse that is broken.
type bound struct {
	Metric   string  `json:"metric"`
	Model    string  `json:"model"`
	Value    float64 `json:"value"`
	Baseline float64 `json:"baseline_value"`
	Worse    float64 `json:"worse_percent"`
	Allowed  float64 `json:"allowed_percent"`
}

// enter fills the result file.
func (out *outcome) enter(env *run.Env) error {
	extra := &env.Result.Extra
	if r := out.result; r != nil {
		for x, name := range r.Models {
			env.Result.Models.Set(name, r.part(x, out.gathered))
		}
		if r.Baseline != "" {
			extra.Set("baseline", r.Baseline)
		}
		extra.Set("tasks", r.Tasks)
		extra.Set("table", r.tableParts())
		extra.Set("ranking", r.ranking())
		extra.Set("decisions", r.Decisions)
		if len(r.Studies) > 0 {
			extra.Set("studies", r.Studies)
		}
	}
	if len(out.losses) > 0 {
		var losses report.Object
		for _, l := range out.losses {
			losses.Set(l.Name, l)
			if out.result == nil {
				env.Result.Models.Set(l.Name, lossPart(l))
			}
		}
		extra.Set("losses", &losses)
	}
	if out.selected != nil {
		extra.Set("selected", out.selected)
	}
	bounds := []bound{}
	for _, b := range out.broken {
		bounds = append(bounds, bound{b.Row.Title(), b.Model, b.Value, b.Base, b.Percent, b.Bound})
	}
	extra.Set("broken_bounds", bounds)
	return nil
}

// lossPart are the last and best losses of a run.
func lossPart(l *Losses) *report.Object {
	var o report.Object
	for _, c := range l.Curves {
		var part report.Object
		part.Set("final", c.Final)
		part.Set("best", c.Best)
		o.Set(c.Column, &part)
	}
	return &o
}

// part summarizes a model.
func (r *Result) part(x int, g *Gathered) modelPart {
	p := modelPart{Files: []string{}, Runs: []string{}}
	for _, f := range g.Files {
		for _, m := range f.Models {
			if m.Name != r.Models[x] {
				continue
			}
			if !slices.Contains(p.Files, f.Path) {
				p.Files = append(p.Files, f.Path)
			}
			if m.Run != "" && !slices.Contains(p.Runs, m.Run) {
				p.Runs = append(p.Runs, m.Run)
			}
		}
	}
	places, counted := 0, 0
	for _, row := range r.Table {
		cell := row.Cells[x]
		if cell == nil {
			continue
		}
		p.Metrics++
		if cell.Best {
			p.Best++
			if !slices.ContainsFunc(row.Cells, func(other *Cell) bool { return other != nil && other != cell && (other.Best || other.untested()) }) {
				p.BestAlone++
			}
		}
		switch cell.Decision {
		case "better":
			p.Better++
		case "worse":
			p.Worse++
		}
		if cell.Rank > 0 {
			places += cell.Rank
			counted++
		}
	}
	p.AveragePlace = report.Undefined("no metric is ranked")
	if counted > 0 {
		p.AveragePlace = report.Number(float64(places) / float64(counted))
	}
	return p
}

// tableParts are the rows for the result file, each with the models that have it.
func (r *Result) tableParts() []any {
	var out []any
	for _, row := range r.Table {
		var models report.Object
		for x, cell := range row.Cells {
			if cell != nil {
				models.Set(r.Models[x], cell)
			}
		}
		out = append(out, tablePart{Row: *row, Models: models})
	}
	return out
}

// tablePart is a row with its models.
type tablePart struct {
	Row
	Models report.Object `json:"models"`
}

// ranking are the places of the models in every metric that has a direction.
func (r *Result) ranking() []ranked {
	out := []ranked{}
	for _, row := range r.Table {
		if row.sense() == 0 {
			continue
		}
		one := ranked{Task: row.Task, Analysis: row.Analysis, Metric: row.Metric, Direction: row.Direction, Order: []place{}, Ties: [][]string{}}
		for x, cell := range row.Cells {
			if cell != nil && cell.Rank > 0 {
				one.Order = append(one.Order, place{r.Models[x], cell.Value, cell.Rank, cell.Places})
			}
		}
		slices.SortStableFunc(one.Order, func(a, b place) int {
			switch d := row.sense() * (a.Value.V - b.Value.V); {
			case d > 0:
				return -1
			case d < 0:
				return 1
			}
			return 0
		})
		for _, g := range row.groups {
			var names []string
			for _, x := range g {
				names = append(names, r.Models[x])
			}
			one.Ties = append(one.Ties, names)
		}
		out = append(out, one)
	}
	return out
}

// write writes tables and figures.
func (out *outcome) write(env *run.Env, orient string) error {
	if r := out.result; r != nil {
		for _, name := range []string{"compare_table.csv", "compare_table.md", "compare_table.tex"} {
			if err := env.Files.File(name, func(w io.Writer) error { return r.WriteTable(w, name, orient) }); err != nil {
				return err
			}
		}
		if err := env.Figure("compare", r.Figure()); err != nil {
			return err
		}
		if len(r.Studies) > 0 {
			if err := out.writeStudies(env); err != nil {
				return err
			}
		}
	}
	if len(out.losses) == 0 {
		return nil
	}
	if err := out.writeLosses(env); err != nil {
		return err
	}
	return env.Figure("compare_losses", LossFigure(out.losses))
}

func (out *outcome) writeStudies(env *run.Env) error {
	columns := []string{"Analysis", "Metric", "Model", "Statistic", "Estimate", "Low", "High", "Reason",
		"Samples_Low", "Samples_High"}
	err := env.Files.CSV("compare_study.csv", columns, func(csv *report.CSV) error {
		for _, s := range out.result.Studies {
			for _, name := range s.names {
				for _, line := range s.of[name].lines() {
					if err := csv.Row(s.Analysis, s.Metric, name, line.name, line.value, low(line.ci), high(line.ci),
						line.value.Reason, optionalEnd(line.samples, low), optionalEnd(line.samples, high)); err != nil {
						return err
					}
				}
			}
			for _, i := range s.Improvement {
				statistic := "probability_of_improvement over " + i.B
				if err := csv.Row(s.Analysis, s.Metric, i.A, statistic, i.Probability, low(i.CI), high(i.CI),
					i.Probability.Reason, nil, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = env.Files.CSV("compare_profiles.csv", []string{"Analysis", "Metric", "Model", "Threshold", "Share", "Low", "High"}, func(csv *report.CSV) error {
		for _, s := range out.result.Studies {
			for _, name := range s.names {
				p := s.Profiles.of[name]
				for i, threshold := range s.Profiles.Thresholds {
					if err := csv.Row(s.Analysis, s.Metric, name, threshold, p.Share[i], p.Low[i], p.High[i]); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return env.Figure("compare_study", out.result.StudyFigure())
}

// line is one statistic of an aggregate.
type line struct {
	name    string
	value   report.Value
	ci      report.Interval
	samples *report.Interval // about other samples too
}

// optionalEnd is an end of an interval, nil where there is none.
func optionalEnd(i *report.Interval, end func(report.Interval) any) any {
	if i == nil {
		return nil
	}
	return end(*i)
}

func (a *Aggregate) lines() []line {
	lines := []line{{"iqm", a.IQM, a.IQMCI, a.IQMSamplesCI}, {"mean", a.Mean, a.MeanCI, a.MeanSamplesCI},
		{"median", a.Median, a.MedianCI, a.MedianSamplesCI}, {"average_rank", a.AverageRank, a.AverageRankCI, nil}}
	if a.OptimalityGap != nil {
		lines = append(lines, line{"optimality_gap", *a.OptimalityGap, *a.OptimalityGapCI, nil})
	}
	if a.Ratio != nil {
		lines = append(lines, line{"geometric_mean_ratio", *a.Ratio, *a.RatioCI, nil})
	}
	return lines
}

func (out *outcome) writeLosses(env *run.Env) error {
	return env.Files.CSV("compare_losses.csv", []string{"Name", "Column", "Axis", "Points", "Undefined", "Final", "Final_At", "Best", "Best_At"}, func(csv *report.CSV) error {
		for _, l := range out.losses {
			for _, c := range l.Curves {
				if err := csv.Row(l.Name, c.Column, l.X, c.Points, c.Undefined, c.Final, c.FinalAt, c.Best, c.BestAt); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// print writes the tables to the console.
func (out *outcome) print(env *run.Env) error {
	if out.result != nil {
		verbose := env.Options.Verbose
		var tables []*report.Table
		if verbose || len(out.result.Studies) == 0 {
			tables = out.result.Console(verbose)
		}
		for i, s := range out.result.Studies {
			t := s.table(verbose)
			if words := out.result.inTasks(s); words != "" && !verbose {
				t.Note("%s", words)
				if i == len(out.result.Studies)-1 {
					out.result.noteDecisions(t)
				}
			}
			if i == len(out.result.Studies)-1 && !verbose {
				for _, words := range out.result.ungraded(out.result.Table) {
					t.Note("%s", words)
				}
			}
			tables = append(tables, t)
		}
		for _, t := range tables {
			if err := env.Table(t); err != nil {
				return err
			}
		}
	}
	if len(out.losses) > 0 {
		t := report.NewTable("Losses", "Name", "Column", "Points", "Final", "at", "Best", "at", "")
		for _, l := range out.losses {
			for _, c := range l.Curves {
				t.Row(l.Name, c.Column, c.Points, c.Final, stepText(c.FinalAt), c.Best, stepText(c.BestAt), l.X)
				if c.Undefined > 0 {
					t.Note("%s of %s: %s left out for NaN or Inf", c.Column, l.Name, text.Count(c.Undefined, "point"))
				}
			}
		}
		if len(out.losses) > 1 {
			t.Note("Losses of different names are different functions and are not ranked")
		}
		if err := env.Table(t); err != nil {
			return err
		}
	}
	for _, s := range out.selected {
		env.Print("%s\n", s.Sentence)
	}
	return nil
}

// inTasks is what most tasks of a study say in words, and how many do; empty where there are no words.
func (r *Result) inTasks(s *Study) string {
	count, usual, rows := map[string]int{}, "", 0
	for _, row := range r.Table {
		if row.Analysis != s.Analysis || row.Metric != s.Metric {
			continue
		}
		rows++
		if count[row.Sentence]++; count[row.Sentence] > count[usual] {
			usual = row.Sentence
		}
	}
	if usual == "" {
		return ""
	}
	return fmt.Sprintf("in %d of %d tasks: %s", count[usual], rows, usual)
}

// table is a study for the console.
func (s *Study) table(verbose bool) *report.Table {
	title := strings.TrimSpace(fmt.Sprintf("%s %s", s.Metric, s.Direction.Arrow()))
	t := report.NewTable(fmt.Sprintf("%s over %d tasks", title, len(s.Tasks)), "Model", "IQM", "Mean", "Median", "Average rank")
	for _, name := range s.names {
		a := s.of[name]
		t.Row(name, report.WithInterval(a.IQM, a.IQMCI), report.WithInterval(a.Mean, a.MeanCI), report.WithInterval(a.Median, a.MedianCI),
			report.WithInterval(a.AverageRank, a.AverageRankCI))
	}
	t.Note("[95 %% intervals] about %s", s.About)
	if s.halves != nil {
		t.Note("For one model on other samples: Samples_Low and Samples_High in compare_study.csv")
	}
	for _, g := range s.Groups {
		t.Note("no test separates the ranks of %s (signed rank tests over tasks, Holm)", listed(g))
	}
	if !verbose {
		return t
	}
	for _, i := range s.Improvement {
		if i.Probability.Defined() {
			t.Note("%s is better than %s in a run with probability %s", i.A, i.B, report.FormatEstimate(i.Probability.V, i.CI))
		}
	}
	for _, note := range s.Notes {
		t.Note("%s", note)
	}
	return t
}

// stepText is a step or an epoch: a whole number as such.
func stepText(v report.Value) any {
	if v.Defined() && v.V == math.Trunc(v.V) && math.Abs(v.V) < 1<<53 {
		return int(v.V)
	}
	return v
}
