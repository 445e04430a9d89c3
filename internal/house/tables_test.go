// How tables are read.

package house

import (
	"go/ast"
	"testing"
)

// TestTables holds that tables of text are read by internal/tabular alone, whose rule joins their
// columns by name; suite tries every place where it is used (TestTables there).
func TestTables(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t).files {
		if s.test || within(s.folder, "internal/tabular internal/runtest") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if f, ok := n.(*ast.SelectorExpr); ok && f.Sel.Name == "NewReader" {
				if of, ok := f.X.(*ast.Ident); ok && of.Name == "csv" {
					t.Errorf("%s reads a table by package csv; internal/tabular joins columns by name", s.path)
				}
			}
			return true
		})
	}
}
