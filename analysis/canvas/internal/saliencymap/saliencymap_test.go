// The files that flags of saliency name.

package saliencymap

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/source"
)

func TestSaliencyPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	casetest.Touch(t, dir, "maps/a.npy", "maps/a.png", "maps/b-fixations.csv", "maps/b.npy", "maps/b.csv", "generated/a-m1.png",
		"generated/a-m1-snapshot-2.png", "all.csv", "all.png", "a/m1/a-m1.npy", "points/a-fixations.npy", "points/a.png")
	at := func(name string) string { return filepath.Join(dir, name) }
	cases := []source.Case{{ID: "a-m1", Sample: "a", Model: "m1", Snapshot: -1, GeneratedSaliency: "found"},
		{ID: "a-m1", Sample: "a", Model: "m1", Snapshot: 2},
		{ID: "b-m2", Sample: "b", Model: "m2", Snapshot: -1}}
	for _, c := range []struct {
		o             Options
		maps, others  []string
		fixations     []string
		notes, failed string
	}{
		{o: Options{Reference: at("maps"), Generated: at("generated"), Fixations: at("all.csv")},
			maps:      []string{at("maps/a.png"), at("maps/a.png"), at("maps/b.npy")},
			others:    []string{at("generated/a-m1.png"), at("generated/a-m1-snapshot-2.png"), ""},
			fixations: []string{at("all.csv"), at("all.csv"), at("all.csv")}, notes: "no file for 1 of 3 cases"},
		{o: Options{Generated: at("{sample}/{model}/{case}.npy"), Fixations: at("maps")}, maps: []string{"", "", ""},
			others: []string{at("a/m1/a-m1.npy"), "", ""}, fixations: []string{at("maps/a.png"), at("maps/a.png"), at("maps/b-fixations.csv")},
			notes: "no file for 2 of 3 cases"},
		{o: Options{Fixations: at("points")}, maps: []string{"", "", ""}, others: []string{"found", "", ""},
			fixations: []string{at("points/a-fixations.npy"), at("points/a-fixations.npy"), ""}, notes: "no file for 1 of 3 cases"},
		{o: Options{Top: 5, Fixations: "top:5"}, maps: []string{"", "", ""}, others: []string{"found", "", ""},
			fixations: []string{"", "", ""}},
		{o: Options{Reference: at("{sample}.jpg")}, failed: "no file for any of 3 cases, such as " + at("a.jpg")},
		{o: Options{Reference: at("all.png")}, failed: "all.png: the same file for a and b; want a name with {sample} or {case}"},
		{o: Options{Generated: at("gone.png")}, failed: "--saliency-generated " + at("gone.png") + ": no such file or directory"},
	} {
		of := slices.Clone(cases)
		notes, err := c.o.place(of)
		if c.failed != "" {
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%+v: %v, want %q", c.o, err, c.failed)
			}
			continue
		}
		if err != nil || !strings.Contains(strings.Join(notes, "\n"), c.notes) || (c.notes == "") != (len(notes) == 0) {
			t.Errorf("%+v: %v, %v", c.o, notes, err)
		}
		for i := range of {
			if of[i].ReferenceSaliency != c.maps[i] || of[i].GeneratedSaliency != c.others[i] || of[i].Fixations != c.fixations[i] {
				t.Errorf("%+v: case %d is %+v", c.o, i, of[i])
			}
		}
	}
}
