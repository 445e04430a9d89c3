// Readers that go away, as head does: a program ends without a word, with whole files and its own exit code.

//go:build unix

package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/runtest"
)

// closedPipe is the end to write to of a pipe that nobody reads.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestClosedPipes(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := t.TempDir()
	values := make([]float32, 40*5)
	for i := range values {
		values[i] = float32(i*i%17) + float32(i%7)/8
	}
	if err := dataset.WriteNPY(filepath.Join(dir, "z.npy"), []int{40, 5}, values); err != nil {
		t.Fatal(err)
	}
	const analysis = "--latents z=z.npy --bootstrap 0 --format none --out "
	for _, c := range []struct {
		line string
		code int
		file string // that is written
	}{
		{"repscope --help", 0, ""}, {"repscope --version", 0, ""}, {"repscope describe", 0, ""},
		{"repscope describe manifold --schema", 0, ""}, {"repscope completion bash", 0, ""}, {"repscope man manifold", 0, ""},
		{"repscope man --out pages", 0, "pages/surprise.1"}, {"repscope links links", 0, "links/surprise"},
		{"repscope show z.npy", 0, ""}, {"repscope show z.npy --json", 0, ""}, {"repscope show none.npy", 1, ""},
		{"repscope score trustworthiness z.npy z.npy --k 5", 0, ""}, {"repscope nothing", 2, ""},
		{"repscope mcp --root .", 0, ""},
		{"manifold --help", 0, ""}, {"manifold " + analysis + "m", 0, "m/manifold.json"},
		{"manifold --json " + analysis + "json", 0, "json/manifold.json"}, {"manifold --dry-run " + analysis + "dry", 0, ""},
		{"repscope verify m", 0, ""}, {"repscope verify m --json", 0, ""}, {"repscope verify none", 1, ""},
		{"repscope export m/manifold.json --to parquet --out tables", 0, "tables/metrics.parquet"},
		{"compare m/manifold.json --format none --out c", 0, "c/compare.json"}, {"manifold --none", 2, ""},
	} {
		for _, closed := range []string{"output", "errors", "both"} {
			words := strings.Fields(c.line)
			p := exec.Command(words[0], words[1:]...)
			p.Dir = dir
			var said strings.Builder
			p.Stdout, p.Stderr = &said, &said
			if closed != "errors" {
				p.Stdout = closedPipe(t)
			}
			if closed != "output" {
				p.Stderr = closedPipe(t)
			}
			err := p.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := p.ProcessState.ExitCode(); code != c.code || strings.Contains(said.String(), "pipe") {
				t.Errorf("%s, %s closed: exit %d, want %d: %s", c.line, closed, code, c.code, said.String())
			}
			if c.file == "" {
				continue
			}
			if _, err := os.Lstat(filepath.Join(dir, c.file)); err != nil {
				t.Errorf("%s, %s closed: %v", c.line, closed, err)
			}
			if closed == "both" {
				continue // the last one's files are inputs of what follows
			}
			if err := os.RemoveAll(filepath.Join(dir, filepath.Dir(c.file))); err != nil {
				t.Error(err)
			}
		}
	}
}
