// Tests of files that are cut while they are read.

package mmap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := func(raw []byte) error {
		total := 0
		for _, v := range raw {
			total += int(v)
		}
		if total != 0 {
			t.Errorf("sum %d", total)
		}
		return nil
	}
	if err := f.Use(0, 1<<20, sum); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	const want = "changed while it was in use: it has 5000 bytes, had 1048576"
	if err := f.Use(1<<19, 1<<19, sum); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 9000), 1<<19); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if err := f.Use(0, 4096, sum); err != nil {
		t.Errorf("what is left: %v", err)
	}
	// Other panics stay what they are.
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = f.Use(0, 1, func([]byte) error { panic("mine") })
}
