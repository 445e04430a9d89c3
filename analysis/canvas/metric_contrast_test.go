// Contrasts that the guidelines of WCAG name, and how many pass.

package canvas

import (
	"math"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
)

func TestContrast(t *testing.T) {
	t.Parallel()
	// #767676 is the lightest gray that passes on white, #777777 the next one does not; large texts pass down to #949494.
	words := func(fill string, more ...string) string { return casetest.Text("Words", 10, 10, 50, 20, fill, more...) }
	style := func(size, weight string) string {
		return `"style": {"fontSize": ` + size + `, "fontWeight": ` + weight + `}`
	}
	for name, test := range map[string]struct {
		text   string
		passes float64
	}{
		"gray":                          {words("#767676"), 1},
		"a gray too light":              {words("#777777"), 0},
		"large":                         {words("#949494", style("24", "400")), 1},
		"large, too light":              {words("#959595", style("24", "400")), 0},
		"not large":                     {words("#777777", style("23.9", "400")), 0},
		"large and bold":                {words("#949494", style("18.66", "700")), 1},
		"bold, not large":               {words("#949494", style("18.6", "700")), 0},
		"large if it were bold":         {words("#949494", style("19", "600")), 0},
		"of a size that is not decided": {words("#949494", style(`"MIXED"`, "null")), 0},
	} {
		row := scoredContent(t, Setting{}, casetest.Design(words("#000000")), casetest.Design(test.text))
		if v := row.Values["contrast_pass_aa"]; !v.Defined() || v.V != test.passes {
			t.Errorf("%s: %v passes, want %v", name, v, test.passes)
		}
		wantValues(t, row, map[string]float64{"contrast_pass_difference": test.passes - 1})
	}
	row := scoredContent(t, Setting{}, casetest.Design(words("#ffffff")), casetest.Design(words("#000000"), words("#ffffff"), words("#767676"), words("IMAGE"), words("")))
	wantValues(t, row, map[string]float64{"contrast_min": 1, "contrast_pass_aa": 2. / 3, "contrast_pass_difference": 2. / 3})
	if v := row.Values["contrast_median"].V; math.Abs(v-4.54) > 0.005 {
		t.Errorf("median %v", v)
	}
	if row.Details["contrast_texts"] != 3 || row.Details["contrast_unknown"] != 2 {
		t.Errorf("%v", row.Details)
	}
	// The generated design alone has its contrasts.
	p := contentPair(t, Setting{}, "", casetest.Design(words("#000000")))
	p.Reference.Side.Design = ""
	row, err := scoreKinds(t.Context(), []Kind{contrast}, p)
	if err != nil || row.Failures != nil {
		t.Fatal(row.Failures, err)
	}
	wantValues(t, row, map[string]float64{"contrast_min": 21, "contrast_median": 21, "contrast_pass_aa": 1, "contrast_pass_difference": math.NaN()})
}
