// Tests of records and tables: of a result with all kinds of numbers, and of hostile names.

package export

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"repscope/dataset/parquet"
	"repscope/report"
)

// part is a model with a standard error, an infinite range, a number without direction, a missing one and a parameter.
type part struct {
	Samples int   `json:"samples"`
	ByK     []row `json:"by_k"`
	Loss    report.Estimate
	Rank    float64 `json:"rank"`
	Lost    report.Value
}

type row struct {
	K       int             `json:"k" report:"parameter"`
	Share   report.Value    `json:"share"`
	ShareCI report.Interval `json:"share_ci"`
	ShareSE float64         `json:"share_se"`
}

// written is a result as it is read from its file.
func written(t *testing.T, names ...string) *report.Result {
	t.Helper()
	r := report.NewResult("walk")
	r.Started, r.Elapsed, r.Version, r.Blocks = "2026-11-29T10:00:00Z", 1.5, "1.0.0", "12 episodes"
	r.Inputs = []report.Input{{Role: "model", Name: names[0], Path: "a.onnx", SHA256: strings.Repeat("0", 64)},
		{Role: "frames", Path: "f.npy", SHA256: strings.Repeat("1", 64)}}
	r.Describe(report.Described{Name: "by_k.share", Better: report.Higher, High: 1, Headline: true},
		report.Described{Name: "Loss", Better: report.Lower, Unit: "bits"},
		report.Described{Name: "rank", Better: report.Neither}, report.Described{Name: "Lost", Better: report.Lower,
			Headline: true})
	for _, name := range names {
		r.Models.Set(name, part{100, []row{{5, report.Number(0.5), report.Between(0.25, 0.75), 0.125}},
			report.Estimate{Value: report.Number(3), CI: report.Between(2,
				math.Inf(1))}, 4, report.Undefined("no steps")})
	}
	r.Models.Set("bad", map[string]any{"skipped": true, "reason": "not a model"})
	r.Comparisons = []report.Comparison{{A: names[0], B: "b", Metric: "share", Difference: report.Number(0.5),
		CI: report.NoInterval("one block"),
		P:  report.Undefined("one block"), PHolm: report.Undefined("one block"), Blocks: new(1), Exact: new(true)}}
	var content bytes.Buffer
	if err := r.Write(&content); err != nil {
		t.Fatal(err)
	}
	read, err := report.ReadFrom("walk.json", &content)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

var lab = &Options{Organization: "lab", Relationship: "first_party", Metrics: []string{"by_k.share", "Loss", "rank"}}

func TestEveryEvalEver(t *testing.T) {
	t.Parallel()
	files, err := EveryEvalEver(written(t, "a"), lab)
	if err != nil || len(files) != 1 {
		t.Fatal(err, len(files))
	}
	if !regexp.MustCompile(`^data/repscope\.walk/lab/a/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json$`).MatchString(files[0].Name) {
		t.Error(files[0].Name)
	}
	var record struct {
		Retrieved string `json:"retrieved_timestamp"`
		Model     struct {
			ID      string
			Details map[string]string `json:"additional_details"`
		} `json:"model_info"`
		Results []struct {
			ID     string         `json:"evaluation_result_id"`
			Config map[string]any `json:"metric_config"`
			Score  struct {
				Score       float64
				Uncertainty map[string]any
			} `json:"score_details"`
		} `json:"evaluation_results"`
	}
	if err := json.Unmarshal(files[0].Content, &record); err != nil {
		t.Fatal(err)
	}
	if record.Retrieved != "1795946401" || record.Model.ID != "lab/a" || record.Model.Details["deployment_type"] != "self_deployed" {
		t.Errorf("%+v", record)
	}
	if len(record.Results) != 2 {
		t.Fatalf("%d numbers, want those with a direction: share and loss", len(record.Results))
	}
	for i, want := range []string{
		`{"c":{"k":5,"low":0,"high":1,"lower":false},"u":{"confidence_interval":{"confidence_level":0.95,"lower":0.25,"method":"jackknife","upper":0.75},"num_samples":100,"standard_error":{"method":"jackknife","value":0.125}}}`,
		`{"c":{"k":null,"low":"-Infinity","high":"Infinity","lower":true},"u":null}`, // an interval without an end is no pair of numbers
	} {
		n := record.Results[i]
		parameters, _ := n.Config["metric_parameters"].(map[string]any)
		got, err := json.Marshal(map[string]any{"c": map[string]any{"k": parameters["k"],
			"low": n.Config["min_score"], "high": n.Config["max_score"],
			"lower": n.Config["lower_is_better"]}, "u": n.Score.Uncertainty})
		var a, b any
		if err != nil || json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
			t.Fatal(err)
		}
		if x, y := must(json.Marshal(a)), must(json.Marshal(b)); x != y {
			t.Errorf("%s: %s, want %s", n.ID, x, y)
		}
	}
	if _, err := EveryEvalEver(written(t, "a"), &Options{Metrics: []string{"rank"}}); err == nil || !strings.Contains(err.Error(), "and a better direction; found: by_k.share, Loss, Lost") {
		t.Errorf("a number without direction: %v", err)
	}
	again, err := EveryEvalEver(written(t, "a"), lab)
	if err != nil || again[0].Name != files[0].Name || !bytes.Equal(again[0].Content, files[0].Content) {
		t.Error("the same result makes another record")
	}
}

func must(data []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestEveryEvalEver_Schema validates records with the published schema, which REPSCOPE_EVERY_EVAL_SCHEMA names:
// every_eval_ever/schemas/eval.schema.json of the repository evaleval/every_eval_ever.
func TestEveryEvalEver_Schema(t *testing.T) {
	t.Parallel()
	file := os.Getenv("REPSCOPE_EVERY_EVAL_SCHEMA")
	if file == "" {
		t.Skip("REPSCOPE_EVERY_EVAL_SCHEMA does not name the schema of Every Eval Ever")
	}
	compiler := jsonschema.NewCompiler()
	schema, err := compiler.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	hub := *lab
	hub.DatasetID, hub.Revision, hub.ModelIDs = "org/data", "abc", map[string]string{"a": "org/a"}
	for _, o := range []*Options{lab, &hub} {
		files, err := EveryEvalEver(written(t, "a", "b/c", "é\n"), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Content))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

// TestNames holds that no name of a model leaves the folder.
func TestNames(t *testing.T) {
	t.Parallel()
	hub := *lab
	hub.DatasetID, hub.Metrics, hub.Tasks = "org/data", []string{"Loss"}, map[string]string{"": "t"}
	for _, name := range []string{"../../x", "/etc/passwd", "a/../../b", "data", "CON", "a\x00b", "..",
		strings.Repeat("x", 5000)} {
		for _, write := range []func() ([]Output, error){
			func() ([]Output, error) { return EveryEvalEver(written(t, name), lab) },
			func() ([]Output, error) { return EvalResults(written(t, name), &hub) },
		} {
			files, err := write()
			if err != nil || len(files) != 1 {
				t.Fatalf("%q: %v", name, err)
			}
			if f := files[0].Name; path.Clean(f) != f || path.IsAbs(f) || strings.HasPrefix(f,
				"..") || strings.Count(f, "/") > 4 || strings.ContainsAny(f, "\x00\\") {
				t.Errorf("%q: %q", name, f)
			}
		}
	}
}

func TestEvalResults(t *testing.T) {
	t.Parallel()
	o := &Options{DatasetID: "org/data", Revision: "abc", Tasks: map[string]string{"Loss": "loss",
		"by_k[k=5].share": "share"}, SourceURL: "https://example.org", SourceName: "runs"}
	files, err := EvalResults(written(t, "a"), o)
	if err != nil || len(files) != 1 || files[0].Name != "a/.eval_results/walk.yaml" {
		t.Fatal(err, files)
	}
	var entries []map[string]any
	if err := yaml.Unmarshal(files[0].Content, &entries); err != nil || len(entries) != 2 {
		t.Fatal(err, entries)
	}
	data := entries[0]["dataset"].(map[string]any)
	if data["id"] != "org/data" || data["task_id"] != "share" || data["revision"] != "abc" || entries[0]["value"] != 0.5 ||
		entries[0]["source"].(map[string]any)["url"] != "https://example.org" {
		t.Errorf("%v", entries[0])
	}
	if want := "repscope 1.0.0 walk by_k[k=5].share; 95 % interval 0.25 to 0.75; standard error 0.125; jackknife over 12 episodes; n = 100"; entries[0]["notes"] != want {
		t.Errorf("notes %q, want %q", entries[0]["notes"], want)
	}
	if _, err := EvalResults(written(t, "a"), &Options{Tasks: map[string]string{"": "t"},
		Metrics: []string{"*"}}); err == nil || !strings.Contains(err.Error(), "3 numbers for the task t") {
		t.Errorf("several numbers for one task: %v", err)
	}
	for _, chosen := range [][]string{{"nothing"}, {"Lost"}, nil} { // a headline without a value
		r := written(t, "a")
		if chosen == nil {
			r.Metrics = report.Object{}
		}
		if _, err := EvalResults(r, &Options{Metrics: chosen}); err == nil || !strings.Contains(err.Error(),
			"has a value") {
			t.Errorf("%v: %v", chosen, err)
		}
	}
}

// inMemory is a file.
type inMemory struct{ *bytes.Reader }

func (inMemory) Path() string { return "x.parquet" }

func (s inMemory) Use(offset, n int64, fn func(raw []byte) error) error {
	raw := make([]byte, n)
	if _, err := s.ReadAt(raw, offset); err != nil {
		return err
	}
	return fn(raw)
}

// TestTables reads the tables with the reader of datasets.
func TestTables(t *testing.T) {
	t.Parallel()
	tables := NewTables()
	r := written(t, "a")
	for range 9 { // more rows than bits of a byte
		if err := tables.Add("r.json", r); err != nil {
			t.Fatal(err)
		}
	}
	files, err := tables.Files()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.MetricRows()
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := parquet.Read(inMemory{bytes.NewReader(files[0].Content)})
	if err != nil {
		t.Fatal(err)
	}
	n := 9 * len(rows)
	estimate := metrics.Column("Estimate")
	if err := estimate.Prepare(); err != nil || estimate.RowBytes() != 8 {
		t.Fatal(err, estimate.RowBytes())
	}
	values := make([]byte, 8*n)
	if err := estimate.Read(values, 0, n); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for i := range n {
		want, v := rows[i%len(rows)].Estimate, math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
		if want == "" { // the reader fills in NaN
			missing++
		}
		if math.IsNaN(v) != (want == "") || want == "0.5" && v != 0.5 {
			t.Errorf("row %d: %v, want %q", i, v, want)
		}
	}
	if missing == 0 {
		t.Error("nothing is missing")
	}
	comparisons, err := parquet.Read(inMemory{bytes.NewReader(files[1].Content)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Blocks": "int64", "P": "float64", "Exact": "bool"} {
		if c := comparisons.Column(name); c == nil || !strings.Contains(c.Type(), want) {
			t.Errorf("column %s: want %s", name, want)
		}
	}
}

// TestTables_Empty writes tables without rows.
func TestTables_Empty(t *testing.T) {
	t.Parallel()
	files, err := NewTables().Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := parquet.Read(inMemory{bytes.NewReader(f.Content)}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
