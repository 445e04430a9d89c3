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
	}
	for _, test := range tests {
		if got := FormatEstimate(test.v, Between(test.low, test.high)); got != test.want {
			t.Errorf("%v [%v, %v]: got %q, want %q", test.v, test.low, test.high, got, test.want)
		}
	}
	for v, want := range map[float64]string{0: "0", 1: "1.000", 0.00012345678: "0.0001235", 1.2346e-7: "1.235e-07", -12345.678: "-12346", 98765432: "9.877e+07"} {
		if got := FormatEstimate(v, Interval{}); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}
