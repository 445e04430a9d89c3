// Tables that benchstat prints: medians with the half widths of their intervals in percent, and p values.

package compare

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/report"
)

// rule divides the columns of a table of text.
const rule = '│'

// geomean is the name of the row of geometric means, which compare computes itself.
const geomean = "geomean"

var (
	printedHead  = regexp.MustCompile(`^,[^,]+,CI(?:,[^,]+,CI,vs base,P)*\s*$|^\s*│.*│\s*$`)
	printedDelta = regexp.MustCompile(`(?:^|\s)(~|\?|[+-]?[0-9.]+%)\s+\(?(?:p=([0-9.]+) )?n=[0-9+]+\)?`)
	printedCell  = regexp.MustCompile(`^([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)([nµmkKMGTPEZY]?i?)` +
		`(?:\s+±\s*([0-9.]+%|∞|\?))?(?:\s|$)`)
)

// prefixes are factors of numbers that benchstat prints.
var prefixes = map[string]float64{"": 1, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60, "Zi": 1 << 70,
	"Yi": 1 << 80}

// isPrinted reports whether a line is in the head of a table of benchstat.
func isPrinted(line []byte) bool {
	return (line[0] == ',' || bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte(string(rule)))) &&
		printedHead.Match(line)
}

// printedTable reports whether some line is, or is the head of an old one.
func printedTable(data []byte) bool {
	for line := range bytes.Lines(data) {
		if isPrinted(line) || isOldHead(line) {
			return true
		}
	}
	return false
}

// printed reads the tables of a file.
type printed struct {
	*benchmarks
	tasks  map[benchmark]*File
	models []string // of the columns of a table
	units  []string // of the columns of a table; empty outside of tables
	edges  []int    // of the columns of a table of text
	heads  [][]rune // lines of the head of a table of text
	labels [][]string
	old    *oldTable // whose rows follow
	values int
	means  int // of the values
}

// readBenchstat reads tables of benchstat: the columns are models, named as the files or configurations that they are
// of. A number has the interval of its percentage, widened by the half percent that benchstat may have rounded off.
// The difference from the first column has benchstat's p value; 0.000 is read as 0.0005, the largest value printed so.
func readBenchstat(b *benchmarks, data []byte) ([]*File, error) {
	p := &printed{benchmarks: b, tasks: map[benchmark]*File{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if err := p.line(strings.TrimRight(string(line), "\r\n")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", b.path, number, err)
		}
	}
	packages := slices.ContainsFunc(b.order, func(key benchmark) bool { return key.pkg != b.order[0].pkg })
	var files []*File
	for _, key := range b.order {
		f := p.tasks[key]
		if packages && key.pkg != "" {
			f.Task = key.pkg + "." + key.name
		}
		for _, m := range f.Models {
			m.index()
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the table of benchstat has no rows", b.path)
	}
	kind := "medians"
	if p.means > 0 {
		kind = "means without outliers"
	}
	files[0].notes = []string{fmt.Sprintf("%s: %s of benchstat, rounded as printed: %s, whose p values are "+
		"of the rank test of Mann and Whitney; outputs of go test -bench have every run",
		b.path, text.Count(p.values, "number"), kind)}
	return files, nil
}

// line reads a line of any kind.
func (p *printed) line(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		p.end()
		return nil
	case strings.ContainsRune(line, rule):
		if p.units != nil && len(p.heads) == 0 {
			p.end()
		}
		return p.head([]rune(line))
	case line[0] == ',':
		return p.csvHead(line)
	case oldHead.MatchString(line):
		p.oldHead(line)
		return nil
	case p.old != nil:
		return p.oldRow([]rune(line))
	case benchmarkKey.MatchString(line):
		p.end()
		return p.benchmarks.line(line)
	case p.units == nil:
		return nil // a line of another configuration, or of a note
	case p.edges == nil:
		return p.csvRow(line)
	}
	p.heads = nil
	return p.row([]rune(line))
}

// end ends a table.
func (p *printed) end() {
	p.models, p.units, p.edges, p.heads, p.labels, p.old = nil, nil, nil, nil, nil, nil
}

// head reads a line of the head of a table of text: names of columns, and last their units.
func (p *printed) head(line []rune) error {
	p.heads = append(p.heads, line)
	p.edges = nil
	for i, r := range line {
		if r == rule {
			p.edges = append(p.edges, i)
		}
	}
	if p.models, p.units = nil, nil; len(p.edges) < 2 {
		return fmt.Errorf("the head of the table has one %c, want one on both sides of each column", rule)
	}
	for i, edge := range p.edges[:len(p.edges)-1] {
		fields := strings.Fields(string(line[edge+1 : p.edges[i+1]]))
		if len(fields) == 0 {
			return fmt.Errorf("a column of the table has neither a name nor a unit")
		}
		var name []string
		for _, above := range p.heads[:len(p.heads)-1] {
			name = append(name, labelAt(above, edge))
		}
		p.models, p.units = append(p.models, columnName(name)), append(p.units, fields[0])
	}
	return nil
}

// labelAt is the label of a line of the head that covers a place.
func labelAt(line []rune, place int) string {
	start, end := 0, len(line)
	for i, r := range line {
		if r == rule && i <= place {
			start = i + 1
		} else if r == rule {
			end = i
			break
		}
	}
	return strings.TrimSpace(string(line[start:max(start, end)]))
}

// columnName is the name of a column, without the end of the name of a file.
func columnName(labels []string) string {
	labels = slices.DeleteFunc(labels, func(label string) bool { return label == "" })
	return strings.TrimSuffix(strings.Join(labels, "/"), ".txt")
}

// csvHead reads a line of the head of a table as CSV.
func (p *printed) csvHead(line string) error {
	cells, err := printedCells(line)
	if err != nil {
		return err
	}
	if p.units != nil {
		p.end()
	}
	if !slices.Contains(cells, "CI") {
		p.labels = append(p.labels, cells)
		return nil
	}
	for k := 1; k < len(cells); k = nextColumn(k) {
		var name []string
		for _, labels := range p.labels {
			if k < len(labels) {
				name = append(name, labels[k])
			}
		}
		p.models, p.units = append(p.models, columnName(name)), append(p.units, cells[k])
	}
	return nil
}

// nextColumn is the place of the next number in a row of CSV: the first has a percentage, others a change and a p value
// as well.
func nextColumn(k int) int {
	if k == 1 {
		return 3
	}
	return k + 4
}

func printedCells(line string) ([]string, error) {
	cells, err := tabular.Rows("", strings.NewReader(line), tabular.Options{Separator: ','}).Read()
	if err != nil {
		return nil, fmt.Errorf("%q is no row of a table of benchstat", line)
	}
	return cells, nil
}

// csvRow reads a row of a table as CSV.
func (p *printed) csvRow(line string) error {
	cells, err := printedCells(line)
	if err != nil {
		return err
	}
	k := 1
	for i := range p.units {
		cell, delta := "", ""
		if k < len(cells) && cells[k] != "" {
			cell = cells[k]
			if k+1 < len(cells) {
				cell += " ± " + cells[k+1]
			}
			if i > 0 && k+3 < len(cells) {
				delta = cells[k+2] + " " + cells[k+3]
			}
		}
		if err := p.cell(cells[0], i, cell, delta); err != nil {
			return err
		}
		k = nextColumn(k)
	}
	return nil
}

// row reads a row of a table of text, or a footnote.
func (p *printed) row(line []rune) error {
	if strings.ContainsRune("¹²³⁴⁵⁶⁷⁸⁹", line[0]) {
		return nil
	}
	name := strings.TrimSpace(string(line[:min(len(line), p.edges[0])]))
	for i := range p.units {
		if p.edges[i] >= len(line) {
			break
		}
		end := len(line)
		if i+1 < len(p.units) {
			end = min(end, p.edges[i+1])
		}
		cell := strings.TrimSpace(string(line[p.edges[i]:end]))
		if err := p.cell(name, i, cell, cell); err != nil {
			return err
		}
	}
	return nil
}

// cell enters the number of a cell, and its change from the first one.
func (p *printed) cell(name string, column int, cell, delta string) error {
	if cell == "" || name == geomean {
		return nil
	}
	part := printedCell.FindStringSubmatch(cell)
	if part == nil {
		part = []string{"", "", "", ""} // whose number is none
	}
	v, err := strconv.ParseFloat(part[1], 64)
	if err != nil {
		return fmt.Errorf("%s: %s is %q, want a number such as 1.718µ ± 1%%", name, p.units[column], cell)
	}
	factor, ok := prefixes[part[2]]
	if !ok {
		return fmt.Errorf("%s: %q: there is no prefix %q of units", name, cell, part[2])
	}
	v *= factor
	return p.enter(name, column, printedNumber{v, printedInterval(v, part[3]), delta})
}

// printedNumber is a number of a table, and the text of its change from the first column.
type printedNumber struct {
	value    float64
	interval report.Interval
	delta    string
}

// enter enters the number of a benchmark in a column.
func (p *printed) enter(name string, column int, n printedNumber) error {
	v, model, unit, key := n.value, p.models[column], "", benchmark{p.pkg, name}
	if p.old != nil {
		unit = p.old.unit()
		p.means++
	} else {
		unit = p.units[column]
	}
	if model == "" || name == "" {
		return fmt.Errorf("a number of the table has no name of its column or its row")
	}
	f := p.tasks[key]
	if f == nil {
		if len(p.order) == most {
			return fmt.Errorf("there are more than %d benchmarks", most)
		}
		f = &File{Path: p.path, Task: name, Layout: layoutBenchmarks, inside: true, described: true, Options: p.options,
			metrics: p.metrics}
		comparisons := map[[3]string]report.Comparison{}
		f.compared = func() map[[3]string]report.Comparison { return comparisons }
		p.tasks[key], p.order = f, append(p.order, key)
	}
	m := f.model(model)
	if _, twice := m.find(unit); twice {
		return fmt.Errorf("%s of %s in %s is there twice: give a table for each configuration", unit, model, name)
	}
	m.Numbers = append(m.Numbers, report.Named{Path: unit, Value: report.Number(v),
		SD:       report.Undefined("no spread was printed"),
		Interval: n.interval})
	m.index()
	p.values++
	if column == 0 {
		return nil
	}
	first := slices.IndexFunc(f.Models, func(m *FileModel) bool { return m.Given == p.models[0] })
	if first < 0 {
		return nil
	}
	base, ok := f.Models[first].number(unit)
	if change := printedDelta.FindStringSubmatch(n.delta); ok && change != nil {
		c := report.Comparison{A: model, B: p.models[0], Metric: unit, Difference: report.Number(v - base.Value.V),
			CI: report.NoInterval("benchstat prints no interval of a difference"),
			P:  report.Undefined("benchstat took the values as exact")}
		if tested, err := strconv.ParseFloat(change[2], 64); err == nil && tested <= 1 {
			c.P = report.Number(max(tested, 0.0005))
		}
		f.compared()[[3]string{unit, model, p.models[0]}] = c
	}
	return nil
}

// model is the model of a name, which is added where it is new.
func (f *File) model(name string) *FileModel {
	if i := slices.IndexFunc(f.Models, func(m *FileModel) bool { return m.Given == name }); i >= 0 {
		return f.Models[i]
	}
	m := f.add(name, nil)
	m.settled = true
	return m
}

// printedInterval is value ± percent and the half percent that may have been rounded off.
func printedInterval(value float64, percent string) report.Interval {
	half, err := strconv.ParseFloat(strings.TrimSuffix(percent, "%"), 64)
	if err != nil || !finite(half) {
		return report.NoInterval("benchstat has no interval: its samples are too few")
	}
	half = math.Abs(value) * (half + 0.5) / 100
	return report.Between(value-half, value+half)
}
