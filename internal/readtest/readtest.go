// Package readtest has the helpers of tests of file readers: the memory that one takes, files that are mapped until the
// test ends, and folders of samples.
package readtest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"repscope/internal/mmap"
)

// Limit is the memory that a reader may take: Base and PerByte for every byte of its input.
type Limit struct{ Base, PerByte uint64 }

// Memory calls a reader of size bytes. It is an error of the test if the reader takes more than the limit, in all that
// it allocates, freed or not.
func Memory(t testing.TB, size int, limit Limit, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > limit.Base+limit.PerByte*uint64(size) {
		t.Errorf("%d bytes took %d bytes of memory", size, taken)
	}
}

// Open maps a file until the test ends, and reads it.
func Open[F any](t testing.TB, path string, read func(*mmap.File) (F, error)) F {
	t.Helper()
	mapped, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mapped.Close() })
	f, err := read(mapped)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Samples is a folder of real files next to the repository; without it the test is skipped.
func Samples(t testing.TB, name string) string {
	t.Helper()
	for up := "../"; len(up) < 3*8; up += "../" {
		dir := filepath.Join(up, "shared/data", name)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Skipf("the samples shared/data/%s are not next to the repository", name)
	return ""
}
