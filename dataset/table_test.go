// Tests of tables: contents of columns, and errors.

package dataset

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadTable(t *testing.T) {
	t.Parallel()
	columns, err := readTable(strings.NewReader("\ufefflives, x ,side\n3,0.5,left\n2,,right\n-1,nan,left\n"), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(columns); got != "[{lives [3 2 -1] [] [] true false} {x [] [0.5 NaN NaN] [] false "+
		"false} {side [0 1 0] [] [left right left] true false}]" {
		t.Error(got)
	}
	if columns, err = readTable(strings.NewReader("a\tb\n1\t2\n"), "t.tsv"); err != nil || len(columns) != 2 {
		t.Errorf("%v, error %v", columns, err)
	}
	for text, want := range map[string]string{
		"":               "the table is empty",
		"a,b\n":          "the table has column names but no rows",
		"a,a\n1,2\n":     `two columns are named "a"`,
		"a,b\n1,2\n3\n":  "line 3 does not have the same number of cells as the first line",
		"a,b\n1,\"2\n":   "line",
		",b\nx,2\ny,3\n": "column 1 has no name in the first line",
		",b\n1,2\n1,3\n": "column 1 has no name in the first line",
		"\n1\n":          "the table has column names but no rows",
		"b,\n1,2\n":      "column 2 has no name in the first line",
	} {
		if _, err := readTable(strings.NewReader(text), "t.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// Tables as pandas writes them: row numbers without a name, True and False, empty cells in columns of
// every type, semicolons with decimal commas, times as texts.
func TestReadTable_Pandas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// pd.DataFrame({"b": [True, False], "k": [1, 2], "x": [.5, 1]}).to_csv()
		",b,k,x\n0,True,1,0.5\n1,False,2,1.0\n": "[{b [1 0] [] [] true true} {k [1 2] [] [] true false} {x [] " +
			"[0.5 1] [] false false}]",
		// The same with missing values: to_csv(index=False) of object, Int64 and str columns
		"b,k,s\nTrue,,a\n,2,\nFalse,3,b\n": "[{b [] [1 NaN 0] [] true true} {k [] [NaN 2 3] [] true false} {s [] " +
			"[0 NaN 1] [a  b] true false}]",
		"k,x\nNA,<NA>\n3,0.5\n": "[{k [] [NaN 3] [] true false} {x [] [NaN 0.5] [] false false}]",
		"k,none\n1,\n3,\n":      "[{k [1 3] [] [] true false} {none [] [NaN NaN] [ ] true false}]",
		// to_csv(sep=";", decimal=",")
		"x;y;name\n0,5;-1;\"a,b\"\n1,25;2;c\n": "[{x [] [0.5 1.25] [] false false} {y [-1 2] [] [] true " +
			"false} {name [0 1] [] [a,b c] true false}]",
		"x\ty\n1\t2\n":     "[{x [1] [] [] true false} {y [2] [] [] true false}]",
		"\"a;b\",c\n1,2\n": "[{a;b [1] [] [] true false} {c [2] [] [] true false}]",
		"a|b\n1|NA\n2|Namibia\n": "[{a [1 2] [] [] true false} {b [0 1] [] [NA Namibia] " +
			"true false}]",
		"t\n2020-01-02 00:00:00\n2020-01-01 00:00:00\n": "[{t [1 0] [] [2020-01-02 00:00:00 2020-01-01 00:00:00] " +
			"true false}]",
		"k\n9223372036854775807\n0\n": "[{k [9223372036854775807 0] [] [] true false}]",
	} {
		columns, err := readTable(strings.NewReader(text), "t.csv")
		if got := fmt.Sprint(columns); err != nil || got != want {
			t.Errorf("%q: %s, error %v, want %s", text, got, err, want)
		}
	}
}

// Whatever the bytes, there is an error or columns of one length with distinct names.
func FuzzReadTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a\n\"x\ny\"\n", "\ufeffa;b\n1;2\n", "a,b\n1e400,nan\n", ",a\n0,\n1,True\n", "a|b\n|1\nx|2\n", "a\n9223372036854775808\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		columns, err := readTable(strings.NewReader(string(data)), "t.csv")
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
