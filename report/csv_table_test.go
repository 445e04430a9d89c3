// Tests of CSV files and console tables.

package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	c, err := NewCSV(&b, "Model", "Slope", "Count", "Undefined", "Infinite", "Flag", "Small")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Row("a,\"b\"", 0.1, int64(math.MaxInt64), Undefined("flat"), math.Inf(-1), true, 1.25e-11); err != nil {
		t.Fatal(err)
	}
	if err := c.Row("c", math.NaN(), 7, Number(2), Number(math.Inf(1)), nil, float32(0.1)); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "Model,Slope,Count,Undefined,Infinite,Flag,Small\n" +
		"\"a,\"\"b\"\"\",0.1,9223372036854775807,,-inf,true,1.25e-11\n" +
		"c,,7,2,inf,,0.1\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := c.Row("short"); err == nil || !strings.Contains(err.Error(), "1 cells for 7 columns") {
		t.Errorf("a short row: %v", err)
	}
	if err := c.Row("x", []int{1}, 1, 1, 1, 1, 1); err == nil || !strings.Contains(err.Error(), "column Slope") {
		t.Errorf("a cell of a wrong type: %v", err)
	}
}

func TestTable(t *testing.T) {
	table := NewTable("smoothness", "model", "slope", "pairs")
	table.Row("jepa", WithInterval(Number(0.0134567), Between(0.01312, 0.01388)), 5976)
	table.Row("encoder_decoder σ", Undefined("the latents are constant"), 12)
	table.Row("c", Undefined("the latents are constant"))
	table.Note("intervals at 95 %%")
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `smoothness
model                                   slope  pairs
─────────────────  ──────────────────────────  ─────
jepa               0.01346 [0.01312, 0.01388]   5976
encoder_decoder σ                          –¹     12
c                                          –¹
¹ the latents are constant
intervals at 95 %
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFormatEstimate(t *testing.T) {
	tests := []struct {
		v         float64
		low, high float64
		want      string
	}{
		{0.913412, 0.910233, 0.916744, "0.9134 [0.9102, 0.9167]"},
		{0.5, 0.1, 0.9, "0.50 [0.10, 0.90]"},
		{123456, 122000, 125000, "123456 [122000, 125000]"},
		{1.234e-5, 1.2e-5, 1.3e-5, "1.234e-05 [1.200e-05, 1.300e-05]"},
		{1, 1, 1, "1.000 [1.000, 1.000]"},
		{0.02, -0.01, 0.05, "0.020 [-0.010, 0.050]"},
		{2e9, 1e9, 3e9, "2.0e+09 [1.0e+09, 3.0e+09]"},
		// Perfect fits: six digits at most, and 0 for what rounding leaves of it.
		{0.061862916142687560, 0.061862916142687553, 0.061862916142687574, "0.0618629 [0.0618629, 0.0618629]"},
		{4.387e-15, 4.387e-15, 4.387e-15, "0 [0, 0]"},
		{-1e-16, -2e-16, 0.5, "0.00 [0.00, 0.50]"},
		{1234567.891, 1234567.89, 1234567.892, "1.23457e+06 [1.23457e+06, 1.23457e+06]"},
		{12345.6789, 12345.67, 12345.68, "12345.7 [12345.7, 12345.7]"},
		// One last digit for value and ends; no sign of a zero.
		{-0.00004, -0.011, 0.012, "0.000 [-0.011, 0.012]"},
		{9.5e-6, 0, 1.05e-4, "1e-05 [0, 1.05e-04]"},
		{2e-7, -1e-5, 1e-5, "0 [-1.0e-05, 1.0e-05]"},
	}
	for _, test := range tests {
		if got := FormatEstimate(test.v, Between(test.low, test.high)); got != test.want {
			t.Errorf("%v [%v, %v]: got %q, want %q", test.v, test.low, test.high, got, test.want)
		}
	}
	for v, want := range map[float64]string{0: "0", 1: "1.000", 0.00012345678: "0.0001235", 1.2346e-7: "1.235e-07", -12345.678: "-12346", 98765432: "9.877e+07",
		1234567: "1.235e+06", -2e-16: "0"} {
		if got := FormatEstimate(v, Interval{}); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}

// Columns stay aligned for letters that are two columns wide, and for marks on letters.
func TestTableOfWideLetters(t *testing.T) {
	table := NewTable("", "Model", "k")
	table.Row("模型", 5)
	table.Row("e\u0301a", 10)
	table.Row("кодер", 7)
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "Model   k\n─────  ──\n模型    5\ne\u0301a     10\nкодер   7\n"; b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// A table that is wider than the console is divided; every part begins with the columns
// that name the rows, and nothing is lost.
func TestTableWidth(t *testing.T) {
	table := NewTable("T", "Model", "k", "Trustworthiness", "Continuity", "Chance")
	table.Row("jepa", 5, Number(0.5), Number(0.25), Undefined("a reason of many words that no narrow console has room for"))
	table.Row("", 10, Number(0.125), Number(1), Number(2))
	table.Row("pca", 5, Number(3), Number(4), Probability(Number(1e-20)))
	table.Note("a note as long as this one is wrapped, too")
	for columns, want := range map[int]string{
		0: `T
Model   k  Trustworthiness  Continuity    Chance
─────  ──  ───────────────  ──────────  ────────
jepa    5           0.5000      0.2500        –¹
       10           0.1250       1.000     2.000
pca     5            3.000       4.000  < 0.0001
¹ a reason of many words that no narrow console has room for
a note as long as this one is wrapped, too
`,
		30: `T
Model   k  Trustworthiness
─────  ──  ───────────────
jepa    5           0.5000
       10           0.1250
pca     5            3.000

Model   k  Continuity
─────  ──  ──────────
jepa    5      0.2500
       10       1.000
pca     5       4.000

Model   k    Chance
─────  ──  ────────
jepa    5        –¹
       10     2.000
pca     5  < 0.0001
¹ a reason of many words that
no narrow console has room for
a note as long as this one is
wrapped, too
`,
	} {
		var b bytes.Buffer
		if err := table.WriteWidth(&b, columns); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, b.String(), want)
		}
	}
	// However narrow, every cell is written.
	var b bytes.Buffer
	if err := table.WriteWidth(&b, 1); err != nil || strings.Count(b.String(), "Model") != 3 {
		t.Errorf("one column: %v\n%s", err, b.String())
	}
	b.Reset()
	if err := NewTable("", "A").WriteWidth(&b, 1); err != nil || b.String() != "A\n─\n" {
		t.Errorf("one column without rows: %v, %q", err, b.String())
	}
}

func TestDeviating(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mean, deviation Value
		want            string
	}{
		{Number(-0.00004), Number(0.0021), "0.0000 ± 0.0021"},
		{Number(-0.0015), Number(0.0021), "-0.0015 ± 0.0021"},
		{Number(0.999432), Number(0.0000213), "0.999432 ± 0.000021"},
		{Number(12.5), Number(3), "12.5 ± 3.0"},
		{Number(1), Number(0), "1.000 ± 0"},
		{Number(0.5), Undefined("one"), "0.5000"},
		{Undefined("none"), Number(1), "–¹"},
	} {
		table := NewTable("", "x")
		table.Row(WithDeviation(c.mean, c.deviation))
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(b.String(), "\n"); strings.TrimSpace(lines[2]) != c.want {
			t.Errorf("%v ± %v: %q, want %q", c.mean, c.deviation, lines[2], c.want)
		}
	}
}
