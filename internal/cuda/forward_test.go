// The committed tables of the driver's functions are what their generator writes.

package cuda

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestForwardIsGenerated(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not on the path")
	}
	if _, err := os.Stat("forward/generate.go"); err != nil {
		t.Skip("the generator is not here: this is a bundle for a machine with a GPU")
	}
	dir := t.TempDir()
	for _, folder := range []string{"forward", "fakecuda"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(tool, "run", "generate.go", "-dir", dir)
	command.Dir = "forward"
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go run generate.go: %v\n%s", err, out)
	}
	for _, name := range []string{"forward/symbols.c", "fakecuda/symbols.c"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what forward/generate.go writes: run go run generate.go in forward", name)
		}
	}
}
