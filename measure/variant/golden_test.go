// What SciPy, scikit-learn, pandas and NumPy say.

package variant

import (
	_ "embed"
	"encoding/json"
	"testing"

	"repscope/measure/measuretest"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is testdata/golden.json.
type golden struct {
	Assays []struct {
		Measured, Score, Given []float64
		Fit                    []bool
		Want                   map[string]float64
	}
	Levels []struct {
		Protein, Function   []string
		Value               []float64
		AssayMean           float64 `json:"assay_mean"`
		ProteinMean         float64 `json:"protein_mean"`
		FunctionMean        float64 `json:"function_mean"`
		Proteins, Functions map[string]float64
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	var g golden
	must(t, json.Unmarshal(goldenJSON, &g))
	for _, c := range g.Assays {
		a, err := NewAgreement(c.Measured, c.Score, c.Fit, c.Given)
		must(t, err)
		for _, m := range Measures() {
			v, err := a.Value(m)
			must(t, err)
			want, ok := c.Want[m.String()]
			if !ok {
				t.Fatalf("there is no golden %s", m)
			}
			measuretest.Near(t, m.String(), v, want, 1e-12)
		}
	}
	for _, c := range g.Levels {
		var assays []Assay
		for i := range c.Value {
			assays = append(assays, Assay{c.Protein[i], c.Function[i], c.Value[i]})
		}
		l := Aggregate(assays)
		measuretest.Near(t, "mean over assays", l.AssayMean, c.AssayMean, 1e-12)
		measuretest.Near(t, "mean over proteins", l.ProteinMean, c.ProteinMean, 1e-12)
		measuretest.Near(t, "mean over functions", l.FunctionMean, c.FunctionMean, 1e-12)
		for _, p := range l.Proteins {
			measuretest.Near(t, p.Name, p.Value, c.Proteins[p.Name], 1e-12)
		}
		for _, f := range l.Functions {
			measuretest.Near(t, f.Name, f.Value, c.Functions[f.Name], 1e-12)
		}
	}
}
