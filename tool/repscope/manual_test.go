// The pages as the formatter sets them.

package repscope

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/internal/run"
)

// dateless is what mandoc says of a test, which no revision dates.
var dateless = regexp.MustCompile(`(?m)^.*missing date, using "": TH\n`)

func TestPage(t *testing.T) {
	t.Parallel()
	text := page(run.Describe(commands()[0]), commands())
	for _, want := range []string{".TH WALK 1", "walk \\- a slow way", ".nf\n  walk \\-\\-fast\n", "\\&.Not a request", ".BR \\-\\-k \" \\fILIST\\fP\"", "(default 5,10)", ".BR ride (1)", "\\[u2026]"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	checked := false
	for _, command := range [][]string{{"groff", "-man", "-Tutf8", "-ww", "-z"}, {"mandoc", "-Tlint", "-Wwarning"}} {
		formatter, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		checked = true
		set := exec.Command(formatter, command[1:]...)
		set.Stdin = strings.NewReader(text)
		said, err := set.CombinedOutput()
		if rest := dateless.ReplaceAll(said, nil); len(rest) > 0 || err != nil && len(said) == 0 {
			t.Errorf("%s: %v\n%s", command[0], err, rest)
		}
	}
	if !checked {
		t.Skip("neither groff nor mandoc is installed; the page is not set")
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
