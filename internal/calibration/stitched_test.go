// Stitched networks: the tables of a small design, and the networks themselves.

package main

import (
	"bytes"
	"strconv"
	"testing"

	"repscope/internal/calibration/celltable"
	"repscope/stat"
)

func TestStitched(t *testing.T) {
	t.Parallel()
	small := []stitchDesign{{0.8, 8, 12, 8, true}}
	var text bytes.Buffer
	if err := writeStitched(t.Context(), &text, small, 12, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 3 || tables[0].Name != "coverage" || tables[1].Name != "level" || tables[2].Name != "means" {
		t.Fatalf("tables %+v", tables)
	}
	percent := func(table int, row string) float64 {
		v, err := strconv.ParseFloat(tables[table].Cell(row, small[0].String())[celltable.FieldValue], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, score := range []string{"error", "agreement"} {
		held, rejected := percent(0, score), percent(1, "difference of "+score)
		if apart := percent(1, score+", nothing shared"); held < 75 || rejected > 25 || apart > 30 {
			t.Errorf("%s: intervals hold in %v %%, equal fronts are rejected in %v %%, fronts that share nothing in %v %%",
				score, held, rejected, apart)
		}
	}
	if shared, apart := percent(2, "error"), percent(2, "error, nothing shared"); !(shared < 90 && apart > 95) {
		t.Errorf("mean error %v %%, of fronts that share nothing %v %%", shared, apart)
	}
}

// The networks have learned their task.
func TestStitched_Networks(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.StreamDesign.Key(3))
	for _, p := range networksOf(24, 42) {
		right := 0
		for range 2000 {
			x := make([]float64, sensed)
			for j := range x {
				x[j] = random.Normal()
			}
			scores, best := p.layer(2, p.layer(1, p.layer(0, x))), 0
			for i, v := range scores {
				if v > scores[best] {
					best = i
				}
			}
			if best == classOf(x) {
				right++
			}
		}
		if right < 1700 {
			t.Errorf("%d of 2000 states in the right class", right)
		}
	}
}
