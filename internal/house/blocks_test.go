// The configurations in the documents and manuals are read by the binaries, and the flags of all other commands there
// exist.

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/suite"
)

// fenced is a block of a document with its kind.
var fenced = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```")

// literal is an indented block of a manual.
var literal = regexp.MustCompile(`(?m)(?:^  .*\n)+`)

// shown is a block of a document or a manual.
type shown struct{ where, kind, text string }

// allShown are the blocks of all documents, and those of the manuals: yaml where they have datasets, else text.
func allShown(t *testing.T) (all []shown) {
	t.Helper()
	for _, document := range append(documents(t), filepath.Join(sources(t).root, "python", "README.md")) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range fenced.FindAllStringSubmatch(string(text), -1) {
			all = append(all, shown{filepath.Base(document), found[1], found[2]})
		}
	}
	for _, c := range suite.Commands() {
		for _, one := range append(c.Commands, c) {
			for _, block := range literal.FindAllString(one.Manual+"\n", -1) {
				kind := "text"
				if strings.Contains(block, "datasets:") {
					kind = "yaml"
				}
				all = append(all, shown{"the manual of " + one.Name, kind, strings.ReplaceAll("\n"+block, "\n  ", "\n")[1:]})
			}
		}
	}
	return all
}

// TestDocumentedConfigurations has the binaries read every configuration: a suite, or the configuration of an analysis.
func TestDocumentedConfigurations(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeFiles(t, sources(t).root, folder)
	copied := func(from string, to ...string) {
		content, err := os.ReadFile(filepath.Join(folder, from))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range to {
			path := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	copied("antibodies.csv", "val.csv", "late.csv", "paired.csv")
	copied("jepa.onnx", "runs/a/step_9.onnx", "runs/a/step_10.onnx", "weights/jepa/best_encoder.onnx")
	copied("val.npz", "pong.npz")
	read := map[string]int{}
	for i, block := range allShown(t) {
		if block.kind != "yaml" {
			continue
		}
		file := filepath.Join(folder, "documented.yaml")
		if err := os.WriteFile(file, []byte(block.text), 0o644); err != nil {
			t.Fatal(err)
		}
		words := []string{"smoothness", "--config", file, "--dry-run", "--bootstrap", "0"}
		switch {
		case strings.Contains(block.text, "datasets:"):
			words = []string{"evaluate", file, "--dry-run", "--out", filepath.Join(folder, "study")}
		case strings.Contains(block.text, "eval:"):
			words = []string{"sequence", "--config", file, "--dry-run", "--model", "esm=esm.onnx", "--sequences", "antibodies.csv"}
			if strings.Contains(block.text, "data:") {
				words = words[:len(words)-2]
			}
		}
		read[words[0]]++
		if out := call(t, folder, words); t.Failed() {
			t.Fatalf("block %d of %s:\n%s\n%s", i, block.where, block.text, out)
		}
	}
	if read["evaluate"] < 2 || read["sequence"] < 2 || read["smoothness"] < 1 {
		t.Errorf("read %v", read)
	}
}

// TestDocumentedFlags looks for the flags of every command that is shown and not run.
func TestDocumentedFlags(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, block := range allShown(t) {
		if block.kind != "text" {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(block.text, "\\\n", " ")) {
			line, _, _ = strings.Cut(line, " #")
			words := split(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			if len(words) > 1 && filepath.Base(words[0]) == "repscope" {
				if _, ok := suite.Find(words[1]); ok {
					words = words[1:]
				}
			}
			looked += flagsExist(t, block.where, words)
		}
	}
	if looked < 8 {
		t.Errorf("%d commands were looked at, want at least 8", looked)
	}
}

// flagsExist reports flags that a command does not have, and those of the command behind --; it counts the commands.
func flagsExist(t *testing.T, where string, words []string) (commands int) {
	t.Helper()
	if len(words) == 0 {
		return 0
	}
	entry, ok := suite.Find(filepath.Base(words[0]))
	if !ok {
		return 0
	}
	c, rest := entry.Command, words[1:]
	if len(rest) > 0 {
		if i := slices.IndexFunc(c.Commands, func(sub run.Command) bool { return sub.Name == rest[0] }); i >= 0 {
			c, rest = c.Commands[i], rest[1:]
		}
	}
	names := run.FlagNames(c)
	for i, word := range rest {
		if word == "--" {
			return 1 + flagsExist(t, where, rest[i+1:])
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		value := i > 0 && rest[i-1] == "--sbatch" // an option of another program
		if strings.HasPrefix(word, "--") && !slices.Contains(names, name) && !value {
			t.Errorf("%s: %s: %s has no flag --%s", where, strings.Join(words, " "), c.Name, name)
		}
	}
	return 1
}
