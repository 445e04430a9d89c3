// Similarities of two models: the tables of a small design.

package main

import (
	"bytes"
	"repscope/internal/calibration/celltable"
	"strconv"
	"testing"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	slow := []alikeDesign{{0.95, 10, 12, 4, true, []string{"cka_debiased", "mutual_knn", "information_imbalance"}}}
	var text bytes.Buffer
	if err := writeAlike(t.Context(), &text, slow, 12, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 2 || tables[0].Name != "coverage" || tables[1].Name != "level" {
		t.Fatalf("tables %+v", tables)
	}
	rejected := func(row string) float64 {
		v, err := strconv.ParseFloat(tables[1].Cell(row, slow[0].String())[celltable.FieldValue], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, score := range []string{"cka_debiased", "mutual_knn@5"} {
		kept, free := rejected(score), rejected(score+", independent null")
		if layers := rejected(score + ", best of 9 pairs of layers"); kept > 30 || layers > 30 || free < 50 {
			t.Errorf("%s: %v %% rejected, of the best layers %v, with the independent null %v", score, kept, layers, free)
		}
	}
}
