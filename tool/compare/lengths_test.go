// Tests of groups of unequal size.

package compare

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Scores that go with the sizes of their groups are told, and each group may have equal weight.
func TestWeights(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("model,sample,group,score,cost\n")
	n := 0
	for g := range 10 {
		for i := range g + 1 {
			for m, model := range []string{"a", "b"} {
				fmt.Fprintf(&rows, "%s,%d,%d,%g,%d\n", model, n, g, float64(g+m)+0.1*float64(i%2)+0.2*float64(m*(g*7%5)), (g*g+i+3*m)%7)
			}
			n++
		}
	}
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	told := func(r *Result, text string) int {
		count := 0
		for _, w := range r.Warnings {
			if strings.Contains(w, text) {
				count++
			}
		}
		return count
	}
	r, err := compared(t, Options{Higher: []string{"score"}, Metrics: []string{"*"}}, path)
	if err != nil {
		t.Fatal(err)
	}
	if told(r, "longer groups have higher values") != 2 || told(r, "--weights groups") != 2 || told(r, "cost") > 0 && told(r, "a: cost: longer") > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	want := 0.0 // of model a, over groups
	for g := range 10 {
		for i := range g + 1 {
			want += (float64(g) + 0.1*float64(i%2)) / float64(g+1) / 10
		}
	}
	even, err := compared(t, Options{Higher: []string{"score"}, Metrics: []string{"*"}, Weights: WeightGroups}, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range even.Table {
		if row.Metric != "score" {
			continue
		}
		if got := row.Cells[0].Value.V; math.Abs(got-want) > 1e-12 || math.Abs(r.Table[0].Cells[0].Value.V-want) < 0.5 {
			t.Errorf("mean over groups %v, want %v; over samples %v", got, want, r.Table[0].Cells[0].Value.V)
		}
		if p, _ := row.pairs.between(0, 1); !(p.p < 0.05) {
			t.Errorf("a and b over groups: %+v", p)
		}
	}
	if told(even, "longer groups") > 0 {
		t.Errorf("warnings %q", even.Warnings)
	}
	if _, err := compared(t, Options{Weights: "states"}, path); err == nil || !strings.Contains(err.Error(), `weights "states", want samples or groups`) {
		t.Errorf("wrong weights: %v", err)
	}
}
