// The short form of the tables of studies: exact counts of few draws.

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the statistics of studies hold has not changed unseen, and does not depend on
// the number of threads.
func TestStudiesShort(t *testing.T) {
	t.Parallel()
	var tables [2]bytes.Buffer
	for i, threads := range []int{1, 3} {
		if err := writeStudies(context.Background(), &tables[i], []studyDesign{{3, 5}, {5, 6}}, 8, 42, threads); err != nil {
			t.Fatal(err)
		}
	}
	got := tables[0].String()
	if got != tables[1].String() {
		t.Errorf("three threads give\n%s\none\n%s", tables[1].String(), got)
	}
	path := filepath.Join("testdata", "studies.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The truth of the interquartile mean is that of many runs.
func TestInterquartileTruth(t *testing.T) {
	t.Parallel()
	s, err := drawStudy(studyDesign{Runs: 4000, Tasks: 5}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := observeTasks(context.Background(), s, studyDesign{})
	if err != nil {
		t.Fatal(err)
	}
	if d := e[0].Value - s.interquartile(0, 4000); d > 0.01 || d < -0.01 || !strings.HasPrefix(e[0].Quantity, "IQM") {
		t.Errorf("%s is %v, in truth %v", e[0].Quantity, e[0].Value, s.interquartile(0, 4000))
	}
}
