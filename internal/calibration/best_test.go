// The short form of the tables of decisions: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"

	"repscope/tool/compare"
)

// Counts of confidence sets and of families of tests change only with -update, and do not depend on the number of
// threads.
func TestDecisionsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it counts intervals of many samples, and analyses have tests of their own")
	}
	t.Parallel()
	holdShort(t, "decisions.md", func(w io.Writer, threads int) error {
		ctx := context.Background()
		designs := []bestDesign{
			{Name: "all equal", Models: 4, Shift: level0}, {Name: "one clearly worse", Models: 4, Shift: lastWorse, Lag: 0.9, Uneven: 0.7},
			{Name: "3 runs of each", Models: 3, Shift: level0, Runs: 3, Tail: 3},
		}
		if err := writeBest(ctx, w, designs, 20, 42, threads); err != nil {
			return err
		}
		families := []familyDesign{{"3 × 4 × 4 runs", 3, 4, 1, 4, 0}, {"3 × 2 × 2 × 2 runs", 3, 2, 2, 2, 6}}
		if err := writeFamilies(ctx, w, families, 8, 42, threads); err != nil {
			return err
		}
		if err := writeOneRun(ctx, w, 8, 42, threads); err != nil {
			return err
		}
		return writeBounded(ctx, w, 20, 42, threads)
	})
}

// TestTablesOfEqualModels: of tables of three equal models, eight tasks, two metrics and three runs, few hold a decision
// or a mark by default. Of 500 such tables 2.6 % hold a decision and 3.4 % a mark.
func TestTablesOfEqualModels(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it compares 30 tables")
	}
	t.Parallel()
	const draws, most = 30, 6 // 7 % and two Monte-Carlo errors
	decided, marked := 0, 0
	for rep := range uint64(draws) {
		g, err := familyDesigns()[1].gathered(7, rep)
		if err != nil {
			t.Fatal(err)
		}
		o := compare.Options{Baseline: simulatedName(0), Lower: []string{"x*"}, Threads: 1}
		r, err := compare.Compare(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		hasMark, hasDecision := false, false
		for _, row := range r.Table {
			for _, cell := range row.Cells {
				hasMark = hasMark || cell.Best
				hasDecision = hasDecision || cell.Decision == "better" || cell.Decision == "worse"
			}
		}
		if hasDecision != (r.Decisions.Decided > 0) {
			t.Errorf("table %d: %+v", rep, r.Decisions)
		}
		if hasDecision {
			decided++
		}
		if hasMark {
			marked++
		}
	}
	if decided > most || marked > most {
		t.Errorf("of %d tables of equal models %d hold a decision, %d a mark", draws, decided, marked)
	}
}
