// Rules that the code does not hold everywhere yet: how often each is broken may only fall.

package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	widestLine     = 120
	mostParameters = 7
	deepestNest    = 5
	mostNamesakes  = 3 // packages with an exported type of one name
	mostFiles      = 30
	mostLines      = 6000
	mostTold       = 60 // places in a message
)

// ratchets are the rules. Whoever mends a place lowers the limit.
var ratchets = []struct {
	rule   string
	limit  int
	broken func(t *testing.T, tree tree) []string
}{
	{"a line has at most 120 columns", 1621, wideLines},
	{"a function has at most 7 parameters", 41, manyParameters},
	{"statements are nested at most 5 deep", 5, deepNests},
	{"an exported type name stands in at most 3 packages", 28, namesakes},
	{"a package has at most 30 files and 6,000 lines", 6, largePackages},
	{"what belongs to a number is named by package report alone: x_ci, x_se, x_sd", 6, spelledCompanions},
	{"a comment says things by nouns: no \"what is\", \"those of\", \"beside\" and the like", 11, commentsWith(house)},
	{"comments have American spelling", 0, commentsWith(british)},
	{"an option is declared (package option), not a plain flag", 2, plainFlags},
	{"a variable with a scope of more than 3 lines is a noun", 0, notNounVariables},
}

func TestRatchets(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	for _, r := range ratchets {
		switch broken := r.broken(t, tree); {
		case len(broken) > r.limit:
			t.Errorf("%s: broken %d times, at most %d:\n%s", r.rule, len(broken), r.limit, strings.Join(broken[:min(len(broken), mostTold)], "\n"))
		case len(broken) < r.limit:
			t.Logf("%s: broken %d times; lower the limit from %d", r.rule, len(broken), r.limit)
		}
	}
}

// product visits the files that are neither tests nor generated.
func (t *tree) product(visit func(s source)) {
	for _, s := range t.files {
		if !s.test && !s.generated {
			visit(s)
		}
	}
}

func wideLines(t *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		text, err := os.ReadFile(filepath.Join("../..", s.path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if utf8.RuneCountInString(line) > widestLine {
				broken = append(broken, fmt.Sprintf("%s:%d", s.path, i+1))
			}
		}
	})
	return broken
}

func manyParameters(_ *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Type.Params.NumFields() > mostParameters {
				broken = append(broken, s.path+": "+f.Name.Name)
			}
		}
	})
	return broken
}

func deepNests(_ *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && depth(f.Body) > deepestNest {
				broken = append(broken, s.path+": "+f.Name.Name)
			}
		}
	})
	return broken
}

// depth is how deep loops, conditions and choices are nested in a statement.
func depth(n ast.Node) int {
	deepest := 0
	ast.Inspect(n, func(in ast.Node) bool {
		if in == nil || in == n {
			return true
		}
		switch in := in.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			deepest = max(deepest, 1+depth(in))
			return false
		case *ast.IfStmt:
			inside := depth(in.Body)
			if in.Else != nil { // else if is no deeper
				if next, ok := in.Else.(*ast.IfStmt); ok {
					deepest = max(deepest, depth(&ast.BlockStmt{List: []ast.Stmt{next}}))
				} else {
					inside = max(inside, depth(in.Else))
				}
			}
			deepest = max(deepest, 1+inside)
			return false
		}
		return true
	})
	return deepest
}

// common are type names that every analysis has.
var common = []string{"Options", "Result", "Input"}

func namesakes(_ *testing.T, tree tree) (broken []string) {
	packages := map[string][]string{}
	tree.product(func(s source) {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if name := spec.(*ast.TypeSpec).Name.Name; ast.IsExported(name) && !slices.Contains(common, name) {
					packages[name] = append(packages[name], s.folder)
				}
			}
		}
	})
	for name, in := range packages {
		if len(in) > mostNamesakes {
			broken = append(broken, name+": "+strings.Join(in, ", "))
		}
	}
	slices.Sort(broken)
	return broken
}

func largePackages(_ *testing.T, tree tree) (broken []string) {
	files, lines := map[string]int{}, map[string]int{}
	tree.product(func(s source) {
		files[s.folder]++
		lines[s.folder] += tree.set.File(s.file.Pos()).LineCount()
	})
	for folder, n := range files {
		if n > mostFiles || lines[folder] > mostLines {
			broken = append(broken, fmt.Sprintf("%s: %d files, %d lines", folder, n, lines[folder]))
		}
	}
	slices.Sort(broken)
	return broken
}

// companionName is the name of an interval, an error or a spread.
var companionName = regexp.MustCompile(`^"[a-z0-9_]*_(ci|se|sd)"$`)

func spelledCompanions(_ *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		if s.folder == "report" {
			return
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && companionName.MatchString(l.Value) {
				broken = append(broken, fmt.Sprintf("%s: %s", s.path, l.Value))
			}
			return true
		})
	})
	return broken
}
