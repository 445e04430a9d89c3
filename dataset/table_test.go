// Tests of tables: contents of columns, and errors.

package dataset

import (
	"fmt"
	"os"
	"path/filepath"
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

// Points next to decimal commas may be of thousands, also in another column; those of texts count for nothing.
func TestReadTable_Decimals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x;y\n0,5;1\n1.234;2\n":           `column x: points may be of decimals or of thousands: "1.234" next to "0,5"`,
		"x;y\n0,5;1.234\n1,5;2.5\n":       `column y: points may be of decimals or of thousands: "1.234" next to "0,5"`,
		"x;name\n0,5;1.234\n1,5;a\n":      "",
		"x;y\n0.5;1.234\n1.5;2.5\n":       "",
		"x,y\n0.5,1.234\n\"1,5\",1.234\n": "",
	} {
		if _, err := readTable(strings.NewReader(text), "t.csv"); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Columns of tables are arrays: one by its name, several as a matrix in the order of the key.
func TestOpenTable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	files := map[string]string{
		"t.csv":    ",z_0,z_1,label,z_10,n,hole\n0,0.5,1,a,2,3,1\n1,-1.5,2,b,4,5,\n",
		"t.tsv":    "a\tb\n1\t2\n3\t4\n5\t6\n",
		"raw.csv":  "0.5,1\n2,3\n",
		"one.csv":  "k\n4\n2\n",
		"odd.csv":  "\"a,b\",z*,k[1]\n1,2,3\n",
		"bare.csv": "a,b\n",
		"cut.csv":  "a,b\n1,2\n3\n",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"t.csv:z_0", "float64 [2] [0.5 -1.5]"},
		{"t.csv:z_*", "float64 [2 3] [0.5 1 2 -1.5 2 4]"},
		{"t.csv:n,z_1", "int64 [2 2] [3 1 5 2]"},
		{"t.csv:n,*_1?,n", "int64 [2 2] [3 2 5 4]"},
		{"t.csv:n,hole", "float64 [2 2] [3 1 5 NaN]"},
		{"t.csv", "contains 6 columns; name columns: "},
		{"t.csv:*", `column "label" has texts, want numbers`},
		{"t.csv:z_2", `no column "z_2"`},
		{"t.csv:z_0,q*", `no column "q*"`},
		{"t.csv:z_0,", "contains 6 columns"},
		{"t.tsv:*", "int64 [3 2] [1 2 3 4 5 6]"},
		{"raw.csv:*", "float64 [2 2] [0.5 1 2 3]"},
		{"one.csv", "int64 [2] [4 2]"},
		{"one.csv:*", "int64 [2 1] [4 2]"},
		{"odd.csv:a,b", "int64 [1] [1]"},
		{"odd.csv:z*", "int64 [1] [2]"},
		{"odd.csv:k[1]", "int64 [1] [3]"},
		{"bare.csv:a", "no rows"},
		{"cut.csv:a", "line 3"},
	} {
		spec := filepath.Join(folder, c.spec)
		a, err := Open(spec)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.spec, err, c.want)
			}
			continue
		}
		values := make([]float64, a.Len()*a.RowLen())
		if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
		if got := fmt.Sprint(a.DType(), a.Shape(), values); got != strings.ReplaceAll(c.want, "] [", "][") && got != c.want {
			t.Errorf("%s: %s, want %s", c.spec, got, c.want)
		}
		if a.Name() != spec && !strings.HasPrefix(a.Name(), spec) {
			t.Errorf("%s: named %s", c.spec, a.Name())
		}
		path, _ := SplitSpec(spec)
		want, e := FileSHA256(path)
		if sum, err := a.SHA256(); e != nil || err != nil || sum != want {
			t.Errorf("%s: digest %s, want %s, errors %v, %v", c.spec, sum, want, e, err)
		}
	}
	l, err := List(filepath.Join(folder, "t.csv"))
	want := "[{z_0 float64 [2] [] [] } {z_1 int64 [2] [] [] } {label text [2] [] [] } " +
		"{z_10 int64 [2] [] [] } {n int64 [2] [] [] } {hole float64 [2] [] [] }]"
	if err != nil || fmt.Sprint(l.Items) != want {
		t.Errorf("%v, error %v", l, err)
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
