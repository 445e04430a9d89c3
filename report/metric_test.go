// Tests of paths to the numbers of a result.

package report

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every number that a walk over the results of the binaries finds is found by
// its path, with the same value.
func TestNumbersAreFoundByPath(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		r, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range r.Models.Keys() {
			m, err := r.Model(name)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for path, want := range m.Numbers() {
				if seen[path] {
					t.Errorf("%s of %s: the path stands for two numbers", path, r.Analysis)
				}
				seen[path] = true
				got, err := m.Number(path)
				if err != nil || got.Defined() != want.Defined() || want.Defined() && got.V != want.V || got.Reason != want.Reason {
					t.Errorf("%s of %s: got %+v, %v, want %+v", path, r.Analysis, got, err, want)
				}
			}
			if len(seen) == 0 && r.Analysis != "encode" {
				t.Errorf("model %s of %s has no numbers", name, r.Analysis)
			}
		}
	}
}

// object is the model of a result with the given text.
func object(t *testing.T, text string) Object {
	t.Helper()
	r, err := ReadFrom("r.json", strings.NewReader(head+`"models":{"m":`+text+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model("m")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNumber(t *testing.T) {
	t.Parallel()
	m := object(t, `{"slope":0.25,"slope_ci":[0.1,0.4],"ratio":{"mean":null,"mean_ci":null,"reason":"no pairs"},"by_k":[{"k":5,"trust":0.9},{"k":10,"trust":0.8}],
		"rows":[{"x":1},{"x":1}],"names":[{"layer":"conv.0","dim":3}],"probes":[{"probe":"ridge","on":"true","mse":1},{"probe":"ridge","on":"predicted","mse":2},{"probe":"a;b","on":"c=d","mse":3}],"a.b":{"c":7},"a":{"b.c":8},"p":null,"q":[null,1],"text":"t",
		"loss":{"skipped":true,"reason":"no tokens"},"skipped":{"ppl":"no logits"},"reason":"p: one; q: two"}`)
	for path, want := range map[string]Value{
		"slope": Number(0.25), "by_k[k=10].trust": Number(0.8), "by_k[0].trust": Number(0.9), "rows[1].x": Number(1), "a.b.c": Number(7),
		"names[layer=conv.0].dim": Number(3), "probes[probe=ridge;on=predicted].mse": Number(2), "probes[on=predicted].mse": Number(2), "probes[probe=a;b].mse": Number(3),
		"ratio.mean": Undefined("no pairs"), "p": Undefined("one"), "q[1]": Number(1),
		"loss": Undefined("no tokens"), "ppl": Undefined("no logits"), "slope_ci[0]": Number(0.1),
	} {
		got, err := m.Number(path)
		if err != nil || got.Defined() != want.Defined() || got.Reason != want.Reason || want.Defined() && got.V != want.V {
			t.Errorf("%s: got %+v, %v, want %+v", path, got, err, want)
		}
	}
	for path, want := range map[string]string{
		"slop": `did you mean "slope"?`, "ratio.meen": `ratio: no "meen"`, "by_k[7].trust": `a list of 2 has no row "[7].trust"`, "by_k[k=7]": "no row",
		"by_k.5": "no row", "text": `text is the text "t", want a number`, "ratio": "ratio is an object", "slope.x": `slope is the number 0.25 and has no "x"`,
		"by_k": "by_k is a list of 2", "": "an object", "by_k[0": "no row",
	} {
		if got, err := m.Number(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want %q", path, got, err, want)
		}
	}
	if ci, err := m.Interval("slope_ci"); err != nil || ci.Low != 0.1 || ci.High != 0.4 {
		t.Errorf("slope_ci: %+v, %v", ci, err)
	}
	if ci, err := m.Interval("ratio.mean_ci"); err != nil || ci.Defined() || ci.Reason != "no pairs" {
		t.Errorf("ratio.mean_ci: %+v, %v", ci, err)
	}
	if _, err := m.Interval("slope"); err == nil {
		t.Error("slope is no interval")
	}
	if _, err := m.Interval("missing_ci"); err == nil {
		t.Error("missing_ci was found")
	}
}

func TestNumbersOrderAndNames(t *testing.T) {
	t.Parallel()
	m := object(t, `{"z":1,"a":{"b":null},"by_k":[{"k":5,"x":2},{"k":10,"x":3}],"same":[{"k":1,"x":4},{"k":1,"x":5}],"eigenvalues":[1,2],"skipped":{"w":"why"},"flag":true,
		"probes":[{"probe":"ridge","on":"true","mse":1},{"probe":"ridge","on":"predicted","mse":2}],"odd":[{"a":"x;y","b":"p","c":1},{"a":"x;y","b":"q","c":2}]}`)
	var got []string
	for path := range m.Numbers() {
		got = append(got, path)
	}
	want := "z a.b by_k[k=5].k by_k[k=5].x by_k[k=10].k by_k[k=10].x same[0].k same[0].x same[1].k same[1].x " +
		"probes[probe=ridge;on=true].mse probes[probe=ridge;on=predicted].mse odd[0].c odd[1].c"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for path := range m.Numbers() {
		if path == "a.b" {
			break // a walk may end early
		}
	}
}

// A result that was just made is walked as the file of it would be.
func TestModelOfAMadeResult(t *testing.T) {
	t.Parallel()
	type part struct {
		Slope Value    `json:"slope"`
		R     Value    `json:"r"`
		CI    Interval `json:"slope_ci"`
	}
	r := NewResult("smoothness")
	r.Models.Set("jepa", part{Slope: Number(0.5), R: Undefined("flat"), CI: Between(0, 1)})
	m, err := r.Model("jepa")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Number("r"); err != nil || v.Reason != "flat" {
		t.Errorf("r: %+v, %v", v, err)
	}
	if v, err := m.Number("slope"); err != nil || v.V != 0.5 {
		t.Errorf("slope: %+v, %v", v, err)
	}
	if _, err := r.Model("jepo"); err == nil || !strings.Contains(err.Error(), `did you mean "jepa"?`) {
		t.Errorf("got %v", err)
	}
	r.Models.Set("bad", 7)
	if _, err := r.Model("bad"); err == nil {
		t.Error("a model that is a number")
	}
}
