// Tests of tables: what columns hold, and what is wrong with a table.

package dataset

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadTable(t *testing.T) {
	t.Parallel()
	columns, err := readTable(strings.NewReader("\ufefflives, x ,side\n3,0.5,left\n2,,right\n-1,nan,left\n"), ',')
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(columns); got != "[{lives [3 2 -1] [] []} {x [] [0.5 NaN NaN] []} {side [0 1 0] [] [left right left]}]" {
		t.Error(got)
	}
	if columns, err = readTable(strings.NewReader("a\tb\n1\t2\n"), '\t'); err != nil || len(columns) != 2 {
		t.Errorf("%v, error %v", columns, err)
	}
	for text, want := range map[string]string{
		"":               "the table is empty",
		"a,b\n":          "the table has names but no rows",
		"a,a\n1,2\n":     `two columns are named "a"`,
		",b\n1,2\n":      "column 1 has no name in the first line",
		"a,b\n1,2\n3\n":  "line 3 has another number of cells than the first",
		"a,b\n1,\"2\n":   "line",
		"a,b\n1,2\n,3\n": "column a: row 1 is empty in a column of whole numbers",
		"a,b\nx,2\n,3\n": "column a: row 1 is empty in a column of classes",
		"a,b\n,2\n,3\n":  "column a: row 0 is empty in a column of classes",
	} {
		if _, err := readTable(strings.NewReader(text), ','); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// Whatever the bytes, there is an error or columns of one length with distinct names.
func FuzzReadTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a\n\"x\ny\"\n", "\ufeffa;b\n1;2\n", "a,b\n1e400,nan\n", "a\n9223372036854775808\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		columns, err := readTable(strings.NewReader(string(data)), ',')
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, c := range columns {
			if c.Name == "" || names[c.Name] || (c.Ints == nil) == (c.Floats == nil) ||
				len(c.Ints)+len(c.Floats) != len(columns[0].Ints)+len(columns[0].Floats) {
				t.Fatalf("columns %v", columns)
			}
			names[c.Name] = true
		}
	})
}
