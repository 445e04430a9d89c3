// Tests of entries that somebody else may have written.

//go:build unix

package shard_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"repscope/internal/entries"
	"repscope/shard"
)

// What others may have written is computed again, and told.
func TestMemory_Foreign(t *testing.T) {
	t.Parallel()
	m := &shard.Memory{Dir: filepath.Join(t.TempDir(), "memory")}
	identity := func() shard.Identity { return shard.Identity{}.OfModel("a") }
	recalled := func() bool {
		v, ok := shard.Recall[float64](m.In(context.Background()), identity)
		return ok && v == 2.5
	}
	shard.Keep(m.In(context.Background()), identity, 2.5)
	if !recalled() || m.Foreign() != nil {
		t.Fatalf("its own entry: %v", m.Foreign())
	}
	files, _ := filepath.Glob(filepath.Join(m.Dir, "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if err := os.Chmod(files[0], 0o666); err != nil {
		t.Fatal(err)
	}
	if recalled() || !errors.Is(m.Foreign(), entries.ErrForeign) {
		t.Errorf("an entry that others may write is taken: %v", m.Foreign())
	}
	if err := errors.Join(os.Chmod(files[0], 0o600), os.Chmod(m.Dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	if recalled() {
		t.Error("an entry of a folder that others may write is taken")
	}
}
