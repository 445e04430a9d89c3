//go:build cuda

// Where kernels lie.

package cuda

import (
	"testing"

	"repscope/model/internal/graphtest"
)

// A kernel's constructor lies in the file of its operator's family.
func TestFamilies(t *testing.T) {
	t.Parallel()
	graphtest.Families(t, operators)
}
