// Tests of tables of positions.

package protein

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

var testModes = []string{"standard", "per-position"}

// positionText writes a table and opens it.
func positionText(t *testing.T, name, content string) (*PositionFile, error) {
	t.Helper()
	f, err := OpenPositions(textFile(t, name, content), testModes)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// TestPositions reads rows of sequences that stand in any order.
func TestPositions(t *testing.T) {
	t.Parallel()
	f, err := positionText(t, "p.tsv", "pos\tseq\tregion_mode\ttarget\tpred\tnll\tprob\tmore\n"+
		"1\tb\tstandard\tE\tV\t0.5\t0.6065\tx\n2\tb\tper-position\tE\tE\t0\t1\tx\n\n1\ta\tstandard\t5\t6\tinf\t0\tx\n3\tb\tstandard\tE\tE\t0.1\t0.905\tx\n")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.IDs(), []string{"b", "a"}) {
		t.Errorf("sequences %v", f.IDs())
	}
	rows, err := f.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	want := []Position{{0, 1, "standard", "E", "V", 0.5, 0.6065}, {1, 2, "per-position", "E", "E", 0, 1}, {3, 3, "standard", "E", "E", 0.1, 0.905}}
	if !slices.Equal(rows, want) {
		t.Errorf("%v, want %v", rows, want)
	}
	if rows, err = f.Read(1); err != nil || len(rows) != 1 || !math.IsInf(rows[0].NLL, 1) || rows[0].Target != "5" || rows[0].Row != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	for header, row := range map[string]string{"seq,pos,target,pred,nll": "a,1,E,E,0.25", "seq,pos,target,pred,prob": "a,1,E,E,0.7788007830714049"} {
		f, err := positionText(t, "p.csv", header+"\n"+row+"\n")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.Read(0)
		if err != nil || rows[0].Mode != "standard" || math.Abs(rows[0].NLL-0.25) > 1e-15 || math.Abs(rows[0].Prob-0.7788007830714049) > 1e-15 {
			t.Errorf("%s: %v, %v", header, rows, err)
		}
	}
}

func TestPositionsWithMark(t *testing.T) {
	t.Parallel()
	f, err := positionText(t, "p.csv", "\ufeff\"seq\",\"pos\",\"target\",\"pred\",\"nll\"\r\na,1,E,V,0.5\r\nb,2,E,V,0.5\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := f.Read(1); err != nil || len(rows) != 1 || rows[0].At != 2 {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestBadPositions(t *testing.T) {
	t.Parallel()
	const names = "seq,pos,region_mode,target,pred,nll,prob\na,0,standard,E,E,0,1\n"
	for _, c := range []struct{ content, want, hint string }{
		{"", "p.csv: the table is empty; want a line of column names and rows", ""},
		{"seq,pos,target,pred,nll\n", "p.csv: the table has column names but no rows", ""},
		{"seq,position,target,pred,nll\na,0,E,E,0\n",
			"p.csv: there is no column \"pos\"; the columns are seq, position, target, pred, nll, want seq, pos, target, pred",
			"is position the column pos?"},
		{"seq,pos,target,pred\na,0,E,E\n", "p.csv: there is no column \"nll\"; the columns are seq, pos, target, " +
			"pred, want seq, pos, target, pred, nll", ""},
		{names + "a,0.5,standard,E,E,0,1\n", `p.csv: row 1 (line 3), column pos: "0.5", want a whole number from 0`, ""},
		{names + "a,-1,standard,E,E,0,1\n", `p.csv: row 1 (line 3), column pos: "-1", want a whole number from 0`, ""},
		{names + "a,1,masked,E,E,0,1\n", `p.csv: row 1 (line 3), column region_mode: "masked", want one of standard, per-position`, ""},
		{names + "a,1,standard,,E,0,1\n", "p.csv: row 1 (line 3), column target: it is empty", ""},
		{names + "a,1,standard,E,,0,1\n", "p.csv: row 1 (line 3), column pred: it is empty", ""},
		{names + ",1,standard,E,E,0,1\n", "p.csv: row 1 (line 3), column seq: it is empty", ""},
		{names + "a,1,standard,E,E,-1,1\n", `p.csv: row 1 (line 3), column nll: "-1", want a number of at least 0`, ""},
		{names + "a,1,standard,E,E,nan,1\n", `p.csv: row 1 (line 3), column nll: "nan", want a number of at least 0`, ""},
		{names + "a,1,standard,E,E,,1\n", `p.csv: row 1 (line 3), column nll: "", want a number of at least 0`, ""},
		{names + "a,1,standard,E,E,0,1.5\n", `p.csv: row 1 (line 3), column prob: "1.5", want a number from 0 to 1`, ""},
		{names + "a,1,standard,E,E,1,0.5\n", "p.csv: row 1 (line 3), column nll: 1 is a probability of 0.368, but prob is 0.5; want nll = −ln prob, in nats", ""},
		{names + "a,1,standard,E,E,0\n", "p.csv: line 3 does not have the same number of cells as the first line", ""},
	} {
		_, err := positionText(t, "p.csv", c.content)
		if err == nil || !strings.HasSuffix(err.Error(), "/"+c.want) {
			t.Errorf("%q: %v, want\n%s", c.content, err, c.want)
			continue
		}
		var h interface{ Hints() []string }
		if got := errors.As(err, &h); got != (c.hint != "") || got && h.Hints()[0] != c.hint {
			t.Errorf("%q: hint of %v, want %q", c.content, err, c.hint)
		}
	}
}
