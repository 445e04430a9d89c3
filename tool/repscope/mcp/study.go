// Studies: the analyses of a suite file over its datasets and models, by evaluate. All that a suite says is checked,
// and a copy of it is run, so that it cannot change after the check.

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"repscope/internal/regular"
	"repscope/internal/run"
)

const (
	// mostSuite is the most bytes of a suite.
	mostSuite = 256 << 10
	// mostNodes is the most keys and values of a suite.
	mostNodes = 20_000
	// mostNested is how deep the values of a matrix may be.
	mostNested = 8
	// studyCommand runs studies.
	studyCommand = "evaluate"
)

var studyTool = tool{name: "run_study", title: "Run a study",
	description: "Runs several analyses on several datasets and models, from a suite: {\"analyses\": [\"manifold\"], " +
		"\"defaults\": {\"seed\": 1}, " +
		"\"datasets\": {\"val\": {\"frames\": \"x.npy\", \"latents\": {\"jepa\": \"z.npy\"}}}}. describe_analysis of " +
		"evaluate has the rules, describe_analysis of an analysis its options. The same out again runs what has changed.",
	properties: object{
		"suite": object{"type": "object", "description": "the suite; or give a file"},
		"file":  textProperty("a suite file (YAML) inside a root"),
		"dry_run": object{"type": "boolean", "default": false,
			"description": "list the tasks and why they run; compute nothing"},
		"only": listProperty("datasets, analyses or dataset/analysis to run, with * and ?"),
		"out":  outProperty, "figures": figuresProperty},
	runs: true, call: (*server).runStudy}

// studyCall are the arguments of a study.
type studyCall struct {
	Suite   json.RawMessage `json:"suite"`
	File    string          `json:"file"`
	DryRun  bool            `json:"dry_run"`
	Only    []string        `json:"only"`
	Out     string          `json:"out"`
	Figures string          `json:"figures"`
}

// runStudy runs a study, or says what it would do.
func (s *server) runStudy(q *request, data json.RawMessage) (*answer, error) {
	var call studyCall
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if !slices.Contains(figureKinds, call.Figures) {
		return nil, run.Usage("figures %q: want images, links or none", call.Figures)
	}
	suite, name, err := s.suiteOf(&call)
	if err != nil {
		return nil, err
	}
	if err := s.checkSuite(suite); err != nil {
		return nil, err
	}
	if call.DryRun && call.Out == "" {
		call.Out = "dry-run"
	}
	folder, err := s.folder(call.Out, "study")
	if err != nil {
		return nil, err
	}
	line := []string{studyCommand, "--out=" + folder}
	if len(call.Only) > mostOptions {
		return nil, run.Usage("only: more than %d values", mostOptions)
	}
	for _, only := range call.Only {
		if strings.ContainsAny(only, "\x00\n\r") {
			return nil, run.Usage("only: %q: want one line", only)
		}
		line = append(line, "--only="+only)
	}
	held, err := os.MkdirTemp(s.scratch, "suite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(held)
	copied := filepath.Join(held, name)
	if err := os.WriteFile(copied, suite, 0o600); err != nil {
		return nil, err
	}
	if call.DryRun {
		done, err := s.start(q, studyCommand, append(line, "--dry-run", "--json", "--", copied))
		if err != nil {
			return nil, err
		}
		return done.data()
	}
	began := time.Now()
	done, err := s.start(q, studyCommand, append(line, "--", copied))
	if err != nil {
		return nil, err
	}
	return s.ran(q, &runCall{Figures: call.Figures}, &finished{done, folder,
		filepath.Join(folder, studyCommand+".json"), began})
}

// suiteOf is the text of the suite of a call, and the name of its file.
func (s *server) suiteOf(call *studyCall) (suite []byte, name string, err error) {
	inline := len(call.Suite) > 0 && string(call.Suite) != "null"
	switch {
	case inline == (call.File != ""):
		return nil, "", run.Usage("want either suite or file")
	case inline:
		suite, name = call.Suite, "study.yaml"
	default:
		file, err := s.roots.open(call.File)
		if err != nil {
			return nil, "", err
		}
		defer file.Close()
		if suite, err = io.ReadAll(io.LimitReader(file, mostSuite+1)); err != nil {
			return nil, "", regular.PathError(err)
		}
		name = filepath.Base(file.Name())
	}
	if len(suite) > mostSuite {
		return nil, "", run.Usage("a suite of more than %d bytes; want fewer datasets in one study", mostSuite)
	}
	return suite, name, nil
}

// suiteChecker checks the keys and values of a suite. Any text may be a path, as options are: so all must be inside the
// roots, whether they exist or not.
type suiteChecker struct {
	server    *server
	forbidden []string
	seen      map[string]bool // texts
	nodes     int
}

// checkSuite finds what a suite must not say: a path outside of the roots, in any text; an option that writes a file or
// that the server sets; parts of patterns that could make such a path.
func (s *server) checkSuite(suite []byte) error {
	c := &suiteChecker{server: s, forbidden: slices.Clone(ownOptions), seen: map[string]bool{}}
	for _, command := range s.commands {
		c.forbidden = append(c.forbidden, run.WritingFlags(command)...)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(suite))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return run.Usage("suite: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return run.Usage("suite: want one document")
	}
	return c.node(&document)
}

// node checks a node and what it contains. An alias stands for a node that is checked where it is.
func (c *suiteChecker) node(n *yaml.Node) error {
	if c.nodes++; c.nodes > mostNodes {
		return run.Usage("suite: more than %d keys and values", mostNodes)
	}
	if n.Kind == yaml.ScalarNode {
		return c.text(n)
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			name := run.OptionName(child.Value)
			if slices.Contains(c.forbidden, name) {
				return c.wrong(child,
					"%s writes files or is set by the server; leave it out, and give another name to a dataset or model "+
						"that is called so", child.Value)
			}
			if name == "matrix" {
				if err := c.matrix(n.Content[i+1], 0); err != nil {
					return err
				}
			}
		}
		if err := c.node(child); err != nil {
			return err
		}
	}
	return nil
}

func (c *suiteChecker) wrong(n *yaml.Node, format string, args ...any) error {
	return run.Usage("suite, line %d, column %d: %w", n.Line, n.Column, fmt.Errorf(format, args...))
}

// text checks a key or a value.
func (c *suiteChecker) text(n *yaml.Node) error {
	if !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!merge", "!!timestamp"}, n.Tag) {
		return c.wrong(n, "%s: want plain texts, numbers, true or false", n.Tag)
	}
	if c.seen[n.Value] || n.Value == "" {
		return nil
	}
	if c.seen[n.Value] = true; len(c.seen) > mostOptions {
		return run.Usage("suite: more than %d different texts", mostOptions)
	}
	if err := c.server.roots.check(n.Value, true); err != nil {
		return c.wrong(n, "%w", err)
	}
	return nil
}

// matrix checks the values that patterns take in for {name}. A value that is not empty, has no separator, and neither
// begins nor ends with a point makes no part of a path "..", and no path begin again, whatever stands around it.
func (c *suiteChecker) matrix(n *yaml.Node, depth int) error {
	if depth > mostNested {
		return c.wrong(n, "matrix: want {name: [value, …]}")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.matrix(n.Alias, depth+1)
	case yaml.ScalarNode:
		if v := n.Value; n.Tag != "!!null" && (v == "" || strings.ContainsAny(v, `/\~`) || v[0] == '.' ||
			v[len(v)-1] == '.') {
			return c.wrong(n, `matrix: %q: want a value without /, \ and ~, and without a point at its ends`, v)
		}
		return nil
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if err := c.matrix(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}
