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

	"repscope/dataset"
)

// Rating is what a person thinks of a case: higher is better.
type Rating struct {
	Case, Rater string // Rater is empty where the file does not say who
	Value       float64
}

// ReadRatings reads a CSV file with the columns case_id and rating, and rater where several
// people have rated; name is that of the file, for errors. Rows without a rating are passed
// over. Errors: no such columns, a rating that is no number, two ratings of one person for one
// case, no ratings.
func ReadRatings(name string, data []byte) ([]Rating, error) {
	reader := dataset.TableReader(name, bytes.NewReader(data))
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty, want the columns case_id and rating", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	place := map[string]int{"case_id": -1, "rating": -1, "rater": -1}
	for i, column := range header {
		column = strings.ToLower(strings.TrimSpace(column))
		at, known := place[column]
		if known && at >= 0 {
			return nil, fmt.Errorf("%s: the column %s stands twice", name, column)
		} else if known {
			place[column] = i
		}
	}
	if place["case_id"] < 0 || place["rating"] < 0 {
		return nil, fmt.Errorf("%s: the columns are %s, want case_id and rating, and rater where several people have rated",
			name, strings.Join(header, ", "))
	}
	var out []Rating
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := reader.FieldPos(0)
		r := Rating{Case: strings.TrimSpace(row[place["case_id"]])}
		if at := place["rater"]; at >= 0 {
			r.Rater = strings.TrimSpace(row[at])
		}
		text := strings.TrimSpace(row[place["rating"]])
		if text == "" {
			continue
		}
		if r.Case == "" {
			return nil, fmt.Errorf("%s: line %d rates no case", name, line)
		}
		if r.Value, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return nil, fmt.Errorf("%s: line %d: the rating of %s is %q, want a number", name, line, r.Case, text)
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there are no ratings", name)
	}
	if err := checkRatings(out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// checkRatings finds ratings that are no numbers, and two of one person for one case.
func checkRatings(ratings []Rating) error {
	seen := map[[2]string]bool{}
	for _, r := range ratings {
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return fmt.Errorf("the rating of %s is no number", r.Case)
		}
		at := [2]string{r.Case, r.Rater}
		if r.Rater != "" && seen[at] {
			return fmt.Errorf("%s rates %s twice", r.Rater, r.Case)
		}
		seen[at] = true
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
	at := map[string]int{}
	for i, row := range r.Rows {
		if row.Case.Snapshot < 0 {
			at[row.Case.ID] = i
		}
	}
	of := map[int]*rated{}
	var order []int
	for _, rating := range ratings {
		i, ok := at[rating.Case]
		if !ok {
			unknown++
			continue
		}
		if of[i] == nil {
			of[i] = &rated{row: i}
			order = append(order, i)
		}
		of[i].values, of[i].raters = append(of[i].values, rating.Value), append(of[i].raters, rating.Rater)
	}
	slices.Sort(order)
	for _, i := range order {
		cases = append(cases, *of[i])
	}
	return cases, unknown
}
