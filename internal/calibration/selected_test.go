// Numbers that predict an outcome: the tables of two small designs.

package main

import (
	"bytes"
	"repscope/internal/calibration/celltable"
	"strconv"
	"testing"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	designs := []selectDesign{{"few", 3, 10, 0.6, 0.6, 4, 0.4}, {"models", 12, 1, 0.6, 0, 0, 0}}
	var text bytes.Buffer
	if err := writeSelection(t.Context(), &text, designs, 40, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) < 2 || tables[0].Name != "coverage" || tables[1].Name != "level" {
		t.Fatalf("tables %+v", tables)
	}
	percent := func(table int, row, design string) float64 {
		v, err := strconv.ParseFloat(tables[table].Cell(row, design)[celltable.FieldValue], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, d := range designs {
		if v := percent(1, "any of 4 others, p_max", d.Name); v > 20 {
			t.Errorf("%s: %v %% of the trends are taken for predictions", d, v)
		}
	}
	if within, spearman := percent(0, "within", "few"), percent(0, "spearman", "models"); within < 80 || spearman < 80 {
		t.Errorf("coverage %v and %v %%", within, spearman)
	}
}
