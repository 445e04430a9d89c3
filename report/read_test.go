// Tests of reading result files: nothing is lost, and what is wrong is named.

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rewrite reads a result and writes it again.
func rewrite(t interface{ Fatal(...any) }, data []byte) (*Result, []byte) {
	r, err := ReadFrom("r.json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return r, b.Bytes()
}

// The files of testdata were written by the binaries.
func TestReadResultsOfBinaries(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, again := rewrite(t, data); !bytes.Equal(again, data) {
				t.Errorf("reading and writing changes the file to\n%s", again)
			}
			if !strings.HasPrefix(filepath.Base(path), r.Analysis) || r.Seed != 42 || r.Kernel.KC != 256 || len(r.Inputs) == 0 || r.Models.Len() == 0 || r.Elapsed <= 0 {
				t.Errorf("got %+v", r)
			}
			if r.Extra.Len() > 0 {
				t.Errorf("keys without a field: %v", r.Extra.Keys())
			}
			for _, c := range r.Comparisons {
				if extra := c.Extra.Keys(); len(extra) > 0 && !slices.Equal(extra, []string{"effect"}) { // of old versions
					t.Errorf("keys without a field: %v", extra)
				}
				if c.A == "" || c.Metric == "" || !c.Difference.Defined() && c.Difference.Reason == "" {
					t.Errorf("comparison %+v", c)
				}
			}
			for _, in := range r.Inputs {
				if in.Extra.Len() > 0 || in.Role == "" {
					t.Errorf("input %+v", in)
				}
			}
		})
	}
}

// randomResult draws a result with everything a result may hold.
func randomResult(t *rapid.T) *Result {
	text := rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune("ab: ;,\"\\<é\u2028"))), rapid.SampledFrom([]string{"flat", "p", "ci: one block", "x; p: y"}))
	float := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-7, 1e21, math.MaxFloat64, 5e-324, math.NaN(), math.Inf(1), math.Inf(-1)}))
	value := func(name string) Value {
		if rapid.Bool().Draw(t, name+" defined") {
			return Number(float.Draw(t, name))
		}
		return Undefined("%s", text.Draw(t, name+" reason"))
	}
	interval := func(name string) Interval {
		switch rapid.IntRange(0, 2).Draw(t, name+" kind") {
		case 0:
			return NoInterval("%s", text.Draw(t, name+" reason"))
		case 1:
			return Interval{}
		}
		return Between(float.Draw(t, name+" low"), float.Draw(t, name+" high"))
	}
	r := NewResult("smoothness")
	r.Seed, r.Elapsed = rapid.Uint64().Draw(t, "seed"), rapid.Float64().Draw(t, "elapsed")
	for range rapid.IntRange(0, 3).Draw(t, "inputs") {
		in := Input{Role: text.Draw(t, "role"), Path: text.Draw(t, "path"), Shape: rapid.SliceOf(rapid.Int()).Draw(t, "shape"), States: rapid.Int().Draw(t, "states")}
		if rapid.Bool().Draw(t, "range") {
			in.PixelRange = &Range{Low: float.Draw(t, "low"), High: float.Draw(t, "high"), Source: text.Draw(t, "source")}
		}
		if rapid.Bool().Draw(t, "details") {
			in.Details = &Object{}
			in.Details.Set(text.Draw(t, "key"), float.Draw(t, "detail"))
		}
		r.Inputs = append(r.Inputs, in)
	}
	type row struct {
		K     int      `json:"k"`
		Trust Value    `json:"trust"`
		CI    Interval `json:"trust_ci"`
	}
	type model struct {
		Slope  Value      `json:"slope"`
		CI     Interval   `json:"slope_ci"`
		Single float32    `json:"single"`
		Big    int64      `json:"big"`
		List   []float64  `json:"list"`
		Rows   []row      `json:"rows"`
		Odd    foreign    `json:"odd"`
		Deep   [][]string `json:"deep"`
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "models") {
		m := model{Slope: value("slope"), CI: interval("slope_ci"), Single: rapid.Float32().Draw(t, "single"), Big: rapid.Int64().Draw(t, "big"),
			List: rapid.SliceOf(float).Draw(t, "list"), Odd: foreign{ok: rapid.Bool().Draw(t, "odd"), Reason: text.Draw(t, "why")}}
		for k := range rapid.IntRange(0, 2).Draw(t, "rows") {
			m.Rows = append(m.Rows, row{K: k, Trust: value("trust"), CI: interval("trust_ci")})
			m.Deep = append(m.Deep, rapid.SliceOf(text).Draw(t, "deep"))
		}
		r.Models.Set(fmt.Sprint(text.Draw(t, "model"), i), m)
	}
	if rapid.Bool().Draw(t, "extra") {
		r.Extra.Set("cases", map[string]any{"one": value("case"), "two": text.Draw(t, "two")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "comparisons") {
		r.Comparisons = append(r.Comparisons, Comparison{A: text.Draw(t, "a"), B: "b", Metric: "slope", Difference: value("difference"),
			CI: interval("ci"), P: value("p"), PHolm: value("p_holm"), T: new(value("t"))})
	}
	r.Warnings = append(r.Warnings, rapid.SliceOf(text).Draw(t, "warnings")...)
	return r
}

func TestWriteReadWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := randomResult(t)
		var first bytes.Buffer
		if err := r.Write(&first); err != nil {
			t.Fatal(err)
		}
		back, second := rewrite(t, first.Bytes())
		if !bytes.Equal(first.Bytes(), second) {
			t.Fatalf("was\n%s\nis\n%s", first.Bytes(), second)
		}
		if !reflect.DeepEqual(back.Models.Keys(), r.Models.Keys()) {
			t.Fatalf("models %q, want %q", back.Models.Keys(), r.Models.Keys())
		}
		for i, c := range back.Comparisons {
			was := r.Comparisons[i]
			if c.Difference.Defined() != was.Difference.Defined() || c.Difference.Defined() && c.Difference.V != was.Difference.V || c.CI.Defined() != was.CI.Defined() {
				t.Fatalf("comparison %+v, want %+v", c, was)
			}
		}
	})
}

func TestReasonsComeBack(t *testing.T) {
	t.Parallel()
	c := Comparison{A: "a", B: "b", Metric: "slope", Difference: Number(math.Inf(-1)), CI: Between(math.Inf(-1), math.Inf(1)),
		P: Undefined("one block; no more"), PHolm: Undefined("one block; no more"), T: new(Undefined("flat"))}
	r := NewResult("x")
	r.Comparisons = append(r.Comparisons, c, Comparison{CI: NoInterval("why: not"), P: Undefined("why: not")}, Comparison{CI: Between(2, math.Inf(1))})
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, _ := rewrite(t, b.Bytes())
	got := back.Comparisons
	if !math.IsInf(got[0].Difference.V, -1) || got[0].Difference.Reason != "" || !math.IsInf(got[0].CI.Low, -1) || !math.IsInf(got[0].CI.High, 1) ||
		got[0].P.Reason != c.P.Reason || got[0].PHolm.Reason != c.PHolm.Reason || got[0].T.Reason != c.T.Reason {
		t.Errorf("got %+v, want %+v", got[0], c)
	}
	if got[1].CI.Reason != "why: not" || got[1].P.Reason != "why: not" || got[2].CI.Low != 2 || !math.IsInf(got[2].CI.High, 1) {
		t.Errorf("got %+v and %+v", got[1], got[2])
	}
}

const head = `{"schema":"repscope/1","analysis":"x",`

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
		is         error
	}{
		"empty":           {"", "r.json: truncated: the file is empty", ErrTruncated},
		"blank":           {" \n", "the file is empty", ErrTruncated},
		"truncated":       {head + "\n\"models\":{\"a\":{\"slope\":", "r.json:2:", ErrTruncated},
		"truncated key":   {head + `"mod`, "r.json:1:", ErrTruncated},
		"not JSON":        {head + "\n  oops}", "r.json:2:3: not JSON", nil},
		"no value":        {head + "\n \"models\": trux}", "r.json:2:15: models: not JSON", nil},
		"two values":      {head + "\"models\":{}}\n{}", "r.json:2:1: text follows", nil},
		"a list":          {"[1]", "want an object with \"schema\": \"repscope/1\", got a list of 1", ErrNotResult},
		"no schema":       {`{"metrics":{}}`, `no "schema"`, ErrNotResult},
		"journal":         {"{\n \"schema\": \"repscope/encode-journal/1\"}", `r.json:2:12: schema: not a result file: its schema is the text "repscope/encode-journal/1", want "repscope/1"`, ErrNotResult},
		"later schema":    {`{"schema":"repscope/2","analysis":"x","models":{}}`, `want "repscope/1"`, ErrNotResult},
		"schema a number": {`{"schema":1}`, "the number 1", ErrNotResult},
		"no models":       {`{"schema":"repscope/1","analysis":"x"}`, `no "models"`, ErrNotResult},
		"twice":           {head + "\"models\":{\"a\":{},\n\"a\":{}}}", `r.json:2:1: models.a: the name is used twice`, nil},
		"model a number":  {head + `"models":{"a":7}}`, "models.a: want an object, got the number 7", nil},
		"seed a text":     {head + "\n\"seed\":\"x\",\"models\":{}}", `r.json:2:8: seed: want a whole number from 0, got the text "x"`, nil},
		"negative seed":   {head + `"seed":-1,"models":{}}`, "seed: want a whole number", nil},
		"shape":           {head + `"inputs":[{"role":"frames","shape":[1.5]}],"models":{}}`, "inputs[0].shape[0]: want a whole number, got the number 1.5", nil},
		"huge":            {head + `"comparisons":[{"p":1e999}],"models":{}}`, "comparisons[0].p: want a number or null", nil},
		"interval":        {head + `"comparisons":[{"ci":[1]}],"models":{}}`, "comparisons[0].ci: want [low, high] or null, got a list of 1", nil},
		"inputs":          {head + `"inputs":{},"models":{}}`, "inputs: want a list, got an object", nil},
		"kernel":          {head + `"kernel":"avx2","models":{}}`, "kernel: want an object", nil},
		"warning":         {head + `"warnings":[null],"models":{}}`, "warnings[0]: want a text, got null", nil},
		"deep":            {head + `"models":{"a":{"x":` + strings.Repeat("[", 1000), ": models.a.x[0][0]…[0][0]: nested more than 500 deep", nil},
		"long key": {head + `"models":{"` + strings.Repeat("é", 1000) + `":{"x":1,"x":2}}}`,
			": models." + strings.Repeat("é", 80) + "….x: the name is used twice", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadFrom("r.json", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "r.json:") {
				t.Errorf("%v does not begin with the file", err)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "missing.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Cut anywhere, a result file is refused as truncated.
func TestReadTruncated(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/robustness.json")
	if err != nil {
		t.Fatal(err)
	}
	whole := len(bytes.TrimSpace(data))
	for n := 0; n < whole; n += 13 {
		if _, err := ReadFrom("r.json", bytes.NewReader(data[:n])); !errors.Is(err, ErrTruncated) {
			t.Fatalf("cut after %d of %d bytes: %v", n, whole, err)
		}
	}
}

func TestReadKeepsUnknownKeys(t *testing.T) {
	t.Parallel()
	in := `{"schema":"repscope/1","analysis":"canvas","models":{"a":{"x":1.50}},"cases":{"1":{"y":null}},` +
		`"inputs":[{"role":"frames","path":"f","color":"red"}],"comparisons":[{"a":"a","p":null,"power":null,"reason":"one"}]}`
	r, out := rewrite(t, []byte(in))
	for _, want := range []string{`"x": 1.50`, `"cases": {`, `"color": "red"`, `"power": null`, `"reason": "one"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is lost:\n%s", want, out)
		}
	}
	if r.Comparisons[0].P.Reason != "one" {
		t.Errorf("p: %+v", r.Comparisons[0].P)
	}
	if _, again := rewrite(t, out); !bytes.Equal(again, out) {
		t.Errorf("a second time:\n%s", again)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 5000 {
			f.Add(data)
		}
	}
	f.Add([]byte(head + `"models":{"a":{"x":null,"y":[1,null],"rows":[{"k":1,"z":2},{"k":2,"z":null,"reason":"r"}],"reason":"x: a; y: b"}},` +
		`"comparisons":[{"a":"a","b":"b","metric":"m","difference":null,"ci":[null,1],"p":null,"reason":"difference, ci: the value is negative infinity; p: q"}]}`))
	f.Add([]byte(`{"schema":"repscope/2"}`))
	f.Add(zipped(f, []byte(head+`"models":{"a":{"x":1}}}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadFrom("f.json", bytes.NewReader(data))
		if err != nil {
			return
		}
		var first bytes.Buffer
		if err := r.Write(&first); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(first.Bytes()) {
			t.Fatalf("not JSON: %s", first.Bytes())
		}
		if _, second := rewrite(t, first.Bytes()); !bytes.Equal(second, first.Bytes()) {
			t.Fatalf("was\n%s\nis\n%s", first.Bytes(), second)
		}
		for _, name := range r.Models.Keys() {
			m, err := r.Model(name)
			if err != nil {
				t.Fatal(err)
			}
			for path := range m.Numbers() {
				_, _ = m.Number(path)
			}
		}
	})
}

// JSON that is no result file is read in its order, and what is written of it is read as the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"metrics":{"mse":1.0},"evaluation_config":{}}`, `[NaN, -Infinity]`, `{"a":1,"a":2}`, `[[[[]]]]`, `"\ud800"`, `1e999`, `{"a":`, "\ufeff{}", `{"a":{"b":[1,{"c":null}]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse("x.json", data)
		if err != nil {
			if !strings.Contains(err.Error(), "x.json") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		var first, second bytes.Buffer
		if err := Encode(&first, v); err != nil {
			return // such as nothing that a file could hold
		}
		again, err := Parse("y.json", first.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, first.Bytes())
		}
		if err := Encode(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("written again (%v):\n%s\n%s", err, first.Bytes(), second.Bytes())
		}
	})
}
