// Scores of regions against plain loops over predictions, in all modes.

package metrics

import (
	"encoding/json"
	"math"
	"slices"
	"sync"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/measure/measuretest"
	"repscope/measure/token"
)

// tokenCase is the result of a made model, and every prediction that it rests on with its sequence.
type tokenCase struct {
	*sequence.ModelResult
	scored []scoredResidue
}

type scoredResidue struct {
	*sequence.Record
	token.Prediction
}

// tokenMetrics are those of predictions alone.
var tokenMetrics = []string{"loss", "perplexity", "top_k", "bits_below_unigram", "calibration", "per_residue", "confusion",
	"region_accuracy", "region_loss", "region_perplexity", "region_germline", "per_position"}

var madeCases struct {
	sync.Once
	cases map[string]tokenCase
}

// tokenCases are a made model in every mode, with the predictions that regions are scored by.
func tokenCases(t *testing.T) map[string]tokenCase {
	t.Helper()
	madeCases.Do(func() { madeCases.cases = makeTokenCases(t) })
	if madeCases.cases == nil {
		t.Fatal("there are no cases")
	}
	return madeCases.cases
}

func makeTokenCases(t *testing.T) map[string]tokenCase {
	t.Helper()
	out := map[string]tokenCase{}
	for _, mode := range []string{sequence.RegionStandard, sequence.RegionPerPosition, sequence.RegionLevel} {
		in := sequencetest.Input(All(), 14, 2, tokenMetrics...)
		in.Datasets[0].Models = in.Datasets[0].Models[:1]
		in.Datasets[0].Choice.Mode = mode
		c := tokenCase{ModelResult: &sequencetest.Analyze(t, in).Datasets[0].Models[0]}
		model := in.Datasets[0].Models[0]
		for _, it := range sequencetest.Items(t, model.Sequences.(*sequencetest.Sequences), model.Source, mode) {
			for _, p := range it.Regional {
				c.scored = append(c.scored, scoredResidue{it.Record, p})
			}
		}
		out[mode] = c
	}
	return out
}

// mean is Σ value / n over the predictions that are wanted; NaN where there are none.
func (c *tokenCase) mean(want func(p scoredResidue) bool, value func(p scoredResidue) float64) (mean float64, n int) {
	sum := 0.0
	for _, p := range c.scored {
		if want == nil || want(p) {
			sum, n = sum+value(p), n+1
		}
	}
	return sum / float64(n), n
}

func correctOf(p scoredResidue) float64 { return map[bool]float64{true: 1}[p.Correct()] }
func nllOf(p scoredResidue) float64     { return p.NLL }
func probOf(p scoredResidue) float64    { return p.Prob }

// check compares a number of the result with what is wanted, NaN for null.
func (c *tokenCase) check(t *testing.T, key string, want float64) {
	t.Helper()
	v, _, ok := c.Number(key)
	switch {
	case !ok:
		t.Errorf("there is no %s", key)
	case math.IsNaN(want) && (v.Defined() || v.Reason == ""):
		t.Errorf("%s is %v for the reason %q, want null with a reason", key, v.V, v.Reason)
	case !math.IsNaN(want):
		measuretest.Near(t, key, v.Float(), want, 1e-12)
	}
}

// rowsOf decodes a table of the result.
func rowsOf(t *testing.T, c *sequence.ModelResult, key string) []map[string]any {
	t.Helper()
	table, ok := c.Object.Get(key)
	if !ok {
		t.Fatalf("there is no %s", key)
	}
	var rows []map[string]any
	if err := json.Unmarshal(sequencetest.Encoded(t, table), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRegionScores(t *testing.T) {
	t.Parallel()
	for mode, c := range tokenCases(t) {
		for _, g := range token.Groups() {
			in := func(p scoredResidue) bool {
				if g.ByOrigin() {
					return p.NonTemplated[p.Position] == map[string]int8{"germline": 0, "nongermline": 1}[g.Name]
				}
				return slices.Contains(g.Regions(), p.Regions[p.Position])
			}
			accuracy, n := c.mean(in, correctOf)
			nll, _ := c.mean(in, nllOf)
			prob, _ := c.mean(in, probOf)
			prefix := "region/" + g.Name + "/"
			c.check(t, prefix+"accuracy", accuracy)
			c.check(t, prefix+"loss", nll)
			c.check(t, prefix+"prob", prob)
			c.check(t, prefix+"ppl", math.Exp(nll))
			if mode == sequence.RegionLevel && n == 0 {
				t.Errorf("no residue of %s is scored where all are hidden", g.Name)
			}
		}
	}
}

// The interval of a perplexity is that of the loss on the scale of the loss.
func TestPerplexityInterval(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	for key, of := range map[string]string{"ppl": "loss", "region/overall/ppl": "region/overall/loss"} {
		_, ci, _ := c.Number(key)
		_, want, _ := c.Number(of)
		if !ci.Defined() || !want.Defined() {
			t.Fatalf("%s has no interval", key)
		}
		measuretest.Near(t, key, math.Log(ci.High)-math.Log(ci.Low), want.High-want.Low, 0.02)
		if v, _, _ := c.Number(key); ci.Low > v.Float() || ci.High < v.Float() || ci.Low <= 0 {
			t.Errorf("%s is %v in %v … %v", key, v.Float(), ci.Low, ci.High)
		}
	}
}

// Only the groups that are asked for are reported.
func TestReportedRegions(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 6, 1, "region_accuracy", "region_germline")
	in.Datasets[0].Choice.Regions = []string{"hcdr3", "all_cdr"}
	m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
	var got []string
	for _, g := range token.GroupNames() {
		if _, _, ok := m.Number("region/" + g + "/accuracy"); ok {
			got = append(got, g)
		}
	}
	if !slices.Equal(got, []string{"hcdr3", "all_cdr"}) {
		t.Errorf("reported are %v", got)
	}
	for _, row := range rowsOf(t, m, "region_germline") {
		if !slices.Contains(got, row["region"].(string)) {
			t.Errorf("the table has %v", row["region"])
		}
	}
}

// What is not known leaves null with the reason, and what nothing is known of is skipped.
func TestRegionsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(6, 1)
	s.Known &^= sequence.NeedGermline
	for i := range s.Records {
		s.Records[i].NonTemplated = nil
		for k, c := range s.Records[i].CDR {
			if s.Records[i].Chains[k] == 1 && c == 2 { // the frameworks of the light chain are undefined
				s.Records[i].CDR[k] = 0
			}
		}
	}
	in := sequencetest.Input(All(), 6, 1, "region_accuracy", "region_germline", "mask_acc")
	in.Datasets[0].Models = []sequence.Model{sequencetest.Model("a", s, sequencetest.NewSource(1, 2))}
	m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
	for key, reason := range map[string]string{
		"region/germline/accuracy": "no masked residue has a known germline origin",
		"region/lfwr1/accuracy":    "no residue of lfwr1 is masked", "region/lcdr2/accuracy": "no residue of lcdr2 is masked",
	} {
		if v, _, _ := m.Number(key); v.Defined() || v.Reason != reason {
			t.Errorf("%s is %v for the reason %q, want null: %s", key, v.V, v.Reason, reason)
		}
	}
	if reason, ok := m.Skipped.Get("region_germline"); !ok {
		t.Errorf("region_germline is not skipped: %v", reason)
	}
}
