// The PTX that ships.

package ptxvm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shipped are the modules of the embedded PTX by name.
func shipped(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../kernels/ptx/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no PTX: %v", err)
	}
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".ptx")] = string(text)
	}
	return all
}

// Every instruction of every kernel is known.
func TestKernelsCompile(t *testing.T) {
	t.Parallel()
	for name, text := range shipped(t) {
		m, err := Parse(name+".ptx", text)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, kernel := range m.Kernels() {
			if _, err := m.program(kernel); err != nil {
				t.Error(err)
			}
		}
	}
}
