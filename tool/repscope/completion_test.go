// Completions in the shells that are installed.

package repscope

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
try walk --out a
`, "--norc")
	if want := "[walk]\n[--metric]\n[euclidean cosine]\n[cosine]\n[svg]\n[zsh]\n[ride]\n[]\n"; out != want {
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

// Zsh completes at a terminal only, which its module zpty is; what stands in the line then is
// written by a widget on control X.
func TestZsh(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: a shell runs")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"_repscope": script(t, "zsh"), "a b.yaml": "", "said": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := shellOutput(t, "zsh", `cd `+folder+`
zmodload zsh/zpty || exit 0
zpty z zsh -f -i
zpty -w z 'PS1="> "; autoload -Uz compinit; compinit -u -D; source ./_repscope; show() { print -r -- "$BUFFER" >> said; BUFFER= }; zle -N show; bindkey "^X" show; unsetopt beep auto_menu'
try() {
	local before=$(wc -l < said)
	zpty -w -n z "$1"$'\t\x18'
	repeat 600; do
		(( $(wc -l < said) > before )) && return
		sleep 0.05
	done
	print -r "no answer to $1"
}
try "repscope wa"
try "walk --met"
try "repscope ride --metric c"
try "walk --config a"
try "repscope completion f"
zpty -d z
cat said
`, "-f")
	want := "repscope walk \nwalk --metric=\nrepscope ride --metric cosine \nwalk --config a\\ b.yaml \nrepscope completion fish \n"
	if out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}
