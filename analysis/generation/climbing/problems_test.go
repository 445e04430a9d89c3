// Tests of problem sets: reading, and errors of problems.

package climbing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
)

// Both spellings and both forms of a set are the same problems; a hold that is start and end
// is in both channels.
func TestReadProblems(t *testing.T) {
	t.Parallel()
	const lower = `{"grade":"6B+","moves":[{"description":"A1","isStart":true,"isEnd":false},{"description":"F7"},{"description":"K18","isStart":true,"isEnd":true}],"validation":{"valid":false}}`
	upper := strings.NewReplacer("grade", "Grade", "moves", "Moves", "description", "Description", "isStart", "IsStart", "isEnd", "IsEnd", "validation", "Validation", "valid\"", "Valid\"").Replace(lower)
	for _, text := range []string{`{"source":{"a":[1]},"total":2,"data":[` + lower + "," + upper + `]}`, "[" + lower + "," + upper + "]", `{"Data":[` + lower + "," + upper + `],"data2":1}`} {
		p, err := readProblems(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if p.Len() != 2 || len(p.Bad) > 0 || p.Grades[0] != "6B+" || p.Stated[0] != StatedInvalid || !slices.Equal(p.Index, []int{0, 1}) {
			t.Fatalf("%s: %+v", text, p)
		}
		for i := range 2 {
			var set []string
			for c, v := range p.Grid(i) {
				if v != 0 {
					set = append(set, fmt.Sprint(c/boardHolds, "/", c%boardHolds))
				}
			}
			if got := strings.Join(set, " "); got != "0/0 0/197 1/71 2/197" {
				t.Errorf("%s: cells %s", text, got)
			}
		}
		b := BoardOf(p.Grid(0))
		if b != (Board{Holds: 3, Start: 2, End: 1, Middle: 1, Rest: 0, Vertical: 17, Horizontal: 10}) || b.Valid() {
			t.Errorf("%+v", b)
		}
	}
}

// A bad problem is listed with its index and error; the others are kept.
func TestReadProblemsListsBadOnes(t *testing.T) {
	t.Parallel()
	const good = `{"moves":[{"description":"b2"}]}`
	for text, want := range map[string]string{
		`7`:                                          "it is 7, want an object with grade and moves",
		`{}`:                                         "it has no moves",
		`{"moves":[]}`:                               "it has no moves",
		`{"moves":3}`:                                "moves is a number, want a list",
		`{"grade":6,"moves":[]}`:                     "grade is a number, want a string",
		`{"moves":[{"isStart":true}]}`:               "move 0: it has no description of a hold",
		`{"moves":[{"description":"L1"}]}`:           `move 0: "L1" is not a hold: want a column A to K and a row 1 to 18`,
		`{"moves":[{"description":"A19"}]}`:          `"A19" is not a hold`,
		`{"moves":[{"description":"A0"}]}`:           `"A0" is not a hold`,
		`{"moves":[{"description":"A+1"}]}`:          `"A+1" is not a hold`,
		`{"moves":[{"description":"A"}]}`:            `"A" is not a hold`,
		`{"moves":[{"description":"A1","isEnd":1}]}`: "moves.isend is a number, want true or false",
	} {
		p, err := readProblems(strings.NewReader("[" + good + "," + text + "," + good + "]"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if p.Len() != 2 || !slices.Equal(p.Index, []int{0, 2}) || len(p.Bad) != 1 || p.Bad[0].Index != 1 || !strings.Contains(p.Bad[0].Error(), "problem 1: ") || !strings.Contains(p.Bad[0].Reason, want) {
			t.Errorf("%s: %+v, want problem 1 with %q", text, p.Bad, want)
		}
	}
}

func TestReadProblemsOfOtherFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                 "does not end",
		`[`:                "does not end",
		`[{"moves":`:       "does not end",
		`7`:                "it is not a list",
		`{"rows":[1]}`:     `there is no "data"`,
		`{"data":{"a":1}}`: `"data" is not a list`,
		`[{},x]`:           "not JSON at byte",
	} {
		path := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadProblems(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.json") {
			t.Errorf("%q: error %v, want one with the file and %q", text, err, want)
		}
	}
	if _, err := readProblems(strings.NewReader("[")); !errors.Is(err, dataset.ErrTruncated) {
		t.Errorf("a text that does not end: %v", err)
	}
	if _, err := ReadProblems("none.json"); err == nil || err.Error() != "none.json: no such file or directory" {
		t.Errorf("no file: %v", err)
	}
}

func TestUnusualBoards(t *testing.T) {
	t.Parallel()
	grid := make([]uint8, Cells)
	for hold := range 21 {
		grid[boardMiddle*boardHolds+hold] = 1
	}
	for hold := range 5 {
		grid[boardStart*boardHolds+hold] = 1
	}
	for hold := 15; hold < 18; hold++ {
		grid[boardEnd*boardHolds+hold] = 1
	}
	b := BoardOf(grid)
	if got := strings.Join(b.Unusual(), ", "); got != "more than 20 holds, more than 4 start holds, more than 2 end holds" || !b.Valid() || b.Middle != 13 {
		t.Errorf("%+v: %s", b, got)
	}
	if empty := BoardOf(make([]uint8, Cells)); empty != (Board{}) || empty.Valid() {
		t.Errorf("an empty board: %+v", empty)
	}
	if got := b.Statistics(true); len(got) != len(Statistics()) || got[3] != 13 {
		t.Errorf("statistics %v", got)
	}
}

// Whatever the bytes, there is an error or grids of 0 and 1, as many as indices.
func FuzzReadProblems(f *testing.F) {
	for _, text := range []string{`[{"grade":"7A","moves":[{"description":"A1","isStart":true}]}]`, `{"data":[{"Moves":[{"Description":"K18"}]},3]}`, `{"data":null}`, `[[]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readProblems(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		if len(p.Cells) != p.Len()*Cells || len(p.Grades) != p.Len() || len(p.Stated) != p.Len() || slices.ContainsFunc(p.Cells, func(v uint8) bool { return v > 1 }) {
			t.Fatalf("%d cells of %d problems", len(p.Cells), p.Len())
		}
	})
}
