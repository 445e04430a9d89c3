// The samples in package comments compile.

package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/format"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// free are the variables that samples may use without declaring them: what a
// reader of the sample has at hand. All others must be declared in the sample.
var free = map[string]string{
	"ctx":       "context.Context",
	"err":       "error",
	"n":         "int",
	"m":         "int",
	"k":         "int",
	"a":         "[]float32",
	"b":         "[]float32",
	"c":         "[]float32",
	"raw":       "[]byte",
	"buffer":    "bytes.Buffer",
	"reader":    "io.ReadSeeker",
	"writer":    "io.Writer",
	"member":    "*zip.File",
	"fileSize":  "int64",
	"seed":      "uint64",
	"data":      "[]float64",
	"series":    "[]float64",
	"sigma":     "[]float64",
	"mean":      "[]float64",
	"low":       "[]float64",
	"high":      "[]float64",
	"frames":    "points.Points",
	"latents":   "points.Points",
	"z":         "points.Points",
	"episode":   "[]int",
	"labels":    "[]int",
	"states":    "*dataset.States",
	"encoder":   "latent.Encoder",
	"graphics":  "io.Writer",
	"result":    "*report.Result",
	"t":         "*testing.T",
	"contexts":  "[]*cuda.Context",
	"g":         "*graph.Graph",
	"scores":    "[]float32",
	"dst":       "[]float32",
	"src":       "[]float32",
	"gotState":  "*shard.State",
	"predicted": "points.Points",
}

// TestSamples type-checks every block of Go code in a package comment, in the body
// of a function that has the variables of free. "…" stands for what is left out.
// Blocks that are no Go (commands, formulas, JSON) are told apart by their syntax:
// a block is Go unless it does not parse and its package is in prose.
func TestSamples(t *testing.T) {
	t.Parallel()
	exports := listExports(t)
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if file := exports[path].Export; file != "" {
			return os.Open(file)
		}
		return nil, fmt.Errorf("no export data of %s", path)
	})
	checked := 0
	for _, s := range sources(t).files {
		if s.file.Doc == nil || s.test {
			continue
		}
		var p comment.Parser
		for _, block := range p.Parse(s.file.Doc.Text()).Content {
			code, ok := block.(*comment.Code)
			if !ok || prose(code.Text) {
				continue
			}
			checked++
			if err := checkSample(code.Text, s.file.Name.Name, exports, imports); err != nil {
				t.Errorf("%s: a sample in the package comment does not compile: %v\n%s", s.path, err, code.Text)
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d samples were checked, want at least 30", checked)
	}
}

// notGo begins blocks that are formulas, commands, data or lists.
var notGo = regexp.MustCompile(`^(go run |bin/|make |\{"|\||[a-z]+ [A-Z]+ |[a-z]'? = |s_b = )`)

func prose(text string) bool { return notGo.MatchString(text) }

// listed is what go list tells of a package.
type listed struct{ ImportPath, Name, Export string }

// listExports builds all packages of the module, and what they import, for their
// export data.
func listExports(t *testing.T) map[string]listed {
	t.Helper()
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Export", "./...", "testing", "archive/zip")
	command.Dir = sources(t).root
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, problems.String())
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// checkSample type-checks one sample of the package of the given name.
func checkSample(text, name string, exports map[string]listed, imports types.Importer) error {
	body := complete(text)
	declarations := regexp.MustCompile(`(?m)^(func |type |import |const )`).MatchString(body) && !regexp.MustCompile(`(?m)^\S.*:?= `).MatchString(body)
	set := token.NewFileSet()
	assemble := func(vars, head string) string {
		if declarations {
			return "package sample\n" + head + vars + body
		}
		return "package sample\n" + head + vars + "func _() error {\n" + body + "\nreturn nil\n}\n"
	}
	file, err := parser.ParseFile(set, "sample.go", assemble("", ""), 0)
	if err != nil {
		return err
	}
	vars := "var (\n"
	for _, id := range undeclared(file) {
		if kind, ok := free[id]; ok {
			vars += id + " " + kind + "\n"
		}
	}
	vars += ")\n"
	head, err := header(assemble(vars, ""), name, exports)
	if err != nil {
		return err
	}
	whole := assemble(vars, head)
	if _, err := format.Source([]byte(whole)); err != nil {
		return err
	}
	set = token.NewFileSet()
	if file, err = parser.ParseFile(set, "sample.go", whole, 0); err != nil {
		return err
	}
	var first error
	config := types.Config{Importer: imports, Error: func(err error) {
		var e types.Error
		unused := errors.As(err, &e) && (strings.HasPrefix(e.Msg, "declared and not used") || strings.Contains(e.Msg, "imported and not used"))
		if first == nil && !unused {
			first = err
		}
	}}
	_, _ = config.Check("sample", set, []*ast.File{file}, nil)
	return first
}

// complete takes the ellipses out of a sample.
func complete(text string) string {
	text = regexp.MustCompile(`(?m)^\s*…\s*$`).ReplaceAllString(text, "")
	for from, to := range map[string]string{"{ … }": "{ }", ", …}": "}", ", …)": ")", "(…)": "()", "{…}": "{}"} {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// undeclared are the identifiers of a file that stand for a value from outside.
func undeclared(file *ast.File) []string {
	var names []string
	selected := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				selected[id] = true
			}
		case *ast.Ident:
			if !selected[n] && !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		}
		return true
	})
	slices.Sort(names)
	return names
}

// header imports the packages whose names are used: the sample's own, ours before
// the standard library's.
func header(text, own string, exports map[string]listed) (string, error) {
	used := map[string]bool{}
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("sample.go", set.Base(), len(text)), []byte(text), nil, 0)
	last := ""
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.PERIOD && last != "" {
			used[last] = true
		}
		last = ""
		if tok == token.IDENT {
			last = literal
		}
	}
	var b strings.Builder
	for name := range used {
		if path := packageNamed(name, exports); path != "" {
			fmt.Fprintf(&b, "import %q\n", path)
		} else if name == own {
			return "", fmt.Errorf("package %s is not built here", own)
		}
	}
	return b.String(), nil
}

// packageNamed is the import path of the package of a name, ours if there is one,
// else the shortest.
func packageNamed(name string, exports map[string]listed) string {
	best := ""
	for path, p := range exports {
		if p.Name != name || strings.Contains(path, "/internal/") && !strings.HasPrefix(path, module) || strings.HasPrefix(path, "vendor/") {
			continue
		}
		ours, bestOurs := strings.HasPrefix(path, module), strings.HasPrefix(best, module)
		if best == "" || ours && !bestOurs || ours == bestOurs && len(path) < len(best) {
			best = path
		}
	}
	return best
}
