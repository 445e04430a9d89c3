// The published JSON Schema of result files, held against results and against mutants of one.

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"repscope/report"
	"repscope/tool/repscope"
)

const schemaFile = "../report/schema/result.schema.json"

// resultSchema compiles the published schema once.
var resultSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return c.Compile(schemaFile)
})

// checkSchema holds a result file against the schema.
func checkSchema(t *testing.T, path string) {
	t.Helper()
	schema, err := resultSchema()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := schema.Validate(result); err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
	}
	own, err := schemaOf(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Validate(result); err != nil {
		t.Errorf("%s, by the schema of its binary: %v", filepath.Base(path), err)
	}
}

// ownSchemas are the schemas of the results of each binary, compiled once.
var ownSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	schemas := map[string]*jsonschema.Schema{}
	for _, c := range Commands() {
		o, err := repscope.ResultSchema(&c)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := report.Encode(&text, o); err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(&text)
		if err != nil {
			return nil, err
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource(c.Name+".json", doc); err != nil {
			return nil, err
		}
		if schemas[c.Name], err = compiler.Compile(c.Name + ".json"); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return schemas, nil
})

// schemaOf is the schema of the binary that wrote a result.
func schemaOf(result any) (*jsonschema.Schema, error) {
	schemas, err := ownSchemas()
	if err != nil {
		return nil, err
	}
	whole, _ := result.(map[string]any)
	name, _ := whole["analysis"].(string)
	if schemas[name] == nil {
		return nil, fmt.Errorf("no binary is called %q", name)
	}
	return schemas[name], nil
}

// checkSchemas holds all result files below a folder against the schema, and returns their number.
func checkSchemas(t *testing.T, folder string) int {
	t.Helper()
	found := 0
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var head struct{ Schema string }
		if json.Unmarshal(data, &head) == nil && head.Schema == report.Schema {
			found++
			checkSchema(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSchema_Results validates what the tools write, and all results below the folder that REPSCOPE_RESULTS names. The
// results of analyses are validated where TestPaths, TestShardsOfEveryAnalysis and TestUnmeasured write them.
func TestSchema_Results(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv("REPSCOPE_RESULTS"); folder != "" {
		t.Logf("%d results below %s", checkSchemas(t, folder), folder)
	}
	dir := t.TempDir()
	writeUnmeasured(t, dir)
	call(t, 0, "compare", "--example", "--quiet", "--format", "none", "--out", filepath.Join(dir, "compare"))
	call(t, 0, "encode", "--frames", filepath.Join(dir, "f.npy"), "--baseline", "random:4", "--quiet", "--out", filepath.Join(dir, "encode"))
	if n := checkSchemas(t, dir); n != 2 {
		t.Errorf("compare and encode wrote %d results, want 2", n)
	}
}

// validResult is a small result with a part of each kind.
const validResult = `{"schema": "repscope/1", "analysis": "smoothness", "definition": 2, "version": "1.0.0", "seed": 42, "device": "cpu",
	"precision": "fp32", "kernel": {"name": "avx2", "kc": 256}, "go": "go1.26.0 linux/amd64", "started": "2026-11-29T10:00:00Z", "elapsed_s": 1.5,
	"inputs": [{"role": "frames", "path": "f.npy", "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"dtype": "uint8", "shape": [10, 8, 8], "pixel_range": {"low": 0, "high": 255, "source": "uint8"}, "states": 10, "details": {"x": 1}}],
	"options": {"k": [5, 10]}, "metrics": {"slope": {"direction": "lower", "range": [null, 1], "headline": true}}, "blocks": "12 episodes",
	"samples": {"file": "smoothness_samples.csv", "sample": "state", "rows": 10},
	"layout": {"parameters": {"by_k": ["k"]}, "companions": {"trust_ci": "interval of trustworthiness"}},
	"models": {"a": {"slope": 1.5, "slope_ci": [1, 2], "r": null, "r_ci": null, "reason": "constant", "by_k": [{"k": 5, "lcmc": 0.5, "lcmc_se": 0.1}],
		"curve_ci": [[1, 2], null]}, "b": {"skipped": true, "reason": "not an ONNX file"}},
	"comparisons": [{"a": "a", "b": "b", "metric": "slope", "difference": 0.5, "ci": [0.1, 0.9], "p": 0.01, "p_holm": 0.02, "t": null, "reason": "one block"}],
	"extremes": [{"metric": "slope", "p_highest": {"a": 0.5}, "p_lowest": {"a": 1}}], "warnings": ["few blocks"]}`

// TestSchema_Refuses changes one thing of a valid result at a time. Each mutant is refused, at the changed member.
func TestSchema_Refuses(t *testing.T) {
	t.Parallel()
	schema, err := resultSchema()
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return schema.Validate(v)
	}
	if err := validate(validResult); err != nil {
		t.Fatal(err)
	}
	for _, m := range [][2]string{ // what is replaced, and by what
		{`"schema": "repscope/1"`, `"schema": "repscope/2"`},
		{`"analysis": "smoothness"`, `"analysis": 3`},
		{`"definition": 2`, `"definition": "2"`},
		{`"seed": 42`, `"seed": -1`},
		{`"kc": 256`, `"kc": "256"`},
		{`"kc": 256`, `"kc": 256, "threads": 2`},
		{`"elapsed_s": 1.5`, `"elapsed_s": "1.5"`},
		{`"role": "frames", `, ``},
		{`"sha256": "01`, `"sha256": "xx`},
		{`"shape": [10, 8, 8]`, `"shape": [10, 8.5, 8]`},
		{`"states": 10`, `"states": "10"`},
		{`"dtype": "uint8"`, `"type": "uint8"`},
		{`, "source": "uint8"`, ``},
		{`"direction": "lower"`, `"direction": "down"`},
		{`"range": [null, 1]`, `"range": [null, 1, 2]`},
		{`"rows": 10`, `"rows": -1`},
		{`["k"]`, `"k"`},
		{`"interval of trustworthiness"`, `"trustworthiness"`},
		{`"slope_ci": [1, 2]`, `"slope_ci": [1, 2, 3]`},
		{`"slope_ci": [1, 2]`, `"slope_ci": ["1", "2"]`},
		{`"slope_ci": [1, 2]`, `"slope_ci": 1`},
		{`"curve_ci": [[1, 2], null]`, `"curve_ci": [[1, 2, 3], null]`},
		{`"lcmc_se": 0.1`, `"lcmc_se": "0.1"`},
		{`"lcmc": 0.5`, `"lcmc": null`}, // without a reason
		{`"r_ci": null, "reason": "constant"`, `"r_ci": null`},
		{`"skipped": true`, `"skipped": "yes"`},
		{`"difference": 0.5`, `"difference": "0.5"`},
		{`"difference": 0.5, `, ``},
		{`"ci": [0.1, 0.9]`, `"ci": [0.1, 0.5, 0.9]`},
		{`"ci": [0.1, 0.9]`, `"ci": [0.1]`},
		{`"p": 0.01`, `"p": 1.01`},
		{`, "reason": "one block"`, ``},
		{`"t": null`, `"t": null, "effect": 1`},
		{`"p_highest": {"a": 0.5}`, `"p_highest": {"a": "0.5"}`},
		{`["few blocks"]`, `"few blocks"`},
		{`["few blocks"]`, `[3]`},
	} {
		if strings.Count(validResult, m[0]) == 0 {
			t.Errorf("the result has no %s", m[0])
		}
		if validate(strings.Replace(validResult, m[0], m[1], 1)) == nil {
			t.Errorf("accepted: %s in place of %s", m[1], m[0])
		}
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal([]byte(validResult), &whole); err != nil {
		t.Fatal(err)
	}
	optional := []string{"definition", "metrics", "blocks", "samples", "layout", "extremes"}
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		less := maps.Clone(whole)
		delete(less, key)
		text, err := json.Marshal(less)
		if err != nil {
			t.Fatal(err)
		}
		if good := validate(string(text)) == nil; good != slices.Contains(optional, key) {
			t.Errorf("without %s: accepted is %v", key, good)
		}
	}
}

// TestSchema_Documented holds that the page of the schema names every member of it.
func TestSchema_Documented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/reference/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage
		Defs       map[string]json.RawMessage `json:"$defs"`
	}
	var walk func(data json.RawMessage)
	walk = func(data json.RawMessage) {
		var o object
		if json.Unmarshal(data, &o) != nil {
			return
		}
		for name, below := range o.Properties {
			if !bytes.Contains(page, []byte("`"+name+"`")) {
				t.Errorf("schema.md does not name `%s`", name)
			}
			walk(below)
		}
		for _, below := range o.Defs {
			walk(below)
		}
	}
	walk(data)
}

// checkOwn changes one number, or one description, of a result at a time. The schema of the binary refuses each mutant:
// text for a number, a number out of its range, another direction, and, where results have all descriptions, one that
// is missing.
func checkOwn(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.ReadFrom(path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	result := v.(map[string]any)
	schema, err := schemaOf(result)
	if err != nil {
		t.Fatal(err)
	}
	result["comparisons"] = []any{} // the general schema is about them
	refused := func(what string) {
		t.Helper()
		if schema.Validate(result) == nil {
			t.Errorf("%s: accepted: %s", r.Analysis, what)
		}
	}
	models, metrics := result["models"].(map[string]any), result["metrics"].(map[string]any)
	result["models"] = map[string]any{}
	if err := schema.Validate(result); err != nil {
		t.Errorf("%s without models: %v", r.Analysis, err)
	}
	for _, name := range r.Metrics.Keys() {
		m := metrics[name].(map[string]any)
		was := m["direction"]
		m["direction"] = map[any]string{"higher": "lower", "lower": "none", "none": "higher"}[was]
		refused("another direction of " + name)
		m["direction"] = was
		if !commandNamed(t, r.Analysis).Describes {
			delete(metrics, name)
			refused("no " + name)
			metrics[name] = m
		}
	}
	metrics["other"] = map[string]any{"direction": "none"}
	refused("another metric")
	delete(metrics, "other")
	seen := map[string]bool{}
	for _, model := range r.Models.Keys() {
		object, err := r.Model(model)
		if err != nil {
			t.Fatal(err)
		}
		result["models"] = map[string]any{model: models[model]}
		for path := range object.Numbers() {
			m, ok := r.MetricOf(path)
			family := report.Family(path)
			if !ok || seen[family] {
				continue
			}
			seen[family] = true
			mutants := []any{}
			if _, whole := r.Metrics.Get(family); whole { // below, a text may have the name of a metric
				mutants = append(mutants, "0.5")
			}
			if m.Range != nil && !math.IsInf(m.Range.High, 0) {
				mutants = append(mutants, m.Range.High+1)
			}
			if m.Range != nil && !math.IsInf(m.Range.Low, 0) {
				mutants = append(mutants, m.Range.Low-1)
			}
			for _, mutant := range mutants {
				was := replaceAt(models[model], path, mutant)
				refused(fmt.Sprintf("%s is %#v", path, mutant))
				replaceAt(models[model], path, was)
			}
		}
	}
	if len(seen) == 0 && r.Analysis != "similarity" { // its numbers are of pairs of models
		t.Errorf("%s: no number has a description", r.Analysis)
	}
}

// replaceAt replaces the number at a path of [report.Object.Number], and returns it.
func replaceAt(in any, path string, value any) (was any) {
	for path != "" {
		end := strings.IndexAny(path[1:], ".[") + 1
		if path[0] == '[' {
			end = strings.IndexByte(path, ']') + 1
		}
		if end == 0 {
			end = len(path)
		}
		step := path[:end]
		rest := strings.TrimPrefix(path[end:], ".")
		switch v := in.(type) {
		case map[string]any:
			if in = v[step]; rest == "" {
				v[step] = value
				return in
			}
		case []any:
			in = rowOf(v, strings.Trim(step, "[]"))
		}
		path = rest
	}
	return nil
}

// rowOf is the row of a list that a step names.
func rowOf(rows []any, step string) any {
	if i, err := strconv.Atoi(step); err == nil {
		return rows[i]
	}
	for _, row := range rows {
		all := true
		for part := range strings.SplitSeq(step, ";") {
			key, want, _ := strings.Cut(part, "=")
			all = all && fmt.Sprint(row.(map[string]any)[key]) == want
		}
		if all {
			return row
		}
	}
	return nil
}
