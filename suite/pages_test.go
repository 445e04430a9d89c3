// The tables of options and headline numbers in the pages of all binaries, written from their declarations.

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
)

// sharers is the number of binaries that share an option of the page of the command line.
const sharers = 5

// text is the meaning of a flag with the name of its binary left open.
func text(name string, f run.FlagInfo) string {
	return strings.ReplaceAll(f.Usage, name+"_", "ANALYSIS_")
}

// commonOptions returns the options that many binaries have with one meaning, in the order of the help.
func commonOptions() (all []run.FlagInfo) {
	count := map[string]int{}
	form := func(f run.FlagInfo) string { return f.Name + "\x00" + f.Usage + "\x00" + f.Default }
	var seen []run.FlagInfo
	for _, c := range Commands() {
		d := run.Describe(c)
		for _, f := range d.AllFlags() {
			f.Usage = text(c.Name, f)
			count[form(f)]++
			seen = append(seen, f)
		}
	}
	for _, f := range seen {
		if count[form(f)] < sharers {
			continue
		}
		if i := slices.IndexFunc(all, func(g run.FlagInfo) bool { return g.Name == f.Name }); i < 0 {
			all = append(all, f)
		} else if count[form(f)] > count[form(all[i])] {
			all[i] = f
		}
	}
	return all
}

// row is the row of a table: flag, default, meaning.
func row(f run.FlagInfo) string {
	name := "`--" + strings.TrimSpace(f.Name+" "+f.Placeholder) + "`"
	standard := ""
	if f.Default != "" && f.Default != "false" {
		standard = "`" + f.Default + "`"
	}
	cells := strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ").Replace(f.Usage)
	return fmt.Sprintf("| %s | %s | %s |\n", strings.ReplaceAll(name, "|", "\\|"), standard, cells)
}

const tableHead = "| option | default | meaning |\n| --- | --- | --- |\n"

// optionTable is the table of a binary: the options that are its own, or mean another thing than in others.
func optionTable(c run.Command, common []run.FlagInfo) string {
	var b strings.Builder
	d := run.Describe(c)
	b.WriteString("[Shared options](../reference/command-line.md#shared-options) are on a page of their own.\n\n" + tableHead)
	for _, f := range d.AllFlags() {
		if slices.ContainsFunc(common, func(o run.FlagInfo) bool {
			return o.Name == f.Name && o.Usage == text(c.Name, f) && o.Default == f.Default
		}) {
			continue
		}
		var of []string
		for _, sub := range d.Commands {
			if slices.ContainsFunc(sub.Flags, func(g run.FlagInfo) bool { return g.Name == f.Name }) {
				of = append(of, strings.TrimPrefix(sub.Name, c.Name+" "))
			}
		}
		if len(of) > 0 && len(of) < len(d.Commands) {
			f.Usage = strings.Join(of, ", ") + ": " + f.Usage
		}
		b.WriteString(row(f))
	}
	return b.String()
}

// sharedTables are the tables of the page of the command line, one for each heading of the help.
func sharedTables(common []run.FlagInfo) string {
	var headings []string
	for _, o := range common {
		if !slices.Contains(headings, o.Group) {
			headings = append(headings, o.Group)
		}
	}
	slices.Sort(headings)
	var b strings.Builder
	for i, heading := range headings {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### Options: %s\n\n%s", heading, tableHead)
		for _, o := range common {
			if o.Group == heading {
				b.WriteString(row(o))
			}
		}
	}
	return b.String()
}

// numberTable is the table of the headline numbers of an analysis.
func numberTable(c run.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Headline numbers ([all numbers](../reference/metrics.md#%s)):\n\n"+
		"| number | better | range | meaning |\n| --- | --- | --- | --- |\n", c.Name)
	for _, m := range c.Metrics() {
		if m.Headline {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, better[m.Better], limits(m), strings.ReplaceAll(m.About, "|", "\\|"))
		}
	}
	return b.String()
}

// between replaces the text between two markers of a page.
func between(t *testing.T, page, path, name, text string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, found := strings.Cut(page, begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Errorf("%s: there is no part between %q and %q", path, begin, end)
		return page
	}
	return head + begin + "\n" + text + "\n" + end + tail
}

// Pages end with the options of their binary, and show its headline numbers; -update writes both.
func TestMetricsPagesAndOptionTables(t *testing.T) {
	t.Parallel()
	options := commonOptions()
	pages := map[string]func(page, path string) string{
		"../docs/reference/command-line.md": func(page, path string) string {
			return between(t, page, path, "options", sharedTables(options))
		},
	}
	for _, e := range All() {
		folder := "tools"
		if e.Analysis {
			folder = "analyses"
		}
		pages[filepath.Join("../docs", folder, e.Name+".md")] = func(page, path string) string {
			if e.Analysis {
				page = between(t, page, path, "numbers", numberTable(e.Command))
			}
			return between(t, page, path, "options", optionTable(e.Command, options))
		}
	}
	for path, write := range pages {
		was, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		want := write(string(was), path)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if string(was) != want {
			t.Errorf("%s differs from the declarations; write it with: go test ./suite -run 'OptionTable|MetricsPage' -update", path)
		}
	}
}
