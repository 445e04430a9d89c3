// Tables of benchstat as it printed them until 2022: means with the range of the runs.

package compare

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"repscope/report"
)

// oldGeomean is the name of the row of geometric means.
const oldGeomean = "[Geo mean]"

var (
	oldHead = regexp.MustCompile(`^\s*name(?: {2,}old (?:.+?) {2,}new (?:.+?) {2,}delta| \\ \S.*? {2,}\S.*` +
		`| {2,}(?:speed|\S+/\S+))\s*$`)
	oldCell = regexp.MustCompile(`^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Zµμ/]*)(?:\s+±\s*[0-9.]+%)?\s*$`)
	oldPart = regexp.MustCompile(`\S+(?: \S+)*`)
)

// oldUnits are the units of metrics, and what a number of theirs ends with after the prefix.
var oldUnits = map[string]struct{ unit, ending string }{
	"time/op": {"sec/op", "s"}, "alloc/op": {"B/op", "B"}, "speed": {"B/s", "B/s"},
}

// oldPrefixes are factors of numbers; they are decimal.
var oldPrefixes = map[string]float64{"": 1, "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9,
	"T": 1e12}

// isOldHead reports whether a line is the head of a table.
func isOldHead(line []byte) bool { return oldHead.Match(line) }

// oldTable is a table whose rows follow.
type oldTable struct {
	metric  string
	columns []int // where they begin, in characters; the name, and where there is one the change, too
	change  bool  // the last one is a change
}

// oldHead reads the head of a table: its metric and its columns.
func (p *printed) oldHead(line string) {
	p.end()
	p.old = &oldTable{}
	var parts []string
	for _, place := range oldPart.FindAllStringIndex(line, -1) {
		p.old.columns = append(p.old.columns, len([]rune(line[:place[0]])))
		parts = append(parts, line[place[0]:place[1]])
	}
	if _, metric, several := strings.Cut(parts[0], ` \ `); several {
		p.old.metric = metric
		for _, config := range parts[1:] {
			p.models = append(p.models, columnName([]string{config}))
		}
		return
	}
	if p.old.change = parts[len(parts)-1] == "delta"; p.old.change {
		p.old.metric = strings.TrimPrefix(parts[1], "old ")
		p.models = []string{"old", "new"}
		return
	}
	p.old.metric, p.models = parts[1], []string{p.stem()}
}

// oldRow reads a row, or the name of a group.
func (p *printed) oldRow(line []rune) error {
	places := p.old.columns
	if len(line) <= places[1] {
		if group, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "pkg:"); ok {
			p.pkg, _, _ = strings.Cut(group, " ")
		}
		return nil
	}
	part := func(i int) string {
		end := len(line)
		if i+1 < len(places) {
			end = min(end, places[i+1])
		}
		return strings.TrimSpace(string(line[min(places[i], len(line)):end]))
	}
	name := part(0)
	if name == oldGeomean {
		return nil
	}
	for i := range p.models {
		cell := part(i + 1)
		if cell == "" {
			continue
		}
		v, err := p.old.number(cell)
		if err != nil {
			return fmt.Errorf("%s: %s of %s is %q, %w", name, p.old.metric, p.models[i], cell, err)
		}
		n := printedNumber{value: v,
			interval: report.NoInterval("benchstat printed the range of the runs, which is no interval")}
		if i > 0 && p.old.change {
			n.delta = part(i + 2)
		}
		if err := p.enter(name, i, n); err != nil {
			return err
		}
	}
	return nil
}

// unit is the unit of the numbers.
func (t *oldTable) unit() string {
	if known, ok := oldUnits[t.metric]; ok {
		return known.unit
	}
	return t.metric
}

// number is the mean of a cell, in the unit.
func (t *oldTable) number(cell string) (float64, error) {
	part := oldCell.FindStringSubmatch(cell)
	if part == nil {
		part = []string{"", "", ""} // whose number is none
	}
	v, err := strconv.ParseFloat(part[1], 64)
	prefix, whole := strings.CutSuffix(part[2], oldUnits[t.metric].ending)
	factor, ok := oldPrefixes[prefix]
	if err != nil || !ok || !whole {
		return 0, fmt.Errorf("want a number such as 13.6m%s ± 1%%", oldUnits[t.metric].ending)
	}
	return v * factor, nil
}
