// The temporary folder has a bound.

package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSpace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &server{scratch: folder, space: 1000}
	write := func(name string, size int) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("results/a/a.json", 400)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := s.within(t.Context(), "smoothness")
		defer stop()
		time.Sleep(10 * lookEvery)
		if ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
		write("cache/z", 700)
		<-ctx.Done()
		if cause := context.Cause(ctx).Error(); !strings.Contains(cause, "smoothness: stopped: the temporary folder takes 1 kB, more than --disk") {
			t.Error(cause)
		}
	})
	// Latents go, results stay.
	if err := s.clear(); err != nil || used(folder) != 400 {
		t.Errorf("%v, %d bytes are left", err, used(folder))
	}
	write("results/b/b.json", 700)
	if err := s.clear(); err == nil || !strings.Contains(err.Error(), "take 1 kB, more than --disk") || used(folder) != 1100 {
		t.Errorf("%v, %d bytes are left", err, used(folder))
	}
}
