// Where the kernels of operators lie.

package graphtest

import (
	"path"
	"reflect"
	"runtime"
	"testing"

	"repscope/model/operator"
)

// Families checks that the constructor of each operator's kernel lies in the file of the operator's family, and
// that every kernel is of an operator that the table has.
func Families[F any](t *testing.T, kernels map[string]F) {
	t.Helper()
	count := 0
	for family, names := range operator.Families() {
		for _, name := range names {
			construct, ok := kernels[name]
			if !ok {
				continue
			}
			count++
			pc := reflect.ValueOf(construct).Pointer()
			file, _ := runtime.FuncForPC(pc).FileLine(pc)
			if path.Base(file) != family+".go" {
				t.Errorf("the kernel of %s lies in %s, want %s.go", name, path.Base(file), family)
			}
		}
	}
	if count != len(kernels) {
		t.Errorf("%d kernels, %d for operators of the table", len(kernels), count)
	}
}
