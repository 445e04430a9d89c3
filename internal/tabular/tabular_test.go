// Tests of the rule that joins tables: names, order, missing and extra columns, no names.

package tabular

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"repscope/internal/bound"
)

func TestNamesOrPlaces(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"a, b ":       "a b",
		"a,1":         "a 1",
		"0,1,2":       "0 1 2",          // pandas names columns so
		"1,2,3":       "1 2 3",          // from one
		"0.5,1":       "0 1 row",        // a row
		"nan,1":       "0 1 row",        // a row with a missing number
		"1e3,,2":      "0 1 2 row",      // a row with a missing cell
		"inf,nan":     "inf nan",        // words: no digit
		"3,5":         "!whole numbers", // names or a row
		"1,1":         "!whole numbers",
		",0,1":        " 0 1", // pandas with an index
		",a,b":        " a b",
		",3,5":        "!whole numbers",
		"0,5;1":       "0 1 row", // decimal commas
		"a,":          "!column 2 has no name",
		"a,b,a":       `!two columns are named "a"`,
		"0.5,0.5,0.5": "0 1 2 row",
	} {
		names, row, err := NamesOrPlaces(cellsOf(header))
		got := strings.Join(names, " ")
		if row {
			got += " row"
		}
		if complaint, wrong := strings.CutPrefix(want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), complaint) {
				t.Errorf("%q: %v, want an error with %q", header, err, complaint)
			}
		} else if err != nil || got != want {
			t.Errorf("%q: %q, error %v, want %q", header, got, err, want)
		}
	}
	if _, _, err := NamesOrPlaces([]string{"7"}); !errors.Is(err, ErrNamesOrRow) {
		t.Errorf("a single whole number: %v", err)
	}
}

func cellsOf(header string) []string {
	if strings.Contains(header, ";") {
		return strings.Split(header, ";")
	}
	return strings.Split(header, ",")
}

func TestSeparator(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]rune{
		"a,b\n1;2;3\n": ',', "a;b\n": ';', "a\tb;c\td\n": '\t', "a|b\n": '|', "\"a;b;c\",d\n": ',', "a\n": ',', "": ',',
	} {
		if got := Separator("t.csv", []byte(head)); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
	if got := Separator("t.TSV", []byte("a,b,c\td")); got != '\t' {
		t.Errorf("a .tsv: %q", got)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	rows, names, err := Open("t.csv", strings.NewReader("\ufeff\"a\";b\n1;2\n"), Options{Separator: ';'})
	if err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Fatalf("%q, error %v", names, err)
	}
	if record, err := rows.Read(); err != nil || !slices.Equal(record, []string{"1", "2"}) {
		t.Errorf("%q, error %v", record, err)
	}
	if _, err := rows.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v", err)
	}
	if _, names, err = Open("t.csv", strings.NewReader(",b,\n"), Options{Unnamed: true}); err != nil || !slices.Equal(names,
		[]string{"", "b", ""}) {
		t.Errorf("%q, error %v", names, err)
	}
	for text, want := range map[string]string{
		"":                                  "the table is empty; want a line of column names and rows",
		"a,\"b":                             "line 1",
		"a,a\n":                             `two columns are named "a"`,
		"\xff\xfea\x00,\x00b\x00\n\x00":     "the table is text in UTF-16; save it in UTF-8",
		`{"a":1}` + "\n":                    "the file is JSON, want a table of text or .parquet",
		`[{"a":1}]`:                         "the file is JSON, want a table of text or .parquet",
		"\x93NUMPY\x01\x00v\x00{'descr'}\n": "the file is not a table of text",
	} {
		if _, _, err := Open("t.csv", strings.NewReader(text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
	rows = Rows("t.csv", strings.NewReader("a,b\n1\n"), Options{})
	_, _ = rows.Read()
	if _, err := rows.Read(); Error(err).Error() != "line 2 does not have the same number of cells as the first line" {
		t.Errorf("a short row: %v", Error(err))
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	wanted := []Column{{Name: "case_id"}, {Name: "rating"}, {Name: "rater", Optional: true}}
	ordered := Column{Name: "y", Found: []string{"row"}, Ordered: true}
	for _, c := range []struct {
		names  string
		wanted []Column
		want   []int
		err    string
		hint   string
	}{
		{"case_id rating rater", wanted, []int{0, 1, 2}, "", ""},
		{"note Rating CASE_ID", wanted, []int{2, 1, -1}, "", ""},
		{"case_id ratings", wanted, nil, `there is no column "rating"; the columns are case_id, ratings, want case_id, rating`, "is ratings the column rating?"},
		{"case_id rating Rating", wanted, nil, "the columns rating and Rating both contain rating; want one of them", ""},
		{"row y", []Column{ordered}, []int{1}, "", ""},
		{"row x", []Column{ordered}, []int{0}, "", ""},
		{"row y Y", []Column{ordered}, nil, "the columns y and Y both contain y", ""},
		{"grade label", []Column{{Name: "label", Found: []string{"grade"}}}, nil,
			"the columns label and grade both contain label", ""},
	} {
		got, err := Find(strings.Fields(c.names), c.wanted...)
		if c.err == "" {
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, error %v, want %v", c.names, got, err, c.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.err) || hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q; want %q, %q", c.names, err, hint(err), c.err, c.hint)
		}
	}
	if err := Missing("widht", []string{"height", "width"}); hint(err) != "did you mean width?" {
		t.Errorf("%v, hint %q", err, hint(err))
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ names, like, order, err, hint string }{
		{"a b", "a b", "[0 1]", "", ""},
		{"b c a", "a b c", "[2 0 1]", "", ""},
		{"0 1", "0 1", "[0 1]", "", ""}, // both without names: by place
		{"a c", "a b", "", "g.csv does not have the same columns as r.csv: missing b; extra c", ""},
		{"a", "a b", "", "g.csv does not have the same columns as r.csv: missing b", ""},
		{"a b", "b", "", "g.csv does not have the same columns as r.csv: extra a", ""},
		{"0 1", "a b", "", "g.csv does not have the same columns as r.csv: missing a, b; extra 0, 1",
			"g.csv has no line of column names, or only numbers in it"},
		{"a b", "0 1", "", "g.csv does not have the same columns as r.csv: missing 0, 1; extra a, b",
			"r.csv has no line of column names, or only numbers in it"},
	} {
		order, err := Pair("g.csv", strings.Fields(c.names), "r.csv", strings.Fields(c.like))
		switch {
		case c.err == "" && (err != nil || !slices.Equal(order, orderOf(c.order))):
			t.Errorf("%s beside %s: %v, error %v, want %s", c.names, c.like, order, err, c.order)
		case c.err != "" && (err == nil || err.Error() != c.err || hint(err) != c.hint):
			t.Errorf("%s beside %s: error %v, hint %q, want %q, %q", c.names, c.like, err, hint(err), c.err, c.hint)
		}
	}
}

func orderOf(text string) (out []int) {
	for _, c := range strings.Trim(text, "[]") {
		if c != ' ' {
			out = append(out, int(c-'0'))
		}
	}
	return out
}

func hint(err error) string {
	var h interface{ Hints() []string }
	if errors.As(err, &h) {
		return h.Hints()[0]
	}
	return ""
}

// A line without an end is an error before all of it is in memory, wherever it stands.
func TestRows_LongLine(t *testing.T) {
	t.Parallel()
	for begin, want := range map[string]string{"": "line 1 has more than 67108864 bytes", "a,b\n1,2\n\"x\ny\",": "line 4 has more than 67108864 bytes"} {
		endless := &endless{}
		rows := Rows("t.csv", io.MultiReader(strings.NewReader(begin), endless), Options{})
		var err error
		for err == nil {
			_, err = rows.Read()
		}
		if !strings.Contains(err.Error(), want) || endless.read > bound.Free+2*HeadBytes {
			t.Errorf("after %q: %v, %d bytes read", begin, err, endless.read)
		}
	}
	long := strings.Repeat("9", bound.Free/2)
	rows := Rows("t.csv", strings.NewReader("a,b\n"+long+",1\n"+long+",2\n"), Options{})
	for range 3 {
		if _, err := rows.Read(); err != nil {
			t.Error(err)
		}
	}
}

// endless are digits without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '7'
	}
	e.read += len(p)
	return len(p), nil
}
