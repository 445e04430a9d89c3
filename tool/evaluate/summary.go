// What all results of a study say: the result file, summary.json and summary.csv.

package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
	"repscope/tool/evaluate/page"
)

// summarize writes the files of the study itself.
func (s *settings) summarize(env *run.Env, st *study, suite *Suite) error {
	sections, err := st.sections()
	if err != nil {
		return err
	}
	v, err := suite.arrangement.arrange(sections, suite.checkpoints)
	if err != nil {
		return err
	}
	env.Result.Extra.Set("tasks", st.states())
	if len(suite.arrangement.Models) > 0 {
		env.Result.Extra.Set("arrangement", suite.arrangement.Models)
	}
	for _, w := range v.warnings {
		env.Warn("%s", w)
	}
	for _, sec := range sections {
		for _, w := range sec.Result.Warnings {
			env.Result.Warnings = append(env.Result.Warnings, sec.Folder+": "+w)
		}
	}
	if err := writeSummary(env.Files, "summary", v); err != nil {
		return err
	}
	p := v.page(filepath.Base(st.folder), &env.Options)
	for _, t := range st.tasks {
		if t.err != nil {
			_, lines := run.Exit(t.err)
			p.Failures = append(p.Failures, t.Name()+": "+strings.Join(lines, "; "))
		}
	}
	return s.writePage(env.Files, reportWord, "summary", p)
}

// checkpoints are the models of a table that patterns name.
func (s *Suite) checkpoints(t *page.Table) []page.Checkpoint {
	for _, d := range s.Datasets {
		if d.Name == t.Dataset {
			return d.Checkpoints
		}
	}
	return nil
}

// page is the page of a view.
func (v *view) page(title string, o *run.Options) *page.Page {
	return &page.Page{Title: title, Sections: v.sections, Tables: v.tables, Groups: v.groups, WidthMM: o.WidthMM}
}

// writeSummary writes NAME.json and NAME.csv.
func writeSummary(files *report.Transaction, name string, v *view) error {
	if err := files.File(name+".json", func(w io.Writer) error { return report.Encode(w, v.summary()) }); err != nil {
		return err
	}
	return writeRows(files, name+".csv", v.sections)
}

// states says what became of each task; that one was done before makes no difference.
func (s *study) states() []any {
	var tasks []any
	for _, p := range s.tasks {
		var o report.Object
		o.Set("dataset", p.Dataset)
		o.Set("analysis", p.Analysis)
		state := p.state
		if state == unchanged {
			state = finished
		}
		o.Set("state", state)
		if p.err != nil {
			_, lines := run.Exit(p.err)
			o.Set("reason", strings.Join(lines, "; "))
		}
		tasks = append(tasks, o)
	}
	return tasks
}

// summary is the tables: for each dataset the columns and, by model, a value with its interval for each.
func (v *view) summary() report.Object {
	var root, datasets report.Object
	root.Set("schema", "repscope/summary/1")
	for _, t := range v.tables {
		var d, models, groups report.Object
		var columns []any
		for _, c := range t.Columns {
			var o report.Object
			o.Set("analysis", c.Analysis)
			o.Set("metric", c.Path)
			o.Set("direction", string(c.Direction))
			o.Set("unit", c.Unit)
			columns = append(columns, o)
		}
		d.Set("columns", columns)
		for i, name := range t.Models {
			var cells []any
			for _, c := range t.Rows[i] {
				var o report.Object
				o.Set("value", c.Value)
				o.Set("ci", c.Interval)
				o.Set("best", c.Best)
				if c.BestP.Defined() {
					o.Set("best_p", c.BestP)
				}
				cells = append(cells, o)
			}
			models.Set(name, cells)
			if g := v.groups[name]; g != "" {
				groups.Set(name, g)
			}
		}
		d.Set("models", models)
		if groups.Len() > 0 {
			d.Set("groups", groups)
		}
		if len(t.Checkpoints) > 0 {
			d.Set("checkpoints", t.Checkpoints)
		}
		datasets.Set(t.Dataset, d)
	}
	root.Set("datasets", datasets)
	return root
}

// writeRows writes the metrics of all results below each other.
func writeRows(files *report.Transaction, name string, sections []page.Section) error {
	columns := []string{"Dataset", "Analysis", "Model", "Metric", "Parameter", "Estimate", "Low", "High", "Std_Error", "Reason"}
	return files.CSV(name, columns, func(csv *report.CSV) error {
		for _, s := range sections {
			rows, err := s.Result.MetricRows()
			if err != nil {
				return err
			}
			for _, r := range rows {
				if err := csv.Row(s.Dataset, s.Analysis, r.Model, r.Metric, r.Parameter, r.Estimate, r.Low, r.High, r.StdError, r.Reason); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// own is the record of the study's own files: which results they say something of.
func (s *study) own(suite *Suite) *done {
	h := sha256.New()
	for _, p := range s.tasks {
		fmt.Fprintf(h, "%q %s\n", p.Name(), p.state)
		if p.before != nil {
			for _, o := range p.before.Outputs {
				fmt.Fprintf(h, "%q %s\n", o.Path, o.SHA256)
			}
		}
	}
	d := &done{Form: recordForm, Program: program(), Options: map[string]string{
		"results": hex.EncodeToString(h.Sum(nil)), "suite": suite.Digest,
	}}
	if by := suite.arrangement.Sort; by != "" {
		d.Options["sort"] = by
	}
	maps.Copy(d.Options, suite.line)
	return d
}

// summarized reports whether the study's own files are there and say what the results of all tasks say.
func (s *study) summarized(suite *Suite) (bool, error) {
	before := readDone(s.folder)
	if before == nil {
		return false, nil
	}
	now := s.own(suite)
	reasons, touched := before.changes(s.folder, now.Program, now.Options)
	if len(reasons) > 0 {
		return false, nil
	}
	if touched {
		return true, before.write(s.folder)
	}
	return true, nil
}

// remember writes down which results the study's own files say something of.
func (s *study) remember(suite *Suite, names []string) error {
	if s.count(unchanged)+s.count(finished) < len(s.tasks) {
		return nil
	}
	for _, p := range s.tasks {
		p.state = unchanged // as the next run finds them
	}
	d := s.own(suite)
	for _, name := range names {
		f, err := look(filepath.Join(s.folder, filepath.FromSlash(name)))
		if err == nil {
			f.SHA256, err = sum(f.Path)
		}
		if err != nil {
			return regular.PathError(err)
		}
		f.Path = name
		d.Outputs = append(d.Outputs, f)
	}
	return d.write(s.folder)
}
