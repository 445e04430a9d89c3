// The file of what people think of designs.

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
	rows, names, err := tabular.Open(name, bytes.NewReader(data), tabular.Options{})
	if err != nil {
		return nil, err
	}
	columns, err := tabular.Find(names, ratingColumns...)
	if err != nil {
		return nil, err
	}
	rows.TrimLeadingSpace = true
	var out []Rating
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		line, _ := rows.FieldPos(0)
		cell := func(column int) string {
			if columns[column] < 0 {
				return ""
			}
			return strings.TrimSpace(strings.Clone(row[columns[column]]))
		}
		r := Rating{Case: cell(0), Rater: cell(2)}
		text := cell(1)
		if text == "" {
			continue
		}
		if r.Case == "" {
			return nil, fmt.Errorf("line %d names no case", line)
		}
		if r.Value, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return nil, fmt.Errorf("line %d: the rating of %s is %q, want a number", line, r.Case, text)
		}
		out = append(out, r)
	}
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

// ratedCases are the final designs that people have rated, in the order of the rows, and how many
// ratings are of other cases.
func (r *Result) ratedCases(ratings []Rating) (cases []rated, unknown int) {
	index := map[string]int{}
	for i, row := range r.Rows {
		if row.Case.Snapshot < 0 {
			index[row.Case.ID] = i
		}
	}
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
