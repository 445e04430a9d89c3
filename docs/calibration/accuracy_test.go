// The short form of the table of tests of equal accuracy: exact counts of few draws.

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// What tests of equal accuracy reject has not changed unseen, and does not depend on the
// number of threads.
func TestAccuracyShort(t *testing.T) {
	t.Parallel()
	var tables [2]bytes.Buffer
	for i, threads := range []int{1, 3} {
		if err := writeAccuracy(context.Background(), &tables[i], []accuracyDesign{{60, 0}, {80, 0.8}}, 20, 42, threads); err != nil {
			t.Fatal(err)
		}
	}
	got := tables[0].String()
	if got != tables[1].String() {
		t.Errorf("three threads give\n%s\none\n%s", tables[1].String(), got)
	}
	path := filepath.Join("testdata", "accuracy.md")
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
