// Queries and findings. The test of the pages is in the package of the command.

package summary

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/internal/calibration/celltable"
)

// documents is the folder of the pages.
const documents = "../../../docs/statistics"

// Every finding stands on a page.
func TestFindingsStandOnPages(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(documents, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var pages strings.Builder
	for _, path := range append(paths, filepath.Join(documents, readme)) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(text)
	}
	for _, f := range findings {
		if !strings.Contains(pages.String(), partBegin+f.part+" -->") {
			t.Errorf("no page has the part %q", f.part)
		}
	}
}

// percentages are ranges of percentages, which must come from the tables.
var percentages = regexp.MustCompile(`\d+ ?%? ?(–|-|to|and|or) ?\d+ %|times in 100|of 100 `)

// No range stands in the text of a page outside its generated parts.
func TestRangesAreGenerated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"calibration.md", "calibration-claims.md", "intervals-and-tests.md"} {
		text, err := os.ReadFile(filepath.Join(documents, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(text), partBegin) {
			if i > 0 {
				_, part, _ = strings.Cut(part, partEnd)
			}
			for _, found := range percentages.FindAllString(part, -1) {
				t.Errorf("%s: %q is written by hand: make it a finding", name, found)
			}
		}
	}
}

// A query selects rows and columns, and not the design in which one model is worse.
func TestQuery(t *testing.T) {
	t.Parallel()
	cell := func(v string) celltable.Printed { return celltable.Printed{celltable.FieldValue: v} }
	b := &book{Study{Worse: []Worse{{Name: "power"}}}, []*celltable.File{{Name: "f", Tables: []celltable.Table{{
		Name: "level", Columns: []string{"0/1", "0/5", "power"},
		Lines: []celltable.Line{
			{Name: "x", Cells: []celltable.Printed{cell("7"), cell(""), cell("99")}},
			{Name: "y", Cells: []celltable.Printed{cell("5"), cell("6"), cell("1")}},
		},
	}}}}}
	for _, c := range []struct {
		q    query
		want string
	}{
		{rejects("f", "", ""), "rejected 5–7 %"}, {rejects("f", "x", ""), "rejected 7 %"}, {rejects("f", "", "/5"), "rejected 6 %"},
	} {
		if got, err := c.q.text(b); err != nil || got != c.want {
			t.Errorf("%+v: got %q, %v, want %q", c.q, got, err, c.want)
		}
	}
	for _, q := range []query{rejects("f", "z", ""), covers("f", "", ""), rejects("g", "", "")} {
		if _, err := q.text(b); err == nil {
			t.Errorf("%+v finds something", q)
		}
	}
}

// By hand: power 80 % needs the episodes that there are, and half the shift four times as many.
func TestEpisodesNeeded(t *testing.T) {
	t.Parallel()
	if got := episodesNeeded(20, 0.8); got < 20 || got > 21 {
		t.Errorf("%d, want 20", got)
	}
	shift := (1.959963985 + 0.841621234) / 2
	below := func(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
	power := below(shift-1.959963985) + below(-shift-1.959963985)
	if got := episodesNeeded(20, power); got < 80 || got > 81 {
		t.Errorf("%d, want 80", got)
	}
}

// The numbers outside of a row are the marked ones, the worst first.
func TestOutside(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	marked := func(v string) celltable.Printed {
		return celltable.Printed{celltable.FieldValue: v, celltable.FieldOutside: "1"}
	}
	cells := []celltable.Printed{marked("80"), marked("99"), {celltable.FieldValue: "91"}, marked("70")}
	if got := outside(names, cells, -1); got != "d 70, a 80" {
		t.Errorf("low: %s", got)
	}
	if got := outside(names, cells, 1); got != "b 99, a 80, d 70" {
		t.Errorf("high: %s", got)
	}
	if got := outside(names[:1], []celltable.Printed{{celltable.FieldValue: "95"}}, -1); got != "none" {
		t.Errorf("none: %s", got)
	}
	if got := middle(cells); got != "86 (70–99)" {
		t.Errorf("middle %s", got)
	}
}
