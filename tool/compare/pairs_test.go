// Tests of the table of pairs, and of studies of many models.

package compare

import (
	"fmt"
	"strings"
	"testing"
)

// Every pair has a place of its own, in order, and is found from both sides.
func TestPairsPlace(t *testing.T) {
	t.Parallel()
	for n := range 9 {
		p, next := newPairs(n), 0
		for a := range n {
			for b := a + 1; b < n; b++ {
				if got := p.place(a, b); got != next {
					t.Errorf("of %d models the pair %d, %d has place %d, want %d", n, a, b, got, next)
				}
				x, sign := p.between(a, b)
				y, back := p.between(b, a)
				if x != y || sign != 1 || back != -1 {
					t.Errorf("%d and %d: signs %v and %v", a, b, sign, back)
				}
				next++
			}
		}
		if next != len(p.tests) {
			t.Errorf("%d models have %d pairs, want %d", n, len(p.tests), next)
		}
	}
}

// Of more models than are compared in pairs over tasks those with the baseline stay, and a note says so.
func TestStudy_ManyModels(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("model,task,run,score\n")
	n := mostStudied + 1
	for m := range n {
		for _, task := range []string{"x", "y"} {
			for r := range 2 {
				fmt.Fprintf(&table, "m%d,%s,%d,%g\n", m, task, r, float64((m*7919+r*31)%997)/10)
			}
		}
	}
	files, err := ReadFrom("many.csv", []byte(table.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Baseline: "m3"})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Studies[0]
	if len(s.Improvement) != n-1 || len(s.Pairs) != 0 || len(s.Groups) != 0 || s.Friedman == nil {
		t.Errorf("%d probabilities, %d tests, %d groups; want %d, 0 and 0", len(s.Improvement), len(s.Pairs), len(s.Groups), n-1)
	}
	if note := strings.Join(s.Notes, "\n"); !strings.Contains(note, fmt.Sprintf("%d models are too many", n)) {
		t.Errorf("notes %q", note)
	}
	if got := len(r.Table[0].pairs.tests); got != n*(n-1)/2 || r.Table[0].Tests.Pairs != 2*got {
		t.Errorf("%d pairs, %d tests; want all", got, r.Table[0].Tests.Pairs)
	}
}

// The pairs of 50,000 models would need 41 GB: that is said before memory is taken.
func TestRoomForPairs(t *testing.T) {
	before := available
	defer func() { available = before }()
	c := &comparer{result: &Result{Table: []*Row{{Cells: make([]*Cell, 50_000)}, {Cells: make([]*Cell, 2)}}}}
	need := int64(pairBytes * (50_000*49_999/2 + 1))
	for free, want := range map[int64]string{0: "", 2 * need: "", 2*need - 2: "50000 models, in 2 rows, need 42.5 GB"} {
		available = func() int64 { return free }
		err := c.roomForPairs()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", free, err, want)
		}
	}
}
