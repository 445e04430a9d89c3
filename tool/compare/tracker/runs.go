// Tables of Weights & Biases: the runs of a project, and the history of one run.

package tracker

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
)

// ProjectName is the column of a project's runs that names them.
const ProjectName = "Name"

// stateName is the column of what became of them.
const stateName = "State"

// projectColumns are columns of every export, and others that the page offers, in lower case: they are no scores.
var projectColumns = []string{"name", "agent", "state", "notes", "user", "tags", "created", "runtime", "sweep", "id",
	"group", "job type", "updated", "end time", "hostname", "description", "commit", "github", "gpu count", "gpu type"}

// IsProject reports whether columns come from the exported table of a project's runs.
func IsProject(names []string) bool {
	for _, name := range []string{ProjectName, stateName, "Created", "Runtime", "Sweep"} {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Project is the table of a project's runs.
type Project struct {
	Text       []byte   // the columns of scores, and those that were asked for
	Config     []string // columns that are taken for the configuration
	Runs       int
	Unfinished int // of the runs
}

// ReadProject reads the table of a project's runs, whose columns are names. Kept are the columns asked for, and columns
// with numbers, without the configuration: it is before the summary, and the names of both are in alphabetical order.
// Where the names do not begin again exactly once, all columns with numbers are kept. Errors: of package csv; a table
// of more than 4,194,304 cells.
func ReadProject(rows *csv.Reader, names, asked []string) (*Project, error) {
	p := &Project{}
	text, state := make([]bool, len(names)), slices.Index(names, stateName)
	var records [][]string
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		if p.Runs++; p.Runs*len(names) > mostCells {
			return nil, fmt.Errorf("line %d: more than the %d cells that are read; give fewer runs", p.Runs+1,
				mostCells)
		}
		for i, cell := range record {
			if _, err := tabular.ParseFloat(strings.TrimSpace(cell), false); err != nil && cell != "" &&
				!errors.Is(err, strconv.ErrRange) {
				text[i] = true
			}
		}
		if !strings.EqualFold(strings.TrimSpace(record[state]), "finished") {
			p.Unfinished++
		}
		records = append(records, slices.Clone(record))
	}
	isProject := func(name string) bool { return slices.Contains(projectColumns, strings.ToLower(name)) }
	first := slices.IndexFunc(names, func(name string) bool { return !isProject(name) })
	var summary int
	if first >= 0 {
		summary = first + restart(names[first:])
	}
	var kept []int
	for i, name := range names {
		switch {
		case slices.Contains(asked, name):
			kept = append(kept, i)
		case text[i]:
		case i < summary:
			if i >= first {
				p.Config = append(p.Config, name)
			}
		case !isProject(name) && !strings.HasPrefix(name, "_"):
			kept = append(kept, i)
		}
	}
	t := &table{rows: make([]map[int]string, 0, len(records))}
	for _, record := range records {
		t.rows = append(t.rows, map[int]string{})
		for _, i := range kept {
			if err := t.set(names[i], record[i]); err != nil {
				return nil, err
			}
		}
	}
	var err error
	p.Text, err = t.text()
	return p, err
}

// restart is the place where names in alphabetical order begin again, 0 unless there is exactly one.
func restart(names []string) int {
	for _, order := range []func(string) string{func(name string) string { return name }, strings.ToLower} {
		place, falls := 0, 0
		for i := 1; i < len(names); i++ {
			if order(names[i]) < order(names[i-1]) {
				place = i
				falls++
			}
		}
		if falls == 1 {
			return place
		}
	}
	return 0
}

// IsHistoryTable reports whether columns come from the history of a run.
func IsHistoryTable(names []string) bool { return slices.Contains(names, stepKey) }

// HistoryTable returns the last values of a history as the row of one model, as [History] does. Columns with text, and
// those that begin with _ or have no name, are passed over. Errors, with the line: a step that is no number, no metric
// at all.
func HistoryTable(rows *csv.Reader, names []string, model string) ([]byte, error) {
	lasts, text := make([]last, len(names)), make([]bool, len(names))
	steps, decimals := slices.Index(names, stepKey), make([]tabular.Decimals, len(names))
	for i := range decimals {
		decimals[i].Comma = rows.Comma == ';'
	}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		step, err := tabular.ParseFloat(strings.TrimSpace(record[steps]), rows.Comma == ';')
		if err != nil || math.IsNaN(step) {
			line, _ := rows.FieldPos(steps)
			return nil, fmt.Errorf("line %d: the column %s holds %q, want a number", line, stepKey, record[steps])
		}
		for i, cell := range record {
			if cell = strings.TrimSpace(cell); cell == "" || text[i] {
				continue
			}
			v, err := decimals[i].Float(cell)
			if errors.Is(err, tabular.ErrDecimals) {
				line, _ := rows.FieldPos(i)
				return nil, fmt.Errorf("line %d: the column %s: %w", line, names[i], err)
			}
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				text[i] = true
				continue
			}
			lasts[i].see(step, 0, v)
		}
	}
	t := &table{rows: []map[int]string{{}}}
	err := t.set("model", model)
	metrics, all := 0, tabular.Decimals{}
	for i, name := range names {
		if !text[i] && err == nil {
			if err = all.Join(&decimals[i]); err != nil {
				err = fmt.Errorf("the column %s: %w", name, err)
			}
		}
		if name == "" || strings.HasPrefix(name, "_") || text[i] || !lasts[i].known {
			continue
		}
		metrics++
		err = cmp.Or(err, t.set(name, shortest(lasts[i].value)))
	}
	if err == nil && metrics == 0 {
		err = fmt.Errorf("no column has numbers next to %s", stepKey)
	}
	if err != nil {
		return nil, err
	}
	return t.text()
}
