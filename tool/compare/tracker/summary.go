// Runs of Weights & Biases as its manual saves them: data frames whose cells are dicts.

package tracker

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
	"repscope/internal/text"
)

// The columns of a data frame of runs.
const (
	SummaryName   = "name"
	summaryColumn = "summary"
	configColumn  = "config"
)

// IsSummaries reports whether columns come from a data frame of runs whose summaries and configurations are dicts.
func IsSummaries(names []string) bool {
	for _, name := range []string{SummaryName, summaryColumn, configColumn} {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// ReadSummaries reads the data frame of a project's runs, whose columns are names. Its dicts are of Python or JSON.
// Kept are numbers of summaries, without those that begin with _ and media; a member of a dict inside has the name
// DICT.MEMBER. Members of configurations, as config.NAME, and other columns are kept if they are asked for.
// Errors, with the line: a summary or a configuration that is no dict; a table of more than 4,194,304 cells.
func ReadSummaries(rows *csv.Reader, names, asked []string) (*Project, error) {
	p, t := &Project{}, &table{}
	config := map[string]bool{}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		p.Runs++
		cells, scores := map[string]string{}, map[string]string{}
		for i, cell := range record {
			switch name := names[i]; name {
			case summaryColumn, configColumn:
				dict, err := dictOf(cell)
				if err != nil {
					line, _ := rows.FieldPos(i)
					return nil, fmt.Errorf("line %d: the column %s holds %.60q, want a dict such as {'loss': 0.5}: %w",
						line, name, cell, err)
				}
				if name == configColumn {
					flatten(cells, configColumn+".", dict, entryText)
				} else {
					flatten(scores, "", dict, scoreText)
				}
			default:
				cells[name] = cell
			}
		}
		t.rows = append(t.rows, map[int]string{})
		for _, name := range asked {
			if cell, ok := cells[name]; ok {
				err = cmp.Or(err, t.set(name, cell))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(scores)) {
			if !slices.Contains(asked, name) {
				err = cmp.Or(err, t.set(name, scores[name]))
			}
		}
		if err != nil {
			return nil, err
		}
		for name := range cells {
			config[name] = config[name] || strings.HasPrefix(name, configColumn+".")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if config[name] && !slices.Contains(asked, name) {
			p.Config = append(p.Config, name)
		}
	}
	var err error
	p.Text, err = t.text()
	return p, err
}

// dictOf is a dict of Python or an object of JSON.
func dictOf(cell string) (map[string]any, error) {
	value, err := text.PythonLiteral(cell)
	if err != nil {
		var object map[string]any
		if json.Unmarshal([]byte(cell), &object) == nil {
			value, err = object, nil
		}
	}
	dict, ok := value.(map[string]any)
	if err == nil && !ok {
		err = fmt.Errorf("it is %s", text.PythonType(value))
	}
	return dict, err
}

// flatten enters the members of a dict as cells; a dict inside has its members, with its name in front.
func flatten(cells map[string]string, prefix string, dict map[string]any, write func(any) (string, bool)) {
	for name, v := range dict {
		if strings.HasPrefix(name, "_") {
			continue
		}
		inside, ok := v.(map[string]any)
		if _, media := inside["_type"]; ok && !media {
			flatten(cells, prefix+name+".", inside, write)
		} else if cell, ok := write(v); ok {
			cells[prefix+name] = cell
		}
	}
}

// scoreText is a number of a summary, or a truth value; NaN and infinity may be texts.
func scoreText(v any) (string, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return shortest(v), true
	case bool:
		return strconv.FormatBool(v), true
	case string:
		number, ok := logged(v)
		return shortest(number), ok
	}
	return "", false
}

// entryText is a member of a configuration.
func entryText(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	if cell, ok := scoreText(v); ok {
		return cell, true
	}
	return cmp.Or(fmt.Sprint(v), "None"), v != nil
}
