// Tests of schemas: which description holds for a number, by the longest end of its path.

package schema

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"repscope/report"
)

// TestOf validates models with metrics whose names are ends of each other.
func TestOf(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	o, err := Of(&Program{Name: "walk", Definition: 2, All: true, Metrics: []report.Described{
		{Name: "share", Better: report.Higher, High: 1},
		{Name: "far.share", Better: report.Neither, High: inf},
		{Name: "by_k.far.share", Better: report.Lower, Low: 5, High: 9},
		{Name: "free", Better: report.Lower},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Encode(&text, o); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("walk.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("walk.json")
	if err != nil {
		t.Fatal(err)
	}
	r := report.NewResult("walk")
	r.Definition, r.Kernel = 2, report.Kernel{Name: "avx2", KC: 256}
	r.Device, r.Precision = "cpu", "fp32"
	r.Describe(report.Described{Name: "share", Better: report.Higher, High: 1}, report.Described{Name: "far.share",
		Better: report.Neither, High: inf},
		report.Described{Name: "by_k.far.share", Better: report.Lower, Low: 5,
			High: 9}, report.Described{Name: "free", Better: report.Lower})
	r.Models.Set("a", report.Object{})
	var whole bytes.Buffer
	if err := r.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model string
		good  bool
	}{
		{`{}`, true},
		{`{"share": 1, "free": -7}`, true},
		{`{"share": 1.5}`, false},
		{`{"share": "1"}`, false},
		{`{"free": "1"}`, false},
		{`{"share": null, "reason": "none"}`, true},
		{`{"share": {"skipped": true, "reason": "off"}}`, true},
		{`{"other": {"share": 1.5}}`, false},
		{`{"other": [{"deep": {"share": 1.5}}]}`, false},
		{`{"texts": {"share": "mean over states"}}`, true},
		{`{"far": {"share": 1.5}}`, true}, // the longer end decides
		{`{"far": {"share": -1}}`, false},
		{`{"far": [{"k": 1, "share": 1.5}]}`, true},
		{`{"far": {"near": {"share": 1.5}}}`, false},
		{`{"by_k": [{"k": 1, "far": {"share": 7}}]}`, true},
		{`{"by_k": [{"k": 1, "far": {"share": 4}}]}`, false},
		{`{"by_k": [{"k": 1, "share": 7}]}`, false},
		{`{"other": {"by_k": {"far": {"share": 4}}}}`, false},
		{`{"skipped": {"share": "off"}}`, true},
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(whole.String(), `"a": {}`,
			`"a": `+c.model, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != c.good {
			t.Errorf("%s: %v", c.model, err)
		}
	}
}
