// Tests of the reader of ratings.

package canvas

import (
	"slices"
	"strings"
	"testing"
)

func TestReadRatings(t *testing.T) {
	t.Parallel()
	got, err := ReadRatings("r.csv", []byte("\ufeffRater, case_id,Rating\nann,\"a, b\",4\nbob,c,\nann,c,-1.5e0\n"))
	if want := []Rating{{"a, b", "ann", 4}, {"c", "ann", -1.5}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	for text, want := range map[string]string{
		"":                                     "the table is empty",
		"case_id,score\na,1\n":                 `there is no column "rating"; the columns are case_id, score, want case_id, rating`,
		"case_id,rating\na,good\n":             `line 2: the rating of a is "good", want a number`,
		"case_id,rating\na,NaN\n":              "want a number",
		"case_id,rating\n,3\n":                 "line 2 names no case",
		"case_id,rating\na,\n":                 "no ratings",
		"case_id,rating,rater\na,1,x\na,2,x\n": "x rates a twice",
		"case_id,rating,rating\na,1,2\n":       `two columns are named "rating"`,
		"case_id,rating\na,1,2\n":              "line 2 does not have the same number of cells as the first line",
		"case_id,rating,Rating\na,1,2\n":       "the columns rating and Rating both contain rating",
		"case_id,rating\n\"a,1\n":              "r.csv",
		"case_id,rating\na,1e999\n":            "want a number",
	} {
		_, err := ReadRatings("r.csv", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "r.csv: ") {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzReadRatings(f *testing.F) {
	f.Add([]byte("case_id,rating,rater\na,1,x\nb,2,\n"))
	f.Add([]byte("\ufeffcase_id;rating\r\na;1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ratings, err := ReadRatings("f", data)
		if (err == nil) != (len(ratings) > 0) {
			t.Errorf("%d ratings and the error %v", len(ratings), err)
		}
		if checkRatings(ratings) != nil {
			t.Error("what was read is refused")
		}
	})
}
