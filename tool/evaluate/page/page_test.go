// The page of results that are made for it: small and large ones, hostile names, numbers that are not there.

package page

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/report"
)

// made are results of so many models and analyses, with single metrics and one of a parameter in each, compared in
// pairs.
func made(names []string, analyses int, intervals bool) []Section {
	return madeOf(single, names, analyses, intervals)
}

func madeOf(metrics, names []string, analyses int, intervals bool) []Section {
	random := rand.New(rand.NewPCG(1, 2))
	var sections []Section
	for a := range analyses {
		r := report.NewResult(fmt.Sprintf("analysis%d", a))
		r.Started, r.Version, r.Revision, r.Go, r.Device = "", "v1", "", "go", "cpu"
		r.Inputs = append(r.Inputs, report.Input{Role: "frames", Path: "frames.npz:frames", SHA256: strings.Repeat("ab", 32), DType: "uint8", Shape: []int{100, 8, 8}, States: 100, Episodes: 5})
		r.Options.Set("seed", 42)
		r.Options.Set("block", "auto")
		r.Describe(report.Described{Name: "by_k.trustworthiness", Better: report.Higher}, report.Described{Name: "score", Better: report.Higher})
		r.Describe(report.Described{Name: "mse", Better: report.Lower, Unit: "pixels²"})
		r.Describe(report.Described{Name: "rank", Better: report.Neither}, report.Described{Name: "slope", Better: report.Neither})
		for _, name := range names {
			r.Inputs = append(r.Inputs, report.Input{Role: "model", Name: name, Path: "models/" + strings.Map(plainRune, name) + ".onnx", SHA256: strings.Repeat("cd", 32), Kind: "ONNX"})
			r.Models.Set(name, model(random, metrics, intervals))
		}
		values := map[string]map[string]report.Named{}
		for _, name := range names {
			m, err := r.Model(name)
			if err != nil {
				panic(err)
			}
			values[name] = estimatesOf(m)
		}
		for _, metric := range append(slices.Clone(metrics), "by_k[k=5].trustworthiness", "by_k[k=10].trustworthiness", "by_k[k=20].trustworthiness") {
			for i := range names {
				for k := range min(i, 3) {
					c := report.Comparison{A: names[k], B: names[i], Metric: metric, P: report.Number(0.001), PHolm: report.Number(0.5)}
					c.Difference = report.Number(values[c.A][metric].Value.V - values[c.B][metric].Value.V)
					if k == 0 {
						c.PHolm = report.Number(0.01)
					}
					r.Comparisons = append(r.Comparisons, c)
				}
			}
		}
		sections = append(sections, Section{Analysis: r.Analysis, Folder: r.Analysis, Result: r})
	}
	return sections
}

// single are the metrics of a made model that have no parameter.
var single = []string{"score", "mse", "rank", "slope"}

func plainRune(r rune) rune {
	if r < 'a' || r > 'z' {
		return 'x'
	}
	return r
}

// model is the part of one model.
func model(random *rand.Rand, metrics []string, intervals bool) report.Object {
	var o report.Object
	number := func(o *report.Object, name string) {
		v := math.Round(random.Float64()*1e6) / 1e6
		o.Set(name, report.Number(v))
		if intervals {
			o.Set(name+"_ci", report.Between(v-0.1, v+0.1))
		}
	}
	for _, name := range metrics {
		number(&o, name)
	}
	var rows []any
	for _, k := range []int{5, 10, 20} {
		var row report.Object
		row.SetParameter("k", k)
		number(&row, "trustworthiness")
		rows = append(rows, row)
	}
	o.Set("by_k", rows)
	return o
}

// numbered are so many names.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("encoder_%d", i)
	}
	return names
}

// pageOf is the page of sections, with help texts.
func pageOf(t *testing.T, sections []Section) *Page {
	t.Helper()
	tables, err := Tables(sections)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tables {
		tables[i].Checkpoints = Checkpoints(tables[i].Models)
	}
	var commands []run.Command
	for _, s := range sections {
		commands = append(commands, run.Command{
			Name: s.Analysis, Summary: "what it measures <in a line>", Manual: strings.Repeat("How it is read: & so on.\n", 60),
			Setup: func(flags *run.Flags) run.Job {
				flags.String("block", "auto", "`KIND`")
				return run.Job{}
			},
		})
	}
	return &Page{Title: "a study", Sections: sections, Tables: tables, Commands: commands, Beside: []string{"summary.csv", "summary.json"}}
}

func write(t *testing.T, p *Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSize(t *testing.T) {
	runtest.Long(t, "it writes a page of many megabytes")
	t.Parallel()
	for _, c := range []struct{ models, analyses, most int }{{20, 10, 1_000_000}, {100, 10, 2_000_000}, {1000, 2, 4_000_000}} {
		metrics := slices.Clone(single) // as many as reward and forecast have
		for i := range 46 {
			metrics = append(metrics, fmt.Sprintf("events.part_%d.skill_score", i))
		}
		sections := madeOf(metrics, numbered(c.models), c.analyses, true)
		text := write(t, pageOf(t, sections))
		t.Logf("%d models × %d analyses: %d bytes", c.models, c.analyses, len(text))
		if len(text) > c.most {
			t.Errorf("%d models × %d analyses: %d bytes, want at most %d", c.models, c.analyses, len(text), c.most)
		}
		for _, name := range []string{"encoder_0", fmt.Sprintf("encoder_%d", c.models-1)} {
			if !strings.Contains(text, `<span class="nm">`+name+`</span>`) {
				t.Errorf("%d models: %s is not there", c.models, name)
			}
		}
		if figures := strings.Contains(text, "<figure>"); figures != (c.models <= figuredModels) {
			t.Errorf("%d models: figures are %v", c.models, figures)
		}
		if !strings.Contains(text, "Not shown here: ") {
			t.Errorf("%d models: that something is left out is not said", c.models)
		}
	}
}

// Equal results give equal bytes, and nothing of the machine or of the time is in them.
func TestEqualBytes(t *testing.T) {
	t.Parallel()
	names := numbered(5)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	absolute := func() []Section {
		sections := made(names, 3, true)
		sections[0].Result.Inputs[0].Path = filepath.Join(here, "frames.npz")
		sections[1].Result.Started = "2020-01-02T03:04:05Z"
		return sections
	}
	text := write(t, pageOf(t, absolute()))
	if other := write(t, pageOf(t, absolute())); other != text {
		t.Error("equal results give other bytes")
	}
	if strings.Contains(text, here) || !strings.Contains(text, "…/frames.npz") {
		t.Error("the path of an input is not shortened")
	}
}

var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `it's "quoted" & more`, strings.Repeat("very_long_", 40),
	`模型 ✓ модель`, `a_{b}^{c}`, `</style></svg>`, `$& $1`, "two\nlines", `javascript:alert(1)`,
}

// Names are text wherever they stand.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	sections := made(hostile, 2, true)
	sections[0].Result.Warn(`a warning <b onclick="x()">`)
	sections[1].Dataset, sections[1].Folder = `d<"'>`, `d<"'>/analysis1`
	p := pageOf(t, sections)
	p.Title, p.Failures = `</title><script>x</script>`, []string{`<i>failed</i>`}
	text := write(t, p)
	// The script and the style hold no name; without them a lenient XML reader reads the page.
	for _, part := range []string{styleCSS, scriptJS} {
		if strings.Count(text, part) != 1 {
			t.Fatal("the page has not its style and script once")
		}
		text = strings.Replace(text, part, "", 1)
	}
	count, named := map[string]int{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, append(xml.HTMLAutoClose, "meta", "input"), xml.HTMLEntity
	inName := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
			inName = false
			for _, a := range token.Attr {
				key := a.Name.Local
				if strings.HasPrefix(key, "on") || (key == "href" || key == "src") && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "summary.") {
					t.Errorf("<%s %s=%q>", token.Name.Local, key, a.Value)
				}
				inName = inName || key == "class" && a.Value == "nm" && token.Name.Local == "span"
			}
		case xml.CharData:
			if inName {
				named[string(token)] = true
			}
		case xml.EndElement:
			inName = false
		}
	}
	if count["script"] != 1 || count["img"] != 0 || count["style"] != 1 || count["b"] == 0 {
		t.Errorf("elements: %v", count)
	}
	for _, name := range hostile {
		if !named[name] {
			t.Errorf("%q is not there as it is", name)
		}
	}
}

// Every id is there once, and every link has its place.
func TestIDs(t *testing.T) {
	t.Parallel()
	sections := append(made(numbered(4), 3, true), made([]string{"s0", "k1"}, 3, false)...)
	for i := range sections {
		sections[i].Dataset = []string{"s0", "overview-"}[i/3]
	}
	text := write(t, pageOf(t, sections))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("the id %q is used twice", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("a link to #%s leads nowhere", m[1])
		}
	}
	if len(ids) < 20 {
		t.Errorf("only %d ids", len(ids))
	}
}

// Numbers that are not there, a single model, no intervals, nothing to compare.
func TestUndefined(t *testing.T) {
	t.Parallel()
	sections := made([]string{"one"}, 1, false)
	r := sections[0].Result
	m, _ := r.Models.Get("one")
	o := m.(report.Object)
	o.Set("score", report.Undefined("the latents are constant"))
	r.Models.Set("one", o)
	text := write(t, pageOf(t, sections))
	for _, want := range []string{
		`n/a <a href="#overview--n1" title="the latents are constant">1</a>`, `<li id="overview--n1">the latents are constant</li>`,
		"one: n/a, the latents are constant", "no intervals", "Models were not compared: none is marked as the best.", "1 model, 1 result",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s", want)
		}
	}
	text = strings.NewReplacer(styleCSS, "", scriptJS, "").Replace(text)
	if strings.Contains(text, `class="b"`) || strings.Contains(text, "NaN") {
		t.Error("a model is best, or a number is NaN")
	}
	// A model that another analysis has not measured is not 0.
	sections = append(made([]string{"a"}, 1, true), made([]string{"b"}, 2, true)[1])
	tables, err := Tables(sections)
	if err != nil {
		t.Fatal(err)
	}
	if c := tables[0].Rows[1][0]; c.Value.Defined() || tables[0].Models[1] != "b" {
		t.Errorf("a number that was not measured is %v", c.Value)
	}
}

// The parts of a small page, as they are.
func TestGolden(t *testing.T) {
	t.Parallel()
	sections := made([]string{"jepa", "pca"}, 1, true)
	sections[0].Result.Warn("states are slow")
	p := pageOf(t, sections)
	p.Failures = []string{"pong/manifold: no space left on device"}
	text := write(t, p)
	body, _, _ := strings.Cut(text[strings.Index(text, "<header>"):], "<script>")
	body = strings.ReplaceAll(body, p.Commands[0].Manual[:len(p.Commands[0].Manual)-1], "MANUAL")
	golden(t, "page.golden.html", body)
}

var update = flag.Bool("update", false, "write the golden page anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and write it with -update", file)
	}
}
