// Captions of designs, scores of how alike they are, and lists of cases.

package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"repscope/dataset"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// Captions are the captions of one case.
type Captions struct {
	Case string
	// Reference and Generated are the captions of both designs; empty where there is none.
	Reference, Generated string
	Line                 int // of the file, from 1
}

// captionColumns are the columns of a table of captions.
var captionColumns = []tabular.Column{{Name: "case_id"}, {Name: "gt_caption"}, {Name: "gen_caption"}}

// ParseCaptions reads a table (CSV, or tabs in a .tsv) with the columns case_id, gt_caption and gen_caption, in any
// order and next to others; name is the name of the file. Captions can be empty, and can be quoted over several
// lines; surrounding white space is removed. Errors name the file and lines: a missing column, a row without a case
// or with a wrong number of cells, two rows of one case, and no rows.
func ParseCaptions(name string, data []byte) ([]Captions, error) {
	list, err := parseCaptions(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func parseCaptions(name string, data []byte) ([]Captions, error) {
	reader, names, err := tabular.Open(name, bytes.NewReader(data), tabular.Options{})
	if err != nil {
		return nil, err
	}
	columns, err := tabular.Find(names, captionColumns...)
	if err != nil {
		return nil, err
	}
	var list []Captions
	seen := newCaseLines()
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		line, _ := reader.FieldPos(0)
		cell := func(k int) string { return strings.Clone(strings.TrimSpace(record[columns[k]])) }
		c := Captions{Case: cell(0), Reference: cell(1), Generated: cell(2), Line: line}
		if err := seen.add(c.Case, line); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, errors.New("the table has column names but no rows")
	}
	return list, nil
}

// caseLines are the lines of cases.
type caseLines map[string]int

func newCaseLines() caseLines { return caseLines{} }

// add enters a case; an empty one, and one that was entered before, are errors.
func (l caseLines) add(id string, line int) error {
	if id == "" {
		return fmt.Errorf("line %d has no case_id", line)
	}
	if before, ok := l[id]; ok {
		return fmt.Errorf("lines %d and %d both have case %s", before, line, id)
	}
	l[id] = line
	return nil
}

// SemanticScore is how alike the captions of a case are, computed earlier.
type SemanticScore struct {
	Case string
	// Score is NaN where the file has null, NaN or nothing.
	Score                float64
	Reference, Generated string // captions; empty where there is none
	Line                 int    // of the file, from 1
}

// semanticScore is a row of the file.
type semanticScore struct {
	Case      *string  `json:"case_id"`
	Score     *float64 `json:"blip_score"`
	Reference *string  `json:"gt_caption"`
	Generated *string  `json:"gen_caption"`
}

// ParseSemanticScores reads a list [{"case_id", "blip_score", "gt_caption", "gen_caption"}, …], such as
// precomputed_blip_scores.json; name is the name of the file. Scores and captions can be null or missing, and scores
// NaN, as Python writes it; other keys are ignored. Errors name the file and lines: text that is not JSON or not a
// list, a row without a case, two rows of one case, and a score or caption of a wrong type.
func ParseSemanticScores(name string, data []byte) ([]SemanticScore, error) {
	list, err := parseSemanticScores(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func parseSemanticScores(data []byte) ([]SemanticScore, error) {
	data, _ = text.WithoutNaN(bytes.TrimPrefix(data, []byte(tabular.Mark)))
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil {
		return nil, dataset.JSONError(err)
	} else if token != json.Delim('[') {
		return nil, errors.New(`it is not a list; want [{"case_id": …, "blip_score": …, "gt_caption": …, "gen_caption": …}, …]`)
	}
	var list []SemanticScore
	seen := newCaseLines()
	index, line := 0, 1
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, dataset.JSONError(err)
		}
		start := int(d.InputOffset()) - len(raw)
		line += bytes.Count(data[index:start], []byte{'\n'})
		index = start
		row, err := parseSemanticScore(raw)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		row.Line = line
		if err := seen.add(row.Case, line); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	if _, err := d.Token(); err != nil {
		return nil, dataset.JSONError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the list")
	}
	return list, nil
}

// parseSemanticScore reads one row.
func parseSemanticScore(raw json.RawMessage) (SemanticScore, error) {
	var row semanticScore
	if len(raw) == 0 || raw[0] != '{' {
		return SemanticScore{}, fmt.Errorf("it is %.40s, want an object with case_id and blip_score", raw)
	}
	if err := json.Unmarshal(raw, &row); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return SemanticScore{}, fmt.Errorf("%w or null", text.JSONError(err))
		}
		return SemanticScore{}, err
	}
	str := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.TrimSpace(*s)
	}
	out := SemanticScore{Case: str(row.Case), Score: math.NaN(), Reference: str(row.Reference), Generated: str(row.Generated)}
	if row.Score != nil {
		out.Score = *row.Score
	}
	return out, nil
}

// EncodeSemanticScores writes rows as [ParseSemanticScores] reads them: null for a score that
// is no number, and for a caption that is empty.
func EncodeSemanticScores(w io.Writer, list []SemanticScore) error {
	rows := make([]semanticScore, len(list))
	for i := range list {
		s := &list[i]
		rows[i] = semanticScore{Case: &s.Case}
		if !math.IsNaN(s.Score) && !math.IsInf(s.Score, 0) {
			rows[i].Score = &s.Score
		}
		if s.Reference != "" {
			rows[i].Reference = &s.Reference
		}
		if s.Generated != "" {
			rows[i].Generated = &s.Generated
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// ParseCases reads the cases of the rows of a matrix: a list of texts in JSON, the column case_id of a table, or one
// case per line. name is the name of the file; its ending selects the format. Empty lines at the end are ignored.
// Errors name the file and lines: no cases, an empty case, and a repeated case.
func ParseCases(name string, data []byte) ([]string, error) {
	list, err := parseCases(name, bytes.TrimPrefix(data, []byte(tabular.Mark)))
	if err == nil && len(list) == 0 {
		err = errors.New("it has no case")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func parseCases(name string, data []byte) ([]string, error) {
	if dataset.IsTable(name) {
		return tableCases(name, data)
	}
	var list []string
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(trimmed, &list); err != nil {
			return nil, fmt.Errorf("it is not a list of texts: %w", dataset.JSONError(err))
		}
	} else {
		for line := range strings.Lines(string(bytes.TrimRight(data, " \t\r\n"))) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	seen := newCaseLines()
	for i, id := range list {
		if err := seen.add(id, i+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// tableCases are the cells of the column case_id.
func tableCases(name string, data []byte) ([]string, error) {
	data, err := dataset.TableText(name, data)
	if err != nil {
		return nil, err
	}
	reader, names, err := tabular.Open(name, bytes.NewReader(data), tabular.Options{})
	if err != nil {
		return nil, err
	}
	columns, err := tabular.Find(names, captionColumns[0])
	if err != nil {
		return nil, err
	}
	column := columns[0]
	var list []string
	seen := newCaseLines()
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		line, _ := reader.FieldPos(column)
		id := strings.Clone(strings.TrimSpace(record[column]))
		if err := seen.add(id, line); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
}
