// Package page is the report of a study: one HTML file with everything in it, written from result files.
//
//	p := page.Page{Title: "study", Sections: sections, Tables: tables, Commands: analyses}
//	err := p.Write(w)
//
// [Find] makes the sections from folders, [Tables] the tables from sections. Equal results give equal bytes. The page
// asks nothing of a network, is whole without its script, and names files that hold the rows that it leaves out.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template, the style and the script
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"repscope/internal/escape"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/report"
)

// Page is what a report shows.
type Page struct {
	Title    string
	Sections []Section
	Tables   []Table
	Groups   map[string]string // of models and training runs, by their names
	Failures []string          // tasks that have no result, and why
	Commands []run.Command     // for help texts and defaults of options; others have none
	Methods  func(*report.Result) []Method
	Beside   []string // names of files with the same numbers next to the page
	WidthMM  float64  // of figures; 0: as they are
}

// Method is a part of how the numbers of a result came about, in words.
type Method struct {
	Title, Text string
	References  []string
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed style.css
	styleCSS string
	//go:embed script.js
	scriptJS string

	pageTemplate = sync.OnceValues(func() (*template.Template, error) {
		return template.New("page").Funcs(template.FuncMap{
			"inc":   func(i int) int { return i + 1 },
			"count": text.Count[int],
			"join":  func(list []string) string { return strings.Join(list, ", ") },
		}).Parse(pageHTML)
	})
)

// entry is a model, or a training run with its checkpoints, that is told apart by color and marker.
type entry struct {
	Index int
	Name  string
	Steps int // of a run; 0: a model
	Group string
}

// view is what the template shows.
type view struct {
	Title     string
	Style     template.CSS
	Script    template.JS
	Policy    string
	Failures  []string
	Warnings  []warning
	Notices   []string // parts that were left out because they are too large
	Entries   []entry
	Symbols   template.HTML
	Overviews []overview
	Sections  []section
	Methods   []methods
	Works     []string // references of the methods
	Inputs    []inputRow
	Programs  []string
	Beside    []string
	Models    int
}

// builder makes a view.
type builder struct {
	*Page
	view    view
	limits  limits
	entries map[string]int          // by name
	model   map[string]int          // the entry of a model: its own or its run's
	steps   map[string][]Checkpoint // by run
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	b := &builder{Page: p, limits: limitsOf(p)}
	b.view = view{Title: p.Title, Style: template.CSS(styleCSS), Script: template.JS(scriptJS), Failures: p.Failures, Beside: p.Beside}
	sum := sha256.Sum256([]byte(scriptJS))
	b.view.Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	b.enter()
	b.warn()
	for i := range p.Tables {
		b.view.Overviews = append(b.view.Overviews, b.overview(&p.Tables[i]))
	}
	for i := range p.Sections {
		s, err := b.section(i)
		if err != nil {
			return err
		}
		b.view.Sections = append(b.view.Sections, s)
	}
	b.describe()
	b.view.Inputs, b.view.Programs = b.inputs(), b.programs()
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, &b.view); err != nil {
		return err
	}
	_, err = io.WriteString(w, escape.Lines(out.String()))
	return err
}

// enter gives every model and every run an index, in the order in which they appear.
func (b *builder) enter() {
	b.entries, b.model, b.steps = map[string]int{}, map[string]int{}, map[string][]Checkpoint{}
	runs := map[string]string{}
	for _, t := range b.Tables {
		for _, c := range t.Checkpoints {
			runs[c.Model] = c.Series
			if !slices.ContainsFunc(b.steps[c.Series], func(have Checkpoint) bool { return have.Model == c.Model }) {
				b.steps[c.Series] = append(b.steps[c.Series], c)
			}
		}
	}
	names := map[string]bool{}
	for _, t := range b.Tables {
		for _, name := range t.Models {
			names[name] = true
		}
	}
	b.view.Models = len(names)
	for _, t := range b.Tables {
		for _, name := range t.Models {
			label, steps := name, 0
			if series, ok := runs[name]; ok {
				label, steps = series, len(b.steps[series])
				if names[series] { // a model has the name of the run
					label = series + " (run)"
				}
			}
			index, seen := b.entries[label]
			if !seen {
				index = len(b.view.Entries)
				b.entries[label] = index
				b.view.Entries = append(b.view.Entries, entry{Index: index, Name: label, Steps: steps,
					Group: b.Groups[label]})
			}
			b.model[name] = index
		}
	}
	var symbols bytes.Buffer
	for i := range b.view.Entries {
		symbols.WriteString(`<g id="k` + itoa(i) + `">` + plots.InlineMarker(i) + `</g><g id="l` + itoa(i) + `">` + plots.InlineKey(i) + `</g>`)
	}
	b.view.Symbols = template.HTML(symbolColors.Replace(symbols.String()))
}

// symbolColors let the theme choose the colors of symbols that are dark: rules of a style do not reach into a
// symbol used from elsewhere, its variables do.
var symbolColors = strings.NewReplacer(
	`fill="#0072b2"`, `style="fill:var(--blue)"`, `stroke="#0072b2"`, `style="stroke:var(--blue)"`,
	`fill="#000000"`, `style="fill:var(--black)"`, `stroke="#000000"`, `style="stroke:var(--black)"`,
	`fill="#d55e00"`, `style="fill:var(--red)"`, `stroke="#d55e00"`, `style="stroke:var(--red)"`,
)
