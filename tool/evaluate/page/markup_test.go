// The page's template beside html/template, which escapes by itself.

package page

import (
	"bytes"
	"html/template"
	"strings"
	"testing"

	"repscope/internal/text"
)

// reference is the template as html/template runs it; what stands as it is has to be said there.
func reference(t *testing.T, source string) *template.Template {
	t.Helper()
	source = strings.NewReplacer("{{.Style}}", "{{css .Style}}", "{{.Script}}", "{{js .Script}}",
		"{{.Symbols}}", "{{raw .Symbols}}", "{{.Cells}}", "{{raw .Cells}}", "{{.SVG}}", "{{raw .SVG}}").Replace(source)
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"inc":   func(i int) int { return i + 1 },
		"count": text.Count[int],
		"join":  func(list []string) string { return strings.Join(list, ", ") },
		"raw":   func(m markup) template.HTML { return template.HTML(m) },
		"css":   func(m markup) template.CSS { return template.CSS(m) },
		"js":    func(m markup) template.JS { return template.JS(m) },
	}).Parse(source))
}

// TestTemplate writes pages of every kind, of plain and of hostile words, by both.
func TestTemplate(t *testing.T) {
	t.Parallel()
	own, err := newForm(pageHTML)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"", "plain", `"><script>alert('1')</script>&amp;+` + "\x00\t\n{{.}} é …"} {
		methods := []Method{{Title: word, Text: word, References: []string{word, "b"}}, {}}
		g := grid{Id: "g-1" + word, Caption: word, Groups: []group{{Name: word, Anchor: word, Span: 2}},
			Columns: []heading{{word, word, word, word, word}, {Name: "b"}}, Rows: []row{{word, 1, true, "<td>1</td>"}, {word, 2, false, "<td/>"}},
			Notes: []string{word, "second"}}
		bare := g
		bare.Groups, bare.Notes = nil, nil
		data := &view{Title: word, Style: "a > b {}", Script: "if (1 < 2 && '\"') {}", Policy: "default-src 'none'; " + word,
			Failures: []string{word}, Warnings: []warning{{word, []string{word, "b"}}}, Notices: []string{word},
			Entries: []entry{{0, word, 0}, {1, word, 3}}, Symbols: "<g></g>",
			Overviews: []overview{{word, g}, {"", bare}}, Inputs: []inputRow{{1, word, word, word, word, word}}, Programs: []string{word},
			Beside: []string{"metrics.csv", "a b.csv"}, Models: 2,
			Sections: []section{{Id: "s1", Name: word, Dataset: word, Folder: word, Summary: word, Manual: []string{word},
				Facts: word, Warnings: []string{word},
				Figures: []figure{{word, word, "<svg></svg>", []entry{{0, word, 0}}, true}, {}}, Left: word, Table: g, Decided: word, Methods: methods,
				Provenance: provenance{word, word, []option{{word, word, true}, {"b", "", false}}, []int{1, 2}}}, {Id: "s2"}},
		}
		for _, v := range []*view{data, {}} {
			var got, want bytes.Buffer
			if err := own.run(&got, v); err != nil {
				t.Fatal(err)
			}
			if err := reference(t, pageHTML).Execute(&want, v); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				a, b := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Fatalf("word %q, line %d: got\n%s\nwant\n%s", word, i+1, a[i], b[i])
					}
				}
				t.Fatalf("word %q: %d lines, want %d", word, len(a), len(b))
			}
		}
	}
}

// TestPlaces writes values where they may and may not stand.
func TestPlaces(t *testing.T) {
	t.Parallel()
	type data struct {
		A    string
		M    markup
		List []string
		F    float64
	}
	d := data{A: `x:"<'+&%#?`, M: "<b>", List: []string{"1", "2"}}
	for source, want := range map[string]string{
		`<p title="{{.A}}">{{.A}}</p>`: `<p title="x:&#34;&lt;&#39;&#43;&amp;%#?">x:&#34;&lt;&#39;&#43;&amp;%#?</p>`,
		`<a href="{{.A}}">`:            `<a href="./x:%22%3c%27&#43;&amp;%25%23%3f">`,
		`<a href="f/{{.A}}">`:          `<a href="f/x:%22%3c%27&#43;&amp;%25%23%3f">`,
		`<a href="#{{.A}}">`:           `<a href="#x%3a%22%3c%27%2b%26%25%23%3f">`,
		`<p title="{{.M}}">{{.M}}`:     `<p title="&lt;b&gt;"><b>`,
		`<p{{if .A}} id="a"{{else}} id="b"{{end}}>{{range $i, $s := .List}}{{inc $i}}{{$s}}{{else}}none{{end}}`: `<p id="a">1122`,
		`{{range .List}}{{.}}{{end}}{{with1}}`: "!function \"with1\" not defined",
		`<p {{.A}}>`:                           "!between attributes",
		`<p title='{{.A}}'>`:                   "!in the tag p",
		`<p style="{{.A}}">`:                   "!attribute style",
		`<p onclick="{{.A}}">`:                 "!attribute onclick",
		`<script>{{.A}}</script>`:              "!in a script",
		`<style>{{.M}}</style>{{.M}}`:          "<style><b></style><b>",
		`{{.B}}`:                               "!there is no B",
		`{{.F}}`:                               "!is a float64",
		`{{range .A}}{{end}}`:                  "!is over a string",
		`{{if .A}}<p title="{{end}}`:           "!ends elsewhere",
		`<p title="`:                           "!ends within a tag",
		`{{with .A}}{{end}}`:                   "!is not known here",
		`{{.A | len}}`:                         "!is a pipeline",
		`{{template "b" .}}`:                   `!no template "b"`,
		`{{template "b"}}`:                     "!is of nothing",
	} {
		var b strings.Builder
		p, err := newForm(source)
		if err == nil {
			err = p.run(&b, &d)
		}
		if failure, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), failure) {
				t.Errorf("%s: %v, want %q", source, err, failure)
			}
		} else if err != nil || b.String() != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", source, err, b.String(), want)
		}
	}
}
