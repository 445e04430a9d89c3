// The numbers as custom content of MultiQC: files for its reports on several programs.

package page

import (
	"fmt"
	"strings"

	"repscope/internal/filename"
	"repscope/report"
)

// MultiQC is the content of one file.
type MultiQC struct {
	Name    string // of the file
	Content report.Object
}

// multiQCEnding is by which MultiQC knows its files.
const multiQCEnding = "_mqc.json"

// MultiQC returns the files of a page: the headlines of all analyses for the table of general statistics, and a
// section with a table for each result. A sample is a model; with several datasets it is dataset/model.
func (p *Page) MultiQC() ([]MultiQC, error) {
	var files []MultiQC
	taken := filename.Taken{}
	several := len(p.Tables) > 1
	for i := range p.Tables {
		t := &p.Tables[i]
		o := overviewColumns(t, limitsOf(p).overview)
		id := "repscope__summary"
		if t.Dataset != "" {
			id += "__" + anchor(t.Dataset)
		}
		files = append(files, MultiQC{taken.Unique(filename.Of(id), multiQCEnding), general(id, t, o, several)})
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		t, err := s.numbers()
		if err != nil {
			return nil, err
		}
		id := "repscope"
		for part := range strings.SplitSeq(s.Name(), "/") {
			id += "__" + anchor(part) // an anchor has no two of these
		}
		shown := chosenColumns(t.Columns, limitsOf(p).columns)
		if len(shown) == 0 {
			continue
		}
		var o, settings report.Object
		o.Set("id", id)
		o.Set("section_name", "repscope "+s.Name())
		o.Set("description", p.description(s))
		o.Set("plot_type", "table")
		settings.Set("id", id+"_table")
		settings.Set("title", "repscope: "+s.Name())
		settings.Set("namespace", s.Analysis)
		settings.Set("col1_header", "Model")
		o.Set("pconfig", settings)
		var headers report.Object
		for _, c := range shown {
			headers.Set(columnID(t.Columns[c]), header(t.Columns[c], true))
		}
		o.Set("headers", headers)
		o.Set("data", samples(t, shown, several))
		files = append(files, MultiQC{taken.Unique(filename.Of(id), multiQCEnding), o})
	}
	return files, nil
}

func (p *Page) description(s *Section) string {
	for _, c := range p.Commands {
		if c.Name == s.Analysis {
			return c.Summary
		}
	}
	return "numbers of " + s.Analysis
}

// general is the content for the table of general statistics.
func general(id string, t *Table, columns []int, several bool) report.Object {
	var o report.Object
	o.Set("id", id)
	o.Set("plot_type", "generalstats")
	var headers []any
	for _, c := range columns {
		var one report.Object
		one.Set(columnID(t.Columns[c]), header(t.Columns[c], false))
		headers = append(headers, one)
	}
	o.Set("pconfig", headers)
	o.Set("data", samples(t, columns, several))
	return o
}

// columnID names a column; columns of different analyses share a table.
func columnID(c Column) string { return c.Analysis + ": " + c.Path }

func header(c Column, alone bool) report.Object {
	var o report.Object
	title := report.Label(c.Path)
	if !alone {
		o.Set("namespace", "repscope "+c.Analysis)
	}
	o.Set("title", title)
	text := c.Path
	if d := direction(c.Direction); d != "" {
		text += ", " + d
	}
	o.Set("description", text)
	if c.Unit != "" {
		o.Set("suffix", " "+c.Unit)
	}
	o.Set("format", "{:,.4g}")
	switch c.Direction {
	case report.Higher:
		o.Set("scale", "Blues")
	case report.Lower:
		o.Set("scale", "Blues-rev")
	default:
		o.Set("scale", "Greys")
	}
	return o
}

// samples are the defined numbers by model.
func samples(t *Table, columns []int, several bool) report.Object {
	var data report.Object
	for r, name := range t.Models {
		if several && t.Dataset != "" {
			name = fmt.Sprintf("%s/%s", t.Dataset, name)
		}
		var cells report.Object
		for _, c := range columns {
			if v := t.Rows[r][c].Value; v.Defined() {
				cells.Set(columnID(t.Columns[c]), v.V)
			}
		}
		data.Set(name, cells)
	}
	return data
}
