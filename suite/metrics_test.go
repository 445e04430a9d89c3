// The page of all metrics, written from what the programs say of theirs.

package suite

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"repscope/report"
	"repscope/report/methods"
)

const metricsPage = "../docs/metrics.md"

func TestMetricsPage(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString("# Metrics\n\n" +
		"The numbers of a model in the result files of each analysis. A name is the path of a number without the rows of lists:\n" +
		"`by_k.trustworthiness` stands for `by_k[k=10].trustworthiness` and all other k. **Bold** numbers are those that summaries show first.\n" +
		"References are keys of `report/methods/references.bib`.\n\n" +
		"Written by `go test ./suite -run MetricsPage -update`.\n")
	for _, c := range Commands() {
		if c.Metrics == nil {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n| number | better | unit | range | what it measures | reference |\n| --- | --- | --- | --- | --- | --- |\n", c.Name)
		for _, m := range c.Metrics() {
			if m.About == "" {
				t.Errorf("%s: nothing says what %s measures", c.Name, m.Name)
			}
			for key := range strings.FieldsSeq(m.Cite) {
				if _, ok := methods.Lookup(key); !ok {
					t.Errorf("%s: %s cites %s, which is not in the bibliography", c.Name, m.Name, key)
				}
			}
			name := "`" + m.Name + "`"
			if m.Headline {
				name = "**" + name + "**"
			}
			fmt.Fprintf(&page, "| %s | %s | %s | %s | %s | %s |\n", name, better[m.Better], m.Unit, limits(m), m.About, m.Cite)
		}
	}
	if *update {
		if err := os.WriteFile(metricsPage, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(was) != page.String() {
		t.Errorf("%s is not what the programs say; write it with: go test ./suite -run MetricsPage -update", metricsPage)
	}
}

var better = map[report.Direction]string{report.Higher: "higher", report.Lower: "lower", report.Neither: "–"}

func limits(m report.Described) string {
	if m.Low >= m.High || math.IsInf(m.Low, -1) && math.IsInf(m.High, 1) {
		return ""
	}
	end := func(v float64) string {
		return strings.NewReplacer("-Inf", "−∞", "+Inf", "∞", "-", "−").Replace(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return end(m.Low) + " to " + end(m.High)
}
