// Tests of the members of .npz files.

package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name that is damaged in the directory or before the data is no array that is not there: readers of optional
// arrays would go on without it.
func TestNPZ_DamagedName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npz")
	if err := WriteNPZ(path, Field{"label", []int{2}, []float32{1, 2}}, Field{"z", []int{2}, []float32{3, 4}}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if !bytes.HasPrefix(whole[i:], []byte("label.npy")) {
			continue
		}
		for k := range len("label.npy") {
			data := bytes.Clone(whole)
			data[i+k] ^= ' '
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"z", "label"} {
				if a, err := Open(path + ":" + key); err == nil {
					t.Errorf("byte %d: %s is read", i+k, a.Path())
				} else if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "before its data") {
					t.Errorf("byte %d: %v", i+k, err)
				}
			}
		}
	}
}
