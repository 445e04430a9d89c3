// Tests that texts say what they were given, in every form, and what they refuse.

package methods

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"repscope/report"
)

// result is a small result, as it is read.
func result(t *testing.T) *report.Result {
	t.Helper()
	const file = `{"schema":"repscope/1","analysis":"smoothness","definition":2,"version":"1.0","revision":"abc","seed":7,"device":"cpu","precision":"fp32",
"kernel":{"name":"avx2","kc":256},"go":"go1.26","started":"2026-01-01T00:00:00Z","elapsed_s":1,"inputs":[],
"options":{"k":[5,10,20],"approx":false,"metric":"euclidean","share":0.5},
"models":{"a":{"space":"frame","list":[{"n":1,"name":"x"},{"n":2,"name":"y"}],"none":null},"b":{"space":"clip"}},
"comparisons":[],"warnings":[]}`
	r, err := report.ReadFrom("r.json", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOf(t *testing.T) {
	t.Parallel()
	text, err := Of(result(t), func(d *Draft) {
		d.Section("Measures")
		d.Say("Neighborhoods have k = %s states [@venna2001; @venna2006], which is 50 %% & more.", d.List("k"))
		d.Say("The share is %g.", d.Number("share"))
		if d.Yes("approx") {
			t.Error("approx is not set")
		}
		d.Section("Nothing")
		d.Section("Spaces")
		d.Say("Spaces: %s; rows %s, first %s; √(2·tr C) ≤ 1 [@holm1979].", Join(d.Models("space")), Join(d.Rows("list", "n")), Join(d.Models("list", "name")))
		if d.Holds("none") || !d.Holds("space") || !d.HoldsAny("none", "list") {
			t.Error("what models hold")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string][]string{
		text.Markdown(): {"# Methods: smoothness", "k = 5, 10 and 20 states (Venna & Kaski 2001; Venna & Kaski 2006), which is 50 % & more. The share is 0.5.",
			"Spaces: frame and clip; rows 1 and 2, first x; √(2·tr C) ≤ 1 (Holm 1979).", "seed 7", "repscope 1.0, revision abc", "- [Holm 1979] Sture Holm (1979)."},
		text.LaTeX(): {`\paragraph{Measures.}`, `20 states~\cite{venna2001,venna2006}, which is 50 \% \& more.`, `$\surd$(2$\cdot$tr C) $\leq$ 1~\cite{holm1979}.`},
	} {
		for _, w := range want {
			if !strings.Contains(form, w) {
				t.Errorf("no %q in\n%s", w, form)
			}
		}
		if strings.Contains(form, "Nothing") || strings.Contains(form, "[@") {
			t.Errorf("an empty section, or a citation that is none:\n%s", form)
		}
	}
	again, err := parseBibTeX(text.BibTeX())
	if err != nil || len(again) != 3 {
		t.Errorf("%d works, %v:\n%s", len(again), err, text.BibTeX())
	}
	var file bytes.Buffer
	if err := report.Encode(&file, text.Object()); err != nil {
		t.Fatal(err)
	}
	var object struct {
		Schema, Analysis, Markdown, Latex, Bibtex string
		Sections                                  []struct{ Title, Text, Plain string }
		References                                []struct{ Key, Label, Title string }
	}
	if err := json.Unmarshal(file.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	if object.Schema != schema || object.Markdown != text.Markdown() || object.Latex != text.LaTeX() || object.Bibtex != text.BibTeX() ||
		len(object.Sections) != 3 || len(object.References) != 3 || object.References[0].Key != "holm1979" {
		t.Errorf("%+v", object)
	}
}

// What a result does not hold, and what is not in the bibliography, is an error that names it.
func TestOfRefuses(t *testing.T) {
	t.Parallel()
	for want, describe := range map[string]func(*Draft){
		`no option "draws"`:           func(d *Draft) { d.Say("%s", d.Text("draws")) },
		`"metric" is euclidean`:       func(d *Draft) { d.Yes("metric") },
		`"metric" is "euclidean"`:     func(d *Draft) { d.Number("metric") },
		`cites "nobody1900"`:          func(d *Draft) { d.Say("As is known [@holm1979; @nobody1900].") },
		"methods of a result of smoo": func(d *Draft) { d.Yes("draws") },
	} {
		if _, err := Of(result(t), describe); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
