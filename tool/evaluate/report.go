// The report of a study, and the subcommand that makes one of any result files.

package evaluate

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/evaluate/page"
)

// reportWord is the first argument that asks for a page without a suite.
const reportWord = "report"

// reportOut is its folder where several folders are read.
const reportOut = "evaluation_plots/report"

// tools write result files that hold the numbers of others.
var tools = []string{"evaluate", "compare", "encode"}

// reports reports whether a page is asked for instead of a study.
func reports(o *run.Options) bool { return len(o.Args) > 0 && o.Args[0] == reportWord }

// place is the folder and the name, without its ending, of the page that is asked for.
func place(o *run.Options, argument string) (folder, name string, err error) {
	folders := o.Args[1:]
	switch {
	case len(folders) == 0:
		return "", "", run.Hint(run.Usage("report: no folder: want those with result files"), "try evaluate report evaluation_plots")
	case strings.HasSuffix(argument, ".html"):
		folder, file := filepath.Split(argument)
		return filepath.Clean(folder), strings.TrimSuffix(file, ".html"), nil
	case argument != "":
		return argument, reportWord, nil
	case len(folders) == 1:
		return folders[0], reportWord, nil
	}
	return reportOut, reportWord, nil
}

// summaryOf is the name of the summary of a page.
func summaryOf(page string) string {
	if page == reportWord {
		return "summary"
	}
	return page
}

// report makes a page of the results in folders.
func (s *settings) report(_ context.Context, env *run.Env) error {
	folder, name, err := place(&env.Options, s.page)
	if err != nil {
		return err
	}
	sections, skipped, err := page.Find(env.Options.Args[1:], tools...)
	if err != nil {
		return err
	}
	for _, s := range sections {
		if err := env.Read(s.File); err != nil {
			return err
		}
	}
	for _, reason := range skipped {
		env.Warn("left out: %s", reason)
	}
	if len(sections) == 0 {
		return run.Hint(run.Usage("no result file in %s", strings.Join(env.Options.Args[1:], ", ")),
			"an analysis writes one as NAME.json into its --out")
	}
	a := arrangement{Sort: s.sort}
	for _, folder := range env.Options.Args[1:] {
		a.Models = append(a.Models, saved(folder)...)
	}
	v, err := a.arrange(sections, func(t *page.Table) []page.Checkpoint { return page.Checkpoints(t.Models) })
	if err != nil {
		return err
	}
	for _, w := range v.warnings {
		env.Warn("%s", w)
	}
	summaryName := summaryOf(name)
	if err := writeSummary(env.Files, summaryName, v); err != nil {
		return err
	}
	p := v.page(title(env.Options.Args[1:]), &env.Options)
	for _, reason := range skipped {
		p.Failures = append(p.Failures, "left out: "+reason)
	}
	if err := s.writePage(env.Files, name, summaryName, p); err != nil {
		return err
	}
	env.Note("%s in %s", text.Count(len(sections), "result"), filepath.Join(folder, name+".html"))
	env.InPlaceOfResult(filepath.Join(folder, name+".html"))
	return nil
}

// title is what a page of folders is called.
func title(folders []string) string {
	var names []string
	for _, f := range folders {
		if name := filepath.Base(filepath.Clean(f)); name != "." && name != string(filepath.Separator) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "Results"
	}
	return strings.Join(names, ", ")
}

// writePage writes NAME.html and the files for MultiQC.
func (s *settings) writePage(files *report.Transaction, name, summary string, p *page.Page) error {
	p.Commands, p.Beside = s.commands, []string{summary + ".csv", summary + ".json"}
	p.Methods = s.methodsOf
	content, err := p.MultiQC()
	if err != nil {
		return err
	}
	for _, f := range content {
		if err := files.JSON(f.Name, f.Content); err != nil {
			return err
		}
	}
	return files.File(name+".html", func(w io.Writer) error { return p.Write(w) })
}

// methodsOf says in words how the numbers of a result were computed; nothing of results that
// an earlier version wrote without what the words need.
func (s *settings) methodsOf(r *report.Result) []page.Method {
	i := slices.IndexFunc(s.commands, func(c run.Command) bool { return c.Name == r.Analysis })
	if i < 0 {
		return nil
	}
	text, err := s.commands[i].MethodsOf(r)
	if err != nil {
		return nil
	}
	var all []page.Method
	for _, section := range text.Sections {
		all = append(all, page.Method{Title: section.Title, Text: text.Plain(section)})
	}
	if works := text.Works(); len(works) > 0 {
		all = append(all, page.Method{Title: "References", References: works})
	}
	return all
}
