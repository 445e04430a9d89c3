// Conformal p values and alarms: the tables of small designs.

package main

import (
	"bytes"
	"repscope/internal/calibration/celltable"
	"strconv"
	"testing"
)

func TestAlarms(t *testing.T) {
	t.Parallel()
	designs := alarmDesigns{
		ranks:  []errorDesign{{Episodes: 5, Length: 50, Rho: 0.8, Kind: ", loud"}, {Episodes: 16, Length: 20, Rho: 0.95}},
		alarms: []errorDesign{{Episodes: 16, Length: 50, Rho: 0.5}, {Episodes: 100, Length: 20, Rho: 0, Kind: ", levels"}},
	}
	var text bytes.Buffer
	if err := designs.write(t.Context(), &text, 2000, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 2 || tables[0].Name != "ranks" || tables[1].Name != "alarms" {
		t.Fatalf("tables %+v", tables)
	}
	number := func(k int, row, column string, field int) float64 {
		v, err := strconv.ParseFloat(tables[k].Cell(row, column)[field], 64)
		if err != nil {
			t.Fatalf("%s, %s: %v", row, column, err)
		}
		return v
	}
	for _, d := range designs.ranks {
		for column, level := range map[string]float64{"p, 1 %": 1, "p, 5 %": 5} {
			if v := number(0, d.String(), column, celltable.FieldValue); v > level+4*number(0, d.String(), column, celltable.FieldError) {
				t.Errorf("%s: %s in %v %%", d, column, v)
			}
		}
	}
	if loud := number(0, designs.ranks[0].String(), "pooled, 1 %", celltable.FieldValue); loud < 3 {
		t.Errorf("pooled ranks of loud episodes are small in %v %%, want more than 3 %%", loud)
	}
	if tables[1].Cell(designs.alarms[0].String(), "episodes")[celltable.FieldValue] != "" {
		t.Error("16 episodes have an alarm of 1 %")
	}
	for _, d := range designs.alarms {
		if v := number(1, d.String(), "innovations", celltable.FieldValue); v > 1 {
			t.Errorf("%s: alarms of innovations in %v %%", d, v)
		}
	}
}
