// From files to numbers, against NumPy and ONNX Runtime: testdata/saliency.py.

package canvas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/measure/measuretest"
)

//go:embed testdata/saliency.json
var saliencyJSON []byte

// goldenSaliency is one case of testdata/saliency.json.
type goldenSaliency struct {
	Name, Definition     string
	Reference, Generated []byte
	ReferenceScreen      []byte `json:"reference_screen"`
	GeneratedScreen      []byte `json:"generated_screen"`
	Fixations, Others    []byte
	Top                  float64
	Model, Size          string
	BGR, Raw             bool
	Mean, Std            []float64
	Tolerance            float64
	Want                 map[string]float64
}

func TestSaliencyGolden(t *testing.T) {
	t.Parallel()
	var file struct{ Cases []goldenSaliency }
	if err := json.Unmarshal(saliencyJSON, &file); err != nil || len(file.Cases) != 7 {
		t.Fatal(len(file.Cases), err)
	}
	for i := range file.Cases {
		g := &file.Cases[i]
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			g.check(t)
		})
	}
}

// settings are those of the case.
func (g *goldenSaliency) settings() *Setting {
	o := &Setting{Definition: DefinitionDefault}
	if g.Definition != "" {
		o.Definition = g.Definition
	}
	o.Saliency.Top = g.Top
	if g.Model != "" {
		o.Saliency.Model = saliencymap.Model{Path: filepath.Join("testdata", g.Model), Mean: g.Mean, Std: g.Std, BGR: g.BGR, Raw: g.Raw}
		if g.Size != "" {
			_, _ = fmt.Sscanf(g.Size, "%dx%d", &o.Saliency.Model.Height, &o.Saliency.Model.Width)
		}
	}
	return o
}

func (g *goldenSaliency) check(t *testing.T) {
	files := casetest.Files{"p": g.Reference, "q": g.Generated, "P": g.ReferenceScreen, "Q": g.GeneratedScreen, "f": g.Fixations, "o": g.Others}
	c := Case{ID: "a-m", Sample: "a", Model: "m", Snapshot: -1, ReferenceSaliency: files.Path("p"), GeneratedSaliency: files.Path("q"),
		Reference: Side{Image: files.Path("P")}, Generated: Side{Image: files.Path("Q")}, Fixations: files.Path("f")}
	other := c
	other.ID, other.Sample, other.Fixations = "b-m", "b", files.Path("o")
	row, o := scoreSaliency(t, g.settings(), files, []Case{c, other})
	tolerance := max(g.Tolerance, 1e-12)
	for key, want := range g.Want {
		got, ok := row.Values[key]
		if !ok || !got.Defined() {
			t.Errorf("%s: %+v, want %v", key, got, want)
			continue
		}
		measuretest.Near(t, key, got.V, want, tolerance)
	}
	for _, k := range saliencyKinds() {
		for _, key := range k.Keys {
			_, wanted := g.Want[key.Name]
			if v := row.Values[key.Name]; !wanted && g.Top == 0 {
				t.Errorf("%s: %+v, which nobody computed", key.Name, v)
			}
		}
		if k.Definition(o) == "" {
			t.Errorf("%s has no definition", k.Name)
		}
	}
	if len(row.Failures) > 0 {
		t.Error(row.Failures)
	}
}

// saliencyKinds are the metrics of saliency.
func saliencyKinds() []Kind { return []Kind{saliencyKind, saliencyShuffledKind, saliencyBaselineKind} }

// scoreSaliency opens the settings for the cases and scores the first.
func scoreSaliency(t testing.TB, o *Setting, files casetest.Files, cases []Case) (*Row, *Setting) {
	t.Helper()
	cases = slices.Clone(cases)
	opened, err := o.Saliency.Open(cases, files.Read, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	p := NewPair(t.Context(), &cases[0], o, files.Read, design.NewView(cases[0].Reference, "reference", files.Read))
	row, err := scoreKinds(t.Context(), saliencyKinds(), p)
	if err != nil {
		t.Fatal(err)
	}
	return row, o
}
