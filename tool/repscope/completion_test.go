// Completions in the shells that are installed.

package repscope

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func script(t *testing.T, shell string) string {
	t.Helper()
	var out bytes.Buffer
	if err := printCompletion(commands(), []string{shell}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func shellOutput(t *testing.T, shell, text string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("%s is not installed; its completion is not run", shell)
	}
	c := exec.Command(path, args...)
	c.Stdin = strings.NewReader(text)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

func TestBash(t *testing.T) {
	t.Parallel()
	out := shellOutput(t, "bash", script(t, "bash")+`
try() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _repscope; echo "[${COMPREPLY[*]}]"; }
try repscope wa
try repscope walk --met
try walk --metric ''
try ./walk --metric = c
try repscope ride --format s
try repscope completion z
try repscope man ri
`, "--norc")
	if want := "[walk]\n[--metric]\n[euclidean cosine]\n[cosine]\n[svg]\n[zsh]\n[ride]\n"; out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

func TestFish(t *testing.T) {
	t.Parallel()
	out := shellOutput(t, "fish", script(t, "fish")+`
complete -C 'repscope wa'
complete -C 'walk --met'
complete -C 'repscope ride --metric '
`, "--no-config")
	if want := "walk\ta slow way\n--metric\tNAME of the distance\n" + "cosine\tNAME of the distance\neuclidean\tNAME of the distance\n"; out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// Zsh has completions at a terminal only, so the script is read and its functions looked for.
func TestZsh(t *testing.T) {
	t.Parallel()
	out := shellOutput(t, "zsh", "compdef() { print compdef $# }\n"+script(t, "zsh")+"\nprint ${+functions[_repscope_walk]} ${+functions[_repscope_ride]}\nwhich _repscope_walk\n", "-f")
	for _, want := range []string{"compdef 4\n", "1 1\n", "--metric=[NAME of the distance]:metric:(euclidean cosine)", "--k=[LIST of sizes]:LIST: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
