// Options are declared once.

package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// definers are the methods of run.Flags that define a flag.
var definers = []string{"Arguments", "Bool", "BoolFunc", "BoolVar", "CheckedVar", "Choice", "Choices", "ChoicesVar", "CountVar", "Duration",
	"DurationVar", "Float64", "Float64Var", "Floats", "Func", "Int", "IntVar", "Ints", "PathVar", "Size", "String", "StringVar", "TextVar",
	"Uint64", "Uint64Var", "Var"}

// plainFlags are calls that define a flag of a run.Flags that a function gets, outside what makes flags of options.
func plainFlags(_ *testing.T, tree tree) (broken []string) {
	tree.product(func(s source) {
		if s.folder == "internal/run" && (strings.HasSuffix(s.path, "/declared.go") || strings.HasSuffix(s.path, "/flags.go")) {
			return
		}
		names := map[string]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && slices.Contains([]string{"*run.Flags", "*Flags"}, typeText(field.Type)) {
				for _, name := range field.Names {
					names[name.Name] = true
				}
			}
			return true
		})
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(definers, method.Sel.Name) {
				return true
			}
			if receiver, ok := method.X.(*ast.Ident); ok && names[receiver.Name] {
				broken = append(broken, fmt.Sprintf("%s: %s.%s", tree.place(s, n), receiver.Name, method.Sel.Name))
			}
			return true
		})
	})
	return broken
}

// place is the file and line of a node.
func (t *tree) place(s source, n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, t.set.Position(n.Pos()).Line)
}

// typeText is a pointer to a named type, as it is written; empty for others.
func typeText(e ast.Expr) string {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return ""
	}
	switch t := star.X.(type) {
	case *ast.Ident:
		return "*" + t.Name
	case *ast.SelectorExpr:
		if pkg, ok := t.X.(*ast.Ident); ok {
			return "*" + pkg.Name + "." + t.Sel.Name
		}
	}
	return ""
}
