// Samples that lm-evaluation-harness logs.

package compare

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/stat"
)

// loggedLines are samples as the harness writes them, of which those of the given numbers are right.
func loggedLines(n int, right func(i int) bool) string {
	var b strings.Builder
	for i := range n {
		score := 0
		if right(i) {
			score = 1
		}
		for _, filter := range []string{"strict-match", "flexible-extract"} {
			fmt.Fprintf(&b, `{"doc_id": %d, "doc": {"question": "q", "id": 3}, "target": "5", "arguments": {"gen_args_0": {"arg_0": "q"}}, "resps": [["5"]], `+
				`"filtered_resps": ["5"], "filter": %q, "metrics": ["exact_match"], "doc_hash": "d%d", "prompt_hash": "p", "target_hash": "t", "exact_match": %d}`+"\n",
				i, filter, i, score)
		}
	}
	return b.String()
}

// Two models whose samples were logged are compared in pairs: the t test of the differences of all samples.
func TestLogged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 40
	a, b := func(i int) bool { return i%3 != 0 }, func(i int) bool { return i%3 == 1 || i%10 == 2 }
	write := func(model, name, text string, packed bool) string {
		path := filepath.Join(dir, model, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if packed {
			z := gzip.NewWriter(&file)
			_, _ = z.Write([]byte(text))
			_ = z.Close()
		} else {
			file.WriteString(text)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("org__a", "samples_gsm8k_cot_2024-06-01T10-20-30.123456.jsonl", loggedLines(n, a), false)
	two := write("org__b", "samples_gsm8k_cot_2024-06-02T00-00-00.jsonl.gz", loggedLines(n, b), true)
	r := must(t, Options{Metrics: []string{"exact_match[filter=strict-match]"}, Baseline: "org__a"}, one, two)
	if fmt.Sprint(r.Models, r.Tasks, len(r.Table)) != "[org__a org__b] [gsm8k_cot] 1" || r.Table[0].Direction != "higher" {
		t.Fatalf("%v %v %+v", r.Models, r.Tasks, r.Table[0])
	}
	var d []float64
	for i := range n {
		v := 0.0
		if b(i) {
			v++
		}
		if a(i) {
			v--
		}
		d = append(d, v)
	}
	mean, variance := stat.MeanVariance(d)
	cell := r.Table[0].Cells[1]
	p := stat.TTestP(mean/math.Sqrt(variance/n), n-1)
	if cell.From != FromSamples || !near(cell.Difference.V, mean, 1e-12) || !near(cell.P.V, p, 1e-9) {
		t.Errorf("%s: %v, p %v; want %v, p %v", cell.From, cell.Difference.V, cell.P.V, mean, p)
	}

	// The result of the same model and task has the numbers, and the samples pair them.
	share := 0
	for i := range n {
		if a(i) {
			share++
		}
	}
	result := func(value float64) string {
		return write("org__a", fmt.Sprintf("results_%v.json", value), fmt.Sprintf(`{"results": {"gsm8k_cot": {"alias": "x", "exact_match,strict-match": %v, `+
			`"exact_match_stderr,strict-match": 0.07}}, "higher_is_better": {"gsm8k_cot": {"exact_match": true}}, "n-shot": {"gsm8k_cot": 8}, "model_name": "org/a"}`, value), false)
	}
	r = must(t, Options{Baseline: "org/a"}, result(float64(share)/n), one, two)
	if fmt.Sprint(r.Models) != "[org/a org__b]" || r.Table[0].Cells[1].From != FromSamples || !near(r.Table[0].Cells[1].P.V, p, 1e-9) {
		t.Errorf("%v %+v", r.Models, r.Table[0].Cells[1])
	}
	r = must(t, Options{Baseline: "org/a"}, two, one, result(0.9))
	cell = r.Table[0].Cells[0]
	if notes := strings.Join(cell.Notes, "\n"); cell.From == FromSamples || !strings.Contains(notes, "have the mean 0.65, not 0.9: they are not paired") {
		t.Errorf("%v, %s, notes %q", r.Models, cell.From, notes)
	}
	// Documents of one number that are other ones.
	other := write("org__c", "samples_gsm8k_cot_2024-06-03T00-00-00.jsonl", strings.ReplaceAll(loggedLines(n, b), `"d7"`, `"x7"`), false)
	if _, err := compared(t, Options{}, one, two, other); err == nil || !strings.Contains(err.Error(), "the doc_hash of 1 document differs between") {
		t.Errorf("error %v", err)
	}
}

// Samples of earlier versions, and lines that are none.
func TestLoggedLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"doc_id": 0, "acc": 1.0, "acc_norm": NaN}` + "\n\n" + `{"doc_id": 1, "acc": true, "acc_norm": 0, "word_perplexity": [1, 2]}`: "[acc 1 acc_norm 0]",
		"[\n" + `{"doc_id": "a", "doc": {}, "acc": 0.5}, {"doc_id": "b", "acc": 1}]`:                                                   "[acc 0.75]",
	} {
		files, err := ReadFrom("m/samples_arc_easy.jsonl", []byte(text))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %v", text, files, err)
			continue
		}
		m := files[0].Models[0]
		var got []any
		for _, n := range m.Numbers {
			got = append(got, n.Path, n.Value.V)
		}
		if fmt.Sprint(got) != want || m.Name != "m" || files[0].Task != "arc_easy" {
			t.Errorf("%s: %v of %s in %s, want %s", text, got, m.Name, files[0].Task, want)
		}
	}
	const first = `{"doc_id": 0, "acc": 1}` + "\n"
	for text, want := range map[string]string{
		`{"doc_id": 0, "target": "x"}`: "m/s.jsonl: no sample has a score",
		first + `{"acc": 1}`:           `m/s.jsonl:2: want an object with "doc_id"`,
		first + `[1]`:                  `m/s.jsonl:2: want an object with "doc_id"`,
		first + `{"doc_id": 1, "acc`:   "m/s.jsonl:2:",
		first + first:                  "m/s.jsonl:2: doc_id 0 has the metric acc twice; several filters",
		first + `{"doc_id": 0, "doc_hash": "x", "f1": 1}`:    "doc_id 0 is of another document than before",
		`[{"doc_id": 0, "acc": 1}, {"id": 1, "model": "x"}]`: "m/s.jsonl: sample 1 of the list: want an object",
	} {
		if files, err := ReadFrom("m/s.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", text, files, err, want)
		}
	}
}
