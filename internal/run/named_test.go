// Tests of values with a name.

package run

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCutName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		name, value string
		named       bool
	}{
		"jepa=a.onnx":                     {"jepa", "a.onnx", true},
		"jepa=runs/epoch=1-step=100.ckpt": {"jepa", "runs/epoch=1-step=100.ckpt", true},
		`epoch\=1-step\=100=a.onnx`:       {"epoch=1-step=100", "a.onnx", true},
		`epoch\=1=runs/epoch=1.ckpt`:      {"epoch=1", "runs/epoch=1.ckpt", true},
		`a\b=c\d`:                         {`a\b`, `c\d`, true},
		`a\\=c\\d`:                        {`a\`, `c\\d`, true},
		"a.onnx":                          {"", "a.onnx", false},
		`runs/epoch\=1.ckpt`:              {"", "runs/epoch=1.ckpt", false},
		`\\server\share\a.npy`:            {"", `\\server\share\a.npy`, false},
		"=a":                              {"", "a", true},
		"a=":                              {"a", "", true},
		"":                                {"", "", false},
	} {
		name, value, named := CutName(text)
		if name != want.name || value != want.value || named != want.named {
			t.Errorf("%q: %q, %q, %v; want %+v", text, name, value, named, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOf(rapid.RuneFrom([]rune(`ab=\,:/é`)))
		name, value := letters.Draw(t, "name"), letters.Draw(t, "value")
		if n, v, ok := CutName(JoinName(name, value)); n != name || v != value || !ok {
			t.Fatalf("%q and %q come back as %q and %q", name, value, n, v)
		}
		if path := rapid.StringOf(rapid.RuneFrom([]rune(`ab=,:/`))).Draw(t, "path"); true {
			if n, v, ok := CutName(JoinUnnamed(path)); ok || n != "" || v != path {
				t.Fatalf("%q comes back as %q, %q, %v", path, n, v, ok)
			}
		}
	})
}

// TestInOrder: what two flags name is in the order of the command line, then of the configuration.
func TestInOrder(t *testing.T) {
	t.Parallel()
	f := newFake()
	var other many
	f.flags.Var(&other, "forecast", "`NAME=FILE` (repeats)")
	if err := f.parse("--model", "b=1", "--forecast", `a\=1=2`, "--model", "c=3", "--forecast", "b=4"); err != nil {
		t.Fatal(err)
	}
	if err := f.flags.set("model", "d=5"); err != nil {
		t.Fatal(err)
	}
	names := []string{"persistence", "a=1", "b", "d", "c"}
	InOrder(f.flags, names, func(name string) string { return name }, "forecast", "model")
	if got := strings.Join(names, " "); got != "b a=1 c d persistence" {
		t.Errorf("order %s", got)
	}
}
