// Options of calls as command lines.

package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/suite"
)

// offline is a server that answers nobody.
func offline(t testing.TB, write bool) *server {
	t.Helper()
	folders, root, _ := tree(t)
	return &server{commands: offered(suite.Commands()), roots: folders, out: root, write: write}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	s := offline(t, false)
	for _, c := range []struct{ analysis, options, arguments, want, wrong string }{
		{"neighborhood", `{"frames":"x.npy","latents":{"b":"x.npy","a=1":"plain/y.npy"},` +
			`"k":[5,10],"skip_nan":true,"seed":7}`, "",
			`--frames=x.npy --latents=b=x.npy --latents=a\=1=plain/y.npy --k=5,10 --skip-nan=true --seed=7`, ""},
		{"neighborhood", `{"latents":["a=x.npy","b=plain/y.npy"],"k":"5,10"}`, "",
			"--latents=a=x.npy --latents=b=plain/y.npy --k=5,10", ""},
		{"neighborhood", `{"latents":"--out=/tmp"}`, "", "", "outside the folders"},
		{"neighborhood", `{"latent":"x.npy"}`, "", "", `unknown option "latent"`},
		{"neighborhood", `{"k":{"a":1}}`, "", "", "k: found an object; want one value"},
		{"neighborhood", `{"k":null}`, "", "", "k: want a text"},
		{"neighborhood", `{"k":[[1]]}`, "", "", "k: want a text"},
		{"neighborhood", `[]`, "", "", "options: want an object"},
		{"neighborhood", `{"k":1,"k":2}`, "", "", "k"},
		{"neighborhood", `{}`, "x.npy", "", "neighborhood takes none"},
		{"neighborhod", `{}`, "", "", `analysis "neighborhod": want one of`},
		{"scale", `{}`, "", "", `analysis "scale"`}, {"evaluate", `{}`, "", "", `analysis "evaluate"`}, {"repscope",
			`{}`,
			"", "", "want one of"},
		{"neighborhood", `{"frames":"link.npy"}`, "", "", "frames: link.npy: the path is outside"},
		{"neighborhood", `{"weights":"linked"}`, "", "", "z.npy: the path is outside"},
		{"compare", `{}`, "x.npy", "-- x.npy", ""}, {"compare", `null`, "--json", "-- --json", ""},
		{"compare", `{}`, "a@b=link.npy", "", "outside"},
		{"compare", `{"table":"t.md"}`, "", "", "table writes a file"}, {"compare", `{"save-plot":"t.png"}`, "", "",
			"save-plot writes a file"},
	} {
		_, args, err := s.commandLine(&runCall{Analysis: c.analysis, Options: json.RawMessage(c.options),
			Arguments: strings.Fields(c.arguments)})
		if got := strings.Join(args, " "); got != c.want || (err == nil) != (c.wrong == "") || err != nil &&
			!strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s %s %s: %q %v", c.analysis, c.options, c.arguments, got, err)
		}
	}
	for _, name := range ownOptions {
		call := &runCall{Analysis: "neighborhood", Options: json.RawMessage(`{"` + name + `":"x"}`)}
		if _, _, err := s.commandLine(call); err == nil || !strings.Contains(err.Error(), "set by the server") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With --write options that write do so in the output folder only.
func TestCommandLine_Write(t *testing.T) {
	t.Parallel()
	s := offline(t, true)
	s.out += "/plain"
	for value, ok := range map[string]bool{"plain/t.md": true, "plain/t.md,plain/u.csv": true, "t.md": false,
		"plain/t.md,t.csv": false, "folder/t.md": false, "plain/../t.md": false} {
		_, _, err := s.commandLine(&runCall{Analysis: "compare", Options: json.RawMessage(`{"table":"` + value + `"}`)})
		if (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
	}
	for name, ok := range map[string]bool{"new": true, "new/deep": true, "../x": false, "/x": false, ".": false,
		"a/../..": false, "": true, "folder": true} {
		if folder, err := s.folder(name, "audit"); (err == nil) != ok || ok && !inside(s.out, folder) {
			t.Errorf("out %q: %q %v", name, folder, err)
		}
	}
}

// Every option that names a file is declared so; every option of the help is in the schema or the server's own.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := offline(t, false)
	for _, c := range s.commands {
		properties := s.schemaOf(c)["properties"].(object)
		for _, name := range run.FlagNames(c) {
			_, there := properties[name]
			hidden := slices.Contains(ownOptions, name) || slices.Contains(run.WritingFlags(c), name)
			if there == hidden {
				t.Errorf("%s --%s: in the schema: %v", c.Name, name, there)
			}
		}
		if _, err := json.Marshal(properties); err != nil {
			t.Error(err)
		}
	}
}
