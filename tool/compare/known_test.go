// Tests of well-known names.

package compare

import (
	"math"
	"strings"
	"testing"

	"repscope/report"
)

func TestWellKnown(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]report.Direction{
		"mse": report.Lower, "probes[probe=ridge].mse": report.Lower, "PSNR": report.Higher, "by_k[k=5].trustworthiness": report.Higher, "region/hcdr1/accuracy": report.Higher,
		"slope": "", "mse_sd": "", "": "",
	} {
		if got, ok := WellKnown(path); got.Direction != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", path, got.Direction, ok, want)
		}
	}
	seen := map[string]bool{}
	for _, k := range wellKnown {
		for _, name := range strings.Fields(k.names) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%s stands twice, or not in lower case", name)
			}
			seen[name] = true
		}
	}
	ranged := map[string]bool{}
	for _, r := range wellKnownRanges {
		for _, name := range strings.Fields(r.names) {
			if !seen[name] || ranged[name] || !(r.Low < r.High) {
				t.Errorf("%s has two ranges, or is not known", name)
			}
			ranged[name] = true
		}
	}
	for path, want := range map[string]report.Limits{"top.accuracy": {Low: 0, High: 1},
		"RMSE": {Low: 0, High: math.Inf(1)}, "r2": {Low: math.Inf(-1), High: 1}, "mcc": {Low: -1, High: 1}} {
		if m, _ := WellKnown(path); m.Range == nil || *m.Range != want {
			t.Errorf("%s: %v, want %v", path, m.Range, want)
		}
	}
	if m, _ := WellKnown("crps"); m.Range != nil { // fair scores may be below 0
		t.Errorf("crps: %v", m.Range)
	}
}
