// The pages as the formatter sets them.

package repscope

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/run"
)

func TestPage(t *testing.T) {
	t.Parallel()
	text := page(run.Describe(commands()[0]), commands())
	for _, want := range []string{".TH WALK 1", "walk \\- a slow way", ".nf\n  walk \\-\\-fast\n", "\\&.Not a request", ".BR \\-\\-k \" \\fILIST\\fP\"", "(default 5,10)", ".BR ride (1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed; the page is not set")
	}
	set := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	set.Stdin = strings.NewReader(text)
	if said, err := set.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("groff: %v\n%s", err, said)
	}
}

func TestWritePages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man1")
	var out bytes.Buffer
	if err := manual(commands(), []string{"--out", folder}, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"walk.1", "ride.1", "repscope.1"} {
		if content, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.HasPrefix(content, []byte(".TH ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
