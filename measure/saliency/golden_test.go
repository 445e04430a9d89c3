// What NumPy, scipy and scikit-learn say.

package saliency

import (
	_ "embed"
	"encoding/json"
	"testing"

	"repscope/measure/measuretest"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is one case of testdata/golden.json.
type golden struct {
	Name          string
	Width, Height int
	P, Q          []float64
	X, Y          []float64
	OtherX        []float64 `json:"other_x"`
	OtherY        []float64 `json:"other_y"`

	CC, SIM, KL                      float64
	KL0                              *float64 `json:"kl_0"`
	NSS, Judd, Borji, Shuffled, Gain float64
	GainUniform                      float64 `json:"gain_uniform"`
	Top                              int
	TopJudd                          float64 `json:"top_judd"`
	TopBorji                         float64 `json:"top_borji"`
	TopNSS                           float64 `json:"top_nss"`
}

// TestGolden holds every number to 1e-12.
func TestGolden(t *testing.T) {
	t.Parallel()
	var file struct{ Cases []golden }
	if err := json.Unmarshal(goldenJSON, &file); err != nil || len(file.Cases) == 0 {
		t.Fatal(len(file.Cases), err)
	}
	for _, g := range file.Cases {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			g.check(t)
		})
	}
}

func (g golden) check(t *testing.T) {
	must := must(t)
	near := func(name string, got, want float64) {
		t.Helper()
		measuretest.Near(t, name, got, want, 1e-12)
	}
	p, q := mapOf(t, g.Width, g.Height, g.P), mapOf(t, g.Width, g.Height, g.Q)
	f, others := fixationsAt(t, g.Width, g.Height, g.X, g.Y), fixationsAt(t, g.Width, g.Height, g.OtherX, g.OtherY)
	near("CC", must(CC(p, q)), g.CC)
	near("SIM", must(SIM(p, q)), g.SIM)
	near("KL", must(KL(p, q, Epsilon)), g.KL)
	if g.KL0 != nil {
		near("KL without ε", must(KL(p, q, 0)), *g.KL0)
	}
	near("NSS", must(NSS(q, f)), g.NSS)
	near("AUC-Judd", must(AUCJudd(q, f)), g.Judd)
	near("AUC-Borji", must(AUCBorji(q, f, Step)), g.Borji)
	near("shuffled AUC", must(AUCShuffled(q, f, others)), g.Shuffled)
	prior, err := CenterPrior(g.Width, g.Height, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	uniform, err := Uniform(g.Width, g.Height)
	if err != nil {
		t.Fatal(err)
	}
	near("information gain", must(InformationGain(q, prior, f, GainEpsilon)), g.Gain)
	near("information gain over the uniform map", must(InformationGain(q, uniform, f, GainEpsilon)), g.GainUniform)

	top, err := Top(p, 5)
	if err != nil || top.Len() != g.Top || top.Pixels() != g.Top {
		t.Fatalf("top 5 %%: %d pixels, want %d (%v)", top.Len(), g.Top, err)
	}
	near("AUC-Judd of the top", must(AUCJudd(q, top)), g.TopJudd)
	near("AUC-Borji of the top", must(AUCBorji(q, top, Step)), g.TopBorji)
	near("NSS of the top", must(NSS(q, top)), g.TopNSS)
}
