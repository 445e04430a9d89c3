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
// reader has at hand. Under a folder stand those of its samples alone.
var free = map[string]map[string]string{
	"": {
		"ctx": "context.Context", "err": "error", "n": "int", "m": "int", "k": "int", "seed": "uint64", "t": "*testing.T",
		"a": "[]float32", "b": "[]float32", "c": "[]float32", "dst": "[]float32", "src": "[]float32", "scores": "[]float32",
		"data": "[]float64", "sigma": "[]float64", "mean": "[]float64", "low": "[]float64", "high": "[]float64",
		"raw": "[]byte", "buffer": "bytes.Buffer", "reader": "io.ReadSeeker", "size": "int64", "threads": "int",
		"frames": "points.Points", "latents": "points.Points", "z": "points.Points", "episode": "[]int", "labels": "[]int64",
		"states": "*dataset.States", "encoder": "latent.Encoder", "result": "*report.Result", "g": "*graph.Graph",
	},
	"analysis/forecast":        {"truth": "forecast.Array", "ensemble": "forecast.Array"},
	"analysis/reconstruction":  {"truth": "reconstruction.Frames", "predicted": "reconstruction.Frames"},
	"analysis/generation":      {"training": "*generation.Samples", "generated": "*generation.Samples"},
	"analysis/reward":          {"rewards": "[]float64", "predicted": "points.Points"},
	"internal/atomicfile":      {"state": "map[string]int"},
	"internal/cuda":            {"n": "int"},
	"internal/cuda/ptxvm":      {"text": "string", "arguments": "[]uint64", "regions": "[]ptxvm.Region"},
	"internal/format":          {"file": "*mmap.File"},
	"internal/input":           {"manual": "string", "measure": "func(frames, latents points.Points) any"},
	"internal/parallel":        {"rows": "[][]float64", "norm": "func([]float64) float64"},
	"internal/pickle":          {"find": "func(module, name string) (pickle.Global, error)"},
	"internal/run":             {"manual": "string", "count": "func(file, word string) (int, error)"},
	"internal/text":            {"name": "string", "names": "[]string", "hint": "string"},
	"internal/zipmember":       {"member": "*zip.File", "fileSize": "int64"},
	"measure/corruption":       {"changed": "[]float32", "state": "[]float32", "number": "int"},
	"measure/dimension":        {"pts": "points.Points", "rms": "float64"},
	"measure/box":              {"mask": "[]bool"},
	"measure/fidelity":         {"train": "points.Points", "holdout": "points.Points", "generated": "points.Points"},
	"measure/ensemble":         {"truth": "[]float32", "members": "[]float32"},
	"measure/image":            {"truth": "[]uint8", "predicted": "[]float32"},
	"measure/measuretest":      {"table": "*cluster.Contingency"},
	"measure/motion":           {"pairs": "[]points.Pair"},
	"measure/probe":            {"latents": "points.Points", "rewards": "[]float64", "episodes": "[]int", "blocks": "*stat.Blocks", "err": "error"},
	"measure/conformal":        {"untouched": "conformal.Transitions", "violated": "conformal.Transitions"},
	"measure/contact":          {"coordinates": "[]float32", "attention": "[]float32", "heads": "int", "n": "int", "residues": "[]int"},
	"measure/score":            {"truth": "[]float64", "predicted": "[]float64", "episodes": "[]int"},
	"measure/selection":        {"run": "[]int", "step": "[]float64", "rank": "[]float64", "success": "[]float64"},
	"measure/set":              {"p": "points.Points", "training": "*set.Sets"},
	"analysis/audit":           {"frames": "points.Points", "episode": "[]int", "split": "[]string", "hits": "[]float64"},
	"analysis/similarity":      {"a": "points.Points", "b": "points.Points"},
	"analysis/surprise":        {"frames": "latent.Source", "shape": "image.Shape", "episode": "[]int", "number": "[]int", "next": "[]int", "z": "points.Points", "predicted": "points.Points", "encode": "func(context.Context, latent.Source) (points.Points, points.Points, error)"},
	"measure/violation":        {"shape": "image.Shape", "episode": "violation.Episode", "key": "stat.Key"},
	"measure/similarity":       {"a": "points.Points", "b": "points.Points"},
	"measure/sphere":           {"pairs": "[]points.Pair"},
	"measure/variant":          {"measured": "[]float64", "scores": "[]float64", "fit": "[]bool"},
	"measure/verification":     {"forecast": "[][]float64", "truth": "[][]float64", "weights": "[]float64"},
	"model/cpu":                {"frames": "[]float32"},
	"model/cuda":               {"frames": "[]float32", "d": "*device.Device"},
	"measure/twosample":        {"generated": "[]float64", "real": "[]float64", "x": "points.Points", "y": "points.Points"},
	"neighbors/internal/cells": {"pts": "points.Points", "exact": "func(context.Context, points.Points, int, *rows.Options) (*rows.Nearest, error)"},
	"neighbors/internal/gpu":   {"pts": "points.Points", "d": "*device.Device"},
	"neighbors/internal/rows":  {"pts": "points.Points"},
	"neighbors/internal/scan":  {"row": "[]float64", "found": "[scan.Segment]int32"},
	"internal/tabular":         {"f": "io.Reader"},
	"suite":                    {"dir": "string"},
	"tool/evaluate":            {"analyses": "[]run.Command"},
	"tool/scale":               {"analyses": "[]run.Command", "studies": "scale.Studies"},
	"tool/evaluate/page":       {"sections": "[]page.Section", "tables": "[]page.Table", "analyses": "[]run.Command", "w": "io.Writer"},
	"neighbors":                {"frames": "[]uint8", "latents": "[]float32"},
	"plots":                    {"file": "io.Writer"},
	"stat":                     {"a": "[]float64", "b": "[]float64", "episodes": "[]int"},
}

// typeOf is the type of a free variable in the samples of a folder, or nothing.
func typeOf(folder, name string) string {
	if kind, ok := free[folder][name]; ok {
		return kind
	}
	return free[""][name]
}

// TestSamples type-checks every block of Go code in a package comment, in the body
// of a function that has the variables of free. "…" stands for what is left out.
// Blocks that are no Go (commands, formulas, JSON) are told apart by how they begin.
// What is not built here is passed over: make cuda-fake checks what is for GPUs.
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
			if !ok || prose(code.Text) || within(s.folder, forGPUs) && (len(buildTags) == 0 || exports[module+s.folder].Export == "") {
				continue
			}
			checked++
			if err := checkSample(code.Text, s.folder, exports, imports); err != nil {
				t.Errorf("%s: a sample in the package comment does not compile: %v\n%s", s.path, err, code.Text)
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d samples were checked, want at least 30", checked)
	}
}

// forGPUs are the folders whose code is built with the tag cuda alone.
const forGPUs = "internal/cuda model/cuda"

// notGo begins blocks that are formulas, commands, data or lists.
var notGo = regexp.MustCompile(`^(go |bin/|make |\{"|\||[a-z]+ [A-Z]+ |[a-z]'? = |s_b = )`)

func prose(text string) bool { return notGo.MatchString(text) }

// listed is what go list tells of a package.
type listed struct{ ImportPath, Name, Export string }

// listExports builds all packages of the module, and what they import, for their
// export data.
func listExports(t *testing.T) map[string]listed {
	t.Helper()
	arguments := append([]string{"list", "-export", "-deps", "-json=ImportPath,Name,Export"}, buildTags...)
	command := exec.Command("go", append(arguments, "./...", "testing", "archive/zip")...)
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

// checkSample type-checks one sample of the package in a folder.
func checkSample(text, folder string, exports map[string]listed, imports types.Importer) error {
	body := complete(text)
	declarations := regexp.MustCompile(`(?m)^func `).MatchString(body)
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
		if kind := typeOf(folder, id); kind != "" {
			vars += id + " " + kind + "\n"
		}
	}
	vars += ")\n"
	head, err := header(assemble(vars, ""), folder, exports)
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
	text = strings.ReplaceAll(text, "error { … }", "error { return nil }")
	return strings.NewReplacer("{ … }", "{ }", ", …}", "}", ", …)", ")", "(…)", "()", "{…}", "{}").Replace(text)
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
func header(text, folder string, exports map[string]listed) (string, error) {
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
		if path := packageNamed(name, folder, exports); path != "" {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	return b.String(), nil
}

// packageNamed is the import path of the package of a name: the one in the folder,
// another of ours, or the shortest of the standard library.
func packageNamed(name, folder string, exports map[string]listed) string {
	if exports[module+folder].Name == name {
		return module + folder
	}
	best := ""
	for path, p := range exports {
		if p.Name != name || strings.Contains(path, "/internal/") && !strings.HasPrefix(path, module) || strings.HasPrefix(path, "vendor/") {
			continue
		}
		ours, bestOurs := strings.HasPrefix(path, module), strings.HasPrefix(best, module)
		if best == "" || ours && !bestOurs || ours == bestOurs && (len(path) < len(best) || len(path) == len(best) && path < best) {
			best = path
		}
	}
	return best
}
