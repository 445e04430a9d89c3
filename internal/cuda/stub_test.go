// Binaries without the tag cuda have nothing of the kernels, and none has the interpreter.

package cuda

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestPTXOnlyWhereItIsUsed(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not on the path")
	}
	if _, err := os.Stat("../../cmd"); err != nil {
		t.Skip("the repository is not here: this is a bundle for a machine with a GPU")
	}
	for tags, embeds := range map[string]bool{"": false, "cuda": true} {
		command := exec.Command(tool, "list", "-tags", tags, "-deps", "-f", "{{.ImportPath}}{{range .EmbedFiles}} {{.}}{{end}}", "./cmd/...")
		command.Dir = "../.."
		command.Env = append(os.Environ(), "CGO_ENABLED=1")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		if strings.Contains(string(out), "internal/cuda/ptxvm") || strings.Contains(string(out), "internal/cuda/fakecuda") {
			t.Errorf("with tags %q binaries have the interpreter or the fake driver", tags)
		}
		if got := strings.Contains(string(out), ".ptx"); got != embeds {
			t.Errorf("with tags %q binaries embed PTX: %v, want %v", tags, got, embeds)
		}
	}
}
