// Words: American spelling and standard terms, in texts for users, in documents, in comments and in names.

package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// british matches British spellings.
var british = regexp.MustCompile(`(?i)\b(neighbour|colour|grey|centre|behaviour|favour|honour|artefact|catalogue|licence|` +
	`analys(e|ed|ing)\b|(un|re|de)?(normal|standard|initial|quant|optim|recogn|summar|organ|real|general|minim|maxim|local|visual|serial)is(e|ed|es|ing|er|ation)\b|` +
	`modell(ed|ing)|labell(ed|ing)|travell)`)

// house matches words and openings that a reader outside this project has to translate.
var house = regexp.MustCompile(`(?i)\b(beside|of which|so many|afresh|anew|data sets?|put down|what nobody|what (is|are|was|were|of)|(those|that) of)\b`)

// published are names and phrases that stay as they are: targets, keys of caches, quoted commands.
var published = strings.NewReplacer("analyse-all", "", "normalised %s %x", "")

// TestWords holds that texts for users have American spelling and standard terms.
func TestWords(t *testing.T) {
	t.Parallel()
	var found []string
	add := func(place, text string) {
		plain := published.Replace(text)
		for _, words := range []*regexp.Regexp{british, house} {
			if word := words.FindString(plain); word != "" {
				found = append(found, fmt.Sprintf("%s: %q in %.100q", place, word, text))
				return
			}
		}
	}
	tree := sources(t)
	tree.product(func(s source) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(l.Value); err == nil && strings.Contains(text, " ") {
				add(fmt.Sprintf("%s:%d", s.path, tree.set.Position(l.Pos()).Line), text)
			}
			return true
		})
	})
	for _, path := range append(documents(t), others(t)...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(tree.root, path)
		name = filepath.ToSlash(name)
		if within(name, "docs/develop/log") { // as it was written then
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			add(fmt.Sprintf("%s:%d", name, i+1), line)
		}
	}
	pythonStrings(t, tree.root, add)
	for _, text := range found[:min(len(found), mostTold)] {
		t.Error(text)
	}
}

// pythonString matches docstrings and strings of a line.
var pythonString = regexp.MustCompile(`(?s)"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"`)

// pythonField matches the code in an f-string.
var pythonField = regexp.MustCompile(`\{[^{}]*\}`)

// pythonStrings visits the strings of the Python package that have spaces, but for the generated module.
func pythonStrings(t *testing.T, root string, visit func(path, text string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "python/repscope/*.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if filepath.Base(path) == "_functions.py" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pythonString.FindAllStringSubmatch(string(text), -1) {
			if s := pythonField.ReplaceAllString(m[1]+m[2], ""); strings.Contains(s, " ") {
				visit("python/repscope/"+filepath.Base(path), s)
			}
		}
	}
}

// commentsWith returns a rule that finds comments with such words.
func commentsWith(words *regexp.Regexp) func(*testing.T, tree) []string {
	return func(_ *testing.T, tree tree) (broken []string) {
		tree.product(func(s source) {
			for _, group := range s.file.Comments {
				if word := words.FindString(published.Replace(group.Text())); word != "" {
					broken = append(broken, fmt.Sprintf("%s:%d: %s", s.path, tree.set.Position(group.Pos()).Line, word))
				}
			}
		})
		return broken
	}
}

// notNouns are prepositions and participles that are no names of variables, but for a scope of a few lines.
var notNouns = []string{"of", "at", "own", "said", "left", "most", "known", "given", "found"}

const shortScope = 3 // lines

// notNounVariables finds variables named by prepositions and participles with a long scope.
func notNounVariables(_ *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		var inside []ast.Node
		ast.Inspect(s.file, func(n ast.Node) bool {
			if n == nil {
				inside = inside[:len(inside)-1]
				return true
			}
			for _, name := range declared(n) {
				if slices.Contains(notNouns, name.Name) && !isSide(name, inside) && tree.scope(n, inside) > shortScope {
					broken = append(broken, fmt.Sprintf("%s:%d: %s", s.path, tree.set.Position(name.Pos()).Line, name.Name))
				}
			}
			inside = append(inside, n)
			return true
		})
	})
	return broken
}

// isSide reports whether a variable left is the side: its function, or the call that it is declared in, has a right one
// or another side too. Elsewhere it is what remains.
func isSide(name *ast.Ident, inside []ast.Node) bool {
	if name.Name != "left" {
		return false
	}
	for _, outer := range inside {
		f, ok := outer.(*ast.FuncDecl)
		if !ok {
			continue
		}
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && slices.Contains([]string{"right", "Right", "top", "bottom", "corner"}, id.Name)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// declared returns the variables that a node declares itself.
func declared(n ast.Node) (names []*ast.Ident) {
	var left []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			left = n.Lhs
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			left = []ast.Expr{n.Key, n.Value}
		}
	case *ast.ValueSpec:
		return n.Names
	case *ast.FuncType:
		for _, list := range []*ast.FieldList{n.Params, n.Results} {
			if list != nil {
				for _, f := range list.List {
					names = append(names, f.Names...)
				}
			}
		}
	}
	for _, e := range left {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id)
		}
	}
	return names
}

// scope returns the number of lines from a declaration to the end of its innermost block or function.
func (t *tree) scope(n ast.Node, inside []ast.Node) int {
	line := func(p token.Pos) int { return t.set.Position(p).Line }
	if r, ok := n.(*ast.RangeStmt); ok {
		return line(r.End()) - line(r.Pos())
	}
	for _, outer := range slices.Backward(inside) {
		switch outer.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.FuncDecl, *ast.FuncLit:
			return line(outer.End()) - line(n.Pos())
		}
	}
	return 0 // of the package, or of a type
}
