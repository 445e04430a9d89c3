// CSV files, tables of the console and the sentences for a paper.

package command

import (
	"fmt"
	"io"
	"math"
	"slices"

	"repscope/analysis/audit"
	"repscope/analysis/internal/output"
	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// writePairs writes each tested state with its nearest training state.
func writePairs(env *run.Env, in *loaded, r *audit.Result) error {
	columns := []string{"Test_Row", "Test_Episode", "Train_Row", "Train_Episode", "Distance", "P", "Duplicate", "Near",
		"Part"}
	return env.Files.CSV("audit_pairs.csv", columns, func(csv *report.CSV) error {
		for _, t := range r.Tests {
			for _, row := range t.Rows {
				var nearest, episode any = "", ""
				if row.Nearest >= 0 {
					nearest, episode = in.row(row.Nearest), in.episodeOf(row.Nearest)
				}
				if err := csv.Row(in.row(row.State), in.episodeOf(row.State), nearest, episode,
					report.NumberOr(row.Distance, "no near training sequence"), report.NumberOr(row.P, "no training states of other "+
						"episodes"), row.Duplicate, row.Near, t.Name); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeDrops writes the tested states that leak.
func writeDrops(env *run.Env, in *loaded, r *audit.Result) error {
	return env.Files.CSV("audit_rows_to_drop.csv", []string{"Row", "Episode", "Part", "Reason"},
		func(csv *report.CSV) error {
			for _, t := range r.Tests {
				for _, row := range t.Rows {
					reason := "near"
					if row.Duplicate {
						reason = "duplicate"
					}
					if !row.Leaks() {
						continue
					}
					if err := csv.Row(in.row(row.State), in.episodeOf(row.State), t.Name, reason); err != nil {
						return err
					}
				}
			}
			return nil
		})
}

// writeRecordings writes the findings inside recordings.
func writeRecordings(env *run.Env, in *loaded, r *audit.Result) error {
	columns := []string{"Kind", "Row", "Part", "Episode", "Other_Episode", "Length", "Offset"}
	return env.Files.CSV("audit_recordings.csv", columns, func(csv *report.CSV) error {
		for _, f := range r.Recordings.Found {
			if err := csv.Row(f.Kind, in.row(f.State), in.Split[f.State], in.episodeOf(f.State), f.Other, f.Length,
				f.Offset); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeCurves writes scores over the distance to the nearest training state.
func writeCurves(env *run.Env, r *audit.Result) error {
	if !slices.ContainsFunc(r.Tests, func(t audit.Test) bool { return t.Scores.Len() > 0 }) {
		return nil
	}
	columns := []string{"Part", "Score", "Distance_Low", "Distance_High", "States", "Mean"}
	return env.Files.CSV("audit_score_by_distance.csv", columns, func(csv *report.CSV) error {
		for i := range r.Tests {
			t := &r.Tests[i]
			for _, name := range t.Scores.Keys() {
				for _, b := range t.Score(name).Curve {
					if err := csv.Row(t.Name, name, b.Low, b.High, b.States, b.Mean); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// writeSplit writes the new split.
func (f *options) writeSplit(env *run.Env, r *audit.Result) error {
	if r.Repaired == nil {
		return nil
	}
	numbers := make([]int64, len(r.Repaired))
	for i, name := range r.Repaired {
		numbers[i] = int64(slices.IndexFunc(r.Parts, func(p audit.Part) bool { return p.Name == name }))
	}
	return env.Files.Elsewhere(f.split.write, func(w io.Writer) error {
		return dataset.EncodeNPY(w, []int{len(numbers)},
			numbers)
	})
}

// printTables writes the tables to the console.
func printTables(env *run.Env, in *loaded, r *audit.Result, o audit.Options) error {
	table := report.NewTable("", "Part", "States", "Training", "Leaking", "Duplicates", "Near", "Nearer than next",
		"Episodes on both sides")
	for _, t := range r.Tests {
		table.Row(t.Name, t.States, t.Training, t.Leaking, t.Duplicates.Share, t.Near.Share, t.Near.NearerThanNext,
			t.EpisodesOnBothSides)
	}
	note := "shares of tested states"
	if r.Blocks != "" {
		note += "; [95 % intervals] by deleting each of " + r.Blocks
	}
	table.Note("%s", note)
	table.Note("Near: %s", nearIs(in, o))
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	scores := report.NewTable("Scores", "Part", "Score", "Metric", "All", "Clean", "All − clean", "Retrieval",
		"Retrieval, leaking", "Retrieval, clean")
	rows := 0
	for i := range r.Tests {
		t := &r.Tests[i]
		for _, name := range t.Scores.Keys() {
			s := t.Score(name)
			scores.Row(t.Name, name, s.Metric, s.All, s.Clean, s.Difference, s.Retrieval.All, s.Retrieval.Leaking,
				s.Retrieval.Clean)
			rows++
		}
	}
	if rows > 0 {
		scores.Note("Clean: without leaking states; retrieval: the target of the nearest training state")
		if err := env.Table(scores); err != nil {
			return err
		}
	}
	if in.Sequences != nil {
		return env.Details(partsTable(r))
	}
	c := r.Recordings
	counts := report.NewTable("Recordings", "Frozen states", "Stretches", "Constant", "Cuts", "Expected",
		"Copied episodes", "Reversed")
	counts.Row(c.Frozen, c.Stretches, c.Constant, c.Cuts, c.CutsExpected, c.Copies, c.Reversed)
	if err := env.Table(counts); err != nil {
		return err
	}
	return env.Details(partsTable(r))
}

// partsTable describes the parts.
func partsTable(r *audit.Result) *report.Table {
	parts := report.NewTable("Parts", "Part", "States", "Episodes", "n eff.", "Duplicates", "Energy distance", "p",
		"Conflicting labels", "Unseen labels")
	for _, p := range r.Parts {
		cells := []any{p.Name, p.States, p.Episodes, p.EffectiveSize, p.Duplicates, "", "", "", ""}
		for _, t := range r.Tests {
			if t.Name != p.Name {
				continue
			}
			if t.Drift != nil {
				cells[5], cells[6] = t.Drift.Energy, report.Probability(t.Drift.P)
			}
			if t.Labels != nil {
				cells[7], cells[8] = t.Labels.Conflicting, t.Labels.Unseen
			}
		}
		parts.Row(cells...)
	}
	return parts
}

// nearIs says when a state is near.
func nearIs(in *loaded, o audit.Options) string {
	if in.Sequences != nil {
		return fmt.Sprintf("a training sequence has an identity of at least %g", o.LeastIdentity)
	}
	return fmt.Sprintf("the nearest training state is nearer than %g %% of training states have one of another episode",
		100*(1-o.FalseAlarm))
}

// sentencesOf say the outcome as a paper can.
func sentencesOf(in *loaded, r *audit.Result, o audit.Options) []string {
	var out []string
	for i := range r.Tests {
		t := &r.Tests[i]
		unit := in.unit()
		states := text.Count(t.States, unit)
		s := fmt.Sprintf("%s of the %s of %s have an equal training %s", percent(t.Duplicates.Share), states, t.Name, unit)
		switch {
		case in.Sequences != nil:
			s = fmt.Sprintf("%s of the %s of %s have a training sequence with an identity of at least %g", percent(t.Leaking),
				states,
				t.Name, o.LeastIdentity)
		case t.Near.Threshold.Defined():
			s = fmt.Sprintf("%s of the %s of %s have a training state nearer than %g %% of training states have one of "+
				"another episode", percent(t.Leaking), states, t.Name, 100*(1-o.FalseAlarm))
		}
		for _, name := range t.Scores.Keys() {
			score := t.Score(name)
			if score.All.Defined() && score.Clean.Defined() && t.LeakingRows > 0 {
				s += fmt.Sprintf("; without them %s of %s is %s instead of %s", metricNames[score.Metric], name,
					short(score.Clean.V), short(score.All.V))
			}
		}
		out = append(out, s+".")
	}
	return out
}

var metricNames = map[string]string{"mean": "the mean", "accuracy": "the accuracy", "r2": "R²"}

// percent is a share with its interval.
func percent(e report.Estimate) string {
	s := short(100*e.V) + " %"
	if e.CI.Defined() {
		s += fmt.Sprintf(" [%s, %s]", short(100*e.CI.Low), short(100*e.CI.High))
	}
	return s
}

// short has three digits.
func short(v float64) string {
	if math.Abs(v) >= 1 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
