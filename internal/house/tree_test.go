// The source tree, parsed once for all rules.

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module is the path that imports of our own packages begin with.
const module = "repscope/"

// source is a parsed Go file.
type source struct {
	path      string // relative to the root, with slashes
	folder    string // of the file; its package without the module
	test      bool
	generated bool
	file      *ast.File
}

// tree is all Go files of the module, whatever their build constraints.
type tree struct {
	root  string
	set   *token.FileSet
	files []source
}

var parsed = sync.OnceValues(parseTree)

// sources returns the parsed tree.
func sources(t *testing.T) tree {
	t.Helper()
	tree, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func parseTree() (tree, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return tree{}, err
	}
	t := tree{root: root, set: token.NewFileSet()}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && (skipped(entry.Name()) || isModule(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		return t.parse(name)
	})
	return t, err
}

// skipped names folders that are not source: those that go ignores, and built files.
func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "testdata" || folder == "bin"
}

// isModule tells modules of their own, which have rules of their own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

func (t *tree) parse(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(t.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(t.root, name)
	if err != nil {
		return err
	}
	relative = filepath.ToSlash(relative)
	t.files = append(t.files, source{
		path: relative, folder: path.Dir(relative), test: strings.HasSuffix(relative, "_test.go"),
		generated: ast.IsGenerated(file), file: file,
	})
	return nil
}

// lines returns how many lines a node takes.
func (t *tree) lines(n ast.Node) int {
	return t.set.Position(n.End()).Line - t.set.Position(n.Pos()).Line + 1
}
