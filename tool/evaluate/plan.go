// What a study would do: --list and --dry-run.

package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// listTasks prints the tasks and whether they are done.
func (s *study) listTasks(w io.Writer) error {
	var all error
	for _, p := range s.tasks {
		_, err := fmt.Fprintf(w, "%-10s %s\n", p.state, p.Name())
		all = errors.Join(all, err)
	}
	return all
}

// plannedTask is what would become of a task.
type plannedTask struct {
	Dataset  string   `json:"dataset"`
	Analysis string   `json:"analysis"`
	State    string   `json:"state"`                  // run, unchanged, left out or wrong
	Reasons  []string `json:"reasons,omitempty"`      // why it would be run, is left out or cannot be run
	Lacking  []string `json:"not_measured,omitempty"` // models that would not be measured, and why
	Folder   string   `json:"folder"`
	Files    []string `json:"files,omitempty"`
	// Encoding is about the seconds that encoding would take for this task alone; null where that is not known.
	Encoding *float64 `json:"encoding_s,omitempty"`
}

// dryRun finds what would become of each task: it opens the inputs of those that would be run, encodes a few states,
// and writes nothing.
func (s *study) dryRun(ctx context.Context) ([]plannedTask, error) {
	var tasks []plannedTask
	for _, p := range s.tasks {
		t := plannedTask{Dataset: p.Dataset, Analysis: p.Analysis, State: "run", Reasons: p.reasons, Folder: s.folderOf(p)}
		if p.state == unchanged {
			t.State = unchanged
		} else if err := p.foresee(ctx, &t); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			_, lines := run.Exit(err)
			t.State, t.Reasons = "wrong", lines
		}
		t.likeEarlier()
		tasks = append(tasks, t)
	}
	for _, name := range s.omitted {
		dataset, analysis, _ := strings.Cut(name, "/")
		tasks = append(tasks, plannedTask{Dataset: dataset, Analysis: analysis, State: "left out", Reasons: []string{"--only or --skip"}})
	}
	return tasks, nil
}

// likeEarlier names files as the earlier run of the task has written them, if there is one: compressed or not.
func (t *plannedTask) likeEarlier() {
	d := readDone(t.Folder)
	if d == nil {
		return
	}
	for i, name := range t.Files {
		if slices.ContainsFunc(d.Outputs, func(f file) bool { return f.Path == name+gunzip.Ending }) {
			t.Files[i] += gunzip.Ending
		}
	}
}

// foresee asks the analysis what it would write.
func (p *planned) foresee(ctx context.Context, t *plannedTask) error {
	if !slices.Contains(run.FlagNames(p.Task.Task.Command), "dry-run") {
		t.Files = []string{p.Analysis + ".json"} // it does not say
		return nil
	}
	task := p.Task.Task
	task.Args = append(slices.Clone(task.Args), "--out", t.Folder, "--quiet", "--dry-run", "--json")
	var answer bytes.Buffer
	if err := task.Run(ctx, &answer, io.Discard); err != nil {
		return err
	}
	var plan struct {
		Output struct{ Files []string }
		Models []struct {
			Name, Reason string
			Skipped      bool
		}
		Time struct {
			Encoding float64  `json:"encoding_s"`
			Unknown  []string `json:"encoding_unknown"`
		}
	}
	if err := json.Unmarshal(answer.Bytes(), &plan); err != nil {
		return fmt.Errorf("the plan of %s: %w", p.Name(), err)
	}
	t.Files = plan.Output.Files
	for _, m := range plan.Models {
		if m.Skipped {
			t.Lacking = append(t.Lacking, m.Name+": "+m.Reason)
		}
	}
	if len(plan.Time.Unknown) == 0 {
		t.Encoding = &plan.Time.Encoding
	}
	return nil
}

// ownFiles are the names of the files of a study or a report, besides its result.
func ownFiles(summary, page string) []string {
	return []string{summary + ".json", summary + ".csv", page + ".html", "repscope__*_mqc.json"}
}

// reads are the files that tasks read, as far as their options name them, and the suite.
func (s *study) reads(suite *Suite) []string {
	list := []string{suite.Path}
	for _, p := range s.tasks {
		for _, v := range p.settled.Values {
			if path := pathOf(v.Text); path != "" && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// writePlan prints what would become of the tasks, as JSON if asked for.
func (s *study) writePlan(w io.Writer, tasks []plannedTask, asJSON bool) error {
	outputs := []string{"summary.json", "summary.csv", "evaluate.json", "report.html", "*_mqc.json"}
	if asJSON {
		return report.Encode(w, struct {
			Schema string        `json:"schema"`
			Out    string        `json:"out"`
			Files  []string      `json:"files"`
			Over   int           `json:"compress_over_bytes"` // of results and tables of tasks
			Tasks  []plannedTask `json:"tasks"`
		}{"repscope/study-plan/1", s.folder, outputs, largestPlain, tasks})
	}
	var b strings.Builder
	count := map[string]int{}
	for _, t := range tasks {
		count[t.State]++
		fmt.Fprintf(&b, "%-10s %s/%s", t.State, t.Dataset, t.Analysis)
		if t.Encoding != nil && *t.Encoding > 0 {
			fmt.Fprintf(&b, ", about %.2g s of encoding by itself", *t.Encoding)
		}
		b.WriteString("\n")
		for _, r := range t.Reasons {
			fmt.Fprintf(&b, "           because: %s\n", r)
		}
		for _, l := range t.Lacking {
			fmt.Fprintf(&b, "           not measured: %s\n", l)
		}
		if len(t.Files) > 0 {
			fmt.Fprintf(&b, "           writes %s: %s\n", t.Folder, strings.Join(t.Files, ", "))
		}
	}
	fmt.Fprintf(&b, "%d to run, %d unchanged, %d left out, %d that cannot be run; then %s: %s\n",
		count["run"], count[unchanged], count["left out"], count["wrong"], s.folder, strings.Join(outputs, ", "))
	if count["run"] > 0 {
		fmt.Fprintf(&b, "results and tables over %s are written compressed, as NAME.json.gz and NAME.csv.gz; "+
			"comparisons of this size are in the result alone\n", text.Bytes(largestPlain))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// countOf is the number of tasks in a state.
func countOf(tasks []plannedTask, state string) (n int) {
	for _, t := range tasks {
		if t.State == state {
			n++
		}
	}
	return n
}
