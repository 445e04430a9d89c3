// Fidelity to real samples: the tables of a small design.

package main

import (
	"bytes"
	"repscope/internal/calibration/celltable"
	"testing"
)

func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: eight fidelities")
	}
	t.Parallel()
	designs := []Design{{Name: "independent", N: 80, Episodes: 1}, {Name: "groups", N: 120, Episodes: 12, Rho: 0.6}}
	var text bytes.Buffer
	if err := writeSamples(t.Context(), &text, designs, 2, 42, 2); err != nil {
		t.Fatal(err)
	}
	tables, err := celltable.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"fidelity.precision", "fidelity.kid", "fidelity.novelty",
		"fidelity.memorization.authentic"} {
		for _, d := range designs {
			if tables[0].Cell(number, d.Name)[celltable.FieldValue] == "" {
				t.Errorf("%s has no interval under %s", number, d)
			}
		}
	}
}
