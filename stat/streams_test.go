// The registry of random streams against itself and against the rest of the
// program.

package stat

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// streams are the constants of streams.go by name.
func streams(t *testing.T) map[string]Stream {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "streams.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Stream{}
	for _, d := range file.Decls {
		constants, ok := d.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			v := spec.(*ast.ValueSpec)
			number, ok := v.Values[0].(*ast.BasicLit)
			if kind, isType := v.Type.(*ast.Ident); !ok || !isType || kind.Name != "Stream" {
				t.Fatalf("%s: want a constant of type Stream with a number of its own", v.Names[0].Name)
			}
			value, err := strconv.ParseUint(number.Value, 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			out[v.Names[0].Name] = Stream(value)
		}
	}
	return out
}

func TestStreamsDiffer(t *testing.T) {
	t.Parallel()
	all := streams(t)
	if len(all) < 18 {
		t.Fatalf("%d streams found in streams.go", len(all))
	}
	byNumber, byKey := map[Stream]string{}, map[Key]string{}
	for name, s := range all {
		if other, ok := byNumber[s]; ok {
			t.Errorf("%s and %s are both %#x", name, other, uint64(s))
		}
		byNumber[s] = name
		for _, coordinates := range [][]uint64{nil, {0}, {1}, {0, 0}} {
			key := s.Key(42, coordinates...)
			if other, ok := byKey[key]; ok {
				t.Errorf("%s%v has the key of %s", name, coordinates, other)
			}
			byKey[key] = name
			if want := NewKey(42, append([]uint64{uint64(s)}, coordinates...)...); key != want {
				t.Errorf("%s%v: key %v, want %v", name, coordinates, key, want)
			}
		}
	}
}

// Every package that draws takes a stream of the registry: outside this package
// nothing but tests makes a Key or a Stream from numbers, or names a constant stream….
func TestStreamsAreDrawnFromTheRegistry(t *testing.T) {
	t.Parallel()
	all := streams(t)
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || path != ".." && strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "streams.go" {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		here := filepath.Dir(path) == filepath.Join("..", "stat")
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "stat" {
					used[n.Sel.Name] = true
					if slices.Contains([]string{"NewKey", "Stream"}, n.Sel.Name) && !forTests(path) {
						t.Errorf("%s: stat.%s: take a stream of stat/streams.go", files.Position(n.Pos()), n.Sel.Name)
					}
				}
			case *ast.Ident:
				used[n.Name] = used[n.Name] || here
			case *ast.ValueSpec:
				for _, name := range n.Names {
					if rest, ok := strings.CutPrefix(strings.ToLower(name.Name), "stream"); ok && rest != "" && len(n.Values) > 0 {
						if _, isNumber := n.Values[0].(*ast.BasicLit); isNumber {
							t.Errorf("%s: %s: streams belong into stat/streams.go", files.Position(n.Pos()), name.Name)
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !used[name] {
			t.Errorf("%s: nobody draws from it", name)
		}
	}
}

// forTests reports whether a file is a helper of tests, such as package runtest.
func forTests(path string) bool {
	return strings.HasSuffix(filepath.Base(filepath.Dir(path)), "test")
}
