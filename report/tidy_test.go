// Tests of the tidy CSV files.

package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// tidied writes the tidy files of a result and returns their text.
func tidied(t *testing.T, r *Result) (metrics, comparisons string) {
	t.Helper()
	out, err := Begin(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Tidy(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	var text [2]string
	for i, name := range []string{"_metrics.csv", "_comparisons.csv"} {
		data, err := os.ReadFile(filepath.Join(out.Dir(), r.Analysis+name))
		if err != nil {
			t.Fatal(err)
		}
		text[i] = string(data)
	}
	return text[0], text[1]
}

func TestTidyMetrics(t *testing.T) {
	type row struct {
		K       int      `json:"k" report:"parameter"`
		Trust   Value    `json:"trustworthiness"`
		TrustCI Interval `json:"trust_ci" report:"interval of trustworthiness"`
		TrustSE Value    `json:"trust_se" report:"error of trustworthiness"`
		Penalty int64    `json:"trust_penalty"`
	}
	type group struct {
		Source string  `json:"source" report:"parameter"`
		Groups int     `json:"groups" report:"parameter"`
		Each   []Value `json:"each"`
		Score  Value   `json:"score"`
	}
	type model struct {
		R          Value    `json:"r"`
		RSquared   Value    `json:"r_squared"`
		RSquaredCI Interval `json:"r_squared_ci"`
		MLE        Value    `json:"mle"`
		MLECI      Interval `json:"mle_ci"`
		MLEBlockCI Interval `json:"mle_block_ci" report:"interval of mle, block"`
		Fit        Value    `json:"fit"`
		FitCI      Interval `json:"fit_ci"`
		FitAssumes string   `json:"fit_ci_assumes"`
		FitHalves  Interval `json:"fit_halves_ci" report:"interval of fit, halves"`
		ByK        []row    `json:"by_k"`
		Groups     []group  `json:"groupings"`
		Similarity Object   `json:"similarity"`
		Lonely     Interval `json:"lonely_ci"`
		Open       Value    `json:"open"`
		OpenCI     Interval `json:"open_ci"`
		Kind       string   `json:"kind"`
		Flag       bool     `json:"flag"`
		Skipped    Object   `json:"skipped"`
	}
	r := NewResult("try")
	var skipped, similar Object
	skipped.Set("curves", "too many states")
	similar.Set("a,b", map[string]any{"cka": Number(0.5), "cka_ci": Between(0.25, 0.75)})
	r.Models.Set("a,b", model{
		R: Number(-0.5), RSquared: Number(0.25), RSquaredCI: Between(0.125, 0.5),
		MLE: Number(3), MLECI: Between(2, 4), MLEBlockCI: Between(1, 5),
		Fit: Number(6), FitCI: Between(5, 7), FitAssumes: "independence", FitHalves: Between(4, 8),
		ByK:        []row{{5, Number(0.9), Between(0.8, 1), Number(0.05), math.MaxInt64}, {10, Undefined("flat"), NoInterval("flat"), Undefined("flat"), 1}},
		Groups:     []group{{"labels", 3, []Value{Number(1)}, Number(1)}, {"kmeans", 10, nil, Number(2)}},
		Similarity: similar, Lonely: Between(1, 2), Open: Number(7), OpenCI: Between(6, math.Inf(1)),
		Kind: "x", Skipped: skipped,
	})
	got, _ := tidied(t, r)
	want := `Model,Metric,Parameter,Estimate,Low,High,Std_Error,Reason
"a,b",r,,-0.5,,,,
"a,b",r_squared,,0.25,0.125,0.5,,
"a,b",mle,,3,2,4,,
"a,b",mle,interval=block,3,1,5,,
"a,b",fit,interval=assumed,6,5,7,,
"a,b",fit,interval=halves,6,4,8,,
"a,b",by_k.trustworthiness,k=5,0.9,0.8,1,0.05,
"a,b",by_k.trust_penalty,k=5,9223372036854775807,,,,
"a,b",by_k.trustworthiness,k=10,,,,,flat
"a,b",by_k.trust_penalty,k=10,1,,,,
"a,b",groupings.score,source=labels;groups=3,1,,,,
"a,b",groupings.score,source=kmeans;groups=10,2,,,,
"a,b",similarity.cka,"other=a,b",0.5,0.25,0.75,,
"a,b",open,,7,6,inf,,
"a,b",curves,,,,,,too many states
"a,b",lonely,,,1,2,,
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A file says the same, and so does one of a version that wrote no layout.
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`(?s)  "layout": \{.*?\n  \},\n`).ReplaceAllString(b.String(), "")
	if len(old) == b.Len() {
		t.Fatalf("no layout:\n%s", old)
	}
	for _, text := range []string{b.String(), old} {
		file, err := ReadFrom("try.json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := tidied(t, file); got != want {
			t.Errorf("got\n%s\nwant\n%s\nof\n%s", got, want, text)
		}
		var again bytes.Buffer
		if err := file.Write(&again); err != nil || again.String() != text {
			t.Errorf("%v, written again:\n%s\nwant\n%s", err, again.String(), text)
		}
	}
}

// Every field of a comparison has a column, whatever fields there are.
func TestTidyComparisons(t *testing.T) {
	r := NewResult("try")
	_, empty := tidied(t, r)
	r.Comparisons = []Comparison{
		{A: "a", B: "b", Metric: "m", Difference: Number(0.5), CI: Between(-1, 2), P: Number(0.25), PHolm: Undefined("one block"),
			T: new(Undefined("no t")), Blocks: new(7), Exact: new(false), Warnings: &[]string{"few blocks", "short"}},
		{A: "a", B: "c", Metric: "m", Difference: Undefined("flat"), CI: NoInterval("flat"), P: Undefined("flat"), PHolm: Undefined("flat")},
	}
	_, text := tidied(t, r)
	header, _, _ := strings.Cut(text, "\n")
	if empty != header+"\n" || !strings.HasPrefix(header, "A,B,Metric,") || !strings.HasSuffix(header, ",Reason") {
		t.Errorf("header %q, without comparisons %q", header, empty)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	cell := func(i int, column string) string {
		for k, name := range rows[0] {
			if name == column {
				return rows[i][k]
			}
		}
		t.Fatalf("no column %s in %v", column, rows[0])
		return ""
	}
	for column, want := range map[string]string{"Difference": "0.5", "Low": "-1", "High": "2", "P": "0.25", "P_Holm": "",
		"T": "", "DF": "", "Blocks": "7", "Exact": "false", "Warnings": "few blocks; short"} {
		if got := cell(1, column); got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	if cell(2, "Low") != "" || !strings.Contains(cell(2, "Reason"), "flat") || cell(1, "Reason") != "p_holm: one block; t: no t" {
		t.Errorf("reasons: %q, %q", cell(1, "Reason"), cell(2, "Reason"))
	}
	columns := 1
	for field := range reflect.TypeFor[Comparison]().Fields() {
		if tag := field.Tag.Get("json"); tag == "-" || strings.HasPrefix(tag, ",") {
			continue
		}
		columns++
		if field.Type == intervalType {
			columns++
		}
	}
	if len(rows[0]) != columns {
		t.Errorf("%d columns %v, want %d", len(rows[0]), rows[0], columns)
	}
}
