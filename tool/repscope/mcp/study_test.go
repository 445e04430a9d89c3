// What a suite must not say.

package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/run"
)

func TestCheckSuite(t *testing.T) {
	t.Parallel()
	s := offline(t, false)
	for text, wrong := range map[string]string{
		"datasets: {val: {frames: x.npy, model: {run: 'runs/*/step_*.onnx', a: plain/y.npy}}}":            "",
		"defaults: &d {seed: 1}\ndatasets: {val: {<<: *d, frames: 'x.npy:frames', k: [5, 10], on: true}}": "",
		"matrix: {seed: [1, 2], size: small}\ndatasets: {v: {latents: {z: 'plain/z_{seed}.{size}.npy'}}}": "",
		"datasets: {v: {frames: /etc/passwd}}":                                                            "line 1, column 24: /etc/passwd: the path is outside",
		"datasets: {v: {latents: {a: 'b=/etc/passwd'}}}":                                                  "outside",
		"datasets: {v: {latents: {/etc/passwd: x}}}":                                                      "outside",
		"datasets: {v: {latents: ['a.npy', ['../a']]}}":                                                   "..",
		"datasets: {v: {latents: {a: \"..\\x2fa\"}}}":                                                     "..",
		"datasets: {v: {latents: {a: 'x/*/../../../*'}}}":                                                 "..",
		"datasets: {v: {frames: ~/x}}":                                                                    "~",
		"datasets: {v: {frames: link.npy}}":                                                               "link.npy: the path is outside",
		"datasets: {v: {weights: linked}}":                                                                "the path is outside",
		"datasets: {v: {weights: 'linked/*'}}":                                                            "the path is outside",
		"a: &a /etc\ndatasets: {v: {frames: *a}}":                                                         "outside",
		"datasets: {v: {frames: !!binary L2V0Yw==}}":                                                      "!!binary: want plain texts",
		"datasets: {v: {frames: !file x}}":                                                                "!file: want plain texts",
		"datasets: {v: {frames: \"a\\nb\"}}":                                                              "want one line",
		"out: x":                                                                                          "out writes files or is set by the server",
		"datasets: {v: {--out: x}}":                                                                       "set by the server",
		"datasets: {v: {manifold: {config: x}}}":                                                          "set by the server",
		"x: &out 1\ndatasets: {*out : 3}":                                                                 "set by the server",
		"datasets: {v: {dry_run: true}}":                                                                  "set by the server",
		"matrix: {a: [.]}\ndatasets: {v: {latents: {z: '{a}{a}/*'}}}":                                     "without a point",
		"matrix: {a: ['']}\ndatasets: {v: {latents: {z: '.{a}./*'}}}":                                     "matrix",
		"matrix: {a: [etc/x]}":                                                                            "matrix",
		"x: &m {a: ['~']}\nmatrix: *m":                                                                    "~",
		"x: &m ['.']\ndatasets: {v: {matrix: {<<: {a: *m}}}}":                                             "outside",
		"a: 1\n---\nb: 2":                                                                                 "want one document",
		"{":                                                                                               "suite: ",
		"":                                                                                                "suite: ",
		"a: &a [*a]":                                                                                      "",
		"x: [" + strings.Repeat("1,", mostNodes) + "]":                                                    "more than 20000 keys and values",
	} {
		if err := s.checkSuite([]byte(text)); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.80s: %v, want %q", text, err, wrong)
		}
	}
	// Aliases are followed: here no text leads outside, but a value of the matrix is a point.
	if err := s.checkSuite([]byte("x: &m ['1.']\nmatrix: {a: *m}")); err == nil || !strings.Contains(err.Error(), "without a point") {
		t.Errorf("an alias: %v", err)
	}
	var many strings.Builder
	for i := range mostOptions + 1 {
		fmt.Fprintf(&many, "- t%d\n", i)
	}
	if err := s.checkSuite([]byte(many.String())); err == nil || !strings.Contains(err.Error(), "different texts") {
		t.Errorf("many texts: %v", err)
	}
}

// No option of an analysis that writes files can be in a suite, whatever the server may write.
func TestCheckSuite_Writes(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{false, true} {
		s := offline(t, write)
		for _, c := range s.commands {
			for _, name := range append(run.WritingFlags(c), ownOptions...) {
				text := fmt.Sprintf("datasets: {v: {%s: {%s: x}}}", c.Name, strings.ReplaceAll(name, "-", "_"))
				if err := s.checkSuite([]byte(text)); err == nil || !strings.Contains(err.Error(), "writes files") {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
}

func TestSuiteOf(t *testing.T) {
	t.Parallel()
	s := offline(t, false)
	root := s.roots.folders[0]
	if err := os.WriteFile(filepath.Join(root, "s.yaml"), []byte("datasets: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "long.yaml"), make([]byte, mostSuite+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for call, wrong := range map[string]string{
		`{"file":"s.yaml"}`: "", `{"suite":{"datasets":{}}}`: "", `{}`: "either suite or file", `{"file":"s.yaml","suite":{}}`: "either suite or file",
		`{"file":"../s.yaml"}`: "outside", `{"file":"/etc/passwd"}`: "outside", `{"file":"link.npy"}`: "outside", `{"file":"none.yaml"}`: "none.yaml",
		`{"file":"long.yaml"}`: "more than 262144 bytes", `{"file":"."}`: "",
	} {
		var c studyCall
		if err := json.Unmarshal([]byte(call), &c); err != nil {
			t.Fatal(err)
		}
		_, name, err := s.suiteOf(&c)
		if call == `{"file":"."}` {
			if err == nil {
				t.Error("a folder is a suite")
			}
			continue
		}
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) || err == nil && filepath.Ext(name) != ".yaml" {
			t.Errorf("%s: %q %v", call, name, err)
		}
	}
}

// A suite is refused, or all its texts are inside the roots.
func FuzzCheckSuite(f *testing.F) {
	for _, text := range []string{"datasets: {v: {frames: /etc/passwd}}", "a: &a [*a]", "matrix: {a: [.]}", "{", "x: !!binary L2V0Yw=="} {
		f.Add([]byte(text))
	}
	s := offline(f, false)
	f.Fuzz(func(t *testing.T, data []byte) {
		err := s.checkSuite(data)
		if err == nil && strings.Contains(string(data), ": /etc/passwd\n") && !strings.ContainsAny(string(data), "#'\"|>{[&*!%") {
			t.Errorf("%q is accepted", data)
		}
	})
}
