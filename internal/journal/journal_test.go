// Tests of journals that are damaged, cut off, locked or added to.

package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/atomicfile"
)

// opened is the journal at path, with the texts of its records.
func opened(t testing.TB, path string) (*Journal, []string) {
	t.Helper()
	j, records, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range records {
		texts = append(texts, string(r))
	}
	return j, texts
}

// written is a journal of three records, and its path.
func written(t testing.TB) (path string, data []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "work.partial")
	j, records := opened(t, path)
	if len(records) > 0 || !j.Empty() {
		t.Fatalf("a new journal has %q", records)
	}
	for _, r := range []string{"one", `{"two": "ÿ"}`, "three"} {
		if err := j.Add([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Add([]byte("a\nb")); err == nil {
		t.Error("a record of two lines is taken")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

// Any byte that is changed costs its line, or two where it ends one; a part of a line costs nothing else, and the next
// record takes its place.
func TestJournal_Damage(t *testing.T) {
	t.Parallel()
	path, data := written(t)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x55
		if got, _ := Read(damaged); len(got) < 1 || len(got) > 2 {
			t.Errorf("byte %d of %d was changed: %d records", i, len(data), len(got))
		}
		if err := os.WriteFile(path, data[:i], 0o666); err != nil {
			t.Fatal(err)
		}
		j, before := opened(t, path)
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, data[:i]) {
			t.Errorf("cut at %d: opening has changed the file: %v", i, err)
		}
		if err := errors.Join(j.Add([]byte("next")), j.Close()); err != nil {
			t.Fatal(err)
		}
		j, after := opened(t, path)
		if len(before) != bytes.Count(data[:i], []byte{'\n'}) || !slices.Equal(after, append(before, "next")) {
			t.Errorf("cut at %d: %q, then %q", i, before, after)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A journal belongs to one process at a time; cleared it is empty, and removed it is gone.
func TestJournal_Alone(t *testing.T) {
	t.Parallel()
	path, _ := written(t)
	j, records := opened(t, path)
	if strings.Join(records, "|") != `one|{"two": "ÿ"}|three` {
		t.Errorf("records %q", records)
	}
	if _, _, err := Open(path, Options{}); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if err := j.Clear(); err != nil || !j.Empty() {
		t.Errorf("cleared: %v", err)
	}
	if err := errors.Join(j.Add([]byte("new")), j.Remove()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	_, data := written(f)
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte("00000000{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, end := Read(data)
		if end > len(data) || len(records) > bytes.Count(data, []byte{'\n'}) {
			t.Errorf("%d records in %d of %d bytes", len(records), end, len(data))
		}
		for _, r := range records {
			if bytes.IndexByte(r, '\n') >= 0 || len(r) == 0 {
				t.Errorf("record %q", r)
			}
		}
	})
}
