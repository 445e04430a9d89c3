// The files of what people think of designs: ratings, and preferences of one of two.

package canvas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
)

// Rating is what a person thinks of a case: higher is better.
type Rating struct {
	Case, Rater string // Rater is empty where the file does not say who
	Value       float64
}

// ratingColumns are the columns of ratings.
var ratingColumns = []tabular.Column{{Name: "case_id"}, {Name: "rating"}, {Name: "rater", Optional: true}}

// ReadRatings reads a CSV file with the columns case_id and rating, and rater where several
// people have rated; name is the name of the file, for errors. Rows without a rating are passed
// over. Errors: no such columns, a rating that is no number, two ratings of one person for one
// case, no ratings.
func ReadRatings(name string, data []byte) ([]Rating, error) {
	out, err := readRatings(name, data)
	if err == nil && len(out) == 0 {
		err = errors.New("no ratings")
	}
	if err == nil {
		err = checkRatings(out)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func readRatings(name string, data []byte) ([]Rating, error) {
	var out []Rating
	err := eachRow(name, data, ratingColumns, func(line int, cells []string) error {
		r := Rating{Case: cells[0], Rater: cells[2]}
		if cells[1] == "" {
			return nil
		}
		if r.Case == "" {
			return fmt.Errorf("line %d names no case", line)
		}
		var err error
		if r.Value, err = strconv.ParseFloat(cells[1], 64); err != nil || math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return fmt.Errorf("line %d: the rating of %s is %q, want a number", line, r.Case, cells[1])
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// eachRow visits the rows of a table with their cells of some columns, empty for a column that is not there. Equal
// cells share their memory.
func eachRow(name string, data []byte, wanted []tabular.Column, visit func(line int, cells []string) error) error {
	rows, names, err := tabular.Open(name, bytes.NewReader(data), tabular.Options{})
	if err != nil {
		return err
	}
	columns, err := tabular.Find(names, wanted...)
	if err != nil {
		return err
	}
	rows.TrimLeadingSpace = true
	texts, cells := map[string]string{}, make([]string, len(columns))
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tabular.Error(err)
		}
		for i, column := range columns {
			if column < 0 {
				continue
			}
			cell, ok := texts[strings.TrimSpace(row[column])]
			if !ok {
				cell = strings.Clone(strings.TrimSpace(row[column]))
				texts[cell] = cell
			}
			cells[i] = cell
		}
		line, _ := rows.FieldPos(0)
		if err := visit(line, cells); err != nil {
			return err
		}
	}
}

// Verdict says which of two designs a person prefers.
type Verdict int8

// The verdicts of a comparison.
const (
	PrefersB Verdict = iota - 1
	Tie
	PrefersA
)

// Preference is which of two cases a person prefers.
type Preference struct {
	A, B    string // cases
	Verdict Verdict
	Rater   string // empty where the file does not say who
}

// preferenceColumns are the columns of preferences.
var preferenceColumns = []tabular.Column{{Name: "case_a", Found: []string{"design_a"}},
	{Name: "case_b", Found: []string{"design_b"}}, {Name: "winner"}, {Name: "rater", Optional: true}}

// HasPreferences reports whether a table is one of preferences: it has the column winner.
func HasPreferences(name string, data []byte) bool {
	_, names, err := tabular.Open(name, bytes.NewReader(data), tabular.Options{})
	return err == nil &&
		slices.ContainsFunc(names, func(column string) bool { return strings.EqualFold(column, "winner") })
}

// ReadPreferences reads a CSV file with the columns case_a, case_b (or design_a, design_b) and winner, and rater where
// several people have compared; name is the name of the file, for errors. The winner is a, b, the name of its column,
// the case itself, or tie. Rows without a winner are passed over. Errors: no such columns, a case that is compared with
// itself, another winner, rows with and rows without a rater, no preferences.
func ReadPreferences(name string, data []byte) ([]Preference, error) {
	var out []Preference
	err := eachRow(name, data, preferenceColumns, func(line int, cells []string) error {
		p := Preference{A: cells[0], B: cells[1], Rater: cells[3]}
		if cells[2] == "" {
			return nil
		}
		if p.A == "" || p.B == "" {
			return fmt.Errorf("line %d does not name two cases", line)
		}
		var err error
		if p.Verdict, err = p.outcome(cells[2]); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		out = append(out, p)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no preferences")
	}
	if err == nil {
		err = checkPreferences(out)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// outcome is which case a cell of winners means.
func (p *Preference) outcome(winner string) (Verdict, error) {
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(winner, name) })
	}
	var outcomes []Verdict
	for _, c := range []struct {
		outcome Verdict
		means   bool
	}{
		{PrefersA, winner == p.A || is("a", "case_a", "design_a")},
		{PrefersB, winner == p.B || is("b", "case_b", "design_b")},
		{Tie, is("tie")},
	} {
		if c.means {
			outcomes = append(outcomes, c.outcome)
		}
	}
	switch len(outcomes) {
	case 0:
		return 0, fmt.Errorf("the winner of %s and %s is %q, want a, b, tie or one of the cases", p.A, p.B, winner)
	case 1:
		return outcomes[0], nil
	}
	return 0, fmt.Errorf("the winner %q of %s and %s has two meanings; write case_a or case_b", winner, p.A, p.B)
}

// checkPreferences finds cases that are compared with themselves, and raters that only some preferences name.
func checkPreferences(preferences []Preference) error {
	for i := range preferences {
		switch p := &preferences[i]; {
		case p.A == p.B:
			return fmt.Errorf("%s is compared with itself", p.A)
		case p.Verdict < PrefersB || p.Verdict > PrefersA:
			return fmt.Errorf("the comparison of %s with %s has the outcome %d, want −1, 0 or 1", p.A, p.B, p.Verdict)
		case (p.Rater == "") != (preferences[0].Rater == ""):
			return fmt.Errorf("the comparison of %s with %s names a rater or none, unlike the first; want a rater in every row, "+
				"or no such column", p.A, p.B)
		}
	}
	return nil
}

// checkRatings finds ratings that are no numbers, and two of one person for one case.
func checkRatings(ratings []Rating) error {
	seen := map[[2]string]bool{}
	for _, r := range ratings {
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return fmt.Errorf("the rating of %s is not a number", r.Case)
		}
		pair := [2]string{r.Case, r.Rater}
		if r.Rater != "" && seen[pair] {
			return fmt.Errorf("%s rates %s twice", r.Rater, r.Case)
		}
		seen[pair] = true
	}
	return nil
}

// rated are the ratings of one case.
type rated struct {
	row    int // of [Result.Rows]
	values []float64
	raters []string
}

// finalDesigns are the rows of final designs by their IDs.
func (r *Result) finalDesigns() map[string]int {
	index := map[string]int{}
	for i, row := range r.Rows {
		if row.Case.Snapshot < 0 {
			index[row.Case.ID] = i
		}
	}
	return index
}

// ratedCases are the final designs that people have rated, in the order of the rows, and how many
// ratings are of other cases.
func (r *Result) ratedCases(ratings []Rating) (cases []rated, unknown int) {
	index := r.finalDesigns()
	byRow := map[int]*rated{}
	var order []int
	for _, rating := range ratings {
		i, ok := index[rating.Case]
		if !ok {
			unknown++
			continue
		}
		if byRow[i] == nil {
			byRow[i] = &rated{row: i}
			order = append(order, i)
		}
		byRow[i].values, byRow[i].raters = append(byRow[i].values, rating.Value), append(byRow[i].raters, rating.Rater)
	}
	slices.Sort(order)
	for _, i := range order {
		cases = append(cases, *byRow[i])
	}
	return cases, unknown
}
