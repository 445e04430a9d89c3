// Spaces that share nothing: the tables of a small design.

package main

import (
	"bytes"
	"repscope/internal/calibration/celltable"
	"strconv"
	"testing"
)

func TestUnrelated(t *testing.T) {
	t.Parallel()
	slow := []Design{{Name: "slow", N: 120, Episodes: 6, Rho: 0.95}}
	var text bytes.Buffer
	if err := writeUnrelated(t.Context(), &text, slow, 4, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 3 || tables[0].Name != "coverage" || tables[1].Name != "level" || tables[2].Name != "means" {
		t.Fatalf("tables %+v", tables)
	}
	mean := func(row string) float64 {
		v, err := strconv.ParseFloat(tables[2].Cell(row, "slow")[celltable.FieldValue], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if all, between := mean("cka_debiased"), mean("cka_between"); !(all > between) {
		t.Errorf("debiased CKA of slow states is %v in percent, between episodes %v: want less", all, between)
	}
}
