// Random numbers in tests are drawn in one order, so that every run tests the same inputs.

package house

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"
)

// TestRandomNumbersHaveAnOrder: a loop over a map, whose order is another in each run, draws from no source of random
// numbers that goes on from turn to turn.
func TestRandomNumbersHaveAnOrder(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	returning := map[string][]string{} // by folder, the functions that return maps
	for _, s := range tree.files {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Type.Results != nil {
				if _, ok := f.Type.Results.List[0].Type.(*ast.MapType); ok {
					returning[s.folder] = append(returning[s.folder], f.Name.Name)
				}
			}
		}
	}
	for _, s := range tree.files {
		if !s.test {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			o := order{functions: returning[s.folder]}
			ast.Inspect(f, o.collect)
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.RangeStmt); ok && o.isMap(r.X) {
					if name := o.drawn(r); name != "" {
						t.Errorf("%s: %s is drawn from in the order of a map, which is another in each run; "+
							"range over slices.Sorted(maps.Keys(…))", tree.set.Position(r.Pos()), name)
					}
				}
				return true
			})
		}
	}
}

// order is what a function has of maps and of sources of random numbers.
type order struct {
	functions     []string // that return maps
	maps, sources []string // variables
}

// collect enters what is declared in a function.
func (o *order) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Field:
		if kind := types.ExprString(n.Type); kind == "*rand.Rand" || kind == "*stat.Random" {
			for _, name := range n.Names {
				o.sources = append(o.sources, name.Name)
			}
		}
	case *ast.AssignStmt:
		for i, value := range n.Rhs {
			name, ok := n.Lhs[i].(*ast.Ident)
			call, isCall := value.(*ast.CallExpr)
			switch {
			case !ok:
			case o.isMap(value):
				o.maps = append(o.maps, name.Name)
			case isCall && slices.Contains([]string{"rand.New", "stat.NewRandom", "random"}, types.ExprString(call.Fun)):
				o.sources = append(o.sources, name.Name)
			}
		}
	}
	return true
}

// isMap tells an expression that is a map.
func (o *order) isMap(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CompositeLit:
		_, ok := x.Type.(*ast.MapType)
		return ok
	case *ast.CallExpr:
		name, ok := x.Fun.(*ast.Ident)
		return ok && slices.Contains(o.functions, name.Name) || slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, types.ExprString(x.Fun))
	case *ast.Ident:
		return slices.Contains(o.maps, x.Name)
	}
	return false
}

// drawn is a source that the functions of the map or the body of the loop use and do not declare.
func (o *order) drawn(r *ast.RangeStmt) (name string) {
	inside := order{}
	ast.Inspect(r.Body, inside.collect)
	find := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(o.sources, id.Name) && !slices.Contains(inside.sources, id.Name) {
			name = id.Name
		}
		return true
	}
	ast.Inspect(r.Body, find)
	ast.Inspect(r.X, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			ast.Inspect(f, find)
		}
		return true
	})
	return name
}
