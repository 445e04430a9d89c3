// From files to numbers, against NumPy and ONNX Runtime: testdata/saliency.py.

package canvas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

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
func (g *goldenSaliency) settings() *Settings {
	o := &Settings{Definition: DefinitionDefault}
	if g.Definition != "" {
		o.Definition = g.Definition
	}
	o.Saliency.Top = g.Top
	if g.Model != "" {
		o.Saliency.Model = SaliencyModel{Path: filepath.Join("testdata", g.Model), Mean: g.Mean, Std: g.Std, BGR: g.BGR, Raw: g.Raw}
		if g.Size != "" {
			_, _ = fmt.Sscanf(g.Size, "%dx%d", &o.Saliency.Model.Height, &o.Saliency.Model.Width)
		}
	}
	return o
}

func (g *goldenSaliency) check(t *testing.T) {
	files := memoryReader{"p": g.Reference, "q": g.Generated, "P": g.ReferenceScreen, "Q": g.GeneratedScreen, "f": g.Fixations, "o": g.Others}
	c := Case{ID: "a-m", Sample: "a", Model: "m", Snapshot: -1, ReferenceSaliency: files.path("p"), GeneratedSaliency: files.path("q"),
		Reference: Side{Image: files.path("P")}, Generated: Side{Image: files.path("Q")}, Fixations: files.path("f")}
	other := c
	other.ID, other.Sample, other.Fixations = "b-m", "b", files.path("o")
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
func scoreSaliency(t testing.TB, o *Settings, files memoryReader, cases []Case) (*Row, *Settings) {
	t.Helper()
	cases = slices.Clone(cases)
	opened, err := o.Saliency.Open(cases, files.read, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	p := NewPair(t.Context(), &cases[0], o, files.read, newView(cases[0].Reference, "reference", files.read))
	row, err := scoreKinds(t.Context(), saliencyKinds(), p)
	if err != nil {
		t.Fatal(err)
	}
	return row, o
}
