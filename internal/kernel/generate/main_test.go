// Tests that the generated files are those that are committed.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated: the committed assembly and declarations are what the generator writes.
func TestGenerated(t *testing.T) {
	t.Parallel()
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 {
		t.Errorf("%d files, want 4", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes; run go generate ./internal/kernel", name)
		}
	}
}
